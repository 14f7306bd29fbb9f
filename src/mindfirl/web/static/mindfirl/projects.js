// While nobody has typed a name, one is proposed from the title.
const title = document.getElementById("id_title");
const name_ = document.getElementById("id_name");
let own = name_.value !== "";
name_.addEventListener("input", () => { own = name_.value !== ""; });
title.addEventListener("input", () => {
  if (own) return;
  const plain = title.value.toLowerCase().replace(/ß/g, "ss").normalize("NFKD").replace(/[^\x00-\x7f]/g, "");
  name_.value = plain.replace(/[^a-z0-9._]+/g, "-").replace(/^[-._]+/, "").slice(0, 80).replace(/[-._]+$/, "");
});
