// How many strangers may be named, and what that costs.
import { h, put, s, ask, icon, toast, say, count, percent, oneIn, fewerThan, rove } from "./dom.js";
import { get, patch, del, has } from "./api.js";
import { importing, interrupted, sources, chosen, ended, told, refusals } from "./importer.js";
import { crop, why, grid } from "./faces.js";
import { discard } from "./groups.js";

const called = (p) => (p.name === "ignored" ? "somebody ignored" : p.name);

export async function view(root, ctx) {
  const curve = await get(`${ctx.base}/calibration/curve`, ctx.signal);
  put(root, h("h1", { tabindex: -1 }, "Strangers"), h("p", { class: "lead" }, "Nobody is recognised without a risk. How often may a stranger get a name?"));
  if (!curve.points.length) {
    put(root, h("p", { class: "empty" }, "Give a name to somebody first. ", has("POST", "…/review/decide") && h("a", { href: ctx.href("groups") }, "Name the groups")));
    return strangers(root, ctx, curve.given);
  }
  const P = curve.points, last = P.length - 1;
  let saved = nearest(curve.fpir);
  const range = h("input", { type: "range", min: 0, max: last, step: 1, value: saved, id: "line", "aria-describedby": "line-ends" });
  const apply = h("button", { class: "main" }, "Use this");
  const reset = h("button", {}, "Reset");
  const big = h("output", { for: "line", class: "big" });
  const left = fact("Strangers who get a name"), right = fact("Known faces that are not named");
  const chart = plot(P);
  const changes = h("section", { class: "changes", "aria-labelledby": "changes" });
  put(root, h("section", { class: "line", "aria-label": "How many strangers may be named" },
    h("label", { for: "line" }, "Strangers who may be named: ", big), range,
    h("div", { class: "ends soft small", id: "line-ends" }, h("span", {}, "1 in 10, more names"), h("span", {}, "1 in 1,000, more care")),
    h("div", { class: "row" }, has("PATCH", "/v1/collections/{collection}") && apply, reset),
    h("div", { class: "facts" }, left.element, right.element)),
  h("figure", { class: "chart" }, chart.element, h("figcaption", { class: "soft small" }, "The further right, the fewer strangers get a name, and the fewer known faces do. The number of faces leaves the share of known faces uncertain: the true one lies in the band with 90 % probability.")), changes);

  function nearest(fpir) {
    return P.reduce((best, p, i) => (Math.abs(Math.log(p.fpir / fpir)) < Math.abs(Math.log(P[best].fpir / fpir)) ? i : best), 0);
  }
  function fact(title) {
    const value = h("p", { class: "value" }), range = h("p", { class: "soft small" });
    return { element: h("div", { class: "fact" }, h("h2", {}, title), value, range), value, range };
  }
  const interval = (v) => (v.most - v.least < 1e-9 ? "" : percent(v.least) === percent(v.most) ? percent(v.most) : `Between ${percent(v.least)} and ${percent(v.most)}`);

  function draw() {
    const i = Number(range.value), p = P[i];
    big.textContent = oneIn(p.fpir);
    range.setAttribute("aria-valuetext", `${oneIn(p.fpir)} strangers`);
    const { alike, at_large: random } = p.strangers;
    if (random.most >= 1) {
      left.value.textContent = "Nobody can say";
      left.range.textContent = "Nobody gets a name: the people of this collection are too alike for this network. Photographs of other people may help.";
    } else if (alike.most < 1) {
      left.value.textContent = oneIn(alike.rate);
      left.range.textContent = `${interval(alike)}, if strangers resemble your people as much as these resemble each other. Of people chosen at random, ${fewerThan(random.most)}.`;
    } else {
      left.value.textContent = fewerThan(random.most);
      left.range.textContent = `Of people chosen at random. How many of those who resemble your people, such as relatives, is not known: that takes 20 people, or photographs of other people from the same place.`;
    }
    if (p.held) {
      const lost = { rate: 1 - p.right.rate, least: 1 - p.right.most, most: 1 - p.right.least };
      right.value.textContent = percent(Math.max(0, lost.rate));
      right.range.textContent = `${interval(lost)}, by ${count(p.held, "face")} that were compared as if they were new. ${p.wrong.rate > 0 ? percent(p.wrong.rate) + " get a wrong name." : "None gets a wrong name."}`;
    } else {
      right.value.textContent = "Not known yet";
      right.range.textContent = "People need two faces or more to tell.";
    }
    apply.disabled = reset.disabled = i === saved;
    chart.at(i, saved);
    flips(P[saved].threshold, p.threshold);
  }

  const most = 60;
  function flips(now, then) {
    const lo = Math.min(now, then), hi = Math.max(now, then);
    const flip = curve.faces.filter((f) => f.evidence >= lo && f.evidence < hi);
    const kept = h("h2", { id: "changes" }, now === then ? "Faces that are decided narrowly" : then < now ? `${count(flip.length, "face")} would get a name` : `${count(flip.length, "face")} would become unknown`);
    let show = flip;
    if (now === then) show = [...curve.faces].sort((a, b) => Math.abs(a.evidence - now) - Math.abs(b.evidence - now)).slice(0, 12).sort((a, b) => b.evidence - a.evidence);
    const tiles = h("div", { class: "faces flips", role: "list" }, show.slice(0, most).map((f, i) => {
      const right = !f.person || f.person.id === f.guess.id;
      const words = !f.person ? `like ${called(f.guess)}` : right ? f.guess.name : `${f.person.name}, taken for ${called(f.guess)}`;
      return h("div", { role: "listitem" }, h("button", { class: "flip" + (right ? "" : " wrong"), tabindex: i ? -1 : 0, onclick: () => why(ctx.base, f.face) }, crop(ctx.base, f.face), h("span", { class: "small", dir: "auto" }, words), h("span", { class: now === then ? "soft small" : "spoken" }, f.evidence >= now ? "named" : "unknown")));
    }));
    rove(tiles, ".flip");
    const about = now === then ? "Move the slider to see which faces would be decided otherwise." : flip.length > most ? `The first ${most} of them.` : flip.length ? "" : "This changes the decision for none of the faces that were looked at.";
    changes.replaceChildren(kept, h("p", { class: "soft" }, about, curve.faces.length < curve.of ? ` ${curve.faces.length.toLocaleString("en")} faces of ${curve.of.toLocaleString("en")} were looked at.` : ""), tiles);
  }

  async function save(i, quiet) {
    const from = saved;
    const few = P[i].held && P[i].right.rate < 0.1 && P[from].right.rate >= 0.1;
    if (few && !await ask("Recognise nearly nobody?", `With ${oneIn(P[i].fpir)} strangers, ${percent(P[i].right.rate)} of the known faces would get their name.`, "Set it all the same", { danger: true })) return;
    await patch(ctx.base, { fpir: P[i].fpir, force: true });
    ctx.collection.fpir = P[i].fpir;
    saved = i;
    range.value = String(i);
    draw();
    if (quiet) say(`Back to ${oneIn(P[i].fpir)}`);
    else toast(`Saved: ${oneIn(P[i].fpir)} strangers may be named.`, () => save(from, true));
  }
  await strangers(root, ctx, curve.given);
  range.addEventListener("input", draw);
  apply.addEventListener("click", async () => { await save(Number(range.value)); range.focus(); });
  reset.addEventListener("click", () => { range.value = String(saved); draw(); range.focus(); });
  draw();
  ctx.watch(curve, () => get(`${ctx.base}/calibration/curve`, ctx.signal), () => { if (Number(range.value) === saved) return ctx.again(true); });
}

// strangers shows the faces of people who are not in the collection, and takes more of them.
async function strangers(root, ctx, given) {
  if (!has("POST", "…/strangers")) return;
  const files = h("input", { type: "file", multiple: true, accept: "image/*,.heic,.heif,.zip", hidden: true, id: "choose-strangers" });
  const begin = (all) => { if (all.length) importing.start(ctx.collection, all, true); };
  files.addEventListener("change", () => { const all = chosen(files.files); files.value = ""; begin(all); });
  ctx.drop(async (data) => begin(await sources(data)));
  const lost = interrupted();
  const said = h("p", { class: "soft", role: "status" }, lost?.strangers && lost.collection === ctx.collection.id && lost.text), bad = h("div"), list = h("div");
  put(root, h("section", { class: "others", "aria-labelledby": "others" }, h("h2", { id: "others" }, "Photographs of other people"),
    h("p", { class: "soft" }, "Photographs of people who are not in this collection make these rates surer. Best is one photograph of each, of people like those whom the camera will see. They are kept for this only, and never become people."),
    h("div", { class: "row" }, h("button", { onclick: () => files.click() }, icon("photo"), "Add photos of others"), given.faces > 0 && h("button", { class: "danger", onclick: remove }, "Delete them all"), files), said, bad, list));
  const draw = () => {
    const i = importing;
    if (!i.strangers || i.collection !== ctx.collection.id || ctx.signal.aborted) return;
    said.textContent = i.running ? `${i.done} of ${count(i.total, "file")} …` : `${ended(i)}: ${told({ ...i, duplicates: i.again })}.`;
    if (i.running) return;
    bad.replaceChildren(refusals(i.failed, true));
    if (i.faces && !i.shown) { i.shown = true; ctx.again(); }
  };
  importing.addEventListener("change", draw, { signal: ctx.signal });
  draw();
  if (!given.faces) return;
  const some = (await get(`${ctx.base}/faces?person=stranger&limit=500`, ctx.signal)).items.map((f) => f.id);
  const picture = grid(ctx.base, some, { label: "Faces of other people", most: 23, changed: (ids) => { button.disabled = !ids.length; } });
  const button = h("button", { disabled: true, onclick: () => { const ids = picture.chosen(); for (const id of ids) list.querySelector(`[data-face="${id}"]`).hidden = true; discard({ ...ctx, refresh: ctx.again }, ids, "stranger", () => {}, ctx.again); } }, "Delete the selected ones");
  put(list, h("p", {}, count(given.faces, "face"), given.used < given.faces && given.used ? `, of which ${given.used.toLocaleString("en")} are used with so many people` : "", "."),
    given.useless ? h("p", { class: "hint" }, "They are not used: nearly nobody would be recognised with them. Strangers must be people who are not in the collection.") : "",
    given.alike ? h("p", { class: "hint" }, `${count(given.alike, "face looks", "faces look")} so much like somebody of the collection that ${given.alike === 1 ? "it is" : "they are"} probably no ${given.alike === 1 ? "stranger" : "strangers"}. Select a face and press W to see why, and delete those who are no strangers.`) : "",
    picture.element, h("div", { class: "row" }, button));

  async function remove() {
    if (!await ask("Delete the photographs of other people?", `${count(given.faces, "face")} are removed for good. The rates are then estimated from the people of the collection alone.`, "Delete", { danger: true })) return;
    await del(`${ctx.base}/strangers`);
    ctx.again();
  }
}

// plot draws the share of right names, with its band, against the share of strangers.
function plot(P) {
  const W = 720, H = 284, l = 80, r = 16, t = 32, b = 52;
  const least = [0.9, 0.8, 0.6, 0.4, 0.2, 0].find((v) => v <= Math.min(...P.map((p) => p.right.least)));
  const x = (i) => l + (W - l - r) * i / (P.length - 1), y = (v) => t + (H - t - b) * (1 - (Math.max(least, v) - least) / (1 - least));
  const g = s("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "The share of known faces that are named falls when fewer strangers may be named" });
  const words = (px, py, text, anchor = "middle", kind = "soft") => { const e = s("text", { x: px, y: py, "text-anchor": anchor, class: kind }); e.textContent = text; return e; };
  for (let k = 0; k <= 4; k++) {
    const v = least + (1 - least) * k / 4;
    g.append(s("line", { x1: l, x2: W - r, y1: y(v), y2: y(v), class: "gridline" }), words(l - 8, y(v) + 4, (100 * v).toFixed(1).replace(".0", "") + " %", "end"));
  }
  for (const n of [10, 30, 100, 300, 1000]) g.append(words(x((Math.log10(n) - 1) / 2 * (P.length - 1)), H - 30, `1 in ${n.toLocaleString("en")}`, n === 10 ? "start" : n === 1000 ? "end" : "middle", n === 30 || n === 300 ? "soft minor" : "soft"));
  g.append(words(0, 16, "Known faces that are named rightly", "start"), words((l + W - r) / 2, H - 6, "Strangers who get a name"));
  const band = P.map((p, i) => `${x(i)},${y(p.right.most)}`).concat(P.map((p, i) => `${x(i)},${y(p.right.least)}`).reverse()).join(" ");
  const was = s("line", { y1: t, y2: H - b, class: "was" }), now = s("line", { y1: t, y2: H - b, class: "now" }), dot = s("circle", { r: 7, class: "dot" });
  g.append(s("polygon", { points: band, class: "band" }), s("polyline", { points: P.map((p, i) => `${x(i)},${y(p.right.rate)}`).join(" "), class: "curve" }), was, now, dot);
  return { element: g, at(i, saved) {
    for (const [e, k] of [[now, i], [was, saved]]) { e.setAttribute("x1", x(k)); e.setAttribute("x2", x(k)); }
    dot.setAttribute("cx", x(i));
    dot.setAttribute("cy", y(P[i].right.rate));
  } };
}
