// All people: those who are named, and those who are ignored.
import { h, put, rove, endless, debounce, count, percent, say, toast, dialog } from "./dom.js";
import { get, post, has, undoable } from "./api.js";
import { portrait } from "./faces.js";

/** nameOf is how the page calls a person. */
const nameOf = (p) => (p.kind === "ignored" && p.name === "ignored" ? "Ignored person" : p.name);

/**
 * naming gives a name by send. Where somebody has it, it asks whether there are two of them, and
 * returns nothing otherwise.
 */
export async function naming(ctx, name, send) {
  try {
    return await send({});
  } catch (e) {
    if (e.status !== 409 || !e.id) throw e;
    const two = await dialog(`${name} is there already`, (close) => h("div", {}, h("p", {}, "A person has this name. Is this the same person, or are there two with the same name?"),
      h("div", { class: "row end" }, h("button", { onclick: () => close(true) }, "Another person"), h("button", { class: "main", autofocus: true, onclick: () => close(false) }, "Show that person"))));
    if (two) return send({ namesake: true });
    if (two === false) ctx.go("person", e.id);
  }
}

export async function view(root, ctx, arg) {
  let kind = "known", order = "faces", search = "", next = "", shown = null;
  const field = h("input", { type: "search", "aria-label": "Search people", placeholder: "Search", dir: "auto", autocomplete: "off", spellcheck: "false" });
  const sort = h("select", { "aria-label": "Order" }, h("option", { value: "faces" }, "Most faces"), h("option", { value: "name" }, "Name"), h("option", { value: "id" }, "Oldest first"));
  const ignored = h("button", { "aria-pressed": "false" }, "Ignored");
  const chosen = new Map(); // the people to merge, by id
  let choosing = false;
  const choose = h("button", { "aria-pressed": "false", onclick: () => { choosing = !choosing; chosen.clear(); told(); restart(); } }, "Select");
  const what = h("span", { class: "soft", role: "status" });
  const bar = h("div", { class: "sticky", hidden: true }, h("div", { class: "row" }, what, h("button", { class: "main", onclick: merge }, "Merge …"), h("button", { onclick: () => choose.click() }, "Cancel")));
  const list = h("ul", { class: "people" }), end = h("div", { class: "sentinel" }), none = h("p", { class: "empty", hidden: true });
  put(root, h("div", { class: "title" }, h("h1", { tabindex: -1 }, "People"), h("div", { class: "row tools" }, field, sort, ignored, has("POST", "…/people/{person}/merge") && choose, has("POST", "…/people") && h("button", { onclick: create }, "New person"))), list, none, end, bar);
  const reset = rove(list, "a");

  const path = () => `${ctx.base}/people?limit=120&order=${order}&kind=${kind}&search=${encodeURIComponent(search)}`;
  const restart = endless(end, ctx.signal, async (first, current) => {
    const page = await get(first ? path() : `${path()}&cursor=${next}`, ctx.signal);
    if (!current()) return false;
    next = page.next ?? "";
    const cards = new Map(page.items.map((p) => [p.id, card(p)]));
    if (first) { shown = page; list.replaceChildren(); }
    list.append(...[...cards.values()].map((c) => c.element));
    reset();
    none.hidden = list.children.length > 0;
    if (!none.hidden) none.replaceChildren(search ? `Nobody is called “${search}”.` : kind === "ignored" ? "Nobody is ignored." : h("span", {}, "Nobody has a name yet. ", h("a", { href: ctx.href("groups") }, "Name the groups"), " or ", h("a", { href: ctx.href("add") }, "add photographs"), "."));
    statistics(page.items.filter((p) => p.faces > 0 && p.kind === "known").map((p) => p.id), cards);
    if (first && search) say(count(list.children.length, "person", "people") + (next ? " and more" : ""));
    return next !== "";
  });
  async function statistics(ids, cards) {
    for (let i = 0; i < ids.length && !ctx.signal.aborted; i += 60) {
      const told = await get(`${ctx.base}/statistics?people=${ids.slice(i, i + 60).join()}`, ctx.signal);
      for (const one of told.items) cards.get(one.person)?.tell(one);
    }
  }
  function card(p) {
    const state = h("span", { class: "state soft" }, count(p.faces, "face"));
    const link = h("a", { href: ctx.href("person", p.id), class: "person", tabindex: -1 }, portrait(ctx.base, p), h("span", { class: "name", dir: "auto" }, nameOf(p)), state);
    const element = h("li", {}, link);
    if (choosing) {
      const draw = () => link.setAttribute("aria-checked", String(chosen.has(p.id)));
      const toggle = (e) => { e.preventDefault(); if (!chosen.delete(p.id)) chosen.set(p.id, p); draw(); told(); };
      link.setAttribute("role", "checkbox");
      link.addEventListener("click", toggle);
      link.addEventListener("keydown", (e) => { if (e.key === " ") toggle(e); });
      draw();
    }
    return { element, tell(one) {
      const lacking = one.held === 0 || one.known < 0.8 * one.held || p.faces < 3;
      state.textContent = one.held ? `${count(p.faces, "face")} · ${percent(one.known / one.held).replace(" ", "\u00a0")}` : count(p.faces, "face");
      state.title = one.held ? `${one.known} of ${count(one.held, "face")} would be recognised` : "One face cannot be compared with itself";
      if (lacking) { element.classList.add("lacking"); state.append(h("span", { class: "dot", role: "img", "aria-label": "needs more photographs", title: one.advice[0] || "Not all faces are recognised" })); }
    } };
  }
  function told() {
    choose.setAttribute("aria-pressed", String(choosing));
    bar.hidden = !choosing;
    bar.querySelector("button").disabled = chosen.size < 2;
    what.textContent = chosen.size ? `${chosen.size} selected` : "Select those who are one person.";
  }
  async function merge() {
    const all = [...chosen.values()].sort((a, b) => b.faces - a.faces);
    const into = await dialog(`Merge ${all.length} people`, (close) => h("form", { onsubmit: (e) => { e.preventDefault(); close(all[new FormData(e.target).get("into")]); } },
      h("p", {}, "All faces become those of one person. This can be undone."),
      h("fieldset", {}, h("legend", {}, "The name that stays"), all.map((p, i) => h("label", { class: "check" }, h("input", { type: "radio", name: "into", value: i, checked: i === 0, autofocus: i === 0 }), h("span", { dir: "auto" }, nameOf(p)), h("span", { class: "soft" }, count(p.faces, "face"))))),
      h("div", { class: "row end" }, h("button", { class: "main" }, "Merge"))));
    if (!into) return;
    const made = await post(`${ctx.base}/people/${into.id}/merge`, { from: all.filter((p) => p !== into).map((p) => p.id) });
    ctx.mutated();
    choose.click();
    toast(`${all.length} people are ${nameOf(into)} now.`, async () => { await post(`${ctx.base}/undo/${made.operation}`); say("Undone"); ctx.mutated(); ctx.again(); });
  }
  async function create() {
    const name = await dialog("New person", (close) => {
      const input = h("input", { autofocus: true, dir: "auto", required: true, maxlength: 200, autocomplete: "off" });
      return h("form", { onsubmit: (e) => { e.preventDefault(); if (input.value.trim()) close(input.value.trim()); } }, h("label", {}, "Name", input), h("div", { class: "row end" }, h("button", { class: "main" }, "Create")));
    });
    if (!name) return;
    const made = await naming(ctx, name, (more) => post(`${ctx.base}/people`, { name, ...more }));
    if (!made) return;
    ctx.go("person", made.id);
    toast(`${name} is there now. Add photographs.`, undoable(async () => { await post(`${ctx.base}/undo/${made.operation}`); ctx.go("people"); }));
  }
  field.addEventListener("input", debounce(() => { search = field.value.trim(); restart(); }, 150));
  field.addEventListener("keydown", (e) => { if (e.key === "ArrowDown" || e.key === "Enter") { e.preventDefault(); /** @type {HTMLElement} */ (list.querySelector("a"))?.focus(); } });
  sort.addEventListener("change", () => { order = sort.value; restart(); });
  ignored.addEventListener("click", () => {
    kind = kind === "known" ? "ignored" : "known";
    ignored.setAttribute("aria-pressed", String(kind === "ignored"));
    restart();
  });
  await restart();
  ctx.watch(shown, () => get(path(), ctx.signal), async () => {
    const at = document.activeElement?.closest?.(".people a")?.getAttribute("href");
    await restart();
    if (at) /** @type {HTMLElement} */ (list.querySelector(`a[href="${at}"]`))?.focus();
  });
  if (arg === "?") field.focus();
}
