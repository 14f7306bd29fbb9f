// Other pairs come without a page load: what is pressed meanwhile can wait for them.

import { showSaving, whenClear } from "./outbox.js";

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8_000;

const desk = document.querySelector(".review");
let under = 0;
let shown = window.location.pathname + window.location.search;

export const isTurning = () => under > 0;

// Draw the pairs of an address in the place of those that are here, once everything is saved; unless
// that is not needed any more by then. Say whether they are drawn.
export async function turn(address, { push = true, unless = () => false } = {}) {
  under += 1;
  desk.setAttribute("aria-busy", "true");
  try {
    await whenClear();
    if (unless()) return false;
    const page = await load(address);
    desk.replaceChildren(...page.desk.childNodes);
    Object.assign(desk.dataset, page.desk.dataset);
    if (push) window.history.pushState(null, "", page.address);
    shown = window.location.pathname + window.location.search;
    showSaving();
    return true;
  } finally {
    under -= 1;
    if (!under) desk.removeAttribute("aria-busy");
  }
}

async function load(address) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const answer = await fetch(address).catch(() => null);
    const text = answer && answer.status < 500 ? await answer.text().catch(() => null) : null;
    if (text !== null) return read(text, answer.url, address);
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}

// A page without pairs is none of these: it is loaded as any other.
function read(text, url, address) {
  const found = new DOMParser().parseFromString(text, "text/html").querySelector("main.review");
  if (found) return { desk: found, address: url };
  window.location.assign(address);
  return new Promise(() => {});
}

export function onBack(handler) {
  window.addEventListener("popstate", () => {
    if (window.location.pathname + window.location.search !== shown) handler(window.location.href);
  });
}
