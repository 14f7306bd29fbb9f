// Pairs cover themselves when nobody is there: what was open leaves the page, the password is asked
// for. Whoever only reads is there, too; the page tells the server, whose clock decides in the end.

const cover = document.getElementById("cover");
const IDLE = Number(cover.dataset.idle) * 1000;
const TELL_EVERY = Math.min(30_000, IDLE / 4);

// Two clocks: one goes on while the machine sleeps, nobody can turn back the other.
const clocks = () => [Date.now(), performance.now()];
const since = (then) => Math.max(...clocks().map((now, at) => now - then[at]));

let touched = clocks();
let told = touched;
let untold = false;
let covered = false;

function here() {
  if (covered) return;
  if (since(touched) >= IDLE) return hide();
  touched = clocks();
  untold = true;
}

function look() {
  if (covered) return;
  if (since(touched) >= IDLE) hide();
  else if (untold && since(told) >= TELL_EVERY) tell();
}

async function tell() {
  told = clocks();
  untold = false;
  const headers = { ...JSON.parse(document.body.getAttribute("hx-headers")), "X-Mindfirl-Polling": "1" };
  const body = new URLSearchParams({ ago: Math.round(since(touched) / 1000) });
  const answer = await fetch(cover.dataset.here, { method: "POST", headers, body, redirect: "manual" }).catch(() => null);
  if (covered || answer?.status === 204) return;
  if (!answer || answer.status >= 500 || answer.status === 429) {
    untold = true; // the server could not say: tell it again
    return;
  }
  hide(); // the server has covered it, or somebody has signed out elsewhere
  window.location.reload();
}

// Everything is emptied, piece by piece: what a script still holds of it holds nothing any more.
function hide() {
  covered = true;
  const pair = document.querySelector(".pair.focus")?.id.replace("pair-", "");
  const main = document.querySelector("main");
  const page = main.closest(".page") ?? main;
  document.activeElement?.blur();
  for (const each of page.querySelectorAll("*")) each.replaceChildren();
  const shown = cover.content.cloneNode(true);
  if (pair) there(shown.querySelector("[name=next]"), pair);
  page.replaceWith(shown);
  document.querySelector("main input[type=password]").focus();
}

function there(next, pair) {
  const address = new URL(next.value, window.location.origin);
  address.searchParams.delete("page");
  address.searchParams.set("pair", pair);
  next.value = address.pathname + address.search;
}

for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "scroll"]) {
  window.addEventListener(sign, here, { capture: true, passive: true });
}
document.addEventListener("visibilitychange", look);
window.addEventListener("focus", look);
setInterval(look, 1000);

// Under the cover the screen's keys mean nothing.
window.addEventListener("keydown", (event) => { if (covered) event.stopPropagation(); }, true);
