// Adding somebody redraws who takes part; what was typed there already stays.

const typed = new Map();

function inputs(within) {
  return within ? within.querySelectorAll("input[name]") : [];
}

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "members") return;
  if (!document.getElementById("budgets") && event.detail.xhr.status < 400) {
    event.detail.shouldSwap = false;
    window.location.reload();
    return;
  }
  // An answer for figures that are about to be replaced would look for its places outside the page.
  window.htmx.trigger("#figures", "htmx:abort");
  typed.clear();
  for (const input of inputs(document.getElementById("budgets"))) {
    typed.set(input.name, input.type === "checkbox" ? input.checked : input.value);
  }
});

// Until somebody types how many reviews there are, it follows how many people there are.
function follow(reviews) {
  if (!reviews || reviews.value !== reviews.defaultValue) return;
  reviews.defaultValue = document.getElementById("budgets").dataset.reviews;
  reviews.value = reviews.defaultValue;
}

document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target.id !== "budgets") return;
  follow(document.getElementById("id_reviews"));
  for (const input of inputs(document.getElementById("budgets"))) {
    if (!typed.has(input.name)) continue;
    if (input.type === "checkbox") input.checked = typed.get(input.name);
    else input.value = typed.get(input.name);
  }
});

// A budget that the forecast proposes goes into the fields of all workers; nothing else is lost.
document.addEventListener("click", (event) => {
  const link = event.target.closest ? event.target.closest("a[data-budget]") : null;
  const fields = document.querySelectorAll('#budgets input[name^="budget-worker-"]');
  if (!link || !fields.length) return;
  event.preventDefault();
  for (const field of fields) field.value = link.dataset.budget;
  fields[0].dispatchEvent(new Event("input", { bubbles: true }));
  fields[0].focus();
});

// What is said of budgets is of all that stands in the form.
document.addEventListener("htmx:afterSettle", (event) => {
  const plan = document.getElementById("plan");
  if (plan && event.target.id === "members") plan.dispatchEvent(new Event("change", { bubbles: true }));
});

// A swapped-in form begins at what is wrong in it.
document.addEventListener("htmx:afterSettle", (event) => {
  const wrong = event.target.querySelector ? event.target.querySelector("[autofocus]") : null;
  if (wrong) wrong.focus();
});
