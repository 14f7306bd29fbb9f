// Several files at once, each with its progress, one after the other; without this, a plain form.
const form = document.getElementById("upload");
const input = document.getElementById("files");
const list = document.getElementById("coming");
const send = document.getElementById("send");
const without = document.getElementById("without");
const state = document.getElementById("upload-state");
const words = document.getElementById("upload-words").dataset;
const blank = document.getElementById("coming-file").content;
const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
const WORKBOOK = /\.(xlsx|xls|xlsb|ods)$/i;
const coming = [];
let numbered = 0;
let sending = false;

for (const each of form.querySelectorAll(".scripted")) each.hidden = false;
for (const each of form.querySelectorAll(".plain")) each.hidden = true;

function sized(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) { bytes /= 1024; unit += 1; }
  const digits = unit && bytes < 10 ? 1 : 0;
  const { lang } = document.documentElement;
  return `${bytes.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${units[unit]}`;
}

function named(file) {
  const stem = file.name.replace(/\.[^.]*$/, "");
  return stem.replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[^\p{L}\p{N}]+/u, "").slice(0, 80);
}

function say(each, sentence) {
  const place = each.item.querySelector(".error");
  place.textContent = sentence;
  place.hidden = !sentence;
  each.name.setAttribute("aria-invalid", String(Boolean(sentence)));
  if (!sentence) return;
  const namesFile = sentence.startsWith(each.file.name);
  state.textContent = namesFile ? sentence : `${each.file.name}: ${sentence}`;
}

function redraw() {
  list.hidden = coming.length === 0;
  const left = coming.filter((each) => each.state !== "there");
  send.disabled = sending || left.length === 0;
  without.hidden = sending || left.length === 0 || left.length === coming.length;
  input.disabled = sending;
}

function add(file) {
  const item = blank.cloneNode(true).firstElementChild;
  const name = item.querySelector(".called");
  const sheet = item.querySelector(".page-of");
  const each = { file, item, name, sheet, state: "new", request: null };
  numbered += 1;
  name.id = `called-${numbered}`;
  sheet.id = `sheet-${numbered}`;
  const error = item.querySelector(".error");
  error.id = `coming-error-${numbered}`;
  name.setAttribute("aria-describedby", error.id);
  name.previousElementSibling.htmlFor = name.id;
  sheet.previousElementSibling.htmlFor = sheet.id;
  item.querySelector(".sheet").hidden = !WORKBOOK.test(file.name);
  item.querySelector(".file").textContent = file.name;
  item.querySelector(".size").textContent = sized(file.size);
  item.querySelector("progress").setAttribute("aria-label", file.name);
  name.value = named(file);
  item.querySelector(".stop").addEventListener("click", () => stop(each));
  list.append(item);
  coming.push(each);
  if (file.size > Number(form.dataset.limit)) say(each, words.large);
}

function stop(each) {
  if (each.request) {
    each.request.abort();
    return;
  }
  each.item.remove();
  coming.splice(coming.indexOf(each), 1);
  redraw();
  input.focus();
}

function sent(each) {
  return new Promise((resolve) => {
    const bar = each.item.querySelector("progress");
    const button = each.item.querySelector(".stop");
    const request = new XMLHttpRequest();
    const end = (outcome, sentence) => {
      each.request = null;
      each.state = outcome;
      bar.hidden = outcome !== "there";
      button.textContent = words.leave;
      button.hidden = outcome === "there";
      each.name.disabled = each.sheet.disabled = outcome === "there";
      say(each, sentence);
      resolve();
    };
    request.upload.addEventListener("progress", (event) => {
      bar.max = event.total || 1;
      bar.value = event.loaded;
    });
    request.addEventListener("load", () => {
      if (request.status === 201) end("there", "");
      else end("failed", (request.response && request.response.sentence) || words.broke);
    });
    request.addEventListener("error", () => end("failed", words.broke));
    request.addEventListener("abort", () => end("failed", words.stopped));
    request.open("POST", form.action);
    request.responseType = "json";
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-CSRFToken", token);
    request.setRequestHeader("X-Mindfirl-File", encodeURIComponent(each.file.name));
    request.setRequestHeader("X-Mindfirl-Database", encodeURIComponent(each.name.value));
    request.setRequestHeader("X-Mindfirl-Sheet", encodeURIComponent(each.sheet.value));
    each.request = request;
    bar.hidden = false;
    bar.value = 0;
    button.textContent = words.cancel;
    each.name.disabled = each.sheet.disabled = true;
    say(each, "");
    request.send(each.file);
  });
}

async function sendAll() {
  sending = true;
  redraw();
  for (const each of coming.slice()) { // people remove files meanwhile
    if (each.state === "there" || !coming.includes(each)) continue;
    if (each.file.size > Number(form.dataset.limit)) say(each, words.large);
    else await sent(each);
  }
  sending = false;
  if (coming.length && coming.every((each) => each.state === "there")) {
    state.textContent = words.all;
    document.getElementById("look").submit();
    return;
  }
  send.textContent = words.again;
  redraw();
  const wrong = coming.find((each) => each.state !== "there");
  if (wrong) wrong.name.focus();
}

function take() {
  for (const file of input.files) add(file);
  input.value = "";
  redraw();
  if (coming.length) coming[coming.length - 1].name.focus();
}

input.addEventListener("change", take);
send.addEventListener("click", sendAll);
without.addEventListener("click", () => document.getElementById("look").submit());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!send.disabled) sendAll();
});
for (const kind of ["dragenter", "dragover"]) {
  form.addEventListener(kind, (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => form.classList.remove("over"));
form.addEventListener("drop", (event) => {
  event.preventDefault();
  if (sending) return;
  for (const file of event.dataTransfer.files) add(file);
  form.dispatchEvent(new Event("input", { bubbles: true }));
  redraw();
});
window.addEventListener("beforeunload", (event) => { if (sending) event.preventDefault(); });
if (input.files.length) take(); // chosen before this script was there
