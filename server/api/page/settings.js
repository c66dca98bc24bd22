// Collections, keys, messages to other programs, backup, and what runs here.
import { chosen, choose, languages } from "./translate.js";
import { h, put, ask, dialog, toast, count, locale } from "./dom.js";
import { told, refusals, doubts } from "./importer.js";
import { get, post, patch, del, request, has, about, learn, signOut, Problem } from "./api.js";

export async function view(root, ctx) {
  put(root, h("h1", { tabindex: -1 }, "Settings"));
  const parts = [about.me.actor !== "local" && account, collections, ctx.collection && moving, ctx.collection && has("POST", "…/tags") && writing, ctx.collection && has("GET", "…/jobs/{job}/album/{file}") && album, ctx.collection && has("GET", "…/jobs") && jobs, has("GET", "/v1/keys") && keys, ctx.collection && has("GET", "…/hooks") && hooks, ctx.collection && has("DELETE", "/v1/collections/{collection}") && visiting, has("POST", "/v1/backup") && backup, has("GET", "/v1/audit") && audit, language, aboutThis];
  for (const part of parts.filter(Boolean)) {
    const box = h("section", { class: "setting" });
    put(root, box);
    try {
      await part(box, ctx);
    } catch (e) {
      if (e.name === "AbortError") throw e;
      put(box, h("p", { class: "soft" }, e instanceof Problem && e.status === 403 ? "Your key may not do this." : e.message));
    }
  }
}

const section = (box, title, text, ...more) => put(box, h("h2", {}, title), text ? h("p", { class: "soft" }, text) : "", ...more);

function nameDialog(title, value, action) {
  return dialog(title, (close) => {
    const field = h("input", { value, autofocus: true, required: true, maxlength: 200, dir: "auto", autocomplete: "off" });
    return h("form", { onsubmit: (e) => { e.preventDefault(); if (field.value.trim()) close(field.value.trim()); } }, h("label", {}, "Name", field), h("div", { class: "row end" }, h("button", { class: "main" }, action)));
  });
}

const roles = { admin: "You may do everything.", review: "You may add, name and correct people and faces.", enrol: "You may add people and faces.", identify: "You may look at people, and name the faces of photographs." };

async function account(box) {
  const { name = "", email, scopes, expires } = about.me;
  section(box, "You", "", h("p", { class: "who" }, h("strong", { dir: "auto" }, name), email && h("span", { class: "soft", dir: "auto" }, " " + email)),
    h("p", { class: "soft" }, roles[Object.keys(roles).find((s) => scopes.includes(s))] ?? "", expires ? ` This ends at ${new Date(expires).toLocaleString(locale())}.` : ""), h("button", { onclick: signOut }, "Sign out"));
}

async function collections(box, ctx) {
  const rows = ctx.collections.map((c) => h("li", {}, h("span", { class: "what" }, h("strong", { dir: "auto" }, c.name), c.id === ctx.collection?.id && h("span", { class: "soft" }, " (shown)")),
    h("div", { class: "row" }, c.id !== ctx.collection?.id && h("a", { class: "button", href: `#/${c.id}/people`, "aria-label": `Show ${c.name}` }, "Show"),
      has("PATCH", "/v1/collections/{collection}") && h("button", { "aria-label": `Rename ${c.name}`, onclick: async () => {
        const name = await nameDialog("Rename the collection", c.name, "Rename");
        if (!name || name === c.name) return;
        await patch(`v1/collections/${c.id}`, { name });
        await ctx.reload();
        await ctx.again();
        toast(`The collection is called ${name} now.`, async () => { await patch(`v1/collections/${c.id}`, { name: c.name }); await ctx.reload(); ctx.again(); });
      } }, "Rename"),
      has("DELETE", "/v1/collections/{collection}") && h("button", { class: "danger", "aria-label": `Erase ${c.name}`, onclick: async () => {
        if (!await ask(`Erase ${c.name}?`, "All people and faces of this collection are removed for good, also from the files of the database.", "Erase for good", { danger: true, typed: c.name })) return;
        await del(`v1/collections/${c.id}`);
        await ctx.reload();
        location.hash = "#/-/settings";
        if (location.hash === "#/-/settings") ctx.again();
        toast(`${c.name} is erased.`);
      } }, "Erase …"))));
  section(box, "Collections", "People and faces apart from others.", h("ul", { class: "rows" }, rows), has("POST", "/v1/collections") && h("button", { onclick: async () => {
    const name = await nameDialog("New collection", "", "Create");
    if (!name) return;
    const c = await ctx.make(name);
    location.hash = `#/${c.id}/add`;
  } }, "New collection"));
}

/** follow shows in said how far a job is, and how to stop it, until it ends or the page goes; it returns the job. */
async function follow(ctx, job, said, begun) {
  const far = h("span", {});
  said.replaceChildren(far);
  if (has("DELETE", "…/jobs/{job}")) put(said, " ", h("button", { onclick: () => del(`${ctx.base}/jobs/${job.id}`) }, "Stop"));
  while (["waiting", "running"].includes(job.state) && !ctx.signal.aborted) {
    far.textContent = job.progress.total ? `${job.progress.done} of ${job.progress.total}` : begun;
    await new Promise((r) => setTimeout(r, 600));
    job = await get(`${ctx.base}/jobs/${job.id}`, ctx.signal);
  }
  return job;
}

async function moving(box, ctx) {
  if (!has("GET", "…/export") && !has("POST", "…/import")) return box.remove();
  const input = h("input", { type: "file", accept: ".tar,.zip", hidden: true });
  const said = h("div", { class: "soft", role: "status" });
  input.addEventListener("change", async () => {
    const file = input.files[0];
    input.value = "";
    if (!file) return;
    const form = new FormData();
    form.append("archive", file, file.name);
    const job = await follow(ctx, await request("POST", `${ctx.base}/import`, { form }), said, "Importing …");
    if (job.state === "done" && job.result) said.replaceChildren(`Import done: ${told(job.result)}.`, refusals(job.result.refused, true), doubts(job.result.warnings ?? [], true));
    else said.textContent = job.error || "It was stopped.";
    ctx.mutated();
  });
  section(box, "Move this collection", "One file with all people, pictures and numbers, for another service.", h("div", { class: "row" },
    has("GET", "…/export") && h("a", { class: "button", href: `${ctx.base}/export`, download: true }, "Export"), has("POST", "…/import") && h("button", { onclick: () => input.click() }, "Import …"), input), said);
}

async function writing(box, ctx) {
  const said = h("div", { class: "soft", role: "status" }), embed = h("input", { type: "checkbox" });
  const run = async (remove) => {
    const job = await follow(ctx, await post(`${ctx.base}/tags`, { remove, embed: embed.checked }), said, "Writing …");
    if (job.state !== "done" || !job.result) said.textContent = job.error || "It was stopped.";
    else said.replaceChildren(remove ? `${count(job.result.files, "file")} taken back.` : `${count(job.result.faces, "face")} named in ${count(job.result.photos, "photograph")}.`, refusals(job.result.refused, true));
  };
  section(box, "Names in the photographs", "Names are written beside each photograph, into a file such as a.jpg.xmp, which photo programs read. The photographs stay as they are.",
    h("label", { class: "check" }, embed, "Into the JPEG files themselves: more programs show the names, and the files change"),
    h("div", { class: "row" }, h("button", { onclick: () => run(false) }, "Write the names into the photographs"), h("button", { onclick: () => run(true) }, "Take them back")), said);
}

/** album makes pages of the photographs of each person, to look at and to take home. */
async function album(box, ctx) {
  const said = h("div", { class: "soft", role: "status" }), links = h("div", { class: "row" }), mayMake = has("POST", "…/jobs");
  const make = mayMake && h("button", { onclick: () => post(`${ctx.base}/jobs`, { kind: "album" }).then(shown, (e) => { said.textContent = e.message; }) }, "Make an album");
  async function shown(job) {
    if (make) make.disabled = true;
    links.replaceChildren();
    job = await follow(ctx, job, said, "Making …");
    if (make) make.disabled = false;
    if (job.state !== "done" || !job.result) said.textContent = job.error || "It was stopped.";
    else offer(job);
  }
  function offer(job) {
    const at = `${ctx.base}/jobs/${job.id}/album/`, size = Math.max(1, Math.round(job.result.bytes / 1e6)).toLocaleString("en");
    said.replaceChildren(`The album has ${count(job.result.photos, "photograph")}, with the names of ${new Date(job.finished).toLocaleString(locale())}. It is kept for a day.`, refusals(job.result.refused));
    links.replaceChildren(h("a", { class: "button main", href: at + "index.html", target: "_blank" }, "Look at the album"), h("a", { class: "button", href: at + "album.zip", download: true }, `Take it home: a zip of ${size} MB`));
  }
  section(box, "Album", "Pages with the photographs of each person, by date, for any browser, without this service. They have copies of the photographs, of at most 1,600 pixels a side.", make ? h("div", { class: "row" }, make) : "", said, links);
  const { items } = await get(`${ctx.base}/jobs?kind=album`, ctx.signal), begun = items.find((j) => !j.finished), last = items.find((j) => j.state === "done");
  if (begun) shown(begun).catch(() => {});
  else if (last && Date.now() - Date.parse(last.finished) < 24 * 3600 * 1000) offer(last);
  else if (!mayMake) said.textContent = "None is there: whoever may do everything can make one.";
}

const jobNames = { import: "Import", refit: "Learn again", regroup: "Group again", erase: "Erase", export: "Export", tags: "Names in the photographs", album: "Album" };

async function jobs(box, ctx) {
  const list = h("ul", { class: "rows" });
  const waits = ctx.collection.outdated && h("p", { class: "hint" }, "A better network waits. Learning again makes new vectors of all faces by it, compares both on faces that neither has learned, and keeps the old one if that names more of them rightly.");
  const ahead = h("ul", { id: "refit", class: "soft" });
  section(box, "Work in the background", "", waits, list, has("POST", "…/jobs") && h("button", { "aria-describedby": "refit", onclick: async () => { await post(`${ctx.base}/jobs`, { kind: "refit" }); await draw(); } }, "Learn again from all faces"), ahead);
  async function preview() {
    const p = await get(`${ctx.base}/refit`, ctx.signal), s = Math.max(1, Math.round(p.seconds ?? 0));
    const time = s < 100 ? count(s, "second") : s < 6000 ? count(Math.round(s / 60), "minute") : count(Math.round(s / 3600), "hour");
    ahead.replaceChildren(...[
      p.to_embed ? (p.seconds ? `Learnt anew: ${count(p.to_embed, "face")}, in about ${time}.` : `Learnt anew: ${count(p.to_embed, "face")}.`)
        : p.outdated ? "All faces that can be learnt by it are learnt. Learning again compares both networks once more." : "All faces that can be learnt are learnt by the present network. Learning again would change nothing.",
      p.without && `Not learnt, since no picture of them is kept: ${count(p.without, "face")}. They stay with their names, but nobody is recognised by them.`,
      p.people_without && p.outdated && `Not recognised any more, since they have no other face: ${count(p.people_without, "person", "people")}. You are asked before that.`,
    ].filter(Boolean).map((text) => h("li", {}, text)));
  }
  async function draw() {
    const page = await get(`${ctx.base}/jobs?limit=8`, ctx.signal);
    list.replaceChildren(...page.items.map((j) => h("li", {}, h("span", { class: "what" }, h("strong", {}, jobNames[j.kind] ?? j.kind), " ", h("span", { class: "soft" }, state(j))), h("div", { class: "row" },
      ["waiting", "running"].includes(j.state) && has("DELETE", "…/jobs/{job}") && h("button", { onclick: () => del(`${ctx.base}/jobs/${j.id}`).then(draw) }, "Stop"),
      j.state === "failed" && has("POST", "…/jobs/{job}/retry") && h("button", { onclick: () => post(`${ctx.base}/jobs/${j.id}/retry`).then(draw) }, "Try again"),
      j.result?.decision === "needed" && has("POST", "…/jobs/{job}/accept") && [h("button", { class: "main", onclick: () => post(`${ctx.base}/jobs/${j.id}/accept`).then(draw) }, "Use it"), h("button", { onclick: () => post(`${ctx.base}/jobs/${j.id}/discard`).then(draw) }, "Keep the old one")]))));
    if (!page.items.length) put(list, h("li", { class: "soft" }, "Nothing was asked for yet."));
    const busy = page.items.some((j) => ["waiting", "running"].includes(j.state));
    if (!busy && has("GET", "…/refit")) preview().catch(() => {}); // the first one runs the network
    if (busy && !ctx.signal.aborted) setTimeout(() => { if (!ctx.signal.aborted) draw().catch(() => {}); }, 1000);
  }
  function state(j) {
    if (j.state === "running") return j.progress.total ? `${j.progress.done} of ${j.progress.total}` : "running";
    if (j.state === "failed") return j.error || "failed";
    if (j.kind === "refit" && j.result?.live && j.result?.candidate) return `${j.result.verdict}: ${j.result.candidate.right} of ${j.result.candidate.faces} faces right, before ${j.result.live.right}`;
    if (j.kind === "refit" && j.result?.verdict === "worse") return "worse: somebody would not be recognised any more";
    if (j.kind === "import" && j.state === "done" && j.result) return `done: ${told(j.result)}${j.result.refused.length ? `, ${j.result.refused.length} could not be used` : ""}`;
    return { waiting: "waits", done: "done", cancelled: "stopped" }[j.state] ?? j.state;
  }
  await draw();
}

const scopes = [["identify", "name the faces of photographs"], ["enrol", "add people and faces"], ["review", "correct, merge and undo"], ["vectors", "get vectors of faces"], ["metrics", "read the metrics"], ["admin", "everything"]];

async function keys(box, ctx) {
  const list = h("ul", { class: "rows" });
  section(box, "Access keys", "", list);
  const everybody = (await get("v1/keys", ctx.signal)).items, people = everybody.filter((k) => k.subject), all = everybody.filter((k) => !k.subject);
  if (!everybody.length) put(list, h("li", { class: "soft" }, "There is none: everybody on this machine may do everything, and other machines are not answered. The first key may do everything."));
  list.append(...all.map((k) => h("li", {}, h("span", { class: "what" }, h("strong", { dir: "auto" }, k.name), " ", h("span", { class: "soft" }, k.scopes.join(", "), k.expires ? `, until ${new Date(k.expires).toLocaleDateString(locale())}` : "", k.collections?.length ? h("span", { dir: "auto" }, " · " + ctx.collections.filter((c) => k.collections.includes(c.id)).map((c) => c.name).join(", ")) : "")), h("button", { class: "danger", "aria-label": `Delete the key ${k.name}`, onclick: async () => {
    if (!await ask(`Delete the key ${k.name}?`, "Programs that use it are no longer answered.", "Delete", { danger: true })) return;
    await del(`v1/keys/${k.id}`);
    ctx.again();
  } }, "Delete"))));
  put(box, h("div", { class: "row" }, h("button", { onclick: create }, "New key")));
  if (people.length) put(box, h("h3", {}, "People who have logged in"), h("ul", { class: "rows" }, people.map((k) => h("li", {}, h("span", { class: "what" }, h("strong", { dir: "auto" }, k.name), h("span", { class: "soft", dir: "auto" }, ` ${k.email ?? ""}`), " ", h("span", { class: "soft" }, `${k.scopes.join(", ")}, until ${new Date(k.expires).toLocaleString(locale())}`)),
    h("button", { class: "danger", "aria-label": `Log ${k.name} out`, onclick: async () => {
      if (!await ask(`Log ${k.name} out?`, "All sessions of this person end. Who still has a group with a role can log in again.", "Log out", { danger: true })) return;
      await del(`v1/keys/${k.id}`);
      ctx.again();
    } }, "Log out")))));
  async function create() {
    const first = !everybody.length;
    const asked = await dialog("New key", (close) => {
      const name = h("input", { required: true, autofocus: true, maxlength: 200, autocomplete: "off", placeholder: "What is it for?", dir: "auto" });
      const boxes = scopes.map(([id, what]) => { const input = h("input", { type: "checkbox", value: id, checked: first ? id === "admin" : id === "identify", disabled: first && id === "admin" }); return { input, element: h("label", { class: "check" }, input, h("strong", { translate: "no" }, id), h("span", { class: "soft" }, " " + what)) }; });
      const until = h("input", { type: "date", min: new Date(Date.now() + 864e5).toISOString().slice(0, 10) });
      const of = first ? [] : ctx.collections.map((c) => { const input = h("input", { type: "checkbox", value: c.id }); return { input, element: h("label", { class: "check", dir: "auto" }, input, c.name) }; });
      return h("form", { onsubmit: (e) => { e.preventDefault(); const some = boxes.filter((b) => b.input.checked).map((b) => b.input.value); const only = of.filter((b) => b.input.checked).map((b) => b.input.value); if (some.length) close({ name: name.value.trim(), scopes: some, ...(until.value ? { expires: new Date(until.value + "T23:59:59").toISOString() } : {}), ...(only.length ? { collections: only } : {}) }); } },
        h("label", {}, "Name", name), h("fieldset", {}, h("legend", {}, "May"), boxes.map((b) => b.element)), !first && h("label", {}, "Until the end of, or for ever", until), of.length > 1 && h("fieldset", {}, h("legend", {}, "Only in these collections, or in all"), of.map((b) => b.element)), h("div", { class: "row end" }, h("button", { class: "main" }, "Create")));
    });
    if (!asked?.name) return;
    const made = await post("v1/keys", asked);
    if (first) {
      await fetch("v1/session", { method: "POST", headers: { Authorization: "Bearer " + made.key } });
      await learn();
    }
    await dialog("Copy the key now", (close) => {
      const copy = h("button", { onclick: async () => { try { await navigator.clipboard.writeText(made.key); copy.textContent = "Copied"; } catch { secret.select(); } } }, "Copy");
      const secret = h("input", { value: made.key, readonly: true, class: "code", "aria-label": "The key", onfocus: () => secret.select() });
      return h("div", {}, h("p", {}, "It is not shown again. ", first ? "From now on every request needs a key; this browser is signed in." : ""), h("div", { class: "row name-row" }, secret, copy), h("div", { class: "row end" }, h("button", { class: "main", autofocus: true, onclick: () => close() }, "I have it")));
    }, { required: true });
    ctx.again();
  }
}

const events = [["photo.known", "somebody was recognised"], ["photo.unknown", "somebody was not recognised"], ["photo.none", "a photograph showed no face"], ["faces.added", "faces were added"], ["person.changed", "a person was named, changed or merged"], ["person.erased", "a person was erased"], ["job.finished", "work in the background ended"]];

async function hooks(box, ctx) {
  const list = h("ul", { class: "rows" });
  section(box, "Messages to other programs", "The service sends a signed message when something happens.", list, h("button", { onclick: create }, "New address"));
  const all = (await get(`${ctx.base}/hooks`, ctx.signal)).items;
  list.append(...all.map((k) => h("li", {}, h("span", { class: "what" }, h("strong", {}, k.url), " ", h("span", { class: "soft" }, k.events.join(", "), k.names ? ", with names" : "")), h("div", { class: "row" },
    has("POST", "…/hooks/{hook}/test") && h("button", { "aria-label": `Test ${k.url}`, onclick: async () => { await post(`${ctx.base}/hooks/${k.id}/test`); toast("A test message is on its way."); } }, "Test"),
    h("button", { class: "danger", "aria-label": `Delete ${k.url}`, onclick: async () => { if (await ask("Delete this address?", k.url, "Delete", { danger: true })) { await del(`${ctx.base}/hooks/${k.id}`); ctx.again(); } } }, "Delete")))));
  async function create() {
    const asked = await dialog("New address", (close) => {
      const url = h("input", { type: "url", required: true, autofocus: true, placeholder: "https://", autocomplete: "off" });
      const boxes = events.map(([id, what]) => { const input = h("input", { type: "checkbox", value: id, checked: id.startsWith("photo") }); return { input, element: h("label", { class: "check" }, input, h("strong", { translate: "no" }, id), h("span", { class: "soft" }, " " + what)) }; });
      const names = h("input", { type: "checkbox" });
      return h("form", { onsubmit: (e) => { e.preventDefault(); const some = boxes.filter((b) => b.input.checked).map((b) => b.input.value); if (some.length) close({ url: url.value, events: some, names: names.checked }); } },
        h("label", {}, "Address", url), h("fieldset", {}, h("legend", {}, "When"), boxes.map((b) => b.element)), h("label", { class: "check" }, names, "with the names of people"), h("div", { class: "row end" }, h("button", { class: "main" }, "Create")));
    });
    if (!asked) return;
    const made = await post(`${ctx.base}/hooks`, asked);
    if (made.secret) await dialog("Copy the secret now", (close) => h("div", {}, h("p", {}, "Messages are signed with it. It is not shown again."), h("input", { class: "code", readonly: true, value: made.secret, "aria-label": "The secret" }), h("div", { class: "row end" }, h("button", { class: "main", autofocus: true, onclick: () => close() }, "I have it"))), { required: true });
    ctx.again();
  }
}

async function visiting(box, ctx) {
  const now = ctx.collection.visitor_days;
  const days = h("input", { type: "number", min: 0, max: 90, step: 1, required: true, value: now });
  const save = async (e) => {
    e.preventDefault();
    const n = Number(days.value);
    if (n === now || n < now && !await ask("Forget earlier visitors?", "Faces of visitors that are older are deleted now, for good.", "Forget them", { danger: true })) return;
    await patch(ctx.base, { visitor_days: n });
    await ctx.reload();
    await ctx.again();
    toast(n ? `Visitors are forgotten after ${count(n, "day")}.` : "Visitors are not kept.");
  };
  section(box, "Visitors", "Faces that a camera sends and that are not recognised can be kept for some days, at most 1,000, to be named or forgotten in Review. These people were not asked: put up a sign, and keep them for as few days as you can.",
    h("form", { class: "row days", onsubmit: save }, h("label", {}, "Days, 0 for none", days), h("button", {}, "Save")));
}

async function backup(box) {
  const said = h("p", { class: "soft", role: "status" });
  section(box, "Backup", "A copy of the database in the folder of the service, while it runs. A backup keeps what is erased later.", h("button", { onclick: async () => {
    said.textContent = "Copying …";
    try {
      const b = await post("v1/backup");
      said.textContent = `${b.file}, ${(b.bytes / (1 << 20)).toFixed(1)} MB`;
    } catch (e) { said.textContent = e.message; }
  } }, "Back up now"), said);
}

const isID = (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

async function audit(box, ctx) {
  const list = h("ul", { class: "rows" }), said = h("p", { class: "soft", role: "status" });
  let next = "";
  const more = h("button", { onclick: load }, "Show more");
  section(box, "What was done", "Each change, who made it and when. The log has ids; the names are those of today. A line that was changed later is found.", list, h("div", { class: "row" }, more, h("button", { onclick: check }, "Check all lines")), said);
  async function load() {
    const page = await get(`v1/audit?limit=10${next && `&cursor=${next}`}`, ctx.signal);
    list.append(...page.items.map((l) => h("li", { title: l.object }, h("span", { class: "what", dir: "auto" }, `${new Date(l.at).toLocaleString(locale())} · ${l.verb} ${l.object_name ?? (isID(l.object) ? "" : l.object)} · ${l.who || (isID(l.actor) ? "a key that is gone" : l.actor)}`))));
    next = page.next ?? "";
    more.hidden = !next;
  }
  async function check() {
    const { damaged } = await get("v1/audit?limit=1&check=true", ctx.signal);
    said.textContent = damaged || "All lines are as they were written.";
  }
  await load();
}

async function language(box) {
  const choice = h("select", { "aria-label": "Language", onchange: () => choose(choice.value) }, Object.entries(languages).map(([id, name]) => h("option", { value: id, lang: id, dir: "auto" }, name)));
  choice.value = chosen();
  section(box, "Language", "", choice);
}

async function aboutThis(box) {
  section(box, "About", "", h("p", {}, `nrdl ${about.version}. Free software under the MIT licence.`), h("p", {}, h("a", { href: "openapi.json" }, "The programming interface"), " of this service."));
}
