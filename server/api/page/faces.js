// Faces: their crops, grids of them in which some can be selected, and the reasons for what
// the machine says of one.
import { h, s, icon, dialog, rove, count, oneIn } from "./dom.js";
import { get } from "./api.js";

/** crop is the picture of a stored face. */
export function crop(base, face, alt = "", eager = false) {
  const img = /** @type {HTMLImageElement} */ (h("img", { class: "crop", src: `${base}/faces/${face}/crop`, alt, loading: eager ? "eager" : "lazy", decoding: "async", width: 150, height: 150, draggable: "false" }));
  img.addEventListener("error", () => img.replaceWith(h("span", { class: "crop none", role: "img", "aria-label": alt || "No picture" })), { once: true });
  return img;
}

/** portrait is the crop of a person, or the first letter of the name. */
export function portrait(base, person, alt = "") {
  return person.portrait ? crop(base, person.portrait, alt) : h("span", { class: "crop none letter", "aria-hidden": "true" }, [...(person.name || "?").trim()][0] || "?");
}

/**
 * grid shows faces of which some can be selected: by click or Space, all by Ctrl+A; W or a
 * double click says why.
 * @param {string} base of the collection
 * @param {string[]} faces ids
 * @param {{label: string, most?: number, note?: (id: string, at: number) => {text?: string, dim?: boolean} | null, changed?: (ids: string[]) => void}} o
 */
export function grid(base, faces, o) {
  const chosen = new Set();
  let shown = Math.min(faces.length, o.most || faces.length);
  if (faces.length - shown === 1) shown = faces.length;
  const list = h("div", { class: "contents", role: "listbox", "aria-multiselectable": "true", "aria-label": o.label });
  const one = (id, i) => {
    const note = o.note?.(id, i);
    const e = h("div", { role: "option", class: "face" + (note?.dim ? " dim" : ""), tabindex: -1, "aria-selected": "false", "aria-label": `Face ${i + 1} of ${faces.length}${note?.text ? ", " + note.text : ""}` },
      crop(base, id), h("span", { class: "tick", "aria-hidden": "true" }, icon("review")), note?.text && h("span", { class: "note", "aria-hidden": "true", dir: "auto" }, note.text));
    e.dataset.face = id;
    return e;
  };
  const more = h("button", { class: "more", type: "button", onclick: () => {
    const first = shown;
    shown = Math.min(faces.length, shown + 200);
    list.append(...faces.slice(first, shown).map((id, i) => one(id, first + i)));
    label();
    /** @type {HTMLElement} */ (list.children[first])?.focus();
  } });
  const label = () => {
    more.hidden = shown === faces.length;
    more.textContent = `+${faces.length - shown}`;
    more.setAttribute("aria-label", `Show ${faces.length - shown} more faces`);
  };
  list.append(...faces.slice(0, shown).map(one));
  label();
  const toggle = (e, on = !chosen.has(e.dataset.face)) => {
    chosen[on ? "add" : "delete"](e.dataset.face);
    e.setAttribute("aria-selected", String(on));
    o.changed?.([...chosen]);
  };
  let last = null;
  list.addEventListener("click", (e) => {
    const f = e.target.closest(".face");
    if (!f) return;
    const all = [...list.querySelectorAll(".face")];
    if (e.shiftKey && last) {
      const [a, b] = [all.indexOf(last), all.indexOf(f)].sort((x, y) => x - y);
      for (const i of all.slice(a, b + 1)) toggle(i, true);
    } else toggle(f);
    last = f;
    f.focus();
  });
  list.addEventListener("dblclick", (e) => { const f = e.target.closest(".face"); if (f) why(base, f.dataset.face); });
  list.addEventListener("keydown", (e) => {
    const f = e.target.closest(".face");
    if (!f) return;
    if (e.key === " ") { e.preventDefault(); toggle(f); }
    else if (e.key === "a" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      const all = [...list.querySelectorAll(".face")], on = chosen.size < all.length;
      for (const i of all) toggle(i, on);
    } else if (e.key.toLowerCase() === "w" && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); e.stopPropagation(); why(base, f.dataset.face); }
    else if (e.key === "Escape" && chosen.size) { e.stopPropagation(); clear(); }
  });
  const clear = () => { for (const i of list.querySelectorAll("[aria-selected=true]")) toggle(i, false); };
  const choose = (ids) => {
    while (shown < faces.length && ids.some((id) => faces.indexOf(id) >= shown)) more.click();
    for (const i of list.querySelectorAll(".face")) if (chosen.has(i.dataset.face) !== ids.includes(i.dataset.face)) toggle(i);
  };
  rove(list, ".face");
  return { element: h("div", { class: "faces" }, list, more), chosen: () => [...chosen], clear, choose };
}

/** why shows the reasons for a stored face. */
export async function why(base, face) {
  const f = await get(`${base}/faces/${face}/why`);
  await dialog("Why?", () => h("div", { class: "why" },
    h("div", { class: "verdict" }, crop(base, face, "The face", true), h("p", { dir: "auto" }, f.why)),
    f.original && h("a", { class: "behind", href: `${base}/photographs/${f.photo}/original`, target: "_blank", rel: "noopener" }, h("img", { src: `${base}/photographs/${f.photo}/thumbnail`, alt: "The photograph" })),
    reasons(base, f.reasons)), { wide: true });
}

/** reasons shows whom a face resembles, how much, and the faces that show it. */
export function reasons(base, r) {
  if (!r?.like?.length) return h("p", { class: "soft" }, "There is nobody to compare the face with yet.");
  const notes = [];
  if (r.quality && r.quality !== "good") notes.push(h("p", { class: "hint" }, `The picture of this face is ${r.quality}. A better one is recognised more surely.`));
  return h("div", { class: "reasons" },
    notes,
    scale(r),
    h("ol", { class: "like" }, r.like.map((p, i) => h("li", {},
      h("div", { class: "row" }, h("strong", { dir: "auto" }, p.kind === "ignored" ? "Somebody ignored" : p.name), h("span", { class: "soft" }, i === 0 ? "most similar" : i === 1 ? "second" : "third")),
      h("div", { class: "strip" }, p.nearest.map((n) => h("figure", {}, crop(base, n.face, `A face of ${p.name}`), h("figcaption", {}, n.cosine.toFixed(2))))),
      h("p", { class: "soft" }, stranger(p.evidence), p.faces > p.nearest.length ? ` The most similar of ${count(p.faces, "face")}.` : "")))),
    h("p", { class: "soft small" }, "The number below a face is its similarity (the cosine of the two vectors): 1 for the same picture. The face was compared with ", count(r.people, "person", "people"), "."));
}

const stranger = (evidence) => `Of strangers at random, one in ${readable(evidence)} resembles somebody here as much; of people who look alike, more.`;
const readable = (evidence) => (evidence < 0.31 ? "two" : evidence >= 5 ? "more than 100,000" : oneIn(10 ** -evidence).replace("1 in ", ""));

// scale draws the evidence for the most similar people on a line with the threshold.
function scale(r) {
  const top = Math.max(4, (r.threshold ?? 2) * 1.5, Math.min(12, r.like[0].evidence * 1.05));
  const x = (v) => 8 + 584 * Math.min(1, Math.max(0, v / top));
  const g = s("svg", { viewBox: "0 0 600 86", class: "scale", role: "img", "aria-label": r.threshold === null ? "No threshold yet" : `The threshold is ${r.threshold.toFixed(1)}; ` + r.like.map((p) => `${p.name} has ${p.evidence.toFixed(1)}`).join(", ") },
    s("line", { x1: 8, x2: 592, y1: 44, y2: 44, class: "axis" }));
  if (r.threshold !== null) {
    g.append(s("rect", { x: x(r.threshold), y: 38, width: 592 - x(r.threshold), height: 12, rx: 6, class: "named" }),
      s("line", { x1: x(r.threshold), x2: x(r.threshold), y1: 28, y2: 60, class: "threshold" }),
      text(x(r.threshold), 78, "threshold", "soft"));
  }
  const [a, b] = r.like;
  if (b) g.append(s("circle", { cx: x(b.evidence), cy: 44, r: 7, class: "second" }));
  g.append(s("circle", { cx: x(a.evidence), cy: 44, r: 10, class: "first" }), text(x(a.evidence), 20, a.kind === "ignored" ? "ignored" : a.name, "strong"));
  return g;
}

function text(x, y, value, kind) {
  const anchor = x < 90 ? "start" : x > 510 ? "end" : "middle";
  const t = s("text", { x: anchor === "start" ? Math.max(4, x - 10) : anchor === "end" ? Math.min(596, x + 10) : x, y, class: kind, "text-anchor": anchor });
  t.textContent = value.length > 26 ? value.slice(0, 25) + "…" : value;
  return t;
}

/** chance says how likely a guess is. */
export const chance = (p) => (p === null || p === undefined ? "" : p > 0.995 ? "> 99 %" : Math.round(100 * p) + " %");
