// Pointing at a face in a photograph: one of those that were found, or by two eyes where none was.
// With the mouse or a finger the eyes are clicked or dragged; with the keyboard they are buttons
// that the arrow keys move.
import { h, dialog, say } from "./dom.js";

/**
 * point asks where the face is.
 * @param {File} file
 * @param {{box: {x: number, y: number, width: number, height: number}}[]} faces that were found
 * @param {string} title
 * @returns {Promise<string | undefined>} a parameter of the query: eyes=… or box=…; undefined for no answer
 */
export async function point(file, faces, title) {
  const url = URL.createObjectURL(file);
  const picture = /** @type {HTMLImageElement} */ (h("img", { src: url, alt: "The photograph", class: "photo", draggable: "false" }));
  try {
    if (!await picture.decode().then(() => true, () => false)) return undefined; // the browser cannot show it
    return await dialog(title, (close) => {
      const { naturalWidth: w, naturalHeight: hh } = picture;
      const eyes = [{ x: 0.45, y: 0.4 }, { x: 0.55, y: 0.4 }];
      let next = 0; // the eye that a click sets
      const handles = ["Left eye in the picture", "Right eye in the picture"].map((name, i) => h("button", { type: "button", class: "eye", onkeydown: (e) => move(e, i), onpointerdown: (e) => grab(e, i), onfocus: () => { next = i; } }, h("span", { class: "spoken" }, name)));
      const boxes = faces.map((f, i) => {
        const b = h("button", { type: "button", class: "box", "aria-label": `Face ${i + 1} of ${faces.length}`, onclick: (e) => { e.stopPropagation(); close(`box=${f.box.x},${f.box.y},${f.box.width},${f.box.height}`); } });
        Object.assign(b.style, { left: 100 * f.box.x / w + "%", top: 100 * f.box.y / hh + "%", width: 100 * f.box.width / w + "%", height: 100 * f.box.height / hh + "%" });
        return b;
      });
      const stage = h("div", { class: "stage pointing" }, picture, h("div", { class: "boxes" }, boxes), handles);
      const draw = () => handles.forEach((e, i) => { e.style.left = 100 * eyes[i].x + "%"; e.style.top = 100 * eyes[i].y + "%"; });
      const put = (i, x, y) => { eyes[i] = { x: Math.max(0, Math.min(0.999, x)), y: Math.max(0, Math.min(0.999, y)) }; draw(); };
      const at = (e) => { const r = picture.getBoundingClientRect(); return [(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height]; };
      const grab = (e, i) => {
        e.preventDefault();
        e.target.setPointerCapture(e.pointerId);
        e.target.onpointermove = (m) => put(i, ...at(m));
        e.target.onpointerup = () => { e.target.onpointermove = null; next = 1 - i; };
        handles[i].focus();
      };
      const move = (e, i) => {
        const step = e.shiftKey ? 0.002 : 0.01, d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
        if (!d) return;
        e.preventDefault();
        e.stopPropagation();
        put(i, eyes[i].x + d[0] * step, eyes[i].y + d[1] * step * w / hh);
        say(`${Math.round(100 * eyes[i].x)} % from the left, ${Math.round(100 * eyes[i].y)} % from the top`);
      };
      picture.addEventListener("click", (e) => { const i = next; put(i, ...at(e)); next = 1 - i; });
      draw();
      const done = () => close(`eyes=${eyes.map((p) => `${(p.x * w).toFixed(1)},${(p.y * hh).toFixed(1)}`).join(",")}`);
      return h("div", {}, h("p", {}, faces.length ? "Choose a face. If it has no frame, click on its two eyes." : "Click on the two eyes, or move the two marks: drag them, or use Tab and the arrow keys."), stage,
        h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, "Skip"), h("button", { type: "button", class: "main", onclick: done }, "Use these eyes")));
    }, { wide: true });
  } finally {
    URL.revokeObjectURL(url);
  }
}
