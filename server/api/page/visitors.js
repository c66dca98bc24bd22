// Visitors: faces that identify did not recognise, with when and where, to be named or forgotten.
import { h, put, ask, toast, count, locale } from "./dom.js";
import { get, del } from "./api.js";
import { grid, chance } from "./faces.js";
import { nameField } from "./names.js";
import { decide, discard } from "./groups.js";

/** sight is when and where somebody was seen. */
export const sight = (o, style = { dateStyle: "medium", timeStyle: "short" }) => h("span", {}, h("time", { datetime: o.time }, new Date(o.time).toLocaleString(locale(), style)), o.source && [" · ", h("span", { dir: "auto" }, o.source)], o.reference && h("span", { class: "soft small", dir: "auto" }, " " + o.reference));

const few = 4;

export async function visitors(panel, ctx) {
  const days = ctx.collection.visitor_days;
  const sum = h("p", { class: "lead" }), list = h("div", { class: "groups" });
  const all = h("button", { class: "danger", hidden: true, onclick: forgetAll }, "Forget all …");
  put(panel, sum, h("div", { class: "row visiting" }, all, h("a", { class: "button", href: ctx.href("settings") }, "How long they are kept")), list);
  /** @type {Map<string, {element: HTMLElement, faces: string[], busy: () => boolean, gone: () => void}>} */
  const cards = new Map();
  const hidden = new Set(); // faces that are forgotten when it can no longer be undone
  const told = () => {
    all.hidden = !cards.size;
    sum.textContent = cards.size ? `${count(cards.size, "visitor")}. A face without a name is forgotten after ${count(days, "day")}.` : days ? "Nobody was here who is not known." : "Faces that a camera sends and that are not recognised are not kept.";
  };
  async function load() {
    const page = await get(`${ctx.base}/visitors?limit=100`, ctx.signal);
    const wanted = new Map(page.items.map((o) => ({ ...o, faces: o.faces.filter((f) => !hidden.has(f.face)) })).filter((o) => o.faces.length).map((o) => [JSON.stringify([o.faces.map((f) => f.face), o.guess?.id]), o]));
    for (const [key, card] of [...cards]) if (!wanted.has(key) && !card.busy()) card.gone();
    const taken = new Set([...cards.values()].flatMap((c) => c.faces));
    let before = null;
    for (const [key, o] of wanted) {
      if (!cards.has(key)) {
        if (o.faces.some((f) => taken.has(f.face))) continue; // somebody is at it
        const card = make(o, key);
        cards.set(key, card);
        if (before) before.after(card.element); else list.prepend(card.element);
      }
      before = cards.get(key).element;
    }
    told();
  }
  ctx.refresh = () => { if (!ctx.signal.aborted) load(); };

  function make(o, key) {
    const faces = o.faces.map((f) => f.face);
    const pictures = grid(ctx.base, faces, { label: count(faces.length, "face"), most: 6 });
    const some = () => (pictures.chosen().length ? pictures.chosen() : faces);
    const field = nameField(ctx.base, { label: `Name of the visitor with ${count(faces.length, "face")}`, placeholder: "Name", chosen: name });
    const likely = o.guess && (o.guess.decision !== "unknown" || o.guess.probability > 0.1) && o.guess.name !== "ignored";
    const element = h("article", { class: "group", tabindex: -1, "aria-label": count(faces.length, "face") }, h("div", { class: "pictures" }, pictures.element),
      h("form", { class: "who", onsubmit: (e) => { e.preventDefault(); field.enter(); } },
        h("ul", {}, o.faces.slice(0, few).map((f) => h("li", {}, sight(f))), faces.length > few && h("li", { class: "soft" }, `+${faces.length - few}`)),
        likely && h("button", { type: "button", class: "suggest", onclick: () => name({ person: o.guess.id, name: o.guess.name }) }, "Is this ", h("strong", { dir: "auto" }, o.guess.name), "?", o.guess.probability !== null && h("span", { class: "soft" }, " " + chance(o.guess.probability))),
        h("div", { class: "row name-row" }, field.element, h("button", { class: "main", type: "submit" }, "Name")),
        h("div", { class: "row" }, h("button", { type: "button", onclick: forget }, "Forget"))));
    const gone = () => {
      cards.delete(key);
      const next = element.nextElementSibling ?? element.previousElementSibling, inside = element.contains(document.activeElement);
      element.remove();
      told();
      if (inside) (next?.querySelector("input") ?? document.querySelector("h1")).focus();
    };
    async function name(who) {
      const ids = some();
      await decide(ctx, { faces: ids, verb: "is", expected: "none", ...(who.person ? { person: who.person } : { name: who.name }) }, `${count(ids.length, "face")} named ${who.name}.`, gone);
      await load();
    }
    function forget() {
      const ids = some();
      discard(ctx, ids, "none", () => { for (const f of ids) hidden.add(f); gone(); ctx.refresh(); }, () => { for (const f of ids) hidden.delete(f); ctx.refresh(); }, `${count(ids.length, "face")} forgotten.`);
    }
    return { element, faces, gone, busy: () => field.input.value.trim() !== "" || pictures.chosen().length > 0 };
  }

  async function forgetAll() {
    if (!await ask("Forget all visitors?", "All faces of visitors are deleted for good, also from the files of the database.", "Forget all", { danger: true })) return;
    const gone = await del(`${ctx.base}/visitors`);
    ctx.mutated();
    await load();
    toast(`${count(gone.faces, "face")} forgotten.`);
  }
  await load();
  ctx.follow(load);
}
