// Sends photographs one after the other, and goes on while other screens are shown.
import { get, post, upload, request, has } from "./api.js";
import { h, count, settle } from "./dom.js";

const images = /\.(jpe?g|png|gif|webp|bmp|tiff?|hei[cf]|p[gpnb]m)$/i;
const archives = /\.(zip|tar)$/i;
const mostBytes = 20 << 20;
const atOnce = 2;

const kept = "nrdl-import";
const last = (() => { try { return JSON.parse(sessionStorage.getItem(kept)); } catch { return null; } })();

/**
 * interrupted is the import that ended when this page was loaded again, until another one
 * begins; null for none.
 * @returns {{collection: string, strangers: boolean, text: string} | null}
 */
export function interrupted() {
  if (!last?.left || importing.total) return null;
  const were = last.left === 1 ? "was" : "were";
  return { ...last, text: `${count(last.left, "file")} of the last drop ${were} not sent, of ${last.total.toLocaleString("en")}${last.strangers ? " photographs of strangers" : ""}: the page was loaded again. Drop the same files once more: those that are there already are left out.` };
}

/** A Source is a file and the path that it was dropped with. */
class Importing extends EventTarget {
  reset() {
    /** @type {{file: File, path: string, person?: string}[]} */
    this.queue = [];
    this.total = this.done = this.photos = this.faces = this.people = this.skipped = this.again = this.left = 0;
    this.running = this.paused = this.stopping = false;
    /** @type {{name: string, why: string}[]} */
    this.failed = [];
    this.doubts = [];
    /** @type {string[]} */
    this.found = []; // the newest faces, the latest first
    this.active = new Set();
    this.collection = null;
    this.job = null;
    this.shown = false; // its result, on the screen Strangers
    this.strangers = false; // the photographs are of people who are not in the collection
  }

  constructor() {
    super();
    this.reset();
  }

  changed() { this.remember(); this.dispatchEvent(new Event("change")); }

  // remember keeps what a reload of the page would interrupt.
  remember() {
    const left = this.queue.length + this.active.size - (this.job ? 1 : 0);
    try {
      if (this.running && left > 0) sessionStorage.setItem(kept, JSON.stringify({ collection: this.collection, strangers: this.strangers, left, total: this.total }));
      else sessionStorage.removeItem(kept);
    } catch { /* private window */ }
  }

  /** start adds files to what is being sent to a collection. */
  start(collection, sources, strangers = false) {
    if (this.collection !== collection.id || this.strangers !== strangers || !this.running) {
      if (this.running) throw new Error("Another import is running: wait for its end, or stop it first.");
      this.reset();
      this.collection = collection.id;
      this.strangers = strangers;
    }
    for (const s of sources) {
      const name = s.path.split("/").at(-1);
      if (name.startsWith(".") || s.path.includes("/.") || !images.test(name) && !(archives.test(name) && has("POST", "…/import"))) this.skipped++;
      else {
        this.queue.push(s);
        this.total++;
      }
    }
    this.running = this.queue.length + this.active.size > 0;
    this.changed();
    this.fill();
  }

  fill() {
    while (!this.paused && !this.stopping && this.active.size < atOnce && this.queue.length) this.send(this.queue.shift());
    if (this.running && !this.active.size && !this.queue.length) {
      this.running = this.stopping = false;
      this.changed();
    }
  }

  async send(source) {
    const stop = new AbortController();
    this.active.add(stop);
    try {
      if (source.file.size > mostBytes && !archives.test(source.path)) throw new Error(`The file has ${(source.file.size / (1 << 20)).toFixed(0)} MB, and 20 are possible.`);
      if (source.file.size === 0) throw new Error("The file is empty.");
      if (archives.test(source.path)) await this.archive(source, stop.signal);
      else await this.photo(source, stop.signal);
      this.done++;
    } catch (e) {
      if (stop.signal.aborted) {
        if (this.stopping) this.left++;
        else this.queue.unshift(source);
      } else {
        this.done++;
        this.failed.push({ name: source.path, why: e.message });
      }
    }
    this.active.delete(stop);
    this.changed();
    this.fill();
  }

  async photo(source, signal) {
    const to = this.strangers ? "strangers" : source.person ? `people/${source.person}/faces` : "faces";
    const told = await upload(`v1/collections/${this.collection}/${to}?new=true`, "photo", [source.file], { signal, patient: true });
    this.faces += told.faces.length;
    if (told.faces.length) this.photos++;
    this.found.unshift(...told.faces.map((f) => f.id));
    this.found.length = Math.min(this.found.length, 24);
    this.doubts.push(...(told.warnings ?? []).map((w) => ({ name: source.path, why: w.why })));
    for (const r of told.refused) {
      if (/added before/.test(r.why)) this.again++;
      else this.failed.push({ name: source.path, why: (r.box ? "one face: " : "") + r.why.replace(/^read image photo: /, "") });
    }
  }

  // archive leaves the work to the service and waits for it.
  async archive(source, signal) {
    const form = new FormData();
    form.append("archive", source.file, source.file.name);
    let job = await request("POST", `v1/collections/${this.collection}/import${this.strangers ? "?as=strangers" : ""}`, { form, signal });
    while (!["done", "failed", "cancelled"].includes(job.state)) {
      this.job = job;
      this.changed();
      await new Promise((r) => setTimeout(r, 700));
      if (signal.aborted) {
        await request("DELETE", `v1/collections/${this.collection}/jobs/${job.id}`);
        this.job = null;
        signal.throwIfAborted();
      }
      job = await get(`v1/collections/${this.collection}/jobs/${job.id}`);
    }
    this.job = null;
    if (job.state === "failed") throw new Error(job.error || "The archive could not be imported.");
    const r = job.result || {};
    this.photos += r.photos || 0;
    this.faces += r.faces || 0;
    this.people += r.people || 0;
    this.again += r.duplicates || 0;
    this.skipped += r.skipped || 0;
    this.failed.push(...(r.refused || []).map((f) => ({ name: f.name, why: f.why })));
    this.doubts.push(...(r.warnings || []));
  }

  /** pause stops sending; what is on its way is sent again by resume. */
  pause() {
    this.paused = true;
    for (const stop of this.active) stop.abort();
    this.changed();
  }

  resume() {
    this.paused = false;
    this.changed();
    this.fill();
  }

  /** stop forgets what was not sent. */
  stop() {
    this.left += this.queue.length;
    this.queue = [];
    this.paused = false;
    this.stopping = true;
    for (const stop of this.active) stop.abort();
    this.fill();
  }
}

export const importing = new Importing();
addEventListener("beforeunload", (e) => { settle(); if (importing.running) e.preventDefault(); });

/** sources lists the files of a drop, also those in folders. @param {DataTransfer} data */
export async function sources(data) {
  const all = [];
  const entries = [...data.items].filter((i) => i.kind === "file").map((i) => i.webkitGetAsEntry?.() ?? i.getAsFile()).filter(Boolean);
  const walk = async (entry, path) => {
    if (entry instanceof File) all.push({ file: entry, path: entry.name });
    else if (entry.isFile) all.push({ file: await new Promise((ok, no) => entry.file(ok, no)), path: path + entry.name });
    else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((ok, no) => reader.readEntries(ok, no));
        if (!some.length) break;
        for (const e of some) await walk(e, path + entry.name + "/");
      }
    }
  };
  for (const e of entries) await walk(e, "");
  return all;
}

/** chosen lists the files of an input. @param {FileList} files */
export const chosen = (files) => [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

/** ended says how an import ended. */
export const ended = (i) => (i.left ? "Import stopped" : "Import done");

/** told says in words what an import has added. @param {{photos: number, faces: number, people: number, duplicates: number, skipped: number, left?: number}} r */
export const told = (r) => [count(r.photos, "photograph"), count(r.faces, "face"), r.people && count(r.people, "new person", "new people"), r.duplicates && `${r.duplicates.toLocaleString("en")} added before`, r.skipped && `${count(r.skipped, "file")} that ${r.skipped === 1 ? "is no image" : "are no images"}`, r.left && `${count(r.left, "file")} not imported`].filter(Boolean).join(", ");

/** refusals lists files that could not be used, and why. @param {{name: string, why: string}[]} all */
export const refusals = (all, open = false) => listed(all, open, `${count(all.length, "picture")} could not be used`);

/** doubts lists files about which there is a warning. @param {{name: string, why: string}[]} all */
export const doubts = (all, open = false) => listed(all, open, `${count(all.length, "picture")} to look at`);

const listed = (all, open, summary) => h("details", { class: "failures", open, hidden: !all.length }, h("summary", {}, summary),
  h("ul", {}, all.slice(-300).map((f) => h("li", {}, h("strong", { dir: "auto" }, f.name), " ", h("span", { class: "soft" }, f.why)))));

/** folders are the innermost folders of sources, if all are in one of several. */
export function folders(all) {
  const names = new Set();
  for (const s of all) {
    const name = s.path.split("/").at(-1);
    if (name.startsWith(".") || !images.test(name)) continue;
    const parts = s.path.split("/");
    if (parts.length < 3) return [];
    names.add(parts.at(-2));
  }
  return names.size > 1 ? [...names] : [];
}

/** assign makes a person for each folder, and says in sources whose they are. */
export async function assign(collection, all) {
  const people = new Map();
  for (const s of all) {
    const name = s.path.split("/").at(-2).replaceAll("_", " ").trim();
    if (!images.test(s.path)) continue;
    if (!people.has(name)) {
      const base = `v1/collections/${collection.id}/people`;
      const there = (await get(`${base}?order=faces&kind=known&limit=50&search=${encodeURIComponent(name)}`)).items.find((p) => p.name === name);
      people.set(name, (there ?? await post(base, { name })).id);
    }
    s.person = people.get(name);
  }
}
