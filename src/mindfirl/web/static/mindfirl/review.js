// The review screen: keys, the price ahead on the meter, and openings without page loads. A key acts on
// the pair that is seen: while other pairs are on their way, keys wait for them.

import { afford, focused, keepPace, preview, priced, spent, tell } from "./budget.js";
import { draw, percent } from "./drawing.js";
import { isTroubled, onAnswer, send } from "./outbox.js";
import { isTurning, onBack, turn } from "./turning.js";

const desk = document.querySelector(".review");
const pairs = () => [...desk.querySelectorAll(".pair")];
const current = () => desk.querySelector(".pair.focus");
const cells = (pair) => [...pair.querySelectorAll(".cell")];
const tokenOf = (pair) => pair.id.replace("pair-", "");
const pairOf = (token) => document.getElementById(`pair-${token}`);
const decided = (pair) => pair.querySelector(".standing").dataset.decided ?? "";

let arrived = true; // at the pair that has the focus, which nobody has turned to yet
let before = null; // the pair that had the focus when the mouse was pressed
let question = null;
const done = []; // what can be undone
const held = []; // keys that wait for other pairs

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

// Go to a cell of a pair; without one, to the cell that is most likely to be opened.
function go(pair, column) {
  if (!pair) return;
  arrived = false;
  look(pair);
  const found = cells(pair);
  const likely = ["[data-suggested]", "[data-differs]", "button"]
    .map((which) => found.find((cell) => cell.matches(which)))
    .find(Boolean);
  const chosen = column === undefined ? likely ?? found[0] : found[Math.min(Math.max(column, 0), found.length - 1)];
  chosen.focus({ preventScroll: true });
  pair.scrollIntoView({ block: "nearest" });
}

function move(rows, columns) {
  const all = pairs();
  const here = current();
  const column = cells(here).indexOf(document.activeElement);
  if (column < 0) return go(here, 0);
  go(all[all.indexOf(here) + rows] ?? here, column + columns);
}

function nextUndecided() {
  const here = current();
  if (!here) return turnTo(document.getElementById("next").href);
  if (arrived && !decided(here)) return go(here);
  const all = pairs();
  const open = all.slice(all.indexOf(here) + 1).find((pair) => !decided(pair));
  if (open) return go(open);
  turnTo(document.getElementById("next").href, { unless: isComplete, otherwise: () => document.querySelector("#decided a")?.focus() });
}

function isComplete() {
  const counts = document.getElementById("decided").dataset;
  return counts.count === counts.total;
}

// Other pairs, in the place of these; then the keys that waited for them
async function turnTo(address, { drawn = arrive, otherwise = () => {}, ...options } = {}) {
  const says = document.getElementById("says").dataset;
  tell(isTroubled() ? says.waiting : says.turning);
  ask(null);
  (await turn(address, options) ? drawn : otherwise)();
  while (held.length && !isTurning()) act(held.shift(), true);
}

function arrive() {
  afford();
  keepPace();
  const pair = current();
  if (!pair) return;
  go(pair);
  arrived = true;
}

function hold(event) {
  const ours = event.key.length === 1 || ["Enter", "Escape"].includes(event.key) || ARROWS[event.key];
  if (!ours) return;
  event.preventDefault();
  if (!event.repeat) held.push({ key: event.key, shiftKey: event.shiftKey });
}

// Decisions
function decide(pair, value, { again = false } = {}) {
  const was = decided(pair);
  const unsure = pair.querySelector(".unsure");
  if (unsure.open) {
    unsure.open = false;
    unsure.querySelector("summary").focus();
  }
  arrived = false;
  if (value === was) return;
  if (!again) done.push({ token: tokenOf(pair), kind: "decide", was });
  put(pair, value);
  const form = pair.querySelector(".verdicts");
  send({ token: tokenOf(pair), kind: "decide", address: form.action, values: { pair: tokenOf(pair), decision: value } });
  if (!again && !was && desk.dataset.advances === "on" && desk.dataset.settles !== "yes") nextUndecided();
}

// What was said of a pair, beside its number, until the server has drawn it
function put(pair, value) {
  const standing = pair.querySelector(".standing");
  const button = [...pair.querySelectorAll("[name=decision]")].find((each) => value && each.value === value);
  standing.querySelector(".verdict")?.remove();
  delete standing.dataset.decided;
  if (button) {
    const verdict = document.createElement("span");
    verdict.className = "verdict";
    verdict.textContent = button.dataset.short;
    standing.prepend(verdict);
    standing.dataset.decided = value;
  }
  mark(pair);
}

// The same, on the buttons by which it is said
function mark(pair) {
  const said = decided(pair);
  const unsure = pair.querySelector(".unsure");
  for (const each of pair.querySelectorAll("[name=decision]")) {
    if (each.value) each.setAttribute("aria-pressed", String(each.value === said));
  }
  unsure.classList.toggle("chosen", Boolean(unsure.querySelector("[aria-pressed=true]")));
  const button = pair.querySelector("[name=flag]");
  if (!button) return;
  const flagged = !pair.querySelector(".flag").hidden;
  button.value = flagged ? "off" : "on";
  button.setAttribute("aria-pressed", String(flagged));
}

function flag(pair, on, { again = false } = {}) {
  const token = tokenOf(pair);
  if (!again) done.push({ token, kind: "flag", was: !on });
  pair.querySelector(".flag").hidden = !on;
  mark(pair);
  const { action } = pair.querySelector(".flagging");
  send({ token, kind: "flag", address: action, values: { pair: token, flag: on ? "on" : "off" } });
}

function undo() {
  const last = done.pop();
  const here = current();
  if (!last && decided(here)) return decide(here, "", { again: true });
  if (!last) return tell(document.getElementById("says").dataset.undone);
  if (pairOf(last.token)) return takeBack(last);
  const address = new URL(document.getElementById("next").href);
  address.searchParams.delete("after");
  address.searchParams.set("pair", last.token);
  turnTo(address.href, { drawn: () => { arrive(); takeBack(last); } });
}

function takeBack({ token, kind, was }) {
  const pair = pairOf(token);
  go(pair);
  if (kind === "flag") flag(pair, was, { again: true });
  else decide(pair, was, { again: true });
}

// Openings; those that take much are asked about first, and so is one whose price nobody had seen.
function openStep(button, { fully = false, unseen = false } = {}) {
  const all = fully && button.dataset.fully;
  const takes = Number(all ? button.dataset.allTakes : button.dataset.takes);
  const left = Math.max(0, 1 - spent());
  const much = unseen || "ask" in button.dataset || takes > Number(desk.dataset.asksAbove) * left;
  const asked = { id: button.id, value: all ? button.dataset.fully : button.value, says: all ? button.dataset.allSays : button.dataset.says };
  if (much && takes <= left) ask(asked, takes / left);
  else sendOpening(button, asked.value);
}

function sendOpening(button, value) {
  const values = { ...Object.fromEntries(new FormData(button.form)), [button.name]: value };
  send({ token: tokenOf(button.closest(".pair")), kind: "open", address: button.form.action, values });
}

function ask(asked, share) {
  question = asked;
  const asking = document.getElementById("asking");
  if (!asking) return;
  if (!asked && asking.contains(document.activeElement)) go(current());
  asking.hidden = !asked;
  if (!asked) return;
  const words = document.getElementById("asked");
  words.textContent = `${asked.says} ${words.dataset.left.replace("{share}", percent(share))}`;
  document.getElementById("notice").textContent = asking.textContent;
}

function cancel() {
  ask(null);
  document.getElementById("notice").textContent = document.getElementById("asked").dataset.cancelled;
}

function answer(yes) {
  if (!yes) return cancel();
  const asked = question;
  ask(null);
  const button = asked && document.getElementById(asked.id);
  const still = button && [button.dataset.says, button.dataset.allSays].includes(asked.says);
  if (still) sendOpening(button, asked.value);
}

// Answers of the server
onAnswer((item, { html, status }, superseded) => {
  const area = pairOf(item.token)?.querySelector(".comment textarea");
  const draft = item.kind !== "comment" && area && area.value !== area.defaultValue ? area.value : null;
  draw(html, (piece) => superseded && isOlder(piece));
  const pair = pairOf(item.token);
  if (draft !== null) keepDraft(pair, draft);
  mark(pair);
  if (item.kind === "comment") commented(pair, status);
  if (item.kind === "explain") {
    pair.querySelector(".weighed")?.focus({ preventScroll: true });
    pair.scrollIntoView({ block: "nearest" });
  }
  pair.querySelector(".told:not([hidden])")?.scrollIntoView({ block: "nearest" });
  afford();
  keepPace();
  if (!isTurning()) preview(focused());
});

// What was pressed since is shown already; the server's count of changes is needed for it.
function isOlder(piece) {
  if (piece.matches(".standing")) document.getElementById(piece.id).dataset.revision = piece.dataset.revision;
  return piece.matches(".standing, .flag");
}

// Comments: a saved one closes, a refused one stays, one that is being written is kept
function typing(event) {
  const details = event.target.closest("details");
  if (event.key === "Escape") {
    details.open = false;
    details.querySelector("summary").focus();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    post(details.querySelector(".save"), "comment");
  }
}

function keepDraft(pair, draft) {
  const area = pair.querySelector(".comment textarea");
  area.value = draft;
  area.closest("details").open = true;
}

function commented(pair, status) {
  const wrong = pair.querySelector(".comment [aria-invalid]");
  (wrong ?? pair.querySelector(".comment summary")).focus();
  const goesOn = status === 200 && desk.dataset.advances === "on" && desk.dataset.settles === "yes";
  if (goesOn && pair === current() && decided(pair)) nextUndecided();
}

function post(button, kind) {
  const values = { ...Object.fromEntries(new FormData(button.form)), [button.name]: button.value };
  send({ token: tokenOf(button.closest(".pair")), kind, address: button.form.action, values });
}

// Keys
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function pressed(event) {
  if (!desk.isConnected) return;
  if (event.target.matches(".comment textarea")) return typing(event);
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.id === "jump" && event.key === "Escape") return go(current());
  if (event.target.closest("input, textarea, select")) return;
  if (isTurning()) return hold(event);
  if (event.repeat && !ARROWS[event.key] && event.key !== "Tab") return event.preventDefault();
  if (act(event)) event.preventDefault();
}

// Do what a key says, and say whether it says anything; `late` keys have waited for their pair.
function act({ key: pressedKey, shiftKey }, late = false) {
  const target = document.activeElement;
  if (question && (pressedKey === "y" || pressedKey === "Escape")) return answer(pressedKey === "y") ?? true;
  if (question && pressedKey !== "Shift" && !target.closest("#asking")) cancel();
  const aside = document.querySelector(":popover-open");
  const inside = target === document.body || target.closest(".pairs, .work") || target.closest("#decided");
  if (!current()) return false;
  if (ARROWS[pressedKey] && inside && !aside) return move(...ARROWS[pressedKey]) ?? true;
  if (pressedKey === "Enter" && target.matches(".cell[data-takes]")) return openStep(target, { fully: shiftKey, unseen: late }) ?? true;
  if (pressedKey === "Escape" && !aside) return close();
  if (desk.dataset.keys === "on" && pressedKey.length === 1) return single(pressedKey, aside, late);
  return false;
}

function close() {
  const details = current().querySelector("details[open]");
  if (!details) return false;
  details.open = false;
  details.querySelector("summary").focus();
  return true;
}

function single(pressedKey, aside, late) {
  const named = `[data-key="${CSS.escape(pressedKey)}"]:not([hidden])`;
  const control = desk.querySelector(`.keys ${named}`) ?? (aside ? null : current().querySelector(named));
  const folded = control?.closest("details:not([open])");
  if (!control || (folded && control.tagName !== "SUMMARY")) return false;
  if (control.id === "jump") control.select();
  else if (control.tagName === "SUMMARY") unfold(control, Boolean(folded));
  else if (control.dataset.takes) openStep(control, { unseen: late });
  else if (!press(control)) control.click();
  return true;
}

function unfold(summary, folded) {
  summary.click();
  if (folded) summary.nextElementSibling.querySelector("textarea, button").focus();
  else summary.focus();
}

// What a control does, by key or by mouse
function press(control) {
  const pair = control.closest(".pair");
  if (control.id === "next") nextUndecided();
  else if (control.id === "undo") undo();
  else if (control.id === "suggested") toSuggested(control);
  else if (control.id === "open-it" || control.id === "leave-it") answer(control.id === "open-it");
  else if (control.matches(".filters a")) turnTo(withThisPair(control.href));
  else if (control.matches(".pages a, .ring a")) turnTo(control.href);
  else if (!pair || !control.name) return false;
  else if (control.name === "decision") decide(pair, control.value);
  else if (control.name === "flag") flag(pair, control.value === "on");
  else post(control, ["save", "words"].includes(control.name) ? "comment" : control.name);
  return true;
}

// A list of all pairs begins where one is; the shorter ones begin at their first undecided pair.
function withThisPair(href) {
  const address = new URL(href);
  if (current() && !address.searchParams.has("show")) address.searchParams.set("pair", tokenOf(current()));
  return address.href;
}

function toSuggested(link) {
  const place = cells(current()).findIndex((cell) => cell.dataset.suggested);
  if (place >= 0) go(current(), place);
  else tell(link.dataset.none);
}

function clicked(event) {
  if (event.ctrlKey || event.metaKey) return;
  const pair = event.target.closest(".pair");
  const control = event.target.closest("button, a");
  if (pair && event.detail && before !== pair) {
    event.preventDefault(); // the first click on a pair only turns to it
    const place = cells(pair).indexOf(event.target.closest(".cell"));
    return go(pair, place < 0 ? undefined : place);
  }
  if (isTurning() && control) return event.preventDefault();
  if (control?.dataset.takes) openStep(control, { fully: event.shiftKey });
  else if (!control || !press(control)) return look(pair);
  event.preventDefault();
}

function jump(event) {
  if (!event.target.matches(".jump")) return;
  event.preventDefault();
  event.stopPropagation();
  const field = document.getElementById("jump");
  const wanted = pairs().find((pair) => pair.querySelector(".place").textContent === field.value.trim());
  const address = new URL(document.getElementById("next").href);
  address.searchParams.delete("after");
  address.searchParams.set("number", field.value.trim());
  field.value = "";
  if (wanted) go(wanted);
  else turnTo(address.href);
}

desk.addEventListener("pointerdown", () => { before = current(); }, true);
desk.addEventListener("click", clicked);
document.addEventListener("submit", jump, true);
desk.addEventListener("focusin", (event) => {
  look(event.target.closest(".pair"));
  preview(focused());
});
desk.addEventListener("focusout", () => { if (!isTurning()) preview(null); });
desk.addEventListener("mouseover", (event) => {
  if (event.target.closest(".pairs") && !isTurning()) preview(priced(event.target) ?? focused());
});
document.addEventListener("keydown", pressed);
onBack((address) => turnTo(address, { push: false }));
look(current());
if (!window.location.hash) current()?.scrollIntoView({ block: "nearest" });
