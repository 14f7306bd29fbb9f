// The review screen: keys, the price ahead on the meter, and openings without page loads.
// What is not open is not here either: a pair is drawn by the server, as far as it is open.

const desk = document.querySelector(".review");
const table = desk.querySelector(".pairs");
const pairs = () => [...desk.querySelectorAll(".pair")];
const current = () => desk.querySelector(".pair.focus");
const cells = (pair) => [...pair.querySelectorAll(".cell")];

// Asking: what the page showed when the key was pressed is sent along; requests of a pair queue. What
// changed comes back in pieces, each put in its place.
function send(button, fully) {
  const pair = button.closest(".pair");
  const values = Object.fromEntries(new FormData(button.form));
  if (button.name === "save") commented = pair;
  values[button.name] = (fully && button.dataset.fully) || button.value;
  htmx.ajax("POST", button.form.action, { source: pair, target: pair, swap: "none", values });
  const unsure = button.closest(".unsure");
  if (unsure) {
    unsure.querySelector("summary").focus();
    unsure.open = false;
  }
}

for (const wrong of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(wrong, () => {
    say(desk.dataset.broken);
    document.getElementById("notice").textContent = desk.dataset.broken;
  });
}

// What an opening would take, before it is made: hatched on the meter, and in words.
function say(words, ...more) {
  document.getElementById("says").replaceChildren(words, ...more);
}

function key(name) {
  const drawn = document.createElement("kbd");
  drawn.textContent = name;
  return drawn;
}

function preview(button) {
  const meters = document.getElementById("meters");
  const spent = Number(meters.dataset.spent);
  const takes = button ? Number(button.dataset.takes) : 0;
  const width = 100 * Math.min(takes, Math.max(0, 1 - spent));
  meters.querySelector(".ahead").setAttribute("width", width.toFixed(2));
  meters.querySelector(".ahead-words").textContent = button ? `, +${button.dataset.short}` : "";
  const says = document.getElementById("says").dataset;
  if (!button) return say(document.activeElement.matches(".cell") ? says.nothing : says.usual);
  const words = [button.dataset.says, " ", key("Enter")];
  if (button.dataset.all) words.push(` ${says.all} ${button.dataset.all} `, key("Shift"), key("Enter"));
  if (button.dataset.suggested) words.push(` ${button.dataset.suggested}`);
  if (takes > 1 - spent) words.push(` ${says.much}`);
  say(...words);
}

const priced = (from) => from?.closest?.("[data-takes]") ?? null;
const focused = () => priced(document.activeElement);

// The pair that has the focus
function look(pair) {
  if (!pair) return;
  for (const each of pairs()) each.classList.toggle("focus", each === pair);
  const place = pair.querySelector(".place").textContent;
  document.getElementById("here").textContent = place;
  const next = document.getElementById("next");
  const address = new URL(next.href);
  address.searchParams.set("after", place);
  next.href = address;
}

function go(pair, column) {
  if (!pair) return;
  look(pair);
  const found = cells(pair);
  found[Math.min(Math.max(column, 0), found.length - 1)].focus();
  pair.scrollIntoView({ block: "nearest" });
}

function move(rows, columns) {
  const all = pairs();
  const here = current();
  const column = cells(here).indexOf(document.activeElement);
  if (column < 0) return go(here, 0);
  go(all[all.indexOf(here) + rows] ?? here, column + columns);
}

function nextUndecided(link) {
  const all = pairs();
  const start = all.indexOf(current()) + 1;
  const open = all.slice(start).find((pair) => !pair.querySelector("[data-decided]"));
  if (open) go(open, 0);
  else link.click();
}

function toSuggested(event) {
  event.preventDefault();
  const found = cells(current());
  const place = found.findIndex((cell) => cell.dataset.suggested);
  if (place >= 0) return go(current(), place);
  const { none } = event.currentTarget.dataset;
  say(none);
  document.getElementById("notice").textContent = none;
}

// What the rest of the budget is enough for, when that is not much
function afford() {
  const spent = Number(document.getElementById("meters").dataset.spent);
  const enough = (each) => Number(each.dataset.takes) <= 1 - spent + 1e-9;
  for (const each of table.querySelectorAll("[data-takes]")) {
    each.querySelector(".price").classList.toggle("much", !enough(each));
    if (!enough(each)) delete each.dataset.suggested;
  }
  const ahead = [...table.querySelectorAll("button.cell")];
  const some = ahead.filter(enough).length;
  const left = document.getElementById("left");
  const words = some ? left.dataset.some : left.dataset.none;
  const little = ahead.length && (!some || spent > 0.9);
  const said = little ? words.replace("{n}", some).replace("{m}", ahead.length) : "";
  if (left.textContent !== said) left.textContent = said;
}

// Comments: a saved one closes, a refused one stays, one that is being written is kept
let commented = null;
let draft = null;

function typing(event) {
  const details = event.target.closest("details");
  if (event.key === "Escape") {
    details.open = false;
    details.querySelector("summary").focus();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    send(details.querySelector("button"));
  }
}

function keepDraft(event) {
  const area = event.detail.target?.querySelector?.(".comment textarea");
  const typed = area && area.value !== area.defaultValue && event.detail.target !== commented;
  draft = typed ? { id: area.id, value: area.value } : null;
}

// What was said of a pair, on the buttons by which it is said
function mark(pair) {
  const said = pair.querySelector(".said").dataset.decided ?? "";
  const unsure = pair.querySelector(".unsure");
  for (const each of pair.querySelectorAll("[name=decision]")) {
    if (each.value) each.setAttribute("aria-pressed", String(each.value === said));
    else each.hidden = !said;
  }
  unsure.classList.toggle("chosen", Boolean(unsure.querySelector("[aria-pressed=true]")));
}

function settled(event) {
  const area = draft && document.getElementById(draft.id);
  if (area) {
    area.value = draft.value;
    area.closest("details").open = true;
    draft = null;
  }
  if (commented && commented.contains(event.target)) {
    const wrong = commented.querySelector(".comment [aria-invalid]");
    (wrong ?? commented.querySelector(".comment summary")).focus();
    commented = null;
  }
  const pair = event.target.closest?.(".pair");
  if (event.target.matches?.(".said")) mark(pair);
  if (event.target.matches?.(".beside")) event.target.querySelector(".weighed")?.focus();
  pair?.querySelector(".told:not([hidden])")?.scrollIntoView({ block: "nearest" });
  afford();
  preview(focused());
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function pressed(event) {
  if (event.target.matches(".comment textarea")) return typing(event);
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const open = document.querySelector(":popover-open");
  const inside = event.target === document.body || event.target.closest(".pairs, .work");
  if (ARROWS[event.key] && inside && !open) {
    event.preventDefault();
    return move(...ARROWS[event.key]);
  }
  if (event.key === "Enter" && event.shiftKey && event.target.matches(".cell[data-takes]")) {
    event.preventDefault();
    return send(event.target, true);
  }
  if (desk.dataset.keys === "on" && event.key.length === 1) single(event, open);
}

function single(event, open) {
  const named = `[data-key="${CSS.escape(event.key)}"]:not([hidden])`;
  const control = desk.querySelector(`.keys ${named}`) ?? (open ? null : current().querySelector(named));
  const folded = control?.closest("details:not([open])");
  if (!control || (folded && control.tagName !== "SUMMARY")) return;
  event.preventDefault();
  if (control.id === "next") nextUndecided(control);
  else control.click();
  if (control.tagName === "SUMMARY" && !folded) control.focus();
  else if (control.tagName === "SUMMARY") control.nextElementSibling.querySelector("textarea, button").focus();
}

if (table) {
  table.addEventListener("click", (event) => {
    const button = event.target.closest("button[name]");
    if (button) {
      event.preventDefault();
      send(button, event.shiftKey);
    }
    look(event.target.closest(".pair"));
  });
  table.addEventListener("focusin", (event) => {
    look(event.target.closest(".pair"));
    preview(focused());
  });
  table.addEventListener("focusout", () => preview(null));
  table.addEventListener("mouseover", (event) => preview(priced(event.target) ?? focused()));
  document.getElementById("suggested")?.addEventListener("click", toSuggested);
  table.addEventListener("mouseleave", () => preview(focused()));
  document.addEventListener("htmx:beforeSwap", keepDraft);
  document.addEventListener("htmx:afterSettle", settled);
  document.addEventListener("keydown", pressed);
  look(current());
}
