// Adding somebody redraws who takes part; what was typed there already stays.

const typed = new Map();

function inputs(within) {
  return within ? within.querySelectorAll("input[name]") : [];
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const status = event.detail.xhr.status;
  if (status === 409 || status === 422) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
  if (event.detail.target.id !== "members") return;
  if (!document.getElementById("budgets") && status < 400) {
    event.detail.shouldSwap = false;
    window.location.reload();
    return;
  }
  typed.clear();
  for (const input of inputs(document.getElementById("budgets"))) {
    typed.set(input.name, input.type === "checkbox" ? input.checked : input.value);
  }
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target.id !== "budgets") return;
  for (const input of inputs(document.getElementById("budgets"))) {
    if (!typed.has(input.name)) continue;
    if (input.type === "checkbox") input.checked = typed.get(input.name);
    else input.value = typed.get(input.name);
  }
});

// A swapped-in form begins at what is wrong in it.
document.addEventListener("htmx:afterSettle", (event) => {
  const wrong = event.target.querySelector ? event.target.querySelector("[autofocus]") : null;
  if (wrong) wrong.focus();
});
