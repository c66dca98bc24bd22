"use strict";
// Words of the same meaning, a line each. What a reader types stands beside what the pages say.
const synonyms = `
licence license licensing copyright
docker container containers podman kubernetes k8s
baby babies child children infant toddler kid kids
siblings sibling brother brothers sister sisters twins relatives family
video videos film movie movies clip
webcam camera cameras doorbell rtsp
gdpr privacy dsgvo
password passwords key keys token login
uninstall remove deinstall
delete remove erase forget
confidence probability score certainty percent
latex tex
convergence objective
plot figure graph
install installation setup
exit status
pose profile turned
heic heif iphone
colour color
synonym stranger strangers unknown
windows macos linux
mistake wrong correct
photograph photographs photo photos picture pictures
fast slow speed
`.trim().split("\n").map(line => line.split(" "));

// Words that say nothing of what a sentence is about.
const idle = new Set(`a an and any are as at be been but by can cannot could did difference do does doesn don for from get gets
give gives had has have how i if in into is it its just let ll make makes many me more much must my need no not of
off on one only or other our out s should so some still t take than that the their them then there these they this
those to too use used using ve want was way we were what when where which while who whom whose why will with without
work works would you your`.trim().split(/\s+/));

const plain = s => s.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const wordsOf = s => plain(s).match(/[\p{L}\p{N}]+/gu) || [];
const stem = w => w.length > 4 ? w.replace(/(ies|es|s|ing|ed)$/, "") : w;

// nearly tells whether two words differ by one letter: another, one more, one less, or two exchanged.
function nearly(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0, j = 0;
  while (i < a.length && a[i] === b[i]) i++;
  while (j < a.length - i && j < b.length - i && a[a.length - 1 - j] === b[b.length - 1 - j]) j++;
  const [x, y] = [a.slice(i, a.length - j), b.slice(i, b.length - j)];
  return x.length <= 1 && y.length <= 1 || x.length === 2 && x[0] === y[1] && x[1] === y[0];
}

// indexOf returns where each word is: [part, weight] pairs, a title weighs more than text.
function indexOf(parts) {
  const where = new Map();
  parts.forEach((part, at) => {
    const weights = new Map();
    const note = (text, weight, most) => {
      const n = new Map();
      for (const w of wordsOf(text)) n.set(w, (n.get(w) || 0) + 1);
      for (const [w, count] of n) weights.set(w, (weights.get(w) || 0) + Math.min(most, weight * Math.sqrt(count)));
    };
    note(part.p, 5, 5);
    note(part.t, part.t === part.p ? 0 : 5, 5);
    note(part.a || "", 10, 10);
    note(part.u.replace(/#.*/, ""), 4, 4);
    note(part.x, 1 / (1 + Math.sqrt(part.x.length / 1500)), 2);
    for (const [w, weight] of weights) {
      if (!where.has(w)) where.set(w, []);
      where.get(w).push([at, weight]);
    }
  });
  return where;
}

// likes returns the words of the index that stand for what was typed, and how well: the word itself,
// other forms of it, synonyms, words that it begins or is in; if there is none, words with one error.
function likes(where, typed) {
  const found = new Map(), give = (w, quality) => found.set(w, Math.max(quality, found.get(w) || 0));
  const line = synonyms.find(words => words.includes(typed)) || [];
  for (const w of where.keys()) {
    if (w === typed) give(w, 1);
    else if (stem(w) === stem(typed)) give(w, 0.9);
    else if (line.includes(w)) give(w, 0.6);
    else if (typed.length >= 3 && w.startsWith(typed)) give(w, 0.35);
    else if (typed.length >= 4 && w.includes(typed)) give(w, 0.1);
  }
  if (found.size === 0 && typed.length >= 4) {
    for (const w of where.keys()) if (nearly(w, typed)) give(w, 0.5);
  }
  return found;
}

// rank returns the pages that have the words, at most 20, each by its part that fits best. Of a sentence
// that no page has whole, those come first that have the most of it, a rare word counting for more.
function rank(parts, where, query) {
  const pages = new Map(); // by address: a score for each word, and one for each part
  let words = wordsOf(query);
  const says = w => w.length > 1 && !idle.has(w);
  if (words.some(says)) words = words.filter(says);
  words = [...new Set(words)];
  const weights = words.map((typed, n) => {
    const best = new Map(); // the best score of each part for this word
    for (const [w, quality] of likes(where, typed)) {
      const at = where.get(w), rare = Math.log(1 + parts.length / at.length);
      for (const [part, weight] of at) best.set(part, Math.max(best.get(part) || 0, quality * rare * weight));
    }
    for (const [part, score] of best) {
      const address = parts[part].u.replace(/#.*/, "");
      if (!pages.has(address)) pages.set(address, { words: words.map(() => []), parts: new Map() });
      const page = pages.get(address);
      page.words[n].push(score);
      page.parts.set(part, (page.parts.get(part) || 0) + score);
    }
    return best.size > 0 ? Math.log(1 + parts.length / best.size) : 0;
  });
  const total = weights.reduce((sum, w) => sum + w, 0);
  const found = [...pages.values()].map(page => {
    const [part] = [...page.parts].reduce((a, b) => b[1] > a[1] ? b : a);
    const score = page.words.reduce((sum, all) => {
      all.sort((a, b) => b - a);
      return all.length === 0 ? sum : sum + all[0] + all.slice(1, 5).reduce((sum, a) => sum + a, 0) / 5;
    }, 0);
    const share = page.words.reduce((sum, all, n) => sum + (all.length > 0 ? weights[n] : 0), 0) / total;
    return { part: parts[part], share, score: score * share ** 2 * parts[part].k };
  }).sort((a, b) => b.score - a.score);
  const most = Math.max(...found.map(page => page.share));
  return found.filter(page => page.share > most / 2).slice(0, 20).map(page => page.part);
}

if (typeof document !== "undefined") {
  const q = document.getElementById("q"), found = document.getElementById("found");
  let where;
  // The index is large, and loaded when somebody is about to search.
  const load = () => {
    if (where || document.getElementById("index")) return;
    const script = document.createElement("script");
    script.id = "index";
    script.src = up + "index.js";
    script.onload = () => { where = indexOf(parts); search(); };
    document.head.append(script);
  };
  const search = () => {
    const words = wordsOf(q.value);
    if (!where) return void load();
    const hits = words.length === 0 ? [] : rank(parts, where, q.value);
    found.replaceChildren(...hits.map(e => {
      const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
      const at = Math.max(0, plain(e.x).indexOf(words[0]) - 40);
      link.href = up + e.u;
      link.textContent = e.t && e.t !== e.p ? e.p + " › " + e.t : e.p;
      small.textContent = (at > 0 ? "… " : "") + e.x.slice(at, at + 130);
      link.append(small);
      item.append(link);
      return item;
    }));
    if (words.length > 0 && hits.length === 0) {
      const none = document.createElement("li");
      none.textContent = "No page has these words.";
      found.append(none);
    }
    found.hidden = words.length === 0;
  };
  q.addEventListener("focus", load);
  q.addEventListener("input", search);
  q.addEventListener("keydown", e => {
    if (e.key === "Enter") found.querySelector("a")?.click();
    if (e.key === "Escape") { q.value = ""; search(); }
    if (e.key === "ArrowDown") { found.querySelector("a")?.focus(); e.preventDefault(); }
  });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && document.activeElement !== q) { q.focus(); e.preventDefault(); }
  });
}
