// Pointing at a face in a photograph: one of those that were found, or the one in a box that is
// drawn around it, or between two eyes, which tell how far a head is turned. With the mouse or a
// finger a box is drawn and dragged, and eyes are set; with the keyboard they are buttons that the
// arrow keys move, and with Shift the box gets larger or smaller.
import { h, dialog, say } from "./dom.js";

const clip = (v, from, to) => Math.max(from, Math.min(to, v));

/**
 * point asks where the face is.
 * @param {File} file
 * @param {{box: {x: number, y: number, width: number, height: number}}[]} faces that were found
 * @param {string} title
 * @returns {Promise<string | undefined>} a parameter of the query: box=… or eyes=…; undefined for no answer
 */
export async function point(file, faces, title) {
  const url = URL.createObjectURL(file);
  const picture = /** @type {HTMLImageElement} */ (h("img", { src: url, alt: "The photograph", class: "photo", draggable: "false" }));
  try {
    if (!await picture.decode().then(() => true, () => false)) return undefined; // the browser cannot show it
    return await dialog(title, (close) => {
      // All places are shares of the width and the height of the photograph.
      const { naturalWidth: w, naturalHeight: hh } = picture, shape = w / hh;
      const side = 0.4 * Math.min(1, 1 / shape), least = 0.02;
      let box = { x: 0.5 - side / 2, y: 0.5 - side * shape / 2, width: side, height: side * shape };
      const eyes = [{ x: 0.45, y: 0.4 }, { x: 0.55, y: 0.4 }];
      let byEyes = false, next = 0; // the eye that a click sets
      const found = faces.map((f, i) => h("button", { type: "button", class: "box", "aria-label": `Face ${i + 1} of ${faces.length}`, onclick: () => close(query(f.box)) }));
      const style = (e, b) => { for (const [name, v] of Object.entries({ left: b.x, top: b.y, width: b.width, height: b.height })) if (v !== undefined) e.style[name] = 100 * v + "%"; };
      found.forEach((e, i) => { const b = faces[i].box; style(e, { x: b.x / w, y: b.y / hh, width: b.width / w, height: b.height / hh }); });
      const frame = h("button", { type: "button", class: "box drawn", "aria-label": "Box around the face", autofocus: !faces.length });
      const marks = ["Left eye in the picture", "Right eye in the picture"].map((name, i) => h("button", { type: "button", class: "eye", "aria-label": name, onfocus: () => { next = i; } }));
      const stage = h("div", { class: "stage pointing" }, picture, h("div", { class: "boxes" }, frame, marks, found));
      const setBox = (x, y, width, height) => {
        width = clip(width, least, 1);
        height = clip(height, least * shape, 1);
        box = { x: clip(x, 0, 1 - width), y: clip(y, 0, 1 - height), width, height };
        style(frame, box);
      };
      const setEye = (i, x, y) => style(marks[i], eyes[i] = { x: clip(x, 0, 0.999), y: clip(y, 0, 0.999) });
      const at = (e) => { const r = picture.getBoundingClientRect(); return [clip((e.clientX - r.left) / r.width, 0, 1), clip((e.clientY - r.top) / r.height, 0, 1)]; };
      stage.addEventListener("pointerdown", (e) => {
        if (found.includes(e.target)) return;
        e.preventDefault();
        if (use.hidden) show("box");
        const [x, y] = at(e), was = box, i = marks.includes(e.target) ? marks.indexOf(e.target) : next;
        const draw = (m) => {
          const [a, b] = at(m);
          if (byEyes) setEye(i, a, b);
          else if (e.target === frame) setBox(was.x + a - x, was.y + b - y, was.width, was.height);
          else setBox(Math.min(x, a), Math.min(y, b), Math.abs(a - x), Math.abs(b - y));
        };
        if (byEyes) draw(e);
        (byEyes ? marks[i] : frame).focus();
        next = 1 - i;
        stage.setPointerCapture(e.pointerId);
        stage.addEventListener("pointermove", draw);
        stage.addEventListener("lostpointercapture", () => stage.removeEventListener("pointermove", draw), { once: true });
      });
      stage.addEventListener("keydown", (e) => {
        const d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key], i = marks.indexOf(e.target);
        if (!d || i < 0 && e.target !== frame) return;
        e.preventDefault();
        e.stopPropagation();
        const step = i >= 0 && e.shiftKey ? 0.002 : 0.01, x = d[0] * step, y = d[1] * step * shape;
        if (i >= 0) setEye(i, eyes[i].x + x, eyes[i].y + y);
        else if (e.shiftKey) setBox(box.x, box.y, box.width + x, box.height + y);
        else setBox(box.x + x, box.y + y, box.width, box.height);
        const share = (v) => Math.round(100 * v) + " %";
        say(i >= 0 ? `${share(eyes[i].x)} from the left, ${share(eyes[i].y)} from the top` : `${share(box.x)} from the left, ${share(box.y)} from the top, ${share(box.width)} wide, ${share(box.height)} high`);
      });
      const query = (b) => `box=${[b.x, b.y, b.width, b.height].map(Math.round)}`;
      const done = () => close(byEyes ? `eyes=${eyes.map((p) => `${(p.x * w).toFixed(1)},${(p.y * hh).toFixed(1)}`)}` : query({ x: box.x * w, y: box.y * hh, width: box.width * w, height: box.height * hh }));
      const text = h("p"), other = h("button", { type: "button", onclick: () => show(frame.hidden ? "box" : "eyes") }), use = h("button", { type: "button", class: "main", onclick: done });
      const show = (by) => {
        byEyes = by === "eyes";
        frame.hidden = by !== "box";
        use.hidden = by === "found";
        for (const m of marks) m.hidden = !byEyes;
        text.textContent = { found: "Choose a face.", box: "Draw a box around the face, from the forehead to the chin. The arrow keys move the box, with Shift they change its size.", eyes: "Click on the two eyes, or move the two marks: drag them, or use Tab and the arrow keys." }[by];
        other.textContent = by === "box" ? "Point at the eyes" : "Draw a box";
        use.textContent = byEyes ? "Use these eyes" : "Use this box";
      };
      setBox(box.x, box.y, box.width, box.height);
      marks.forEach((_, i) => setEye(i, eyes[i].x, eyes[i].y));
      show(faces.length ? "found" : "box");
      return h("div", {}, text, stage, h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, "Skip"), other, use));
    }, { wide: true });
  } finally {
    URL.revokeObjectURL(url);
  }
}
