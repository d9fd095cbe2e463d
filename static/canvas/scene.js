// The drawing itself: both twins, one above the other on the same columns; boxes, values forward, gradients back, scissors.

import { HeatSheet } from "./heat.js";
import { html, put, say, svg } from "./elements.js";
import { curve, middle } from "./graph.js";
import { largest, numberText, shapeText, stateOf } from "./numbers.js";
import { feeders, sharers } from "./shared.js";

const HEAD = 24;
const THIN = 1.5, WIDE = 10; // pixels of an arrow

export class Scene {
  /** `on` has what a reader can do: inspect(box, row), toggle(box), cut(place). */
  constructor(data, reels, boxes, links, size, on) {
    Object.assign(this, { data, reels, boxes, links, size, on });
    this.rowHeight = size.height + HEAD;
    this.width = size.width;
    this.height = this.rowHeight * reels.length;
    this.most = new Map(); // the strongest number of each heat map over all frames, so that colours can be compared
    this.svg = svg("svg", { width: this.width, height: this.height, "aria-hidden": "true", class: "wires" });
    this.element = html("div", { class: "drawing", style: `width:${this.width}px;height:${this.height}px` }, this.svg);
    this.svg.append(heads());
    this.heat = new HeatSheet(this.width, this.height);
    this.rows = reels.map((reel, t) => this.row(reel, t));
    this.element.append(this.heat.canvas);
    this.cutMarks();
  }

  /** Takes the numbers of another run of the same program: the drawing stands. */
  refill(data, reels) {
    Object.assign(this, { data, reels, widest: undefined });
    this.most.clear();
  }

  /** The width of a gradient's arrow in pixels: the square root of its norm, on one scale for all frames of both rows. */
  thickness(norm) {
    if (norm < 0) return 3;
    if (norm === 0) return 1;
    this.widest ??= this.largestNorm();
    return Math.max(THIN, Math.min(WIDE, WIDE * Math.sqrt(norm / this.widest)));
  }

  /** The largest norm that goes along an arrow. A single number's is left out: a term of the loss gets its factor, whatever is learned. */
  largestNorm() {
    const norms = [];
    for (const { from } of this.data.edges) {
      if (!this.data.nodes[from].shape.length) continue;
      this.data.nodes[from].twins.forEach((twin, t) => {
        for (let f = 0; twin && f < this.data.epochs.length; f += 1) norms.push(Math.max(0, this.reels[t].stage(twin.stage, f).norm));
      });
    }
    return largest(norms) || 1;
  }

  row(reel, t) {
    const top = t * this.rowHeight + HEAD;
    const title = html("div", { class: `twin twin${t}`, style: `top:${t * this.rowHeight}px` });
    this.element.append(title);
    const group = svg("g", { transform: `translate(0,${top})` });
    this.svg.append(group);
    const wires = this.links.map((link) => this.wire(link, t, group));
    group.append(...wires.map((wire) => wire.label)); // above all arrows
    const boxes = this.boxes.map((box) => this.box(box, t, top));
    return { title, wires, boxes };
  }

  box(box, t, top) {
    const last = this.lastIn(box, t);
    const node = this.data.nodes[last];
    const twin = node.twins[t];
    box.look = `box${box.small ? " small" : ""}${box.rides ? " rider" : ""}`;
    const element = html("button", {
      type: "button", class: box.look, style: `left:${box.x}px;top:${top + box.y}px;width:${box.width}px;height:${box.height}px`,
      click: () => this.on.inspect(box, t), dblclick: () => box.opens && this.on.toggle(box.id),
    });
    const name = html("strong", { text: box.title, title: box.title });
    const shape = html("small", { class: "shape", text: box.opens ? `${box.nodes.length} calls · ${shapeText(node.shape)}` : shapeText(node.shape) });
    const maps = html("span", { class: "maps" });
    const state = html("small", { class: `state${sharers(this.data, box, t).length ? " two" : ""}` }); // its place is reserved, whatever a frame says
    element.append(name, shape, maps, state);
    this.element.append(element);
    if (box.opens) {
      this.element.append(html("button", {
        type: "button", class: "opener", text: "+", "aria-label": `Open ${box.title}: ${box.nodes.length} calls`, title: `Open ${box.title}`,
        style: `left:${box.x + box.width - 16}px;top:${top + box.y - 15}px`, click: () => this.on.toggle(box.id),
      }));
    }
    if (box.within) {
      this.element.append(html("button", {
        type: "button", class: "opener", text: "−", "aria-label": `Close what ${box.title} is part of`, title: "Close",
        style: `left:${box.x + box.width - (box.opens ? 42 : 16)}px;top:${top + box.y - 15}px`, click: () => this.on.toggle(box.within),
      }));
    }
    const own = { box, element, state, twin, last };
    if (twin) {
      const [, rows, columns] = this.reels[t].twin.stages[twin.stage];
      own.values = this.heat.map(rows, columns, rows * columns === 1 ? 18 : cell(rows, columns));
      maps.append(own.values.element);
      const matrix = this.parameters(box, t)[0];
      if (matrix !== undefined) {
        const [, r, c] = this.reels[t].twin.parameters[matrix].strip;
        own.weights = this.heat.map(r, c, cell(r, c) - 1, "weights");
        own.matrix = matrix;
        maps.append(own.weights.element);
      }
    }
    return own;
  }

  /** The call whose result a box shows in a twin: its last, or the last that the twin came to. */
  lastIn(box, t) {
    if (this.data.nodes[box.last].twins[t]) return box.last;
    return box.nodes.filter((n) => this.data.nodes[n].twins[t]).at(-1) ?? box.last;
  }

  /** The indices of a box's parameters in a twin, the largest first. */
  parameters(box, t) {
    const all = new Set(box.nodes.flatMap((n) => this.data.nodes[n].twins[t]?.parameters ?? []));
    const size = (i) => this.reels[t].twin.parameters[i].shape.reduce((a, b) => a * b, 1);
    return [...all].sort((a, b) => size(b) - size(a));
  }

  wire(link, t, group) {
    const straight = this.boxes[link.from].rides ? `M${link.points[0].x},${link.points[0].y - 9} L${link.points[1].x},${link.points[1].y - 9}` : "";
    const forward = svg("path", { class: "forward", d: straight || curve(link.points, -9), "marker-end": "url(#forward-head)" });
    const back = svg("path", { class: "back", d: curve(link.points, 9, true), "marker-end": "url(#back-head)" });
    const [start] = link.points, at = middle(link.points), end = link.points.at(-1);
    const junction = { x: start.x + 33, y: start.y + 27 };
    const label = svg("text", { class: "norm", ...junction, "text-anchor": "middle" });
    group.append(forward, back);
    // Below an arrow that goes over other boxes: at its start the number would stand at the arrow to those.
    const own = at.y < start.y - HEAD ? { x: (start.x + end.x) / 2, y: at.y + 27 } : junction;
    return { link, forward, back, label, junction, own, length: 0 };
  }

  /** The scissors: on the edge where the detach stands in the lower twin, and faint ones where it could. */
  cutMarks() {
    const { data } = this;
    const t = this.reels.length - 1;
    const top = t * this.rowHeight + HEAD;
    this.marks = [];
    const seen = new Map();
    for (const scissors of data.scissors) {
      const spots = new Set([...scissors.edges.flatMap(([a, b]) => this.linkOf(a, b)), ...scissors.nodes.flatMap((n) => this.boxOf(n))]);
      [...spots].forEach((spot, i) => {
        const at = spot.points ? middle(spot.points) : { x: spot.x + 19, y: spot.y - 4 };
        const free = `${Math.round(at.x)},${Math.round(at.y)}`;
        const turn = seen.get(free) ?? 0;
        seen.set(free, turn + 1);
        const shift = spot.points ? 24 * turn : 0; // on a box they stand beside each other, above its title
        if (!spot.points) at.x += 33 * turn;
        if (spot.points) this.stepAside(spot, t, at);
        if (spot.points && scissors.chosen) this.stump(spot, t);
        const label = scissors.chosen ? `The detach stands ${scissors.label}. Take it away` : `Put the detach ${scissors.label}`;
        const mark = html("button", {
          type: "button", class: `scissors${scissors.chosen ? " chosen" : ""}`, text: "✂", "aria-label": label, title: label,
          "aria-pressed": String(scissors.chosen), disabled: !data.can_cut, draggable: scissors.chosen && data.can_cut ? "true" : undefined,
          style: `left:${at.x - 15}px;top:${top + at.y - 9 - 15 + shift}px`, tabindex: i ? -1 : 0,
          click: () => this.on.cut(scissors.chosen ? "nowhere" : scissors.name),
          dragstart: (event) => event.dataTransfer.setData("text/plain", scissors.name),
          dragover: (event) => event.preventDefault(),
          drop: (event) => { event.preventDefault(); if (!scissors.chosen) this.on.cut(scissors.name); },
        });
        this.marks.push({ mark, scissors });
        this.element.append(mark);
        if (spot.points && data.can_cut) for (let row = 0; row <= t; row += 1) this.arrow(spot, row, mark);
      });
    }
    for (let row = 0; row < this.reels.length; row += 1) this.plainCuts(row);
  }

  /** A number that scissors would hide stands below them. */
  stepAside(link, t, at) {
    const { junction, own } = this.rows[t].wires.find((one) => one.link === link);
    for (const place of [junction, own]) {
      if (Math.abs(place.x - at.x) < 40 && Math.abs(place.y - 4 - (at.y - 9)) < 22) place.y = at.y + 22;
    }
  }

  /** The arrow itself can be clicked too: a wide path that is not seen lies under its scissors. */
  arrow(link, t, mark) {
    const wire = this.rows[t].wires.find((one) => one.link === link);
    const hit = svg("path", { class: "hit", d: curve(link.points, 0), click: () => mark.click() });
    hit.append(svg("title", {}, mark.title));
    wire.forward.parentNode.append(hit);
  }

  /** Cuts that are no place of the reader's choice: those of a step of their own, or that a step always has. */
  plainCuts(t) {
    for (const link of this.links) {
      if (!link.edges.some((e) => e.cut[t]) || this.rows[t].wires.find((one) => one.link === link).stump) continue;
      const at = middle(link.points);
      this.stump(link, t);
      this.element.append(html("span", { class: "scissors chosen still", text: "✂", role: "img", "aria-label": "detached here",
        style: `left:${at.x - 15}px;top:${t * this.rowHeight + HEAD + at.y - 24}px` }));
    }
  }

  stump(link, t) {
    const end = link.points.at(-1), at = middle(link.points);
    const wire = this.rows[t].wires.find((one) => one.link === link);
    const y = end.y + 9;
    const x = Math.max(at.x + 10, end.x - 26);
    const group = wire.back.parentNode;
    wire.stump = svg("path", { class: "stump", d: `M${end.x},${y} L${x},${y}` });
    wire.bar = svg("path", { class: "bar", d: `M${x - 1},${y - 9} L${x - 1},${y + 9}` });
    group.append(wire.stump, wire.bar);
  }

  /** Whether a gradient came to a node in a frame. */
  arrived(node, t, frame) {
    const twin = this.data.nodes[node].twins[t];
    return Boolean(twin) && stateOf(this.reels[t].stage(twin.stage, frame).norm) !== "none";
  }

  /** Keeps the twins' names in sight where the picture is scrolled sideways. */
  keepTitles(left) {
    for (const row of this.rows) row.title.style.transform = `translateX(${left / (this.scale || 1)}px)`;
  }

  linkOf(a, b) {
    return this.links.filter((link) => link.edges.some((e) => e.from === a && e.to === b));
  }

  boxOf(n) {
    return this.boxes.filter((box) => box.nodes.includes(n));
  }

  /** The strongest number of a node's values, or of a parameter's, over all frames of both twins: equal numbers have equal colours. */
  strongest(key, strips, frames) {
    if (!this.most.has(key)) {
      let found = 0;
      strips.forEach((strip, t) => {
        for (let f = 0; strip && f < frames; f += 1) found = Math.max(found, largest(this.reels[t].at(strip, f).values));
      });
      this.most.set(key, found);
    }
    return this.most.get(key);
  }

  /** Shows one frame. */
  paint(frame) {
    const frames = this.data.epochs.length;
    this.rows.forEach((row, t) => {
      const reel = this.reels[t];
      const loss = reel.twin.losses[this.data.epochs[frame] - 1];
      say(row.title, `${reel.twin.title}${loss === undefined ? "" : ` · ${reel.twin.loss_name || "loss"} ${numberText(loss)}`}${reel.twin.refused ? " · backward() refused: nothing learns" : ""}`);
      for (const one of row.boxes) this.paintBox(one, reel, t, frame, frames);
      for (const wire of row.wires) this.paintWire(wire, reel, t, frame);
    });
  }

  paintBox(one, reel, t, frame, frames) {
    const { twin, element } = one;
    if (!twin) {
      put(element, "class", `${one.box.look} absent`);
      say(one.state, "not in this step");
      return;
    }
    const strip = reel.twin.stages[twin.stage];
    const now = reel.at(strip, frame);
    const node = this.data.nodes[one.last];
    const strips = node.twins.map((own, other) => own && this.reels[other].twin.stages[own.stage]);
    this.heat.paint(one.values, now.values, this.strongest(`node ${one.last}`, strips, frames));
    const { kind, text } = this.stateOf(one, reel, t, frame);
    if (one.weights) {
      const weights = reel.twin.parameters[one.matrix].strip;
      const { name } = reel.twin.parameters[one.matrix];
      const own = this.reels.map((each) => each.twin.parameters.find((p) => p.name === name)?.strip);
      this.heat.paint(one.weights, reel.at(weights, frame).values, this.strongest(`weights ${name}`, own, frames), kind === "starved" || kind === "refused");
    }
    const shut = reel.twin.refused && this.isLoss(one.box, t) ? " stopped" : "";
    put(element, "class", `${one.box.look} ${kind}${shut}`);
    say(one.state, text);
    put(element, "aria-label", `${one.box.title}, ${reel.twin.title.toLowerCase()}: ${shapeText(this.data.nodes[one.box.last].shape)}; ${text}`);
  }

  /** Whether any box's parameters get their gradient from another call, in the first frame. */
  fedFromElsewhere() {
    return this.rows.some((row, t) => row.boxes.some((one) => one.twin && feeders(this.data, this.reels[t], one.box, t, 0).length));
  }

  /** What a box says of its gradient in a frame. */
  stateOf(one, reel, t, frame) {
    const { box, twin } = one;
    const norm = reel.stage(twin.stage, frame).norm;
    const came = stateOf(norm);
    const parameters = this.parameters(box, t);
    if (parameters.length) {
      const norms = parameters.map((i) => reel.parameter(i, frame).norm).filter((n) => !Number.isNaN(n));
      if (!norms.length) return { kind: none(twin, came), text: twin.missing === "refused" ? "backward() refused" : came === "none" ? "starved" : "weights: none" };
      const whole = Math.sqrt(norms.reduce((a, n) => a + Math.max(n, 0) ** 2, 0));
      const others = feeders(this.data, reel, box, t, frame);
      const said = norms.some((n) => n < 0) ? "learns" : `${norms.length > 1 ? "parameters" : "weights"} ∇ ${numberText(whole, 3)}`;
      return { kind: others.length ? "hungry" : whole === 0 ? "zero" : "fed", text: others.length ? `${said}, from another call` : said };
    }
    if (came === "none") return { kind: none(twin, came), text: { refused: "backward() refused", unneeded: "no gradient needed" }[twin.missing] ?? "no gradient" };
    return { kind: came === "zero" ? "zero" : "fed", text: came === "zero" ? "∇ all zero" : this.isLoss(box, t) ? (reel.twin.starts.length > 1 ? "a loss" : "the loss") : norm < 0 ? "∇ came" : `∇ ${numberText(norm, 3)}` };
  }

  /** Whether a backward pass started in a box. */
  isLoss(box, t) {
    const { starts } = this.reels[t].twin;
    return box.nodes.some((n) => starts.includes(this.data.nodes[n].twins[t]?.stage));
  }

  /** Whether a node's result is taken by several others that a gradient comes back from: at its arrows stands what they bring together. */
  gathers(node, t, frame) {
    return this.links.filter((link) => link.start === node && this.comes(link, t, frame)).length > 1;
  }

  /** Whether a gradient comes back along a link. */
  comes(link, t, frame) {
    const stands = this.reels[t].twin.as_described[frame];
    return link.edges.some((e) => (!e.cut[t] || !stands) && this.arrived(e.from, t, frame) && this.arrived(e.to, t, frame));
  }

  paintWire(wire, reel, t, frame) {
    const { link } = wire;
    const twin = this.data.nodes[link.start].twins[t];
    const here = link.edges.some((e) => this.data.nodes[e.from].twins[t] && this.data.nodes[e.to].twins[t]);
    const norm = twin ? reel.stage(twin.stage, frame).norm : NaN;
    const stands = reel.twin.as_described[frame];
    const came = this.comes(link, t, frame);
    wire.forward.style.display = here ? "" : "none";
    wire.back.style.display = came ? "" : "none";
    wire.label.style.display = came ? "" : "none";
    if (came) {
      wire.back.style.strokeWidth = `${this.thickness(norm)}px`;
      put(wire.back, "class", norm === 0 ? "back zero" : "back");
      const gathers = this.gathers(link.start, t, frame), place = gathers ? wire.junction : wire.own;
      say(wire.label, norm < 0 ? "" : `${numberText(norm, 3)}${gathers ? " in all" : ""}`);
      put(wire.label, "x", place.x);
      put(wire.label, "y", place.y);
    }
    if (wire.stump) {
      const end = this.data.nodes[link.edges[0].to].twins[t];
      const arrived = end ? reel.stage(end.stage, frame).norm : NaN;
      const alive = stands && stateOf(arrived) !== "none";
      wire.stump.style.display = alive ? "" : "none";
      wire.bar.style.display = alive ? "" : "none";
      // Of a single number, such as the loss, the gradient says nothing of how much is stopped here.
      const scalar = !this.data.nodes[link.edges[0].to].shape.length;
      if (alive) wire.stump.style.strokeWidth = `${scalar ? 4 : this.thickness(arrived)}px`;
    }
  }
}

function none(twin, came) {
  return came !== "none" ? "hungry" : twin.missing === "starved" ? "starved" : twin.missing === "refused" ? "refused" : "unneeded";
}

const cell = (rows, columns) => Math.max(3, Math.min(9, Math.floor(44 / Math.max(rows, columns))));

function heads() {
  const head = (id, size) => svg("marker", { id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: size, markerHeight: size, markerUnits: "userSpaceOnUse", orient: "auto" },
    svg("path", { d: "M0,0 L10,5 L0,10 z", class: id }));
  return svg("defs", {}, head("forward-head", 8), head("back-head", 15));
}
