// The page: screens, the way between them, keys that hold everywhere, and what is said when
// the service is away.
import { h, put, icon, dialog, toast, undoLast, settle, inText, say } from "./dom.js";
import { get, early, post, connection, learn, has, about, returned, signOut } from "./api.js";
import { importing, interrupted } from "./importer.js";
import { begin, tr } from "./translate.js";
import * as add from "./add.js";
import * as groups from "./groups.js";
import * as tryIt from "./try.js";
import * as line from "./line.js";
import * as people from "./people.js";
import * as person from "./person.js";
import * as photos from "./photos.js";
import * as review from "./review.js";
import * as settings from "./settings.js";

let screens = [
  { id: "add", title: "Add photos", short: "Add", icon: "add", view: add.view, needs: ["POST", "…/faces"] },
  { id: "groups", title: "Groups", short: "Groups", icon: "groups", view: groups.view, needs: ["POST", "…/review/decide"] },
  { id: "try", title: "Try it", short: "Try", icon: "try", view: tryIt.view, needs: ["POST", "…/identify"] },
  { id: "people", title: "People", short: "People", icon: "people", view: people.view },
  { id: "line", title: "Strangers", short: "Strangers", icon: "line", view: line.view },
  { id: "review", title: "Review", short: "Review", icon: "review", view: review.view, needs: ["POST", "…/review/decide"] },
  { id: "settings", title: "Settings", short: "Settings", icon: "settings", view: settings.view },
];
const hidden = { person: { id: "person", title: "Person", parent: "people", view: person.view }, photos: { id: "photos", title: "Photographs", parent: "people", view: photos.view } };

/** All collections, and the one that is shown. */
const state = { collections: [], current: null, unnamed: "" };
const main = document.getElementById("main");
let leave = new AbortController();
let shown = null; // what the screen that is shown does when something has changed
let seen = 0; // version of the collection that it shows
let drop = null; // what the screen does with files that are dropped

const href = (screen, arg = "") => `#/${state.current?.id || "-"}/${screen}${arg ? "/" + arg : ""}`;

/** go shows a screen. */
function go(screen, arg = "") { location.hash = href(screen, arg); }

/** show shows the screen of the address; with keep, the one that is there anew, at the same place. */
async function show(keep = false) {
  let [, id = "", screen = "", arg = ""] = location.hash.split("/");
  settle();
  leave.abort();
  leave = new AbortController();
  const signal = leave.signal;
  drop = null;
  try {
    const wanted = state.collections.find((c) => c.id === id);
    if (!wanted && id && id !== "-") await load();
    state.current = state.collections.find((c) => c.id === id) ?? remembered() ?? null;
    if (state.current) store("nrdl-collection", state.current.id);
    const known = hidden[screen] ?? screens.find((one) => one.id === screen);
    if (screen && !known || id && id !== "-" && !state.collections.some((c) => c.id === id)) {
      nowhere(screen && !known ? "There is no such page" : "This collection is not here");
      return;
    }
    if (!known || (id !== (state.current?.id ?? "-"))) {
      let first = known?.id;
      if (!first) {
        const asked = state.current && screens.some((one) => one.id === "groups") ? groups.needs(`v1/collections/${state.current.id}`) : [];
        for (const path of asked) { // on a slow line each of them would wait for the one before
          const answer = get(path);
          answer.catch(() => { /* the screen says so */ });
          early.set(path, answer);
        }
        first = state.current && await anyFace() ? "groups" : "add";
      }
      if (!known && !screens.some((one) => one.id === first)) first = "people";
      if (signal.aborted) return; // somebody went elsewhere meanwhile
      history.replaceState(null, "", href(first, known && (!id || id === state.current?.id) ? arg : ""));
      return show();
    }
    document.title = `${tr(known.title)} – nrdl`;
    nav(known.parent ?? known.id);
    const root = h("div", { class: "screen screen-" + known.id, "aria-busy": "true" });
    if (!keep) {
      main.replaceChildren(root);
      scrollTo(0, 0);
    }
    shown = null;
    seen = state.current?.version ?? 0;
    const ctx = {
      collection: state.current, collections: state.collections, base: state.current ? `v1/collections/${state.current.id}` : "",
      signal, go, href, reload: load, make,
      title: (text) => { document.title = `${tr(text)} – nrdl`; },
      drop: (f) => { drop = f; },
      again: (keep) => show(keep),
      follow: (f) => { shown = f; },
      watch: (was, load, draw = () => show(true)) => {
        let last = JSON.stringify(was);
        shown = async () => {
          if (busy()) return false;
          let now;
          try {
            now = JSON.stringify(await load());
          } catch (e) {
            if (e.status !== 404) throw e;
            return show(); // says that it is not here any more
          }
          if (now !== last) await draw();
          last = now;
        };
      },
      mutated, unnamed: () => state.unnamed,
    };
    if (!state.current && !["add", "settings"].includes(known.id)) {
      put(root, h("h1", { tabindex: -1 }, known.title), h("p", { class: "empty" }, "There is no collection yet. ", has("POST", "…/faces") && [h("a", { href: href("add") }, "Add photographs"), " to begin."]));
    } else await known.view(root, ctx, decodeURIComponent(arg));
    if (signal.aborted) return;
    early.clear();
    root.removeAttribute("aria-busy");
    if (keep) {
      const y = scrollY;
      main.replaceChildren(root);
      scrollTo(0, y);
      return;
    }
    if (document.activeElement === document.body || document.activeElement === main) root.querySelector("h1")?.focus({ preventScroll: true });
    say(known.title);
  } catch (e) {
    if (e.name === "AbortError" || signal.aborted) return;
    failed(e);
  }
}

/** nowhere is shown for an address that leads to nothing. */
function nowhere(title) {
  document.title = `${title} – nrdl`;
  nav("");
  const first = state.current ? h("a", { class: "button main", href: href("groups") }, "Groups") : h("a", { class: "button main", href: href("add") }, "Add photos");
  main.replaceChildren(h("div", { class: "screen" }, h("h1", { tabindex: -1 }, title), h("p", { class: "empty" }, "The address may be mistyped, or what it led to was erased."), h("div", { class: "row" }, first, state.current && h("a", { class: "button", href: href("people") }, "People"))));
  main.querySelector("h1").focus();
  say(title);
}

function failed(e) {
  console.warn(e); // where a developer looks
  main.replaceChildren(h("div", { class: "screen" }, h("h1", { tabindex: -1 }, e.status === 404 ? "This is not here any more" : "That did not work"),
    h("p", { class: "empty" }, e.message), h("div", { class: "row" }, h("button", { class: "main", onclick: () => show() }, "Try again"), h("a", { class: "button", href: href("people") }, "People"))));
  main.querySelector("h1").focus();
}

const anyFace = async () => (await get(`v1/collections/${state.current.id}/faces?limit=1`)).items.length > 0;

const store = (k, v) => { try { localStorage.setItem(k, v); } catch { /* private window */ } };
const remembered = () => { try { const id = localStorage.getItem("nrdl-collection"); return state.collections.find((c) => c.id === id) ?? state.collections[0]; } catch { return state.collections[0]; } };

async function load() {
  const all = [];
  let cursor = "";
  do {
    const p = await get(`v1/collections?limit=500${cursor && "&cursor=" + cursor}`);
    all.push(...p.items);
    cursor = p.next || "";
  } while (cursor);
  state.collections = all;
  if (state.current) state.current = all.find((c) => c.id === state.current.id) ?? null;
}

/** make creates a collection and returns it. */
async function make(name) {
  const c = await post("v1/collections", { name });
  await load();
  return c;
}

// busy reports whether somebody is at something that a new screen would take away.
const busy = () => Boolean(document.querySelector("dialog[open], details.menu[open]") || main.querySelector(".face[aria-selected=true]") || [.../** @type {NodeListOf<HTMLInputElement>} */ (main.querySelectorAll("input:not([type=range])"))].some((i) => i === document.activeElement && i.value));

// What others change, in other windows and by other programs, is shown soon: the service sends an
// event when a collection has changed. A page that nobody sees or has used for a while does not listen:
// a browser has few connections to one service, and a session ends that is not used.
const often = 2000, unused = 30 * 60 * 1000, patience = 4000;
let used = Date.now(), following = false, missed = false, later = 0;
/** @type {EventSource | null} */
let stream = null;
for (const event of ["pointermove", "keydown", "focus"]) addEventListener(event, () => { used = Date.now(); }, { passive: true });

function listen() {
  if (document.hidden || Date.now() - used > unused) {
    stream?.close();
    stream = null;
  } else if (!stream) {
    const mine = stream = new EventSource("v1/events");
    mine.addEventListener("collections", () => follow());
    mine.addEventListener("open", () => clearTimeout(later));
    mine.addEventListener("error", () => { // at the end of each request, too: then the browser asks again by itself
      clearTimeout(later);
      later = setTimeout(async () => {
        if (mine.readyState !== EventSource.OPEN) await follow(); // says what is wrong
        if (mine.readyState === EventSource.CLOSED && stream === mine) stream = null;
      }, patience);
    });
  }
}

async function follow() {
  if (following) { missed = true; return; }
  following = true;
  missed = false;
  try {
    const names = () => JSON.stringify([state.current?.id, state.collections.map((c) => [c.id, c.name])]);
    const was = names();
    await load();
    if (names() !== was) {
      if (was.startsWith("[null") !== !state.current) return await show();
      nav(document.querySelector("#nav [aria-current]")?.dataset.screen ?? "");
    }
    const version = state.current?.version ?? 0;
    if (version === seen) return;
    mutated();
    if (await shown?.() === false) setTimeout(follow, often); // somebody is at something
    else seen = version;
  } catch (e) {
    if (e.name !== "AbortError") console.warn(e); // it is tried again
  } finally {
    following = false;
    if (missed) follow();
  }
}

// mutated is told of changes, so that the numbers beside Groups and Review are right.
let counting = 0;
function mutated() {
  clearTimeout(counting);
  counting = setTimeout(badge, 400);
}

async function badge() {
  const at = document.querySelector("[data-screen=groups] .badge");
  if (!at || !state.current) return;
  try {
    const some = await get(`v1/collections/${state.current.id}/faces?person=none&limit=500`);
    const n = some.items.length;
    state.unnamed = some.next ? "More than 500" : String(n);
    at.textContent = some.next ? "500+" : n ? String(n) : "";
    at.setAttribute("aria-label", n ? `${state.unnamed} faces without a name` : "");
    await waiting(state.current.id);
  } catch { /* says so elsewhere */ }
}

// waiting shows how much is to be decided, as far as the service has counted it.
async function waiting(id) {
  if (!has("GET", "…/review/count")) return;
  const { doubtful = 0, conflicts = 0, visitors } = await get(`v1/collections/${id}/review/count`);
  const at = document.querySelector("[data-screen=review] .badge"), n = doubtful + conflicts + visitors;
  if (!at || state.current?.id !== id) return;
  at.textContent = n > 500 ? "500+" : n ? String(n) : "";
  at.setAttribute("aria-label", n ? `${n.toLocaleString("en")} to be decided` : "");
}

function nav(current) {
  const list = document.getElementById("nav");
  if (!list.firstChild) {
    list.append(...screens.map((one, i) => h("a", { "data-screen": one.id, title: `${one.title} (${i + 1})` }, icon(one.icon), h("span", { class: "long" }, one.title), h("span", { class: "short" }, one.short), ["groups", "review"].includes(one.id) && h("span", { class: "badge" }))));
  }
  const foot = document.getElementById("foot"), me = about.me, who = me?.name ?? "";
  if (foot.dataset.who !== who) {
    foot.dataset.who = who;
    foot.replaceChildren();
    put(foot, who && h("div", { class: "me" }, h("span", { dir: "auto", title: me?.email }, who), h("button", { class: "link", onclick: signOut }, "Sign out")), h("button", { class: "link", onclick: help }, "Shortcuts", h("kbd", {}, "?")));
  }
  for (const a of list.children) {
    a.href = href(a.dataset.screen);
    if (a.dataset.screen === current) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  const brand = document.getElementById("brand");
  const choice = state.collections.length > 1 && h("select", { "aria-label": "Collection", onchange: (e) => { state.current = state.collections.find((c) => c.id === e.target.value); store("nrdl-collection", state.current.id); location.hash = href(""); } },
    state.collections.map((c) => h("option", { value: c.id, selected: c.id === state.current?.id, dir: "auto" }, c.name)));
  brand.replaceChildren(h("span", { class: "logo", "aria-hidden": "true" }, icon("try")), choice || h("strong", { dir: "auto" }, state.current?.name ?? "nrdl"));
  badge();
}

const keys = [
  ["Everywhere", [["1 … 7", "Go to a screen"], ["/", "Search, on People"], ["Ctrl Z", "Undo the last change"], ["?", "Show these keys"], ["Esc", "Close, or leave a field"]]],
  ["Groups", [["Enter", "Give the name, and go to the next group"], ["I", "Ignore this person; in a field Alt I"], ["X", "These are not faces; in a field Alt X"], ["Y", "Take the suggested name; in a field Alt Y"], ["Space", "Select a face, to take it out of the group"]]],
  ["Faces", [["← → ↑ ↓", "Move"], ["Space", "Select"], ["Ctrl A", "Select all"], ["W", "Why?"]]],
  ["Review", [["Y", "Yes, it is this person"], ["N", "No, it is not"]]],
];

function help() {
  if (document.querySelector("dialog")) return;
  dialog("Shortcuts", () => h("div", { class: "keys" }, keys.map(([title, all]) => h("section", {}, h("h3", {}, title), h("dl", {}, all.map(([key, what]) => [h("dt", {}, key.split(" ").map((k) => (k === "…" ? " … " : h("kbd", {}, k)))), h("dd", {}, what)]))))), { wide: true });
}

addEventListener("keydown", (e) => {
  if (e.defaultPrevented || document.querySelector("dialog[open]")) return;
  if ((e.ctrlKey || e.metaKey) && !e.shiftKey && e.key.toLowerCase() === "z") {
    if (inText(e) && e.target.value) return;
    if (undoLast()) e.preventDefault();
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "Escape" && inText(e)) { e.target.blur(); return; }
  if (inText(e)) return;
  if (e.key === "?") { e.preventDefault(); help(); }
  else if (screens[Number(e.key) - 1]) { e.preventDefault(); go(screens[Number(e.key) - 1].id); }
  else if (e.key === "/") {
    const search = /** @type {HTMLElement} */ (main.querySelector("input[type=search]"));
    e.preventDefault();
    if (search) search.focus();
    else go("people", "?");
  }
});

// Files may be dropped anywhere.
let inside = 0;
const files = (e) => [...(e.dataTransfer?.types || [])].includes("Files");
addEventListener("dragenter", (e) => { if (files(e)) { inside++; document.body.classList.add("dragging"); } });
addEventListener("dragleave", (e) => { if (files(e) && --inside <= 0) { inside = 0; document.body.classList.remove("dragging"); } });
addEventListener("dragover", (e) => { if (files(e)) e.preventDefault(); });
addEventListener("drop", (e) => {
  if (!files(e)) return;
  e.preventDefault();
  inside = 0;
  document.body.classList.remove("dragging");
  if (drop) drop(e.dataTransfer);
  else if (has("POST", "…/faces")) add.take(e.dataTransfer, { collection: state.current, make, go });
});

connection.addEventListener("stale", follow);
connection.addEventListener("lost", () => {
  const at = document.getElementById("lost");
  at.hidden = false;
  at.textContent = "The service cannot be reached. Trying again …";
});
connection.addEventListener("back", () => {
  document.getElementById("lost").hidden = true;
  toast("The service is back.");
});
addEventListener("unhandledrejection", (e) => {
  e.preventDefault();
  if (e.reason?.name !== "AbortError") toast(e.reason?.message || "That did not work.");
});
importing.addEventListener("change", () => {
  const at = document.querySelector("[data-screen=add]");
  at?.classList.toggle("busy", importing.running);
  if (!importing.running) mutated();
});
document.querySelector(".skip").addEventListener("click", (e) => { e.preventDefault(); main.focus(); main.querySelector("h1")?.focus(); });

try {
  await Promise.all([load(), learn(), begin()]);
  screens = screens.filter((one) => !one.needs || has(...one.needs));
  const failed = returned();
  if (failed) toast(failed);
  addEventListener("hashchange", () => show());
  await show();
  listen();
  setInterval(listen, often);
  document.addEventListener("visibilitychange", listen);
  const lost = interrupted();
  if (lost) toast(lost.text);
} catch (e) {
  failed(e);
}
