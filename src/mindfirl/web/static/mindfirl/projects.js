// While nobody has typed a name, one is proposed from the title.
const title = document.getElementById("id_title");
const projectName = document.getElementById("id_name");
let own = projectName.value !== "";
projectName.addEventListener("input", () => { own = projectName.value !== ""; });
title.addEventListener("input", () => {
  if (own) return;
  const plain = title.value.toLowerCase().replace(/ß/g, "ss").normalize("NFKD").replace(/\P{ASCII}/gu, "");
  projectName.value = plain.replace(/[^a-z0-9._]+/g, "-").replace(/^[-._]+/, "").slice(0, 80).replace(/[-._]+$/, "");
});
