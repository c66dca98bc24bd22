// What the machine is not sure of, labels that contradict it, and what was done.
import { h, put, toast, say, count, rove, inText, locale } from "./dom.js";
import { get, post, has } from "./api.js";
import { crop, chance, why, grid } from "./faces.js";
import { decide } from "./groups.js";
import { visitors } from "./visitors.js";

export async function view(root, ctx, arg) {
  const tabs = [["doubtful", "Doubtful"], ["conflict", "Conflicts"], ["visitors", "Visitors"], ["history", "History"]].filter(([id]) => (id !== "conflict" || has("GET", "…/jobs")) && (id !== "visitors" || has("GET", "…/visitors")));
  const tab = tabs.some(([id]) => id === arg) ? arg : "doubtful";
  const bar = h("div", { role: "tablist", class: "tabs", "aria-label": "Review" }, tabs.map(([id, name]) => h("a", { role: "tab", id: "tab-" + id, href: ctx.href("review", id), "aria-selected": String(id === tab), "aria-controls": "panel", tabindex: id === tab ? 0 : -1 }, name)));
  rove(bar, "[role=tab]");
  bar.addEventListener("keydown", (e) => { if (e.key === " ") { e.preventDefault(); e.target.click(); } });
  const panel = h("div", { role: "tabpanel", id: "panel", "aria-labelledby": "tab-" + tab });
  put(root, h("h1", { tabindex: -1 }, "Review"), bar, panel);
  if (tab === "history") await history(panel, ctx);
  else if (tab === "visitors") await visitors(panel, ctx);
  else await queue(panel, ctx, tab);
}

async function queue(panel, ctx, state) {
  const list = h("div", { class: "doubts" }), sum = h("p", { class: "lead" });
  put(panel, sum, list);
  const portraits = new Map();
  /** @type {Map<string, {element: HTMLElement, gone: () => void}>} */
  const cards = new Map();
  const told = () => {
    const left = cards.size;
    sum.textContent = left ? (state === "doubtful" ? `${count(left, "face or group", "faces or groups")} to check. Y is yes, N is no.` : `${count(left, "label")} to check.`) : state === "doubtful" ? "Nothing is doubtful." : "No label contradicts another one or the machine.";
  };
  // load shows what is to be checked now, and leaves the cards that are there in their places.
  async function load() {
    const page = await get(`${ctx.base}/review?state=${state}&limit=100`, ctx.signal);
    const wanted = new Map(page.items.filter((c) => c.conflict ?? c.guess).map((c) => [JSON.stringify([c.faces, c.conflict, c.guess?.id]), c]));
    for (const [key, card] of [...cards]) if (!wanted.has(key)) card.gone();
    let before = null;
    for (const [key, c] of wanted) {
      if (!cards.has(key)) {
        const card = make(c, key);
        cards.set(key, card);
        if (before) before.after(card.element); else list.prepend(card.element);
      }
      before = cards.get(key).element;
    }
    told();
  }
  ctx.refresh = () => { if (!ctx.signal.aborted) load(); };

  function make(c, key) {
    const who = c.conflict?.person ?? c.guess;
    const article = h("article", { class: "doubt", tabindex: -1, "aria-label": `${count(c.faces.length, "face")}, ${who.name}?` });
    const pictures = grid(ctx.base, c.faces, { label: count(c.faces.length, "face"), most: 6 });
    const other = h("figure", { class: "other" });
    const gone = () => {
      cards.delete(key);
      const next = article.nextElementSibling ?? article.previousElementSibling, inside = article.contains(document.activeElement);
      article.remove();
      told();
      if (inside) (next?.querySelector("button.main") ?? document.querySelector("h1")).focus();
    };
    const faces = () => (pictures.chosen().length ? pictures.chosen() : c.faces);
    const keep = () => decide(ctx, { faces: c.faces, verb: "is", person: who.id, expected: who.id }, `Still ${who.name}.`, gone);
    const chosenOnly = () => { if (!pictures.chosen().length) { toast("Select the face that is somebody else."); return; } return decide(ctx, { faces: faces(), verb: "is_not", person: who.id, expected: who.id }, `Not ${who.name}.`, gone); };
    let yes, no, text;
    if (state === "doubtful") {
      text = ["Is this ", h("strong", { dir: "auto" }, who.name), "?", c.guess.probability === null ? "" : h("span", { class: "soft" }, ` ${chance(c.guess.probability)} sure`)];
      yes = ["Yes", () => decide(ctx, { faces: faces(), verb: "is", person: who.id, expected: "none" }, `${count(faces().length, "face")} named ${who.name}.`, gone)];
      no = ["No", () => decide(ctx, { faces: faces(), verb: "is_not", person: who.id, expected: "none" }, `Not ${who.name}.`, gone)];
    } else if (c.conflict.kind === "photo") {
      text = ["One photograph has these faces twice as ", h("strong", { dir: "auto" }, who.name), ". Select the one that is somebody else."];
      yes = ["Both are right", keep];
      no = [`Not ${who.name}`, chosenOnly];
    } else if (c.conflict.kind === "pair") {
      text = ["These two faces of ", h("strong", { dir: "auto" }, who.name), " do not look like one person. Select the one that is somebody else."];
      yes = ["Both are right", keep];
      no = [`Not ${who.name}`, chosenOnly];
    } else if (c.conflict.kind === "apart") {
      text = [h("strong", {}, "Two people?"), " ", c.faces.length === 1 ? "This face" : `These ${c.faces.length} faces`, " of ", h("strong", { dir: "auto" }, who.name), c.faces.length === 1 ? " does" : " do", " not look like the other ones", c.guess ? [", but like ", h("strong", { dir: "auto" }, c.guess.name)] : "", "."];
      yes = ["One person", keep];
      no = c.guess ? [`They are ${c.guess.name}`, () => decide(ctx, { faces: faces(), verb: "is", person: c.guess.id, expected: who.id }, `Named ${c.guess.name}.`, gone)] : [`Not ${who.name}`, () => decide(ctx, { faces: faces(), verb: "is_not", person: who.id, expected: who.id }, `${count(faces().length, "face")}: not ${who.name}. They are in the groups again.`, gone)];
    } else {
      text = ["This face is labelled ", h("strong", { dir: "auto" }, who.name), c.guess ? [", and resembles ", h("strong", { dir: "auto" }, c.guess.name)] : "", "."];
      yes = ["The label is right", keep];
      no = c.guess ? [`It is ${c.guess.name}`, () => decide(ctx, { faces: faces(), verb: "is", person: c.guess.id, expected: who.id }, `Named ${c.guess.name}.`, gone)] : [`Not ${who.name}`, () => decide(ctx, { faces: faces(), verb: "is_not", person: who.id, expected: who.id }, `Not ${who.name}.`, gone)];
    }
    const button = ([name, run], kind) => h("button", { class: kind, onclick: run }, name);
    put(article, h("div", { class: "pictures" }, pictures.element), other, h("div", { class: "who" }, h("p", {}, text), h("div", { class: "row" }, button(yes, "main"), button(no, ""), h("button", { class: "link", onclick: () => why(ctx.base, c.faces[0]) }, "Why?"))));
    article.addEventListener("keydown", (e) => {
      if (inText(e) || e.ctrlKey || e.metaKey || e.altKey) return;
      const run = { y: yes[1], n: no[1] }[e.key.toLowerCase()];
      if (run) { e.preventDefault(); run(); }
    });
    const show = c.guess ?? who;
    if (c.conflict?.kind !== "pair" && c.conflict?.kind !== "photo") portrait(show);
    return { element: article, gone };

    // portrait shows other faces of a person.
    function portrait(show) {
      const others = 3;
      if (!portraits.has(show.id)) portraits.set(show.id, get(`${ctx.base}/faces?person=${show.id}&limit=${others + c.faces.length}`, ctx.signal));
      portraits.get(show.id).then((f) => other.append(...f.items.filter((i) => i.source !== "vector" && !c.faces.includes(i.id)).slice(0, others).map((i) => crop(ctx.base, i.id, `A face of ${show.name}`)), h("figcaption", { class: "soft small", dir: "auto" }, show.name))).catch(() => {});
    }
  }
  await load();
  ctx.follow(load);
  if (cards.size) list.querySelector("button.main").focus({ preventScroll: true });
}

const kinds = {
  "add faces": (o) => `Added ${count(o.faces, "face")}`,
  "create person": () => "Created",
  "change person": () => "Renamed or changed",
  "merge people": (o) => `Merged ${count(o.faces, "face")} of`,
  "accept faces": (o) => `Named ${count(o.faces, "face")} that were sure`,
  "move faces": (o) => `Moved ${count(o.faces, "face")}`,
  "deny faces": (o) => `Said no to ${count(o.faces, "face")}`,
  "name faces": (o) => `Named ${count(o.faces, "face")}`,
};

async function history(panel, ctx) {
  const list = h("ol", { class: "history" }), more = h("button", { hidden: true, onclick: load }, "Show more");
  put(panel, h("p", { class: "lead" }, "What was done, the latest first. What others build on has to be undone first."), list, more);
  let cursor = "";
  async function load() {
    const page = await get(`${ctx.base}/operations?limit=200${cursor && "&cursor=" + cursor}`, ctx.signal);
    cursor = page.next || "";
    more.hidden = !cursor;
    list.append(...runs(page.items).map(row));
    if (!list.children.length) put(panel, h("p", { class: "empty" }, "Nothing was done yet."));
  }
  // runs puts photographs that were added one after the other into one row.
  function runs(all) {
    const rows = [];
    for (const o of all) {
      const last = rows.at(-1);
      if (o.kind === "add faces" && last?.kind === o.kind && last.undone === o.undone) {
        last.ids.push(o.id);
        last.faces += o.faces;
      } else rows.push({ ...o, ids: [o.id] });
    }
    return rows;
  }
  function row(o) {
    const names = [...new Set(o.people.map((p) => p.name).filter(Boolean))];
    const text = (kinds[o.kind]?.(o) ?? o.kind) + (o.ids.length > 1 ? ` from ${o.ids.length} photographs` : "");
    const button = h("button", { disabled: o.undone, "aria-label": `${o.undone ? "Undone" : "Undo"}: ${text} ${names.join(", ")}`, onclick: async () => {
      button.disabled = true;
      try {
        for (let id = o.ids.shift(); id; id = o.ids.shift()) {
          try {
            await post(`${ctx.base}/undo/${id}`);
          } catch (e) {
            o.ids.unshift(id);
            throw e;
          }
        }
        li.classList.add("undone");
        button.textContent = "Undone";
        button.setAttribute("aria-label", `Undone: ${text} ${names.join(", ")}`);
        ctx.mutated();
        say("Undone");
      } catch (e) {
        button.disabled = false;
        throw e;
      }
    } }, o.undone ? "Undone" : "Undo");
    const li = h("li", { class: o.undone ? "undone" : "" }, h("span", { class: "what" }, text, names.length ? [/faces$/.test(o.kind) ? ": " : " ", h("strong", { dir: "auto" }, names.join(", "))] : ""), h("time", { datetime: o.at, class: "soft small" }, new Date(o.at).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" })), button);
    return li;
  }
  await load();
  const newest = () => get(`${ctx.base}/operations?limit=200`, ctx.signal);
  ctx.watch(await newest(), newest);
}
