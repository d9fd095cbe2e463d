// The living picture. `show` is called with new data at each run of the page; what a reader has opened, chosen and
// scrubbed to stays, and from the old state to the new the picture moves.

import { Curves } from "./curves.js";
import { html, put, say } from "./elements.js";
import { boxesOf, linksOf, place } from "./graph.js";
import { inspector } from "./inspector.js";
import { Player, playStep } from "./motion.js";
import { numberText, Reel, stateOf } from "./numbers.js";
import { Planes } from "./plane.js";
import { Scene } from "./scene.js";

const SMALLEST = 0.72, HIGHEST = 485, LEAST = 300; // below that scale a text is not read; a higher drawing is scaled down to it, then scrolls; no opened picture has less
const LISTED = new Intl.ListFormat("en-GB"); // "a, b and c"
const pictures = new WeakMap();
const sheet = fetch(new URL("./canvas.css", import.meta.url)).then((answer) => answer.text());

/** Draws a picture into the place that streamlit gives, or brings the one that stands there up to date. */
export async function show(component, here) {
  const root = here.querySelector(".living");
  if (!pictures.has(root)) {
    root.append(html("style", { text: await sheet }));
    if (!pictures.has(root)) pictures.set(root, new Picture(root));
  }
  pictures.get(root).update(component);
}

class Picture {
  constructor(root) {
    this.root = root;
    this.opened = new Set();
    this.frame = 0;
    this.chosen = null;
    this.said = "";
    this.play = html("button", { type: "button", class: "play", click: () => this.playOrPause() });
    this.step = html("button", { type: "button", text: "Step", title: "Run one step: values forward, gradients back; then the next epoch", click: () => this.stepOn() });
    this.reset = html("button", { type: "button", text: "Reset", title: "Back to the first epoch", click: () => { this.rest(); this.goTo(0); this.keepLink(); } });
    this.range = html("input", { type: "range", min: 0, step: 1, "aria-label": "Epoch of the picture", input: () => { this.rest(); this.goTo(Number(this.range.value)); }, change: () => this.keepLink() });
    this.epoch = html("output", {});
    this.bar = html("div", { class: "bar", role: "group", "aria-label": "Play the training" }, this.play, this.step, this.reset, this.range, this.epoch);
    this.view = html("div", { class: "view", tabindex: 0, role: "group", "aria-label": "The picture: values run from left to right, gradients from right to left" });
    this.view.addEventListener("scroll", () => this.scene?.keepTitles(this.view.scrollLeft));
    this.summary = html("p", { class: "summary", role: "status" });
    this.values = html("p", { class: "values" });
    this.below = html("div", { class: "below" });
    this.side = html("div");
    this.key = html("p", { class: "legend" });
    root.style.minHeight = ""; // the place that was kept until here
    root.append(this.bar, this.summary, this.values, this.view, this.key, this.side, this.below);
    this.player = new Player((frame) => this.goTo(frame), () => { this.label(); this.keepLink(); });
    this.label();
  }

  update(component) {
    this.component = component;
    const text = new TextDecoder().decode(component.data);
    const end = text.indexOf("\n");
    const look = JSON.parse(text.slice(0, end)), scene = text.slice(end);
    const same = scene === this.said;
    if (same && look.shown === this.data.shown && look.can_cut === this.data.can_cut) {
      this.data.link = look.link;
      return;
    }
    const data = { ...(same ? this.data : JSON.parse(scene)), ...look };
    const other = !this.data || this.data.name !== data.name;
    const form = JSON.stringify([data.name, data.nodes, data.edges, data.scissors, data.can_cut, data.twins.map((t) => [t.title, t.stages, t.parameters])]);
    this.said = scene;
    this.stop();
    const epoch = other || data.shown !== this.data.shown ? data.shown : this.data.epochs[this.frame];
    this.data = data;
    if (other) { this.opened.clear(); this.chosen = null; this.view.style.maxHeight = ""; }
    this.reels = data.twins.map((twin) => new Reel(twin));
    put(this.range, "max", data.epochs.length - 1);
    this.bar.hidden = data.epochs.length < 2;
    this.curves = data.twins.some((twin) => twin.losses.length > 1) ? new Curves(data.twins, data.total, (at) => { this.rest(); this.goTo(nearest(data.epochs, at)); this.keepLink(); }) : null;
    this.planes = data.plane ? new Planes(data.plane, data.twins) : null;
    this.below.replaceChildren(...[this.curves, this.planes].filter(Boolean).map((one) => one.element));
    const cut = !other && form !== this.form;
    if (form === this.form) this.scene.refill(data, this.reels);
    else this.build();
    this.form = form;
    this.goTo(nearest(data.epochs, epoch));
    if (cut) playStep(this.scene);
  }

  build() {
    const boxes = boxesOf(this.data, this.opened);
    const links = linksOf(this.data, boxes);
    const size = place(boxes, links);
    const focused = this.root.getRootNode().activeElement?.getAttribute?.("aria-label");
    this.scene = new Scene(this.data, this.reels, boxes, links, size, {
      inspect: (box, row) => {
        this.chosen = this.chosen === box.id && this.chosenRow === row ? null : box.id;
        this.chosenRow = row;
        this.inspect();
      },
      toggle: (id) => this.toggle(id),
      cut: (place) => { this.view.classList.add("waiting"); this.component.setTriggerValue("cut", place); },
    });
    const scale = Math.min(1, Math.max(SMALLEST, Math.min(this.view.clientWidth / size.width, HIGHEST / this.scene.height)));
    this.view.replaceChildren(this.scene.element);
    this.scene.heat.settle();
    this.scene.element.style.zoom = scale;
    this.view.classList.remove("waiting");
    this.scene.keepTitles(this.view.scrollLeft);
    this.scene.scale = scale;
    this.showCut();
    this.key.replaceChildren(...this.legend());
    if (focused) [...this.view.querySelectorAll("button")].find((b) => b.getAttribute("aria-label") === focused)?.focus();
  }

  /** Opens a box or closes it. What stands below keeps its place: a picture that becomes higher scrolls inside. */
  toggle(id) {
    if (!this.opened.size && this.below.childElementCount) this.view.style.maxHeight = `${Math.max(this.view.offsetHeight, LEAST)}px`;
    if (!this.opened.delete(id)) this.opened.add(id);
    if (!this.opened.size) this.view.style.maxHeight = "";
    this.build();
    this.goTo(this.frame);
    const within = this.scene.boxes.findIndex((box) => box.within === id || box.id === id);
    if (within >= 0) this.lookAt(this.scene.rows[this.scene.rows.length - 1].boxes[within].element);
  }

  /** What the signs mean, of those that this picture has. */
  legend() {
    const some = (missing) => this.data.nodes.some((node) => node.twins.some((twin) => twin?.missing === missing));
    const parts = [["forward", "values"], ["grad", "gradient: the wider, the larger, on one scale for all epochs; its number (∇) is its norm: how large the gradient is as a whole"]];
    if (some("starved")) parts.push(["starved", "no gradient comes back this far; a stage with weights is starved: it learns nothing"]);
    if (this.scene.fedFromElsewhere()) parts.push(["hungry", "the gradient of its parameters comes from another call of the same layer"]);
    if (some("refused")) parts.push(["refused", "backward() refused, it raised an error: the loss has no path back to anything that learns"]);
    if (this.data.scissors.length) parts.push(["cut", this.data.can_cut ? "✂ the gradient stops here (dashed: click to cut)" : "✂ the gradient stops here"]);
    const tensor = html("span", { class: "k tensor" }, html("i", { class: "warm" }), html("i", { class: "cool" }), "a tensor, + and −; framed: the weights");
    if (this.view.scrollWidth > this.view.clientWidth + 8) parts.push(["plain", "↔ the picture is wider than its place: scroll it sideways"]);
    else if (this.view.scrollHeight > this.view.clientHeight + 8) parts.push(["plain", "↕ the picture is higher than its place: scroll it"]);
    return [...parts.map(([kind, text]) => html("span", { class: `k ${kind}`, text })), tensor];
  }

  /** Where the picture is larger than its place, it starts at the cut. */
  showCut() {
    const mark = this.scene.element.querySelector(".scissors.chosen");
    if (mark) this.lookAt(mark);
  }

  /** Scrolls the picture, and nothing else, to a part of it. */
  lookAt(mark) {
    this.view.scrollLeft = mark.offsetLeft * this.scene.scale - this.view.clientWidth / 2;
    // Downwards no further than it must: the upper row's title is the first to be read.
    const top = mark.offsetTop * this.scene.scale - 20, bottom = top + mark.offsetHeight * this.scene.scale + 40;
    this.view.scrollTop = Math.max(Math.min(this.view.scrollTop, top), bottom - this.view.clientHeight);
  }

  goTo(frame) {
    this.frame = Math.max(0, Math.min(frame, this.data.epochs.length - 1));
    const epoch = this.data.epochs[this.frame];
    this.scene.paint(this.frame);
    this.curves?.paint(epoch);
    this.planes?.paint(this.frame, this.data.epochs.length);
    this.range.value = this.frame;
    const thinned = this.data.epochs.length < this.data.total ? ` (${this.data.epochs.length} of them are shown)` : "";
    say(this.epoch, `Epoch ${epoch} of ${this.data.total}${thinned}`);
    put(this.range, "aria-valuetext", `epoch ${epoch} of ${this.data.total}, ${this.data.twins.map((t) => `loss ${t.title.toLowerCase()} ${numberText(t.losses[epoch - 1])}`).join(", ")}`);
    say(this.summary, this.sentence());
    say(this.values, this.aboutValues(epoch));
    if (this.chosen) this.inspect();
  }

  /** Who learns and who starves in the lower row, in words. */
  sentence() {
    const t = this.reels.length - 1, reel = this.reels[t];
    if (reel.twin.raised && reel.twin.refused) return `${t ? "With the detach here, " : ""}backward() raises an error: no path leads back from the loss to anything that learns, so no layer learns.`;
    const fed = new Set(), zero = new Set(), starved = new Set();
    reel.twin.parameters.forEach((parameter, i) => {
      if (!parameter.trained && !parameter.held) return;
      const layer = parameter.name.split(".").slice(0, -1).join(".") || parameter.name;
      ({ none: starved, zero, value: fed })[stateOf(reel.parameter(i, this.frame).norm)].add(layer);
    });
    for (const layer of fed) zero.delete(layer);
    for (const layer of [...fed, ...zero]) starved.delete(layer);
    const list = (layers) => LISTED.format(layers.size > 5 ? [...[...layers].slice(0, 4), `${layers.size - 4} more`] : layers);
    // A path counts as cut where it brings a gradient without the detach.
    const cut = this.data.edges.some((edge) => edge.cut[t] && edge.cut.some((at, other) => !at && this.scene.arrived(edge.to, other, this.frame)));
    const learning = fed.size ? `Learning: ${list(fed)}.` : "Nothing learns.";
    const zeros = zero.size ? `A gradient of zeros only: ${list(zero)}. ` : "";
    if (!starved.size && zero.size) return `${zeros}${learning}`;
    if (!starved.size) return `Every layer gets its gradient${cut ? ", though a path is cut" : ""}: ${list(fed)}.`;
    return `Starved: ${list(starved)} (no gradient comes back this far). ${zeros}${learning}`;
  }

  /** What the values do, and how to see more. */
  aboutValues(epoch) {
    const [one, other] = this.data.twins.map((twin) => twin.losses[epoch - 1]);
    const look = "Click a box for its numbers.";
    if (this.data.twins.length < 2 || one === undefined || one === null || other === null) return look;
    if (!this.data.scissors.some((scissors) => scissors.chosen)) return `No detach stands anywhere, so both rows are the same run. ${look}`;
    if (this.reels[0].weightsAre(this.reels[1], this.frame)) return `Forward, both rows compute the same (loss ${numberText(one)}): a detach changes no value, it only stops the gradient on its way back. ${look}`;
    if (!this.reels.at(-1).moved(this.frame)) return `By now the upper row has learned other weights; the lower row still has those it started with. ${look}`;
    if (numberText(one) === numberText(other)) return `The weights differ by now, and both losses are ${numberText(one)}. ${look}`;
    return `The values differ because the weights differ by now. ${look}`;
  }

  inspect() {
    const box = this.scene.boxes.find((one) => one.id === this.chosen);
    const opened = [...this.side.querySelectorAll("details")].map((d) => d.open);
    this.side.replaceChildren(...(box ? [inspector(this.data, this.reels, box, this.frame, () => { this.chosen = null; this.inspect(); })] : []));
    this.side.querySelectorAll("details").forEach((d, i) => { d.open = opened[i] ?? false; });
    if (box && !opened.length) this.side.querySelector("h3").scrollIntoView({ block: "nearest" });
    for (const row of this.scene.rows) for (const one of row.boxes) put(one.element, "aria-expanded", String(one.box.id === this.chosen));
  }

  async playOrPause() {
    if (this.player.running || this.stepping) { this.rest(); return; }
    if (this.frame === this.data.epochs.length - 1) this.goTo(0);
    if (await this.oneStep()) this.player.start(this.frame, this.data.epochs.length);
    this.label();
  }

  async stepOn() {
    this.rest();
    if (await this.oneStep() && this.frame < this.data.epochs.length - 1) this.goTo(this.frame + 1);
    this.keepLink();
  }

  /** Whether the step ran to its end. */
  async oneStep() {
    this.stepping = true;
    this.label();
    const over = await playStep(this.scene);
    if (over !== false) this.stepping = false;
    this.label();
    return over !== false;
  }

  /** Stops what moves, for the reader. */
  rest() {
    this.player.stop();
    this.stop();
  }

  /** Stops what moves, for new data, which bring an address of their own. */
  stop() {
    this.player.running = false;
    this.stepping = false;
    this.scene?.stopMotion?.();
    this.label();
  }

  label() {
    const moving = this.player?.running || this.stepping;
    say(this.play, moving ? "Pause" : "▶ Play");
  }

  /** The epoch goes into the address, so that a link opens on it; nothing is asked of the server. */
  keepLink() {
    const url = new URL(location.href);
    if (this.data.total < 2) return;
    if (!url.searchParams.has("experiment")) url.search = this.data.link;
    url.searchParams.set("epoch", this.data.epochs[this.frame]);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }
}

function nearest(epochs, epoch) {
  let found = 0;
  epochs.forEach((one, i) => { if (Math.abs(one - epoch) < Math.abs(epochs[found] - epoch)) found = i; });
  return found;
}
