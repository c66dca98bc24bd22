// A field for the name of a person, which completes those of people who are there.
import { h, debounce, count } from "./dom.js";
import { get } from "./api.js";
import { portrait } from "./faces.js";

let number = 0;

/**
 * nameField is a combobox. Chosen is called with {person, name} of somebody who is there, or
 * with {name} of somebody new.
 * @param {string} base of the collection
 * @param {{label: string, placeholder?: string, except?: string, onlyThere?: boolean, chosen: (who: {person?: string, name: string}) => void}} o
 */
export function nameField(base, o) {
  const id = "names" + ++number;
  let options = [], at = -1, asked = 0, open = false;
  const input = /** @type {HTMLInputElement} */ (h("input", {
    type: "text", role: "combobox", "aria-label": o.label, "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
    autocomplete: "off", autocapitalize: "words", spellcheck: "false", dir: "auto", maxlength: 200, placeholder: o.placeholder ?? "Name",
  }));
  const list = h("div", { role: "listbox", id, class: "options", "aria-label": "People", hidden: true });
  const show = (on) => {
    open = on && options.length > 0;
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (!open) mark(-1);
  };
  const mark = (to) => {
    at = to;
    for (const [i, e] of [...list.children].entries()) e.setAttribute("aria-selected", String(i === at));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", `${id}-${at}`);
      list.children[at]?.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };
  const find = async () => {
    const mine = ++asked, text = input.value.trim();
    if (!text && !o.onlyThere) { options = []; return show(false); }
    let found;
    try {
      found = await get(`${base}/people?order=faces&kind=known&limit=8&search=${encodeURIComponent(text)}`);
    } catch { return; }
    if (mine !== asked || document.activeElement !== input) return;
    options = found.items.filter((p) => p.id !== o.except);
    list.replaceChildren(...options.map((p, i) => h("div", { role: "option", id: `${id}-${i}`, "aria-selected": "false", onpointerdown: (e) => { e.preventDefault(); take(p); } },
      portrait(base, p), h("span", { dir: "auto", class: "name" }, p.name), h("span", { class: "soft" }, count(p.faces, "face")))));
    show(true);
  };
  const later = debounce(find, 120);
  const take = (p) => { options = []; show(false); asked++; o.chosen({ person: p.id, name: p.name }); };
  const same = (a, b) => a.localeCompare(b, undefined, { sensitivity: "accent" }) === 0;
  input.addEventListener("input", later);
  input.addEventListener("focus", () => { if (o.onlyThere || input.value) later(); });
  input.addEventListener("blur", () => show(false));
  input.addEventListener("keydown", (e) => {
    if (e.isComposing) return;
    if (e.key === "ArrowDown" && open) { e.preventDefault(); e.stopPropagation(); mark((at + 1) % options.length); }
    else if (e.key === "ArrowUp" && open) { e.preventDefault(); e.stopPropagation(); mark(at <= 0 ? options.length - 1 : at - 1); }
    else if (e.key === "Escape" && open) { e.preventDefault(); e.stopPropagation(); show(false); }
    else if (e.key === "Enter") { e.preventDefault(); enter(); }
  });
  async function enter() {
    if (at >= 0 && options[at]) return take(options[at]);
    const name = input.value.trim();
    if (!name) return;
    asked++;
    show(false);
    const there = await get(`${base}/people?order=faces&kind=known&limit=50&search=${encodeURIComponent(name)}`);
    const equal = there.items.find((p) => p.id !== o.except && same(p.name, name));
    if (equal) return take(equal);
    if (o.onlyThere) {
      if (there.items.length === 1) return take(there.items[0]);
      return find();
    }
    o.chosen({ name });
  }
  return { element: h("div", { class: "combo" }, input, list), input, enter };
}
