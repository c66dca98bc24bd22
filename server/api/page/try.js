// Naming the faces of a photograph.
import { h, put, icon, toast, say, count } from "./dom.js";
import { upload, has, undoable } from "./api.js";
import { reasons, chance } from "./faces.js";
import { point } from "./place.js";

export async function view(root, ctx) {
  const input = h("input", { type: "file", accept: "image/*,.heic,.heif", hidden: true, id: "choose-try" });
  const result = h("div", { class: "tried", "aria-live": "off" });
  const area = h("section", { class: "dropzone", "aria-label": "Choose a photograph" },
    h("div", { class: "art", "aria-hidden": "true" }, icon("try")), h("p", { class: "big" }, "Drop a photograph here"),
    h("div", { class: "row center" }, h("button", { class: "main", onclick: () => input.click() }, icon("photo"), "Choose a photo")), h("p", { class: "soft small" }, "It is looked at and forgotten."), input);
  put(root, h("h1", { tabindex: -1 }, "Try it"), h("p", { class: "lead" }, "See who is recognised, who stays unknown, and why."), area, result);
  const run = (file, where = "") => file && look(file, where).catch((e) => { if (e.name !== "AbortError") { result.replaceChildren(h("p", { class: "empty bad", role: "alert", dir: "auto" }, `${file.name}: ${e.message}`)); area.classList.remove("small-zone"); } });
  input.addEventListener("change", () => { run(input.files[0]); input.value = ""; });
  ctx.drop((data) => run(data.files[0]));
  let url = "";
  const urls = [];
  ctx.signal.addEventListener("abort", () => { for (const u of urls) URL.revokeObjectURL(u); });

  async function look(file, where = "") {
    area.classList.add("small-zone");
    url = URL.createObjectURL(file);
    urls.push(url);
    const picture = h("img", { src: url, alt: "The photograph", class: "photo" });
    const boxes = h("div", { class: "boxes" });
    const stage = h("div", { class: "stage busy" }, picture, boxes);
    const side = h("div", { class: "verdicts" }, h("p", { class: "soft", role: "status" }, "Looking at the photograph …"));
    result.replaceChildren(stage, side);
    const readable = await picture.decode().then(() => true, () => false);
    if (!readable) { stage.hidden = true; result.classList.add("alone"); } else result.classList.remove("alone");
    const seen = await upload(`${ctx.base}/identify?why=true${where && "&" + where}`, "photo", [file], { signal: ctx.signal, patient: true });
    stage.classList.remove("busy");
    const wrong = (seen.warnings ?? []).map((w) => h("p", { class: "soft", dir: "auto" }, `${w[0].toUpperCase()}${w.slice(1)}.`));
    if (!seen.faces.length) {
      side.replaceChildren(...wrong, h("p", { class: "empty" }, "No face was found in this photograph. Let the face look into the camera, upright, and fill more of the photograph."),
        h("div", { class: "row" }, h("button", { onclick: async () => { const at = await point(file, [], "Where is the face?"); if (at) run(file, at); } }, "Show where the face is")));
      say("No face was found");
      return;
    }
    const list = h("ol", { class: "seen" });
    boxes.classList.toggle("few", seen.faces.length <= 3);
    const items = seen.faces.map((f, i) => {
      const name = title(f), kind = f.decision;
      const id = `reason${i}`;
      const mark = h("button", { class: `box ${kind}`, "aria-label": `Face ${i + 1}: ${name}`, onclick: () => open(i, true) }, h("span", { dir: "auto" }, name));
      const { x, y, width: w, height: hh } = f.box;
      Object.assign(mark.style, { left: 100 * x / seen.size.width + "%", top: 100 * y / seen.size.height + "%", width: 100 * w / seen.size.width + "%", height: 100 * hh / seen.size.height + "%" });
      const right = seen.size.width - x, left = x + w; // the room for the name
      mark.style.setProperty("--room", `${100 * Math.max(right, left) / w}%`);
      mark.classList.toggle("left", left > right);
      if (y / seen.size.height < 0.07) mark.classList.add("low");
      boxes.append(mark);
      const thumb = f.crop ? h("img", { class: "crop", alt: "", src: blob(f.crop) }) : h("span", { class: "crop none" });
      const button = h("button", { class: "seen-face", "aria-expanded": "false", "aria-controls": id, onclick: () => open(i) }, thumb, h("span", { class: "words" }, h("strong", { dir: "auto" }, name), h("span", { class: "soft" }, sub(f))), h("span", { class: "link" }, "Why?"));
      const panel = h("div", { id, class: "panel", hidden: true });
      const li = h("li", { class: kind }, button, panel);
      put(list, li);
      return { f, mark, button, panel, li };
    });
    const watch = new ResizeObserver(() => apart(items.map((o) => o.mark)));
    watch.observe(boxes);
    ctx.signal.addEventListener("abort", () => watch.disconnect());
    const n = seen.faces.filter((f) => f.decision === "known").length;
    side.replaceChildren(...wrong, h("p", { class: "count", role: "status" }, `${count(seen.faces.length, "face")}, ${n === seen.faces.length ? "all recognised" : `${n} recognised`}`), list,
      has("POST", "…/faces") ? h("div", { class: "row" }, h("button", { onclick: () => keep(file, where) }, "Add these faces to the collection")) : "");
    say(`${count(seen.faces.length, "face")}, ${n} recognised`);

    function open(i, jump = false) {
      for (const [k, o] of items.entries()) {
        const on = k === i && (jump || o.panel.hidden);
        o.panel.hidden = !on;
        o.button.setAttribute("aria-expanded", String(on));
        o.mark.classList.toggle("on", on);
        if (on && !o.panel.firstChild) put(o.panel, h("p", { dir: "auto" }, o.f.why), o.f.decision === "refused" ? "" : reasons(ctx.base, o.f.reasons));
        if (on && jump) { o.button.focus(); o.li.scrollIntoView({ block: "nearest" }); }
      }
    }
  }

  function blob(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const u = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }));
    urls.push(u);
    return u;
  }

  async function keep(file, where) {
    const told = await upload(`${ctx.base}/faces?new=true${where && "&" + where}`, "photo", [file]);
    ctx.mutated();
    if (!told.faces.length) return void toast(told.refused[0]?.why.includes("before") ? "This photograph was added before." : "No face in it can be used.");
    toast(`${count(told.faces.length, "face")} added to the groups.`, undoable(async () => {
      for (const op of told.operations) await import("./api.js").then(({ post }) => post(`${ctx.base}/undo/${op}`));
      ctx.mutated();
    }));
  }
}

// apart puts a name that would lie on another one below its face.
function apart(marks) {
  const names = [];
  for (const mark of marks) {
    if (mark.dataset.moved) mark.classList.remove("low");
    delete mark.dataset.moved;
    const at = () => mark.firstChild.getBoundingClientRect();
    const free = (r) => !names.some((o) => r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom);
    if (!free(at()) && !mark.classList.contains("low")) {
      mark.classList.add("low");
      if (free(at())) mark.dataset.moved = "yes"; else mark.classList.remove("low");
    }
    names.push(at());
  }
}

function title(f) {
  if (f.decision === "known") return f.name;
  if (f.decision === "refused") return "Cannot be used";
  if (f.decision === "doubtful" && f.guess) return `${f.guess}?`;
  return "Unknown";
}

function sub(f) {
  switch (f.decision) {
    case "known": return f.probability === null ? "recognised" : `recognised, ${chance(f.probability)} sure`;
    case "doubtful": return f.probability === null ? "perhaps" : `perhaps, ${chance(f.probability)} sure`;
    case "refused": return "the picture of the face is too poor";
  }
  if (f.covered) return `nobody here, or not sure: ${f.covered} probably covered`;
  return f.maybe ? `a little like ${f.maybe}` : "nobody here, or not sure";
}
