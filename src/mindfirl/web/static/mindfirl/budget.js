// The budget on the review screen: what is spent, what a step would take, what is left, and the pace.

import { percent } from "./drawing.js";

const desk = document.querySelector(".review");

// What an opening would take, before it is made: hatched on the meter, and in words.
export function say(words, ...more) {
  document.getElementById("says").replaceChildren(words, ...more);
}

export function tell(words) {
  say(words);
  document.getElementById("notice").textContent = words;
}

function key(name) {
  const drawn = document.createElement("kbd");
  drawn.textContent = name;
  return drawn;
}

export const spent = () => Number(document.getElementById("meters").dataset.spent);
export const priced = (from) => from?.closest?.("[data-takes]") ?? null;
export const focused = () => priced(document.activeElement);

export function preview(button) {
  const meters = document.getElementById("meters");
  const takes = button ? Number(button.dataset.takes) : 0;
  const width = 100 * Math.min(takes, Math.max(0, 1 - spent()));
  meters.querySelector(".ahead").setAttribute("width", width.toFixed(2));
  meters.querySelector(".ahead-words").textContent = button ? `, +${button.dataset.short}` : "";
  const says = document.getElementById("says").dataset;
  if (!button) return say(document.activeElement.matches(".cell") ? says.nothing : says.usual);
  const words = [button.dataset.says, " ", key("Enter")];
  if (button.dataset.all) words.push(` ${says.all} ${button.dataset.all} `, key("Shift"), key("Enter"));
  if (button.dataset.suggested) words.push(` ${button.dataset.suggested}`);
  if (takes > 1 - spent()) words.push(` ${says.much}`);
  say(...words);
}

// What the rest of the budget is enough for, when that is not much: cheapest first
export function afford() {
  const left = 1 - spent() + 1e-9;
  for (const each of desk.querySelectorAll("[data-takes]")) {
    const enough = Number(each.dataset.takes) <= left;
    each.querySelector(".price").classList.toggle("much", !enough);
    if (!enough) delete each.dataset.suggested;
  }
  const prices = [...desk.querySelectorAll("button.cell")].map((each) => Number(each.dataset.takes)).toSorted((a, b) => a - b);
  let sum = 0;
  const some = prices.filter((price) => (sum += price) <= left).length;
  const words = document.getElementById("left");
  const little = prices.length && (!some || spent() > 0.9);
  const said = little ? (some ? words.dataset.some : words.dataset.none).replace("{n}", some).replace("{m}", prices.length) : "";
  if (words.textContent !== said) words.textContent = said;
}

export function keepPace() {
  const counts = document.getElementById("decided").dataset;
  const left = counts.total - counts.count;
  const pace = document.getElementById("pace");
  const words = { used: percent(spent()), decided: counts.count, total: counts.total, each: percent(Math.max(0, 1 - spent()) / left) };
  const began = left && (spent() || Number(counts.count));
  pace.textContent = began ? pace.dataset.words.replace(/\{(\w+)\}/g, (_, name) => words[name]) : "";
}
