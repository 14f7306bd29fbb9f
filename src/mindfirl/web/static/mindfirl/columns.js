// Shows for each column only what its role and kind ask for; without this, all of it is shown.
const DISPLAYED = new Set(["identifier", "quasi-identifier"]);

function show(cell, wanted) {
  cell.classList.toggle("none", !wanted);
  for (const each of cell.children) each.hidden = !wanted;
}

for (const row of document.querySelectorAll("table.columns tbody tr")) {
  const role = row.querySelector(".role select");
  const kind = row.querySelector(".kind > select");
  const whole = row.querySelector(".keeps select option[value='']");
  const words = document.getElementById("columns").dataset;
  const redraw = () => {
    const displayed = DISPLAYED.has(role.value);
    const sensitive = role.value === "sensitive";
    for (const cell of [row.querySelector(".name"), row.querySelector(".keeps")]) show(cell, displayed || sensitive);
    show(row.querySelector(".kind"), displayed);
    row.querySelector(".order").hidden = !displayed || kind.value !== "date";
    const rest = row.querySelector(".rest");
    if (rest) rest.hidden = !displayed || !["string", "fixed"].includes(kind.value);
    whole.textContent = sensitive ? words.whole : words.nothing;
    row.classList.toggle("quietly", role.value === "ignored");
  };
  role.addEventListener("change", redraw);
  kind.addEventListener("change", redraw);
  redraw();
}
