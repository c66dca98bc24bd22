// Groups of similar faces of nobody yet: name, ignore, throw away, split.
import { h, put, toast, say, count, debounce, inText, dialog } from "./dom.js";
import { get, early, post, has } from "./api.js";
import { crop, grid, chance } from "./faces.js";
import { nameField } from "./names.js";

/** decide sends one decision, which has whose the faces are as the page shows, and offers to undo it. */
export async function decide(ctx, decision, text, after) {
  const made = (await post(`${ctx.base}/review/decide`, { decisions: [decision] })).items[0];
  ctx.mutated();
  after?.();
  toast(text, made.operations.length ? async () => {
    for (const op of made.operations) await post(`${ctx.base}/undo/${op}`);
    say("Undone");
    ctx.mutated();
    ctx.refresh?.();
  } : null);
  return made;
}

/** discard throws faces away when it can no longer be undone, and says so in a text; expected is whose they are. */
export function discard(ctx, faces, expected, hide, unhide, text = faces.length === 1 ? "Thrown away: not a face." : `${count(faces.length, "face")} thrown away.`) {
  hide();
  let undone = false;
  const send = (keepalive) => post(`${ctx.base}/review/decide`, { decisions: batches(faces).map((some) => ({ faces: some, verb: "discard", expected })) }, { keepalive }).then(() => { ctx.mutated(); ctx.refresh?.(); });
  const entry = toast(text, () => { undone = true; unhide(); }, () => { if (!undone) send(true).catch((e) => { unhide(); toast(e.message); }); });
  return entry;
}

const batches = (all) => { const some = []; for (let i = 0; i < all.length; i += 500) some.push(all.slice(i, i + 500)); return some; };
const few = 14;

// called is the name of a person for people; nobody names those who are ignored at once.
const called = (p) => (p.name === "ignored" ? "somebody whom you ignored" : p.name);

/** needs are the addresses that the screen asks for first. */
export const needs = (base) => [`${base}/jobs?kind=import&state=running&limit=1`, `${base}/review?limit=60`, `${base}/review/sure`];

export async function view(root, ctx) {
  const head = h("div", { class: "title" }, h("h1", { tabindex: -1 }, "Who is this?"));
  const sum = h("p", { class: "lead" });
  const filling = h("p", { class: "hint", hidden: true });
  const surely = h("div", { class: "hint row", hidden: true });
  const list = h("div", { class: "groups" });
  put(root, head, sum, filling, surely, list);
  /** @type {Map<string, any>} */
  const cards = new Map();
  const gone = new Set(); // faces whose decision is not in the list of the service yet
  let next = "", first = true, asked = 0;

  const singles = { faces: [], card: null };
  async function fetchGroups() {
    const mine = ++asked;
    const [running, review, sure] = needs(ctx.base);
    const known = early.has(sure) && get(sure);
    const [{ items: [job] }, page] = await Promise.all([get(running, ctx.signal), get(review, ctx.signal)]);
    if (mine !== asked) return;
    filling.hidden = !job;
    if (job) {
      filling.textContent = `Photographs are looked at, more faces follow: ${job.progress.done} of ${job.progress.total}`;
      setTimeout(() => { if (mine === asked && !ctx.signal.aborted) ctx.refresh(); }, 2000);
    }
    const listed = new Set(page.items.flatMap((g) => g.faces));
    for (const f of gone) if (!listed.has(f)) gone.delete(f); // it may come back by another window
    next = page.next || "";
    draw(page.items);
    const people = page.items.some((g) => g.guess?.decision === "known") ? (await (known || get(sure, ctx.signal))).items : [];
    if (mine === asked) offer(people);
  }

  // offer offers to name the faces that are sure, all at once.
  function offer(people) {
    const faces = people.flatMap((p) => p.faces.map((f) => f.face)).filter((f) => !gone.has(f)).slice(0, 5000);
    const inside = surely.contains(document.activeElement);
    surely.hidden = faces.length === 0;
    if (surely.hidden) { if (inside) root.querySelector("h1").focus(); return; }
    const go = h("button", { onclick: () => accept(people, faces) }, "Name all …");
    surely.replaceChildren(h("span", {}, `Sure (> 99 %): ${count(faces.length, "face")}`), go);
    if (inside) go.focus();
  }
  async function accept(people, faces) {
    const most = 12;
    const yes = await dialog("Name what is sure", (close) => h("div", {},
      h("ul", { class: "plain sure" }, people.map((p) => {
        const own = p.faces.filter((f) => faces.includes(f.face));
        return own.length > 0 && h("li", {}, h("p", {}, h("strong", { dir: "auto" }, p.name), h("span", { class: "soft" }, ` ${count(own.length, "face")}`)),
          h("div", { class: "strip" }, own.slice(0, most).map((f) => crop(ctx.base, f.face, `Face of ${p.name}?`)), own.length > most && h("span", { class: "soft" }, `+${own.length - most}`)));
      })),
      h("p", { class: "soft" }, "One undo takes all of it back."),
      h("div", { class: "row end" }, h("button", { onclick: () => close(false) }, "Cancel"), h("button", { class: "main", autofocus: true, onclick: () => close(true) }, "Name them"))), { wide: true });
    if (!yes) return;
    const made = await post(`${ctx.base}/review/sure`, { faces });
    const named = made.items.flatMap((p) => p.faces.map((f) => f.face));
    for (const f of named) gone.add(f);
    ctx.mutated();
    ctx.refresh();
    toast(named.length ? `${count(named.length, "face")} named.` : "They have names already.", made.operation ? async () => {
      await post(`${ctx.base}/undo/${made.operation}`);
      say("Undone");
      back(named);
      ctx.mutated();
    } : null);
  }
  ctx.refresh = debounce(() => fetchGroups().catch((e) => { if (e.name !== "AbortError") toast(e.message); }), 700);

  function draw(items) {
    const groups = [], alone = [];
    for (const g of items) {
      const faces = g.faces.filter((f) => !gone.has(f));
      if (faces.length === 0) continue;
      if (faces.length === 1 && g.guess?.decision !== "known" && g.guess?.decision !== "doubtful") alone.push(faces[0]);
      else groups.push({ ...g, faces });
    }
    const wanted = new Map(groups.map((g) => [g.faces.join(), g]));
    for (const [key, card] of [...cards]) {
      if (wanted.has(key)) card.guess(wanted.get(key).guess);
      else if (!card.busy()) replace(key, card, [...wanted].find(([k, g]) => !cards.has(k) && g.faces.some((f) => card.faces.includes(f))));
    }
    const taken = new Set([...cards.values()].flatMap((c) => c.faces));
    let before = null;
    for (const [key, g] of [...wanted].reverse()) {
      let card = cards.get(key);
      if (!card) {
        if (g.faces.some((f) => taken.has(f))) continue;
        card = make(g, key);
        cards.set(key, card);
        if (before && first) before.before(card.element); else put(list, card.element);
      }
      before = card.element;
    }
    drawSingles(alone.filter((f) => !taken.has(f)));
    summary();
    if (first) { first = false; if (cards.size) focusField([...list.children][0]); }
  }

  // replace puts the group that has the faces of a card now, if there is one, in its place.
  function replace(key, card, heir) {
    const inside = card.element.contains(document.activeElement), typed = card.element.querySelector(".who").contains(document.activeElement);
    cards.delete(key);
    let to = card.element.nextElementSibling ?? card.element.previousElementSibling;
    if (heir) {
      const made = make(heir[1], heir[0]);
      cards.set(heir[0], made);
      card.element.replaceWith(to = made.element);
    } else card.element.remove();
    if (!inside) return;
    if (!to?.classList.contains("group")) root.querySelector("h1").focus();
    else if (typed) focusField(to);
    else to.focus();
  }

  function summary() {
    const n = [...cards.values()].reduce((t, c) => t + c.faces.length, 0), all = n + singles.faces.length;
    root.classList.toggle("done", all === 0);
    if (all === 0) {
      sum.replaceChildren(next || !filling.hidden ? "Looking for more …" : "Every face has a name, or is ignored.");
      if (!list.querySelector(".end")) put(list, h("div", { class: "end empty" }, h("div", { class: "row" }, h("a", { class: "button main", href: ctx.href("try") }, "Try it on a photograph"), h("a", { class: "button", href: ctx.href("people") }, "See the people"), h("a", { class: "button", href: ctx.href("add") }, "Add photos"), has("POST", "…/tags") && h("a", { class: "button", href: ctx.href("settings") }, "Write the names into the photographs"), has("GET", "…/jobs/{job}/album/{file}") && h("a", { class: "button", href: ctx.href("settings") }, "Make an album"))));
      if (next) ctx.refresh();
      return;
    }
    list.querySelector(".end")?.remove();
    const total = next ? `${ctx.unnamed() || "Many"} faces have no name yet; these are the largest groups` : `${count(all, "face has", "faces have")} no name yet: ${[cards.size && `${count(n, "face")} in ${count(cards.size, "group")}`, singles.faces.length && `${singles.faces.length.toLocaleString("en")} seen once`].filter(Boolean).join(", ")}`;
    sum.textContent = total + (cards.size ? ". Type a name and press Enter. If a group shows two people, first select the faces of one." : ".");
  }

  function focusField(card) {
    const field = card?.querySelector("input") ?? root.querySelector("h1");
    field.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }

  // leaving takes a card, or some of its faces, out of the list, and goes to the next one.
  function leaving(card, faces, typed) {
    for (const f of faces) gone.add(f);
    const left = card.faces.filter((f) => !faces.includes(f));
    const following = card.element.nextElementSibling ?? card.element.previousElementSibling;
    cards.delete(card.key);
    if (left.length) {
      const rest = make({ faces: left, guess: null }, left.join());
      cards.set(rest.key, rest);
      card.element.replaceWith(rest.element);
      typed ? focusField(rest.element) : rest.element.focus();
    } else {
      card.element.remove();
      if (following?.isConnected && following.classList.contains("group")) typed ? focusField(following) : following.focus();
      else root.querySelector("h1").focus();
    }
    summary();
    ctx.refresh();
  }
  function back(faces) {
    for (const f of faces) gone.delete(f);
    ctx.refresh();
  }

  function make(g, key) {
    const faces = g.faces;
    let busy = false, now = g.guess;
    const label = () => `${count(faces.length, "face")}${now ? `, perhaps ${called(now)}` : ""}`;
    const some = () => { const c = picture.chosen(); return c.length ? c : faces; };
    const field = nameField(ctx.base, { label: `Name of the person with ${count(faces.length, "face")}`, placeholder: "Name", chosen: (who) => run("is", who) });
    const buttons = {
      name: h("button", { class: "main", type: "submit" }, "Name"),
      ignore: h("button", { type: "button", title: "Somebody whose faces stay unknown (I)", onclick: () => run("ignore") }, "Ignore"),
      not: h("button", { type: "button", title: "These are not faces (X)", onclick: () => run("discard") }, "Not a face"),
    };
    const chosen = h("p", { class: "chosen soft small", "aria-live": "polite" });
    const guessAt = h("div", { class: "guess" });
    const apart = (g.apart ?? []).filter((f) => faces.includes(f));
    const two = apart.length > 0 && apart.length < faces.length && h("p", { class: "hint small" }, h("strong", {}, "Two people? "), `${count(apart.length, "face does", "faces do")} not look like the other ones. `, h("button", { type: "button", class: "link", onclick: () => picture.choose(apart) }, apart.length === 1 ? "Select it" : "Select them"));
    const several = !two && g.may_be_several && faces.length > 1 && h("p", { class: "hint small" }, h("strong", {}, "Several people? "), "Faces of different people here are nearly as alike as these. Look at each one before you name them.");
    const picture = grid(ctx.base, faces, { label: `${count(faces.length, "similar face")}`, most: few, changed: (ids) => {
      chosen.textContent = ids.length && ids.length < faces.length ? `Only the ${count(ids.length, "selected face")} of ${faces.length}` : "";
    } });
    const element = h("article", { class: "group", tabindex: -1, "aria-label": label() },
      h("div", { class: "pictures" }, picture.element),
      h("form", { class: "who", onsubmit: (e) => { e.preventDefault(); field.enter(); } },
        h("p", { class: "count" }, count(faces.length, "face")), two, several, guessAt, h("div", { class: "row name-row" }, field.element, buttons.name), h("div", { class: "row" }, buttons.ignore, buttons.not), chosen));
    const card = {
      key, faces, element, busy: () => busy || field.input.value.trim() !== "" || picture.chosen().length > 0,
      guess(to) {
        now = to;
        element.setAttribute("aria-label", label());
        const likely = to && (to.decision !== "unknown" || to.probability > 0.1);
        guessAt.replaceChildren(...(likely ? [h("button", { type: "button", class: "suggest", title: "Take this name (Y)", onclick: () => run("is", { person: to.id, name: called(to) }) },
          "Is this ", h("strong", { dir: "auto" }, called(to)), "?", to.probability !== null ? h("span", { class: "soft" }, " " + chance(to.probability)) : null)] : []));
      },
    };
    card.guess(g.guess);
    async function run(verb, who = {}) {
      if (busy) return;
      const ids = some(), typed = element.querySelector(".who").contains(document.activeElement);
      if (verb === "discard") {
        discard(ctx, ids, "none", () => leaving(card, ids, typed), () => back(ids));
        return;
      }
      busy = true;
      element.setAttribute("aria-busy", "true");
      try {
        const text = verb === "ignore" ? `Ignored ${count(ids.length, "face")}.` : `${count(ids.length, "face")} named ${who.name}.`;
        const parts = batches(ids);
        let person = who.person;
        const ops = [];
        for (const part of parts) {
          const d = verb === "ignore" && !person ? { faces: part, verb: "ignore" } : person ? { faces: part, verb: "is", person } : { faces: part, verb: "is", name: who.name };
          const made = (await post(`${ctx.base}/review/decide`, { decisions: [{ ...d, expected: "none" }] })).items[0];
          person = made.person;
          ops.unshift(...made.operations);
        }
        ctx.mutated();
        busy = false;
        leaving(card, ids, typed);
        toast(text, async () => {
          for (const op of ops) await post(`${ctx.base}/undo/${op}`);
          say("Undone");
          back(ids);
          ctx.mutated();
        });
      } catch (e) {
        busy = false;
        element.removeAttribute("aria-busy");
        if (e.status === 404 || e.status === 409) { // the list is old: the next one may do without this group
          field.input.value = "";
          picture.clear();
          ctx.refresh();
        }
        throw e;
      }
    }
    element.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || inText(e) && !e.altKey) return;
      const run2 = { KeyI: () => run("ignore"), KeyX: () => run("discard"), KeyY: () => guessAt.querySelector("button")?.click() }[e.code];
      if (run2 && (e.altKey || !inText(e))) { e.preventDefault(); run2(); }
      else if (e.target === element && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
        const to = e.key === "ArrowDown" ? element.nextElementSibling : element.previousElementSibling;
        if (to?.classList.contains("group")) { e.preventDefault(); to.focus(); }
      } else if (e.target === element && e.key === "Enter") { e.preventDefault(); field.input.focus(); }
    });
    field.input.addEventListener("keydown", (e) => { if (e.key === "Escape" && !e.defaultPrevented) { e.preventDefault(); e.stopPropagation(); element.focus(); } });
    return card;
  }

  // Faces that resemble no other one are many, and seldom worth a name: they share one grid.
  function drawSingles(faces) {
    if (faces.join() === singles.faces.join()) return;
    if (singles.card?.busy() && faces.length) return;
    const inside = singles.card?.element.contains(document.activeElement);
    singles.card?.element.remove();
    singles.faces = faces;
    singles.card = null;
    if (!faces.length) return;
    const field = nameField(ctx.base, { label: "Name of the selected faces", placeholder: "Name", chosen: (who) => run("is", who) });
    const buttons = h("fieldset", { class: "row", disabled: true }, h("legend", { class: "spoken" }, "What the selected faces are"), field.element, h("button", { class: "main", onclick: () => field.enter() }, "Name"), h("button", { onclick: () => run("ignore") }, "Ignore"), h("button", { onclick: () => run("discard") }, "Not a face"));
    const picture = grid(ctx.base, faces, { label: "Faces seen once", most: 60, changed: (ids) => { buttons.disabled = !ids.length; } });
    const element = h("section", { class: "singles", "aria-labelledby": "once" }, h("h2", { id: "once" }, `Seen once `, h("span", { class: "soft" }, String(faces.length) + (next ? "+" : ""))), h("p", { class: "soft" }, "These faces resemble no other one. Select those that you want to name or ignore."), picture.element, h("div", { class: "sticky" }, buttons));
    async function run(verb, who = {}) {
      const ids = picture.chosen();
      if (!ids.length) return;
      const after = () => { for (const f of ids) gone.add(f); singles.card = null; element.remove(); drawSingles(faces.filter((f) => !gone.has(f))); summary(); };
      if (verb === "discard") { discard(ctx, ids, "none", after, () => back(ids)); return; }
      const d = { faces: ids, verb, expected: "none", ...(who.person ? { person: who.person } : who.name ? { name: who.name } : {}) };
      let made;
      try {
        made = (await post(`${ctx.base}/review/decide`, { decisions: [d] })).items[0];
      } catch (e) {
        picture.clear();
        ctx.refresh();
        throw e;
      }
      ctx.mutated();
      after();
      toast(verb === "ignore" ? `Ignored ${count(ids.length, "face")}.` : `${count(ids.length, "face")} named ${who.name}.`, async () => {
        for (const op of made.operations) await post(`${ctx.base}/undo/${op}`);
        back(ids);
        ctx.mutated();
      });
      ctx.refresh();
    }
    singles.card = { element, busy: () => picture.chosen().length > 0 };
    put(root, element);
    if (inside) element.querySelector(".face")?.focus();
  }
  await fetchGroups();
  ctx.follow(fetchGroups);
}
