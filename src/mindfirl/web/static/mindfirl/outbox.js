// What is decided, opened, written and flagged goes to the server in the order in which it was done, one
// after another, and is tried again by itself until the server answers. Nothing is kept in the browser
// beyond this page, so a page with something unsaved is not left without a question.

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8_000;
const PATIENCE = 30_000;

const desk = document.querySelector(".review");
const waiting = [];
const lost = new Set(); // the pairs of what the server will not take
const clear = [];
let busy = false;
let failures = 0;
let retry = 0;
let drawn = () => {};

export function onAnswer(handler) {
  drawn = handler;
}

export const isClear = () => !waiting.length;
export const whenClear = () => (isClear() ? Promise.resolve() : new Promise((resolve) => clear.push(resolve)));
export const isTroubled = () => failures > 0;

// `item` is { token, kind, address, values }; a decision is sent with the revision that is known by then.
export function send(item) {
  waiting.push(item);
  show();
  pump();
}

async function pump() {
  if (busy || !waiting.length || !desk.isConnected) return;
  clearTimeout(retry);
  busy = true;
  const item = waiting[0];
  const answer = await ask(item).catch(() => null);
  busy = false;
  if (!answer) return again();
  failures = 0;
  waiting.shift();
  take(item, answer);
  show();
  if (!waiting.length) for (const resolve of clear.splice(0)) resolve();
  pump();
}

function again() {
  failures += 1;
  show();
  retry = setTimeout(pump, Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE));
}

// Nothing is answered while the server is not well; its words about that are not waited for.
async function ask(item) {
  const values = { ...item.values };
  const standing = document.getElementById(`said-${item.token}`);
  if (item.kind === "decide" && standing) values.revision = standing.dataset.revision;
  const answer = await fetch(item.address, {
    method: "POST",
    headers: { ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true" },
    body: new URLSearchParams(values),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (answer.status >= 500 || answer.status === 429) return null;
  const elsewhere = answer.type === "opaqueredirect" ? window.location.href : answer.headers.get("HX-Redirect");
  const anew = answer.headers.get("HX-Refresh") ? window.location.href : null;
  return { status: answer.status, html: await answer.text(), leave: elsewhere ?? anew };
}

function take(item, answer) {
  if (!desk.isConnected) return; // covered: what was sent is saved, and not drawn
  if (answer.leave) return leave(answer.leave);
  if (![200, 409, 422].includes(answer.status)) {
    lost.add(item.token);
    return;
  }
  if (answer.status === 409 && item.kind === "decide") drop(item.token);
  else if (answer.status === 200) lost.delete(item.token);
  const superseded = waiting.some((each) => each.token === item.token && each.kind === item.kind);
  drawn(item, answer, superseded);
}

// Decisions on a pair that were made before its page showed what it had become
function drop(token) {
  const kept = waiting.filter((each) => each.token !== token || each.kind !== "decide");
  waiting.splice(0, waiting.length, ...kept);
}

// The server draws another page, and says there what was not saved.
function leave(address) {
  waiting.length = 0;
  lost.clear();
  if (address === window.location.href) window.location.reload();
  else window.location.assign(address);
}

function show() {
  const saving = document.getElementById("saving");
  if (!saving) return;
  const troubled = failures > 0 || lost.size > 0;
  const words = lost.size ? "lost" : failures ? "unsaved" : waiting.length ? "saving" : "saved";
  const said = saving.dataset[words].replace("{n}", waiting.length + lost.size);
  if (saving.textContent !== said) saving.textContent = said;
  saving.classList.toggle("trouble", troubled);
  const unsaved = new Set([...lost, ...(failures ? waiting.map((each) => each.token) : [])]);
  for (const pair of desk.querySelectorAll(".pair")) {
    const mark = pair.querySelector(".lost");
    if (mark) mark.hidden = !unsaved.has(pair.id.replace("pair-", ""));
  }
}

export { show as showSaving };

window.addEventListener("online", pump);
window.addEventListener("beforeunload", (event) => {
  if (waiting.length || lost.size) event.preventDefault();
});

// A link waits for what is on its way, where nothing is wrong; else the browser asks.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || isClear() || failures || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  whenClear().then(() => window.location.assign(link.href));
});
