// Requests to the service: errors in words, waiting while the service is away or busy, and
// signing in.
import { h, dialog } from "./dom.js";

/** A Problem is an answer that says why something was not done. */
export class Problem extends Error {
  constructor(status, message, id = "") {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.id = id; // of what is there already
  }
}

/** connection sends "lost" and "back", and "stale" when a change was refused since the state is another one. */
export const connection = new EventTarget();
let away = null; // promise that is kept when the service is back

const pause = (ms) => new Promise((r) => setTimeout(r, ms));

function lost() {
  if (away) return away;
  connection.dispatchEvent(new Event("lost"));
  away = (async () => {
    for (let wait = 1000; ; wait = Math.min(wait * 1.6, 10000)) {
      await pause(wait);
      try {
        if ((await fetch("healthz", { cache: "no-store" })).ok) break;
      } catch { /* still away */ }
    }
    away = null;
    connection.dispatchEvent(new Event("back"));
  })();
  return away;
}

let signing = null;

// Why a login failed, by the code with which the service sends the browser back.
const refusals = {
  provider_away: "The provider of the logins cannot be reached. Try again later.",
  login_stale: "This login was begun elsewhere or too long ago. Log in again.",
  login_denied: "The provider has refused the login.",
  login_invalid: "The answer of the provider cannot be used. The log of the service says why.",
  login_no_role: "You may not use this service: none of your groups has a role here. Ask whoever runs it.",
};
const back = "nrdl-back";

/** returned goes where somebody was before the login, and returns why that failed, "" if it did not. */
export function returned() {
  const code = new URLSearchParams(location.search).get("login");
  let at = location.hash;
  try {
    at ||= sessionStorage.getItem(back) ?? "";
    if (!code) sessionStorage.removeItem(back);
  } catch { /* private window */ }
  if (code || at !== location.hash) history.replaceState(null, "", location.pathname + at);
  return code ? refusals[code] ?? "The login has failed." : "";
}

/** logIn is the way to the provider. */
const logIn = (text, again = "") => h("a", { class: "button main", href: "v1/login" + again, target: "_top", autofocus: true, onclick: () => {
  try { sessionStorage.setItem(back, location.hash); } catch { /* private window */ }
} }, text);

/** signIn asks for a key until the service takes it, or for a login. */
function signIn() {
  signing ??= description().then((api) => dialog("Sign in", (close) => {
    const offered = Boolean(api.paths["/v1/login"]), failed = offered ? returned() : "";
    const why = h("p", { class: "bad", role: "alert" });
    const key = h("input", { type: "password", autocomplete: "current-password", required: true, autofocus: !offered, placeholder: "nrdl_…" });
    const form = h("form", {
      onsubmit: async (e) => {
        e.preventDefault();
        why.textContent = "";
        try {
          const r = await fetch("v1/session", { method: "POST", headers: { Authorization: "Bearer " + key.value.trim() } });
          if (r.ok) {
            const me = await (await fetch("v1/session")).json();
            close(true);
            if (about.me && about.me.actor !== me.actor) location.reload(); // and may do something else
          } else why.textContent = r.status === 401 ? "The service does not know this key." : (await problem(r)).message;
        } catch { why.textContent = "The service cannot be reached."; }
      },
    }, !offered && h("p", {}, "This service needs a key. Whoever runs it can create one in Settings."), h("label", {}, "Key", key), why, h("div", { class: "row end" }, h("button", { class: offered ? "" : "main" }, "Sign in")));
    if (!offered) return form;
    const none = failed === refusals.login_no_role;
    return h("div", {}, h("p", failed ? { class: "bad", role: "alert" } : {}, failed || "Log in with your own account."),
      h("div", { class: "row log-in" }, logIn(none ? "Log in as somebody else" : "Log in", none ? "?again" : "")),
      h("details", { class: "with-key" }, h("summary", {}, "Sign in with a key"), form));
  }, { required: true })).finally(() => { signing = null; });
  return signing;
}

async function problem(r) {
  let text = "", id = "";
  try {
    const p = await r.json();
    id = p.id || "";
    text = p.detail || p.title || "";
    if (p.errors?.length) text = p.errors.map((e) => e.message).join("; ");
  } catch { /* no JSON */ }
  text = text.replace(/^(read image )?photo: /, "");
  text ||= `The service answered ${r.status}.`;
  return new Problem(r.status, text[0].toUpperCase() + text.slice(1), id);
}

/**
 * request sends and takes JSON, or sends a form. What only reads is sent again when the
 * service comes back.
 * @param {string} method
 * @param {string} path
 * @param {{body?: any, form?: FormData, signal?: AbortSignal, keepalive?: boolean, patient?: boolean}} [o]
 */
export async function request(method, path, o = {}) {
  const reads = method === "GET" || o.patient;
  const headers = {};
  if (o.body !== undefined) headers["Content-Type"] = "application/json";
  for (let tries = 0; ; tries++) {
    let r;
    try {
      r = await fetch(path, { method, headers, body: o.form ?? (o.body === undefined ? undefined : JSON.stringify(o.body)), signal: o.signal, keepalive: o.keepalive, credentials: "same-origin" });
    } catch (e) {
      if (o.signal?.aborted) throw e;
      const back = lost();
      if (!reads) throw new Problem(0, "Not saved: the service cannot be reached.");
      await back;
      if (o.signal?.aborted) throw new DOMException("", "AbortError");
      continue;
    }
    if (r.status === 401) {
      await signIn();
      continue;
    }
    if ((r.status === 429 || (r.status === 503 && reads)) && tries < 6) {
      await pause(1000 * Math.min(10, Number(r.headers.get("Retry-After")) || 1));
      continue;
    }
    if (!reads && (r.status === 404 || r.status === 409)) connection.dispatchEvent(new Event("stale"));
    if (!r.ok) throw await problem(r);
    if (r.status === 204 || r.headers.get("Content-Length") === "0") return null;
    return /json/.test(r.headers.get("Content-Type") || "") ? r.json() : r;
  }
}

export const get = (path, signal) => {
  const asked = early.get(path);
  early.delete(path);
  return asked ?? request("GET", path, { signal });
};

/** early has the answers, by path, that were asked for before the screen that needs them is shown. */
export const early = new Map();
export const post = (path, body, o = {}) => request("POST", path, { body: body ?? undefined, ...o });
export const patch = (path, body) => request("PATCH", path, { body });
export const del = (path) => request("DELETE", path);

/** upload sends files as fields of this name. */
export function upload(path, field, files, o = {}) {
  const form = new FormData();
  for (const f of files) form.append(field, f, f.name);
  return request("POST", path, { form, ...o });
}

/** What the service offers who uses the page: "METHOD path" as in its description. */
const features = new Set();
/** @type {{version: string, me: {actor: string, name?: string, email?: string, scopes: string[]} | null}} */
export const about = { version: "", me: null };

let described = null;
const description = () => (described ??= get("openapi.json").catch((e) => { described = null; throw e; }));

export async function learn() {
  const [api, me] = await Promise.all([description(), get("v1/session")]);
  about.version = api.info?.version || "";
  about.me = me;
  const may = (scopes) => !scopes || scopes.some((s) => me.scopes.includes(s));
  for (const [path, methods] of Object.entries(api.paths)) for (const [m, o] of Object.entries(methods)) if (may(o["x-scopes"])) features.add(m.toUpperCase() + " " + path);
}

/** signOut ends the session, also that at the provider of the login, if that is possible. */
export async function signOut() {
  const r = await fetch("v1/session", { method: "DELETE" });
  const end = r.ok && r.headers.get("Location");
  if (end) open(end, "_top");
  else location.reload();
}

/** undoable is undo, if who uses the page may undo. */
export const undoable = (undo) => (has("POST", "…/undo/{operation}") ? undo : null);

/** has reports whether the service has an operation that who uses the page may use, below the collection if path begins with …. */
export const has = (method, path) => features.has(method + " " + path.replace("…", "/v1/collections/{collection}"));
