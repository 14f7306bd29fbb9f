// What every page needs a script for. Everything works without it, too, with page loads.

// Nothing is kept in the browser: htmx notes the address of every page.
sessionStorage.clear();

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const question = form.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
    return;
  }
  if (event.defaultPrevented || form.hasAttribute("hx-post") || form.hasAttribute("hx-get")) return;
  if ("file" in form.dataset) return;  // what it answers is kept, and the page stays
  setTimeout(() => {
    for (const button of form.querySelectorAll("button:not([type=button])")) button.disabled = true;
  });
});

// A refusal is an answer, too: it says what is wrong.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (![409, 422].includes(event.detail.xhr.status)) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});

// A page in which something was typed or chosen is not drawn again when work has ended.
let touched = false;
document.addEventListener("input", () => { touched = true; });
document.addEventListener("htmx:configRequest", (event) => {
  if (touched) event.detail.headers["X-Mindfirl-Typed"] = "1";
});

// A page that the browser kept is drawn again: its buttons and figures may be old.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});

// A button that copies a text says so when it has.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.copied;
});

// The manual beside the work: opened by Help, closed by its button or Escape, back to where one was.
const help = document.getElementById("help");
if (help) {
  let opener = null;
  const closeHelp = () => {
    help.replaceChildren();
    opener?.focus();
  };
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target === help && !help.hasChildNodes()) opener = document.activeElement;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target !== help) return;
    const { anchor } = event.detail.pathInfo ?? {};
    const place = anchor && help.querySelector(`#${CSS.escape(anchor)}`);
    if (place) place.scrollIntoView(); else help.scrollTop = 0;
    help.focus({ preventScroll: true });
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close-help]")) closeHelp();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && help.hasChildNodes()) closeHelp();
  });
}
