// Building blocks: elements, icons, messages, dialogs, and lists that are moved through by
// the arrow keys.
import { tr } from "./translate.js";

/**
 * h makes an element. Properties that begin with "on" are listeners; true and false set and
 * leave out an attribute; children may be null.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 */
export function h(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "class") e.className = value;
    else if (name === "value") /** @type {any} */ (e).value = value;
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  return put(e, ...children);
}

/** put appends children to an element; they may be lists, null or false. */
export function put(e, ...children) {
  e.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

/** s makes an element of SVG. */
export function s(tag, props = {}, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) e.setAttribute(name, String(value));
  e.append(...children);
  return e;
}

const paths = {
  add: "M12 5v14M5 12h14",
  groups: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  try: "M4 8V6a2 2 0 0 1 2-2h2M16 4h2a2 2 0 0 1 2 2v2M20 16v2a2 2 0 0 1-2 2h-2M8 20H6a2 2 0 0 1-2-2v-2M9 10v.5M15 10v.5M9 15q3 2 6 0",
  people: "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14a6.500 6.500 0 0 1 3.500 6",
  line: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
  review: "M4 12.500l5 5L20 6.500",
  settings: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 2.500v3M12 18.500v3M2.500 12h3M18.500 12h3M5.300 5.300l2.100 2.100M16.600 16.600l2.100 2.100M5.300 18.700l2.100-2.100M16.600 7.400l2.100-2.100",
  close: "M6 6l12 12M18 6L6 18",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500v.5",
  back: "M15 5l-7 7 7 7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  photo: "M4 6h16v13H4zM4 16l5-5 4 4 3-3 4 4M15.500 9.500h.01",
  folder: "M3.500 18.500v-12h6l2 2.500h9v9.500z",
};

/** icon is a picture of 24×24 that says nothing to a screen reader. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" }, s("path", { d: paths[name] }));
}

/** say tells a screen reader. */
export function say(text) {
  const at = document.getElementById("spoken");
  text = tr(text);
  at.textContent = at.textContent === text ? text + " " : text;
}

// locale is how dates are written in the language of the page, with the digits that it has.
export const locale = () => { const l = document.documentElement.lang; return (navigator.languages.find((n) => n.split("-")[0] === l && !n.includes("-u-")) ?? l) + "-u-nu-latn"; };
export const count = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
export const percent = (share) => (share > 0 && share < 0.001 ? "< 0.1" : share < 1 && share > 0.999 ? "> 99.9" : (100 * share).toFixed(share < 0.0995 || share > 0.9 && share < 1 ? 1 : 0).replace(/\.0$/, "")) + " %";
export const oneIn = (share) => (share >= 0.5 ? "more than 1 in 2" : share <= 1e-7 ? "fewer than 1 in 10 million" : `1 in ${round(1 / share).toLocaleString("en")}`);
/** fewerThan is a share of which only the limit is known, as the command tells it of a model. */
export const fewerThan = (limit) => (limit > 0.1 ? `fewer than ${Math.ceil(100 * limit)} %` : `fewer than 1 in ${round(Math.min(1 / limit, 1e6), Math.floor).toLocaleString("en")}`);
const round = (v, whole = Math.round) => { const unit = 10 ** Math.max(0, Math.floor(Math.log10(v)) - 1); return whole(v / unit) * unit; };

const toastTime = 8000;
/** @type {{undo: () => void, shut: () => void, waits: boolean}[]} */
const undoable = [];

/**
 * toast shows a message for a while, with a button to undo it if undo is given. Gone is called
 * when it can no longer be undone.
 */
export function toast(text, undo = null, gone = null) {
  let left = toastTime, timer = 0, since = 0, ended = false;
  const entry = { undo: () => end(true), shut: () => end(false), waits: gone !== null };
  const close = h("button", { class: "plain", "aria-label": "Close the message", onclick: () => end(false) }, icon("close"));
  const box = h("div", { class: "toast" }, h("span", { dir: "auto" }, tr(text)), undo && h("button", { class: "link", onclick: () => end(true) }, "Undo"), close);
  async function end(taken) {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    const i = undoable.indexOf(entry);
    if (i >= 0) undoable.splice(i, 1);
    box.remove();
    if (taken) {
      try {
        await undo();
      } catch (e) {
        if (e.name !== "AbortError") toast(e.message);
      }
    } else gone?.();
  }
  const start = () => { since = Date.now(); timer = setTimeout(() => end(false), left); };
  const stop = () => { clearTimeout(timer); left = Math.max(1500, left - (Date.now() - since)); };
  for (const event of ["mouseenter", "focusin"]) box.addEventListener(event, stop);
  for (const event of ["mouseleave", "focusout"]) box.addEventListener(event, () => { clearTimeout(timer); if (!ended) start(); });
  const all = document.getElementById("toasts");
  if (undo) undoable.push(entry);
  all.append(box);
  while (all.children.length > 30) all.firstElementChild.querySelector("button.plain").click();
  say(tr(text) + (undo ? " " + tr("Control Z undoes it.") : ""));
  start();
  return entry;
}

/** undoLast undoes what the newest message offers to undo. */
export function undoLast() {
  const last = undoable.at(-1);
  last?.undo();
  return Boolean(last);
}

/** settle makes what waits for the end of a message happen now. */
export function settle() {
  for (const one of [...undoable]) if (one.waits) one.shut();
}

addEventListener("pagehide", settle);

/**
 * dialog shows a modal dialog and returns what close was called with; undefined for Escape.
 * @param {(close: (v?: any) => void) => any} fill returns the content
 */
export function dialog(title, fill, { wide = false, required = false } = {}) {
  return new Promise((resolve) => {
    const from = document.activeElement;
    let result;
    const close = (v) => { result = v; box.close(); };
    const id = "d" + Math.random().toString(36).slice(2);
    const box = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": id, class: wide ? "wide" : "" },
      h("div", { class: "head" }, h("h2", { id, dir: "auto" }, tr(title)), !required && h("button", { class: "plain", "aria-label": "Close", onclick: () => close() }, icon("close"))),
      fill(close)));
    box.addEventListener("cancel", (e) => { if (required) e.preventDefault(); });
    box.addEventListener("mousedown", (e) => { if (e.target === box && !required) close(); });
    box.addEventListener("close", () => {
      box.remove();
      if (from instanceof HTMLElement && from.isConnected) from.focus();
      resolve(result);
    });
    document.body.append(box);
    box.showModal();
    /** @type {HTMLElement | null} */ (box.querySelector("[autofocus]"))?.focus();
  });
}

/**
 * ask asks for yes or no; typed is a word that has to be typed first.
 * @returns {Promise<boolean>}
 */
export async function ask(title, text, yes, { danger = false, typed = "" } = {}) {
  return Boolean(await dialog(title, (close) => {
    const go = h("button", { type: "submit", class: danger ? "danger" : "main", disabled: typed !== "" }, yes);
    const same = (v) => v.trim().normalize() === typed.trim().normalize();
    const input = h("input", { autofocus: true, autocomplete: "off", dir: "auto", spellcheck: "false", oninput: () => { go.toggleAttribute("disabled", !same(input.value)); } });
    return h("form", { method: "dialog", onsubmit: (e) => { e.preventDefault(); close(true); } },
      h("p", {}, text),
      typed && h("label", {}, "Type ", h("strong", { dir: "auto" }, typed), " to confirm", input),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close(false), autofocus: !typed }, "Cancel"), go));
  }));
}

/** rove makes the items of a list reachable by one stop of Tab and the arrow keys. */
export function rove(list, selector) {
  const items = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll(selector)]);
  const set = (to) => { for (const i of items()) i.tabIndex = i === to ? 0 : -1; };
  list.addEventListener("focusin", (e) => { const at = e.target.closest(selector); if (at) set(at); });
  list.addEventListener("keydown", (e) => {
    const all = items(), at = all.indexOf(e.target.closest(selector));
    if (at < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
    const rtl = getComputedStyle(list).direction === "rtl";
    let to = at;
    switch (e.key) {
      case rtl ? "ArrowLeft" : "ArrowRight": to = at + 1; break;
      case rtl ? "ArrowRight" : "ArrowLeft": to = at - 1; break;
      case "Home": to = 0; break;
      case "End": to = all.length - 1; break;
      case "ArrowDown": case "ArrowUp": to = below(all, at, e.key === "ArrowDown"); break;
      default: return;
    }
    if (to >= 0 && to < all.length) {
      e.preventDefault();
      all[to].focus();
      all[to].scrollIntoView({ block: "nearest" });
    }
  });
  const reset = () => { const all = items(); if (all.length && !all.some((i) => i.tabIndex === 0)) set(all[0]); };
  reset();
  return reset;
}

// below is the index of the item in the next or the last row that is nearest to the one at.
function below(all, at, down) {
  const from = all[at].getBoundingClientRect();
  let best = at, least = Infinity;
  for (let i = at; i >= 0 && i < all.length; i += down ? 1 : -1) {
    const to = all[i].getBoundingClientRect();
    const rows = Math.abs(to.top - from.top), aside = Math.abs(to.left - from.left);
    if (rows < 4) continue;
    if (least < Infinity && rows > 1.8 * from.height + 40) break;
    if (rows * 2 + aside < least) { least = rows * 2 + aside; best = i; }
  }
  return best;
}

/**
 * endless loads a list page by page while its end is near the window, and returns a function that
 * loads it anew. After a page that failed, or when somebody has left the screen, none follows.
 * @param {Element} end what follows the list
 * @param {AbortSignal} signal ends when somebody leaves the screen
 * @param {(first: boolean, current: () => boolean) => Promise<boolean>} page loads the first or the
 *   next page, shows it unless current says that the list is loaded anew, and returns whether
 *   another one follows
 */
export function endless(end, signal, page) {
  let round = 0;
  const watch = new IntersectionObserver((seen) => { if (seen.at(-1).isIntersecting) load(false); }, { rootMargin: "800px" });
  signal.addEventListener("abort", () => watch.disconnect());
  async function load(first) {
    const mine = first ? ++round : round, current = () => mine === round && !signal.aborted;
    watch.unobserve(end);
    if (await page(first, current) && current()) watch.observe(end); // which tells where the end is now
  }
  return () => load(true);
}

/** debounce returns a function that calls f when it was not called for ms. */
export function debounce(f, ms) {
  let timer = 0;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => f(...args), ms); };
}

/** inText reports whether an event is typing. */
export const inText = (e) => e.target instanceof Element && (e.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select") || /** @type {any} */ (e.target).isContentEditable);
