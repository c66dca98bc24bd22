"use strict";
// Finds parts of pages that have all words; those with a word in a title come first.
const q = document.getElementById("q"), found = document.getElementById("found");
const plain = s => s.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
let ready;
function search() {
  ready ||= parts.map(e => ({ e, title: plain(e.p + " " + e.t), text: plain(e.x) }));
  const words = plain(q.value).split(/\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : ready.map(r => {
    let score = 0;
    for (const w of words) {
      if (r.title.includes(w)) score += 10;
      else if (r.text.includes(w)) score += 1;
      else return null;
    }
    return { e: r.e, score, words };
  }).filter(Boolean).sort((a, b) => b.score - a.score).slice(0, 20);
  found.replaceChildren(...hits.map(h => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    const at = Math.max(0, plain(h.e.x).indexOf(h.words[0]) - 40);
    link.href = up + h.e.u;
    link.textContent = h.e.t && h.e.t !== h.e.p ? h.e.p + " › " + h.e.t : h.e.p;
    small.textContent = (at > 0 ? "… " : "") + h.e.x.slice(at, at + 130);
    link.append(small);
    item.append(link);
    return item;
  }));
  if (words.length > 0 && hits.length === 0) {
    const none = document.createElement("li");
    none.textContent = "Nothing has all of these words.";
    found.append(none);
  }
  found.hidden = words.length === 0;
}
q.addEventListener("input", search);
q.addEventListener("keydown", e => {
  if (e.key === "Enter") found.querySelector("a")?.click();
  if (e.key === "Escape") { q.value = ""; search(); }
  if (e.key === "ArrowDown") { found.querySelector("a")?.focus(); e.preventDefault(); }
});
document.addEventListener("keydown", e => {
  if (e.key === "/" && document.activeElement !== q) { q.focus(); e.preventDefault(); }
});
