// What the server answers comes in pieces, each of which is put in its place; the focus stays where it is.
// What is not open is not here either: a pair is drawn by the server, as far as it is open.

export function draw(html, keep = () => false) {
  const focused = document.activeElement?.id;
  const answer = document.createElement("template");
  answer.innerHTML = html;
  for (const part of answer.content.querySelectorAll("template")) {
    for (const piece of part.content.querySelectorAll("[hx-swap-oob]")) {
      const place = document.getElementById(piece.id);
      if (place && !keep(piece)) put(piece, place);
    }
  }
  if (focused && document.activeElement === document.body) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
}

function put(piece, place) {
  const inside = piece.getAttribute("hx-swap-oob") === "innerHTML";
  piece.removeAttribute("hx-swap-oob");
  if (inside) place.replaceChildren(...piece.childNodes);
  else place.replaceWith(piece);
}

const POINT = document.documentElement.lang === "de" ? "," : ".";

// As the server writes a share: about two figures that count
export function percent(share) {
  if (share > 0 && share < 0.00001) return `<0${POINT}001%`;
  const hundredths = share * 100;
  const decimals = share > 0 ? Math.max(0, Math.min(1 - Math.floor(Math.log10(hundredths)), 3)) : 0;
  const text = hundredths.toFixed(decimals);
  return `${(decimals ? text.replace(/0+$/, "").replace(/\.$/, "") : text).replace(".", POINT)}%`;
}
