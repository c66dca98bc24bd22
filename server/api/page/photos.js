// All photographs of a person, by date. The originals are where the operator of the service
// keeps them; without an original, the faces stand for the photograph.
import { h, put, icon, count, locale } from "./dom.js";
import { get } from "./api.js";
import { crop } from "./faces.js";

export async function view(root, ctx, id) {
  const at = `${ctx.base}/people/${id}`;
  const p = await get(at, ctx.signal);
  ctx.title(`Photographs of ${p.name}`);
  const list = h("ol", { class: "photos" }), note = h("p", { class: "soft", role: "status" });
  const more = h("button", { class: "more", hidden: true, onclick: () => load().then((first) => first?.focus()) }, "More photographs");
  let cursor = "", shown = 0, missing = 0;
  put(root, h("a", { class: "back", href: ctx.href("person", id) }, icon("back"), h("span", { dir: "auto" }, p.name)), h("h1", { tabindex: -1 }, "Photographs"), note, list, more);
  await load();

  async function load() {
    const page = await get(`${at}/photographs?limit=60${cursor && "&cursor=" + cursor}`, ctx.signal);
    const items = page.items.map(item);
    list.append(...items);
    cursor = page.next || "";
    more.hidden = !cursor;
    shown += items.length;
    missing += page.items.filter((s) => !s.original).length;
    const n = count(shown, "photograph");
    note.replaceChildren(shown ? cursor ? `${n} and more, the oldest first.` : `${n}, the oldest first.` : "No photograph is known: faces were added as crops or vectors.", " ",
      missing ? `Of ${missing} only the faces can be shown: the service has no such file in the folder of --photos.` : "");
    return items[0]?.querySelector("a");
  }

  function item(s) {
    const others = s.faces.filter((f) => f.person !== id).length;
    const date = s.taken ? new Date(s.taken).toLocaleString(locale()) : `added ${new Date(s.added).toLocaleDateString(locale())}`;
    const text = `${date}${others ? `, with ${count(others, "other face")}` : ""}`;
    const file = `${ctx.base}/photographs/${s.id}`;
    const own = s.faces.filter((f) => f.person === id).map((f) => crop(ctx.base, f.id, `A face of ${p.name}`));
    return h("li", {}, s.original
      ? h("a", { href: `${file}/original`, target: "_blank", rel: "noopener" }, h("img", { src: `${file}/thumbnail`, alt: `${p.name}, ${text}`, loading: "lazy", decoding: "async" }))
      : h("span", { class: "row" }, own), h("span", { class: "soft small" }, text));
  }
}
