// A file that is chosen is sent at once, one after the other; without this script, by a plain form.
const form = document.getElementById("upload");
const input = document.getElementById("files");
const list = document.getElementById("coming");
const send = document.getElementById("send");
const without = document.getElementById("without");
const state = document.getElementById("upload-state");
const words = document.getElementById("upload-words").dataset;
const blank = document.getElementById("coming-file").content;
const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
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
  const there = coming.filter((each) => each.state === "there").length;
  const failed = coming.filter((each) => each.state === "failed").length;
  send.hidden = sending || there === 0 || failed > 0;
  without.hidden = sending || there === 0 || failed === 0;
}

function add(file) {
  const item = blank.cloneNode(true).firstElementChild;
  const name = item.querySelector(".called");
  const each = { file, item, name, state: "new", request: null };
  numbered += 1;
  name.id = `called-${numbered}`;
  const error = item.querySelector(".error");
  error.id = `coming-error-${numbered}`;
  name.setAttribute("aria-describedby", error.id);
  name.previousElementSibling.htmlFor = name.id;
  item.querySelector(".file").textContent = file.name;
  item.querySelector(".size").textContent = sized(file.size);
  item.querySelector("progress").setAttribute("aria-label", file.name);
  name.value = named(file);
  item.querySelector(".stop").addEventListener("click", () => stop(each));
  item.querySelector(".again").addEventListener("click", () => again(each));
  list.append(item);
  coming.push(each);
}

function show(each, outcome, sentence) {
  each.state = outcome;
  const failed = outcome === "failed";
  each.item.querySelector("progress").hidden = failed || outcome === "there";
  each.item.querySelector(".field").hidden = !failed;
  each.item.querySelector(".again").hidden = !failed;
  each.item.querySelector(".done").hidden = outcome !== "there";
  const button = each.item.querySelector(".stop");
  button.hidden = outcome === "there";
  button.textContent = failed ? words.leave : words.cancel;
  say(each, sentence);
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

function again(each) {
  show(each, "new", "");
  each.item.querySelector(".stop").focus();
  sendAll();
}

function sent(each) {
  return new Promise((resolve) => {
    const bar = each.item.querySelector("progress");
    const request = new XMLHttpRequest();
    const end = (outcome, sentence) => {
      each.request = null;
      show(each, outcome, sentence);
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
    each.request = request;
    bar.value = 0;
    show(each, "going", "");
    request.send(each.file);
  });
}

async function sendAll() {
  if (sending) return; // what came meanwhile is taken in its turn
  sending = true;
  redraw();
  for (let each; (each = coming.find((one) => one.state === "new"));) {
    if (each.file.size > Number(form.dataset.limit)) show(each, "failed", words.large);
    else await sent(each);
  }
  sending = false;
  redraw();
  const wrong = coming.find((each) => each.state === "failed");
  if (wrong) {
    wrong.name.focus();
    return;
  }
  if (!coming.length) return;
  state.textContent = words.all;
  send.focus();
}

function look() {
  document.getElementById("look").submit();
}

function take(files) {
  for (const file of files) add(file);
  if (coming.length) sendAll();
}

input.addEventListener("change", () => {
  take([...input.files]);
  input.value = "";
});
send.addEventListener("click", look);
without.addEventListener("click", look);
form.addEventListener("submit", (event) => event.preventDefault());
for (const kind of ["dragenter", "dragover"]) {
  form.addEventListener(kind, (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => form.classList.remove("over"));
form.addEventListener("drop", (event) => {
  event.preventDefault();
  take(event.dataTransfer.files);
});
window.addEventListener("beforeunload", (event) => { if (sending) event.preventDefault(); });
if (input.files.length) take([...input.files]); // chosen before this script was there
