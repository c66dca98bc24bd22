// The page in other languages. The code has the English texts; a file NAME.json has those of a
// language, by the English ones. Numbers and names in a text are {}, or {2} for the second one.
// Whatever an element with dir="auto" shows was written by people, and stays as it is.

/** The languages that there are, by the names that they have in themselves. */
export const languages = { en: "English", de: "Deutsch", ar: "العربية" };

const key = "nrdl-language";
const watched = ["aria-label", "title", "placeholder"];
/** @type {Map<string, string>} */
let exact = new Map();
/** @type {{test: RegExp, to: string, literal: number}[]} */
let patterns = [];
/** @type {Map<string, string[]>} */
let nouns = new Map();
let plural = new Intl.PluralRules("en");
let language = "en";
const made = new WeakMap(); // what a node shows since it was translated

/** chosen is the language that was chosen, or else the first one of the browser that there is. */
export function chosen() {
  let kept = "";
  try { kept = localStorage.getItem(key) ?? ""; } catch { /* private window */ }
  return [kept, ...navigator.languages.map((l) => l.split("-")[0])].find((l) => l in languages) ?? "en";
}

/** choose keeps a language, and loads the page again. */
export function choose(language) {
  try { localStorage.setItem(key, language); } catch { /* private window */ }
  location.reload();
}

/** begin translates what the page shows from now on. */
export async function begin() {
  language = chosen();
  if (language === "en") return;
  const answer = await fetch(new URL(language + ".json", import.meta.url));
  if (!answer.ok) return; // English is better than nothing
  const told = await answer.json();
  plural = new Intl.PluralRules(language);
  nouns = new Map(Object.entries(told.nouns).flatMap(([names, forms]) => names.split("/").map((n) => [n, forms])));
  for (const [text, to] of Object.entries(told.texts)) {
    if (!text.includes("{}")) exact.set(text, to);
    else patterns.push({ test: new RegExp("^" + text.split("{}").map((p) => p.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("(.*?)") + "$", "s"), to, literal: text.replaceAll("{}", "").trim().length });
  }
  patterns.sort((a, b) => b.literal - a.literal);
  document.documentElement.lang = language;
  document.documentElement.dir = told.direction;
  walk(document.documentElement);
  new MutationObserver((all) => {
    for (const m of all) {
      if (m.type === "childList") m.addedNodes.forEach(walk);
      else if (m.type === "characterData") walk(m.target);
      else attribute(/** @type {Element} */ (m.target), m.attributeName);
    }
  }).observe(document.documentElement, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: watched });
}

/** tr is a text of the page in the language of the page. */
export function tr(text) {
  const parts = /^(\s*)(.*?)(\s*)$/s.exec(text);
  return parts[2] ? parts[1] + translated(parts[2]) + parts[3] : text;
}

function translated(text) {
  const known = exact.get(text);
  if (known !== undefined) return known;
  const counted = /^([\d.,]+) (.+)$/s.exec(text);
  if (counted && nouns.has(counted[2])) return noun(counted[1], nouns.get(counted[2]));
  for (const p of patterns) {
    const found = p.test.exec(text);
    if (!found || p.literal <= short && !found.slice(1).every((v) => counting.test(v))) continue;
    let i = 0;
    return p.to.replace(/\{(\d?)\}/g, (_, n) => value(found[n || ++i]));
  }
  for (const between of [" · ", ", "]) {
    if (/^\d/.test(text) && text.includes(between)) return text.split(between).map(translated).join(between);
  }
  return inLanguage(text);
}

// A short pattern, such as "{} of {}", is for numbers alone: it may be a part of any other text.
const short = 2;
const counting = /^[\d<>][^.:]*$/;

// value is a part of a text: a number of things or a sentence is translated, a name is not.
const value = (part) => (/^([\d<>]|between \d|1 in )/i.test(part) || /\.$|^this person$/.test(part) && exact.has(part) || /^[\d<].*\.$/.test(part) ? translated(part) : part);

/** inLanguage writes a number, which the code writes as in English, as the language does. One without a comma or a dot is the same there, and may be a name. */
function inLanguage(text) {
  const [, number, sign = ""] = /^(\d{1,3}(?:,\d{3})*(?:\.\d+)?)( ?%)?$/.exec(text) ?? [];
  if (!number || !/[,.]/.test(number)) return text;
  const digits = number.split(".")[1]?.length ?? 0;
  return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(Number(number.replaceAll(",", ""))) + sign;
}

function noun(text, forms) {
  const n = Number(text.replaceAll(",", "")), number = inLanguage(text);
  const order = forms.length === 2 ? ["one"] : ["one", "two", "few", "many"];
  const at = order.indexOf(plural.select(n));
  const form = at < 0 ? forms.at(-1) : forms[at];
  return forms.length === 2 ? `${number} ${form}` : form.replace("{}", number);
}

const ours = (e) => e !== null && !e.closest("[dir=auto], [translate=no], script, style, textarea, code");

function walk(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (made.get(node) === node.data || !ours(node.parentElement)) return;
    const to = tr(node.data);
    made.set(node, to);
    if (to !== node.data) node.data = to;
  } else if (node.nodeType === Node.ELEMENT_NODE) {
    for (const name of watched) if (node.hasAttribute(name)) attribute(node, name);
    node.childNodes.forEach(walk);
  }
}

function attribute(element, name) {
  const was = element.getAttribute(name), mine = made.get(element) ?? {};
  const to = was && was !== mine[name] && tr(was);
  if (to) made.set(element, { ...mine, [name]: to });
  if (to && to !== was) element.setAttribute(name, to);
}
