// One person: how well the face is recognised, what is missing, and all faces.
import { tr } from "./translate.js";
import { h, put, icon, dialog, ask, toast, say, count, percent, locale } from "./dom.js";
import { get, post, patch, del, upload, has, undoable } from "./api.js";
import { grid, portrait, why } from "./faces.js";
import { nameField } from "./names.js";
import { discard } from "./groups.js";
import { naming } from "./people.js";
import { sight } from "./visitors.js";
import { sources, chosen as filesOf } from "./importer.js";
import { point } from "./place.js";

export async function view(root, ctx, id) {
  const at = `${ctx.base}/people/${id}`;
  const load = () => Promise.all([get(at, ctx.signal), get(`${at}/statistics`, ctx.signal), get(`${ctx.base}/faces?person=${id}&limit=500`, ctx.signal)]);
  const first = await load(), [p, told] = first;
  ctx.watch(first, load);
  const faces = [];
  let cursor = "";
  do {
    const page = await get(`${ctx.base}/faces?person=${id}&limit=500${cursor && "&cursor=" + cursor}`, ctx.signal);
    faces.push(...page.items);
    cursor = page.next || "";
  } while (cursor && faces.length < 5000);
  const edits = has("PATCH", "…/people/{person}"), adds = has("POST", "…/people/{person}/faces");
  const known = p.kind === "known", others = p.different ?? [];
  const twins = (await Promise.all(others.map((o) => get(`${ctx.base}/people/${o}`, ctx.signal).catch((e) => { if (e.status !== 404) throw e; })))).filter(Boolean); // without those who are gone
  const title = known || p.name !== "ignored" ? p.name : "Ignored person";
  ctx.title(title);
  const judged = new Map((told.faces || []).map((f) => [f.face, f]));

  const undo = (made, text, then = ctx.again) => toast(text, async () => { await post(`${ctx.base}/undo/${made.operation}`); say("Undone"); ctx.mutated(); then(); });
  const input = h("input", { type: "file", multiple: true, accept: "image/*,.heic,.heif", hidden: true });
  input.addEventListener("change", () => { const all = filesOf(input.files); input.value = ""; add(all); });
  if (adds) ctx.drop(async (data) => add(await sources(data)));

  const facts = h("dl", { class: "facts" },
    factOf("Faces", faces.length.toLocaleString("en")),
    known && factOf("Recognised", told.held ? percent(told.known / told.held) : "–", told.held ? `${told.known} of ${count(told.held, "face")}, each compared as if it were new` : "needs two faces or more"),
    known && told.rival && factOf("Most similar person", h("a", { href: ctx.href("person", told.rival.id), dir: "auto" }, told.rival.name), told.taken ? `${count(told.taken, "face")} would be taken for this person` : "no face would be taken for this person",
      edits && !others.includes(told.rival.id) && h("button", { class: "link small", onclick: () => differ(told.rival, true) }, "These two are not the same")),
    p.last_seen && factOf("Last seen", h("time", { datetime: p.last_seen.time }, new Date(p.last_seen.time).toLocaleDateString(locale(), { dateStyle: "medium" })), sight(p.last_seen, { timeStyle: "short" })),
    p.born && factOf("Born", h("time", {}, p.born), "earlier photographs do not show this person"),
    twins.length > 0 && factOf("Not the same as", twins.map((o) => h("span", { class: "row" }, h("a", { href: ctx.href("person", o.id), dir: "auto" }, o.name), edits && h("button", { class: "plain", "aria-label": `Take back that ${o.name} is somebody else`, onclick: () => differ(o, false) }, icon("close"))))));
  const advice = known && told.advice.length > 0 && h("section", { class: "advice", "aria-labelledby": "missing" }, h("h2", { id: "missing" }, "What would help"), h("ul", {}, told.advice.map((a) => h("li", { dir: "auto" }, tr(a[0].toUpperCase() + a.slice(1) + ".")))));
  put(root, 
    h("a", { class: "back", href: ctx.href("people") }, icon("back"), "People"),
    h("header", { class: "profile" },
      portrait(ctx.base, p),
      h("div", {}, h("h1", { tabindex: -1, dir: "auto" }, title), !known && h("p", { class: "lead" }, "Ignored: these faces are reported as unknown."),
        h("div", { class: "row" },
          edits && [h("button", { onclick: rename }, "Rename"), h("button", { onclick: merge }, "Merge with …")],
          adds && h("button", { onclick: () => input.click() }, "Add photos"),
          faces.some((f) => f.photo) && has("GET", "…/people/{person}/photographs") && h("a", { class: "button", href: ctx.href("photos", id) }, "Photographs"),
          edits && menu()), input)),
    facts, advice || "");

  let toolbar = null;
  if (!faces.length) put(root, h("p", { class: "empty" }, adds ? "This person has no face yet. Add photographs, or drop them here; in each, the largest face is taken." : "This person has no face yet."));
  else {
    const g = grid(ctx.base, faces.map((f) => f.id), {
      label: `Faces of ${title}`, most: 240,
      note: (f) => { const j = judged.get(f); return !j || j.known && j.guess.id === id ? null : { dim: true, text: j.guess.id === id ? tr("not sure") : `like ${j.guess.name}` }; },
      changed: (ids) => { toolbar.disabled = !ids.length; what.textContent = ids.length ? `${ids.length} selected` : ""; whyOne.disabled = standFor.disabled = ids.length !== 1; },
    });
    const what = h("span", { class: "soft", role: "status" });
    const whyOne = h("button", { onclick: () => why(ctx.base, g.chosen()[0]) }, "Why?");
    const standFor = h("button", { onclick: () => stand(g.chosen()[0]) }, "Use as portrait");
    toolbar = h("fieldset", { class: "row selection", disabled: true }, h("legend", { class: "spoken" }, "Selected faces"), what,
      edits && [h("button", { onclick: () => move(g.chosen()) }, "Move to …"), h("button", { onclick: () => deny(g.chosen()) }, `Not ${known ? "this person" : "them"}`), h("button", { onclick: () => trash(g.chosen()) }, "Not a face"), standFor], whyOne);
    put(root, h("section", { "aria-labelledby": "faces" }, h("h2", { id: "faces" }, "Faces"), judged.size ? h("p", { class: "soft" }, "Dashed faces would not be recognised if they were new.") : "", g.element, h("div", { class: "sticky" }, toolbar)));
  }

  function menu() {
    const box = h("details", { class: "menu" }, h("summary", { class: "button", "aria-label": "More" }, icon("more")), h("div", {},
      h("button", { onclick: ignore }, known ? "Ignore this person" : "Do not ignore any more"),
      h("button", { onclick: born }, "Date of birth …"),
      h("button", { onclick: differs }, "Not the same as …"),
      h("a", { class: "button", href: `${at}/export`, download: true }, "Export"),
      has("DELETE", "…/people/{person}") && h("button", { class: "danger", onclick: erase }, "Erase …")));
    box.addEventListener("keydown", (e) => { if (e.key === "Escape" && box.open) { e.preventDefault(); box.open = false; box.querySelector("summary").focus(); } });
    box.lastChild.addEventListener("click", () => { box.open = false; box.querySelector("summary").focus(); }, true);
    box.addEventListener("focusout", (e) => { if (!box.contains(e.relatedTarget)) box.open = false; });
    return box;
  }
  async function rename() {
    const name = await dialog("Rename", (close) => {
      const field = h("input", { value: known || p.name !== "ignored" ? p.name : "", autofocus: true, dir: "auto", required: true, maxlength: 200, autocomplete: "off" });
      queueMicrotask(() => field.select());
      return h("form", { onsubmit: (e) => { e.preventDefault(); if (field.value.trim()) close(field.value.trim()); } }, h("label", {}, "Name", field), h("div", { class: "row end" }, h("button", { class: "main" }, "Rename")));
    });
    if (!name || name === p.name) return;
    const made = await naming(ctx, name, (more) => patch(at, { name, ...more }));
    if (!made) return;
    await ctx.again();
    undo(made, `${title} is called ${name} now.`);
  }
  async function born() {
    const date = await dialog("Date of birth", (close) => {
      const field = h("input", { value: p.born ?? "", autofocus: true, pattern: "\\d{4}(-\\d\\d(-\\d\\d)?)?", maxlength: 10, autocomplete: "off", placeholder: "2015-03-28" });
      return h("form", { onsubmit: (e) => { e.preventDefault(); close(field.value.trim()); } }, h("p", {}, "Photographs that were taken before do not get this name. A year or a month is enough; nothing if it is not known."),
        h("label", {}, "Year, month and day", field), h("div", { class: "row end" }, h("button", { class: "main" }, "Save")));
    });
    if (date === undefined || date === (p.born ?? "")) return;
    const made = await patch(at, { born: date });
    await ctx.again();
    undo(made, date ? `${title} was born ${date}.` : `It is not known when ${title} was born.`);
  }
  // differ says on both sides that two people are not the same, or takes it back.
  async function differ(other, on) {
    const ops = [];
    for (const [one, two] of [[id, other.id], [other.id, id]]) {
      const person = `${ctx.base}/people/${one}`, was = ((await get(person)).different ?? []).filter((i) => i !== two);
      ops.push((await patch(person, { different: on ? [...was, two] : was })).operation);
    }
    await ctx.again();
    toast(`${title} and ${other.name} ${on ? "are not the same." : "may be the same again."}`, async () => { for (const op of ops) await post(`${ctx.base}/undo/${op}`); ctx.again(); });
  }
  async function differs() {
    const who = await pick(`${title} is not the same as …`, "Choose somebody who looks alike. A face between the two gets no name until it clearly resembles one of them.", true);
    if (who?.person && !others.includes(who.person)) await differ({ id: who.person, name: who.name }, true);
  }
  const pick = (heading, text, onlyThere) => dialog(heading, (close) => {
    const field = nameField(ctx.base, { label: "Name", except: id, onlyThere, placeholder: onlyThere ? "Search" : "Name", chosen: close });
    field.input.autofocus = true;
    field.input.setAttribute("autofocus", "");
    return h("div", { class: "pick" }, h("p", {}, text), field.element);
  });
  /** leaving waits for a change after which this person is gone, and is not asked for. */
  async function leaving(change) {
    ctx.follow(null);
    try {
      return await change;
    } catch (e) {
      ctx.watch(first, load);
      throw e;
    }
  }
  async function merge() {
    const who = await pick(`Merge ${title} with …`, "All faces become those of the person whom you choose. This can be undone.", true);
    if (!who) return;
    const made = await leaving(post(`${ctx.base}/people/${who.person}/merge`, { from: [id] }));
    ctx.mutated();
    ctx.go("person", who.person);
    undo(made, `${title} was merged with ${who.name}.`, () => ctx.go("person", id));
  }
  async function move(ids) {
    const who = await pick(`Move ${count(ids.length, "face")} to …`, "Choose a person, or type a new name.", false);
    if (!who) return;
    const made = who.person ? await post(`${ctx.base}/faces/move`, { faces: ids, person: who.person, expected: id })
      : { operation: (await post(`${ctx.base}/review/decide`, { decisions: [{ faces: ids, verb: "is", name: who.name, expected: id }] })).items[0].operations[0] };
    await ctx.again();
    undo(made, `${count(ids.length, "face")} moved to ${who.name}.`);
  }
  async function deny(ids) {
    const made = await post(`${ctx.base}/faces/deny`, { faces: ids, person: id, expected: id });
    ctx.mutated();
    await ctx.again();
    undo(made, `${count(ids.length, "face")}: not ${title}. They are in the groups again.`);
  }
  async function stand(face) {
    const made = await patch(at, { portrait: face });
    await ctx.again();
    undo(made, `Another picture stands for ${title}.`);
  }
  async function trash(ids) {
    const tiles = ids.map((f) => root.querySelector(`[data-face="${f}"]`)).filter(Boolean);
    discard(ctx, ids, id, () => { for (const t of tiles) t.hidden = true; }, () => { for (const t of tiles) t.hidden = false; });
  }
  ctx.refresh = () => { if (!ctx.signal.aborted) ctx.again(); };
  async function ignore() {
    const made = await patch(at, { kind: known ? "ignored" : "known" });
    await ctx.again();
    undo(made, known ? `${title} is ignored: these faces are reported as unknown.` : `${title} is recognised again.`);
  }
  async function erase() {
    if (!await ask(`Erase ${title}?`, `All ${count(faces.length, "face")} with their pictures and numbers are removed for good, also from the files of the database. Backups keep them until you delete those.`, "Erase for good", { danger: true, typed: title })) return;
    const receipt = await leaving(del(`${at}?faces=${p.faces}`));
    ctx.mutated();
    await dialog("Erased", (close) => h("div", {}, h("p", {}, `${title} is gone. This is the receipt:`),
      h("dl", { class: "receipt" }, [["Person", title], ["Faces", receipt.faces.length], ["Photographs without another face", receipt.photos.length], ["Labels", receipt.labels], ["Entries of the undo list", receipt.operations], ["At", new Date(receipt.at).toLocaleString(locale())]].map(([a, b]) => [h("dt", {}, a), h("dd", {}, String(b))])),
      h("div", { class: "row end" }, h("button", { onclick: () => save(`erased-${receipt.person}.json`, JSON.stringify(receipt, null, 2)) }, "Save the receipt"), h("button", { class: "main", autofocus: true, onclick: () => close() }, "Done"))));
    ctx.go("people");
  }
  async function add(all) {
    if (!all.length) return;
    toast(`Adding ${count(all.length, "photograph")} …`);
    let added = 0;
    const ops = [], refused = [], warned = [];
    for (const one of all) {
      try {
        const several = all.length === 1 && await upload(`${ctx.base}/detect`, "photo", [one.file], { patient: true }).catch(() => null); // of one photograph, somebody can choose the face
        let where = several?.faces.length > 1 && await point(one.file, several.faces, "Whose face is it?");
        if (several?.faces.length > 1 && !where) continue;
        let r = await upload(`${at}/faces${where ? "?" + where : ""}`, "photo", [one.file]);
        if (r.refused.some((x) => /no face found/.test(x.why)) && (where = await point(one.file, [], `No face was found in ${one.file.name}`))) r = await upload(`${at}/faces?${where}`, "photo", [one.file]);
        const choices = r.refused.filter((x) => x.box && /^one of \d+ faces/.test(x.why));
        if (choices.length > 1 && (where = await point(one.file, choices, "Whose face is it?"))) r = await upload(`${at}/faces?${where}`, "photo", [one.file]);
        warned.push(...(r.warnings ?? []).map((x) => `${one.path}: ${x.why}`));
        added += r.faces.length;
        ops.unshift(...r.operations);
        refused.push(...r.refused.map((x) => `${one.path}: ${x.why}`));
      } catch (e) { refused.push(`${one.path}: ${e.message}`); }
    }
    await ctx.again();
    if (added) toast(`${count(added, "face")} added to ${title}.`, undoable(async () => { for (const op of ops) await post(`${ctx.base}/undo/${op}`); ctx.again(); }));
    refused.unshift(...warned);
    if (refused.length) toast(refused.slice(0, 3).join("\n") + (refused.length > 3 ? ` and ${refused.length - 3} more` : ""));
  }
}

const factOf = (name, value, note = "", more = null) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", { class: "value" }, value), note && h("dd", { class: "soft small" }, note), more && h("dd", {}, more));

/** save hands a text to the browser as a file. */
export function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const a = h("a", { href: url, download: name, hidden: true });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
