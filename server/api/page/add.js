// Adding photographs: the first screen of an empty collection.
import { h, put, icon, dialog, toast, count, say, debounce } from "./dom.js";
import { importing, interrupted, sources, chosen, folders, assign, ended, told, refusals, doubts } from "./importer.js";
import { crop } from "./faces.js";
import { get, has } from "./api.js";

/** begin imports files into the collection, which is made if there is none. */
async function begin(all, ctx) {
  if (!all.length) return;
  const collection = ctx.collection ?? await ctx.make("My photos");
  const names = folders(all);
  if (names.length) {
    const use = await dialog("Do the folders say who is in the photographs?", (close) => h("div", {},
      h("p", {}, `The photographs are in ${names.length} folders: `, names.slice(0, 4).map((n, i) => [i ? ", " : "", h("strong", { dir: "auto" }, n)]), names.length > 4 ? " and others." : "."),
      h("div", { class: "row end" }, h("button", { onclick: () => close(false) }, "No, group the faces"), h("button", { class: "main", autofocus: true, onclick: () => close(true) }, "Yes, use the names"))));
    if (use === undefined) return;
    if (use) await assign(collection, all);
  }
  importing.start(collection, all);
  if (location.hash !== `#/${collection.id}/add`) location.hash = `#/${collection.id}/add`;
  if (!importing.total) toast("None of these files is an image that can be read.");
}

/** take imports what was dropped. @param {DataTransfer} data */
export async function take(data, ctx) { await begin(await sources(data), ctx); }

export async function view(root, ctx) {
  const files = h("input", { type: "file", multiple: true, accept: "image/*,.heic,.heif" + (has("POST", "…/import") ? ",.zip" : ""), hidden: true, id: "choose-files" });
  const folder = h("input", { type: "file", webkitdirectory: true, hidden: true, id: "choose-folder" });
  for (const input of [files, folder]) input.addEventListener("change", async () => { const all = chosen(input.files); input.value = ""; await begin(all, ctx); });
  const empty = !ctx.collection || !(await get(`${ctx.base}/faces?limit=1`, ctx.signal)).items.length;
  const area = h("section", { class: "dropzone", "aria-label": "Choose photographs" },
    h("div", { class: "art", "aria-hidden": "true" }, icon("photo")),
    h("p", { class: "big" }, "Drop photographs or a folder here"),
    h("div", { class: "row center" },
      h("button", { class: "main", onclick: () => files.click() }, icon("photo"), "Choose photos"),
      h("button", { onclick: () => folder.click() }, icon("folder"), "Choose a folder")),
    h("p", { class: "soft small" }, has("POST", "…/import") ? "JPEG, PNG, HEIC of telephones, WebP, TIFF; up to 20 MB each, or a zip." : "JPEG, PNG, HEIC of telephones, WebP, TIFF; up to 20 MB each."), files, folder);
  const lost = interrupted(), missing = lost && !lost.strangers && lost.collection === ctx.collection?.id ? h("p", { class: "hint", role: "status" }, lost.text) : null;
  const progress = h("section", { class: "progress", "aria-label": "Progress", hidden: true });
  put(root, h("h1", { tabindex: -1 }, empty ? "Who is in your photographs?" : "Add photos"),
    empty ? h("p", { class: "lead" }, "Faces are found and grouped. You give the names. After that, new photographs are named for you, and strangers stay unknown.") : null,
    missing, area, progress,
    h("p", { class: "soft small promise" }, "Everything stays on the machine of this service. It keeps small pictures of the faces, and not your photographs."));

  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": "Photographs sent", "aria-valuemin": 0 }, h("i"));
  const what = h("p", { class: "count" }), buttons = h("div", { class: "row" }), strip = h("div", { class: "found", "aria-hidden": "true" }), bad = h("div");
  progress.append(what, bar, buttons, strip, bad);
  const shown = new Map();
  const tell = debounce((text) => say(text), 1500);
  let state = "", failures = -1;
  const draw = () => {
    const i = importing, mine = i.collection === ctx.collection?.id && !i.strangers && i.total + i.skipped + i.left > 0;
    progress.hidden = !mine;
    if (mine) missing?.remove();
    area.classList.toggle("small-zone", mine || !empty);
    if (!mine) return;
    const share = i.total ? i.done / i.total : 1;
    bar.firstChild.style.inlineSize = 100 * share + "%";
    bar.setAttribute("aria-valuemax", i.total);
    bar.setAttribute("aria-valuenow", i.done);
    const words = told({ ...i, duplicates: i.again });
    what.replaceChildren(h("strong", {}, i.running ? `${i.done.toLocaleString("en")} of ${count(i.total, "file")}` : ended(i)), `: ${words}`,
      i.job?.progress.total ? h("span", { class: "soft" }, ` · archive: ${i.job.progress.done} of ${i.job.progress.total}`) : "");
    tell(what.textContent);
    const now = i.running ? (i.paused ? "paused" : "running") : "ended";
    if (now !== state) {
      const inside = buttons.contains(document.activeElement);
      state = now;
      buttons.replaceChildren(...{
        running: [h("button", { onclick: () => i.pause() }, "Pause"), h("button", { onclick: () => i.stop() }, "Stop")],
        paused: [h("button", { class: "main", onclick: () => i.resume() }, "Continue"), h("button", { onclick: () => i.stop() }, "Stop")],
        ended: [h("a", { class: "button main", href: ctx.href("groups") }, "Name the groups"), h("a", { class: "button", href: ctx.href("people") }, "See the people")],
      }[now]);
      if (inside) buttons.firstChild.focus();
    }
    for (const id of [...i.found].reverse()) {
      if (shown.has(id)) continue;
      const c = crop(ctx.base, id, "", true);
      shown.set(id, c);
      strip.prepend(c);
    }
    for (const [id, c] of shown) if (!i.found.includes(id)) { c.remove(); shown.delete(id); }
    if (failures !== i.failed.length + i.doubts.length || now === "ended") {
      failures = i.failed.length + i.doubts.length;
      const open = bad.querySelector("details")?.open || now === "ended";
      bad.replaceChildren(refusals(i.failed, open), doubts(i.doubts, open));
    }
  };
  importing.addEventListener("change", draw, { signal: ctx.signal });
  draw();
}
