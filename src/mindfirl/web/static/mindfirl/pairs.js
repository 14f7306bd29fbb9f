// The two thresholds over the histogram: they follow the pointer and the keys at once; what they would
// ask of people comes from the server, which hears of every change by the fields below the chart.

const chart = document.querySelector(".chart");
if (chart) {
  const numbers = ["low", "high", "step", "lightest", "heaviest"];
  const [low, high, step, lightest, heaviest] = numbers.map((name) => Number(chart.dataset[name]));
  const other = { lower: "upper", upper: "lower" };
  const of = (make) => ({ lower: make("lower"), upper: make("upper") });
  const slides = of((name) => document.getElementById(`slide-${name}`));
  const flags = of((name) => document.getElementById(`flag-${name}`));
  const fields = of((name) => document.querySelector(`[name=${name}]`));
  const cut = (band, from, to) => {
    const rect = document.getElementById(`cut-${band}`);
    rect.setAttribute("x", `${from}%`);
    rect.setAttribute("width", `${Math.max(0, to - from)}%`);
  };
  const written = (weight) => String(Math.round(weight * 100) / 100).replace("-", "−");
  // Beyond all pairs, none are on the side of a threshold; of the lower one, at the other end, all are.
  const beyond = {
    lower: (weight) => (weight <= lightest ? chart.dataset.none : weight >= heaviest ? chart.dataset.all : ""),
    upper: (weight) => (weight >= heaviest ? chart.dataset.none : ""),
  };
  const within = (weight, least, most) => Math.min(Math.max(weight, least), most);

  function draw() {
    const weights = of((name) => within(Number(fields[name].value), low, high));
    const places = of((name) => ((weights[name] - low) / (high - low)) * 100);
    cut("below", 0, places.lower);
    cut("between", places.lower, places.upper);
    cut("above", places.upper, 100);
    for (const name of ["lower", "upper"]) {
      const weight = Number(fields[name].value);
      const label = beyond[name](weight) || written(weight);
      flags[name].setAttribute("x", `${places[name]}%`);
      flags[name].querySelector("text").textContent = label;
      slides[name].value = weights[name];
      slides[name].setAttribute("aria-valuetext", label);
    }
    const apart = ((places.upper - places.lower) / 100) * slides.lower.clientWidth;
    chart.classList.toggle("close", apart < 44);
    // Where both stand at one place, the one that can still move away is taken.
    slides.lower.classList.toggle("on-top", places.lower > 50);
  }

  function move(name, weight) {
    const bound = Number(fields[other[name]].value);
    const [least, most] = name === "lower" ? [low, bound] : [bound, high];
    const moved = within(weight, least, Math.max(least, most));
    if (moved !== Number(fields[name].value)) {
      fields[name].value = moved;
      tell(fields[name]);
    }
    draw();
  }

  // How much to review: an amount sets both thresholds, and moved thresholds are none of the amounts.
  const amounts = [...document.querySelectorAll("[name=amount]")];
  const own = amounts.find((amount) => amount.value === "own");
  const numbersTyped = [...document.querySelectorAll(".other input")];
  const shown = document.querySelector("[name=shown]");
  const tell = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
  const set = ({ lower, upper }) => {
    fields.lower.value = lower;
    fields.upper.value = upper;
    draw();
  };
  let choosing = false;

  for (const amount of amounts) {
    amount.addEventListener("change", () => {
      if (amount === own) return numbersTyped[0].focus();
      set(amount.dataset);
      choosing = true;
      tell(fields.lower);
      choosing = false;
    });
  }
  for (const number of numbersTyped) number.addEventListener("input", () => (own.checked = true));

  document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
    const said = detail.target.id === "burden" && detail.target.querySelector(".bands");
    if (!said || !own) return;
    const typed = detail.requestConfig.elt;
    if (numbersTyped.includes(typed)) set(said.dataset);
    for (const number of numbersTyped) if (number !== typed) number.value = said.dataset[number.name];
    const [pairs, hours] = numbersTyped.map((number) => number.value);
    const amount = shown.value.split(" ")[0];
    if (own.checked) shown.value = ["own", pairs, hours].join(" ");
    else shown.value = [amount, pairs, hours].join(" ");
  });

  // The next place of a threshold, from wherever it is: thresholds are between bars.
  const next = (weight, steps) =>
    (steps > 0 ? Math.floor(weight / step + 1e-9) : Math.ceil(weight / step - 1e-9)) * step + steps * step;
  const keys = {
    ArrowLeft: (weight) => next(weight, -1),
    ArrowDown: (weight) => next(weight, -1),
    ArrowRight: (weight) => next(weight, 1),
    ArrowUp: (weight) => next(weight, 1),
    PageDown: (weight) => next(weight, -2 / step),
    PageUp: (weight) => next(weight, 2 / step),
    Home: () => low,
    End: () => high,
  };

  for (const name of ["lower", "upper"]) {
    slides[name].addEventListener("input", (event) => {
      event.stopPropagation();
      move(name, Math.round(slides[name].value / step) * step);
    });
    slides[name].addEventListener("keydown", (event) => {
      const place = keys[event.key];
      if (!place || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      move(name, place(Number(fields[name].value)));
    });
    fields[name].addEventListener("input", () => {
      if (own && !choosing) own.checked = true;
      if (fields[name].value !== "" && fields[name].validity.valid) draw();
    });
  }
  window.addEventListener("resize", draw);
  draw();
}
