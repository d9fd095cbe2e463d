// Both losses over the epochs, drawn up to the epoch that is shown; the rest is there, faint.

import { html, put, say, svg } from "./elements.js";
import { numberText } from "./numbers.js";

const WIDTH = 1000, HEIGHT = 120, LEFT = 8, TOP = 8;

export class Curves {
  /** `pick` is told the epoch where a reader clicks. */
  constructor(twins, total, pick) {
    this.twins = twins;
    this.total = total;
    const known = twins.flatMap((twin) => twin.losses).filter((loss) => loss !== null);
    this.low = Math.min(...known);
    this.high = Math.max(...known);
    this.svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 2 * TOP}`, preserveAspectRatio: "none", class: "curves", "aria-hidden": "true" });
    this.lines = twins.map((twin, t) => {
      const faint = svg("path", { class: `curve twin${t} faint`, d: this.path(twin.losses, total) });
      const drawn = svg("path", { class: `curve twin${t}` });
      this.svg.append(faint, drawn);
      return drawn;
    });
    this.rule = svg("path", { class: "rule" });
    this.svg.append(this.rule);
    this.keys = twins.map((twin, t) => html("span", { class: `key twin${t}` }));
    this.svg.addEventListener("click", (event) => pick(this.epochAt(event)));
    const scale = html("div", { class: "scale" }, html("span", { text: known.length ? numberText(this.high, 3) : "" }), html("span", { text: known.length && this.high > this.low ? numberText(this.low, 3) : "" }));
    const ends = html("p", { class: "ends" }, html("span", { text: "epoch 1" }), html("span", { text: `epoch ${total}` }));
    this.element = html("div", { class: "losses" }, html("p", { class: "keys" }, html("span", { text: "Loss" }), ...this.keys), html("div", { class: "plot" }, scale, this.svg), ends);
  }

  x(epoch) {
    return this.total < 2 ? WIDTH / 2 : LEFT + ((epoch - 1) / (this.total - 1)) * (WIDTH - 2 * LEFT);
  }

  /** The epoch under a click. */
  epochAt(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    const share = ((event.clientX - left) / width * WIDTH - LEFT) / (WIDTH - 2 * LEFT);
    return 1 + Math.max(0, Math.min(1, share)) * (this.total - 1);
  }

  y(loss) {
    return TOP + HEIGHT * (this.high > this.low ? 1 - (loss - this.low) / (this.high - this.low) : 0.5);
  }

  path(losses, last) {
    let path = "", pen = "M";
    for (let e = 0; e < last && e < losses.length; e += 1) {
      if (losses[e] === null) { pen = "M"; continue; }
      path += `${pen}${this.x(e + 1).toFixed(1)},${this.y(losses[e]).toFixed(1)}`;
      pen = "L";
    }
    return path;
  }

  paint(epoch) {
    put(this.rule, "d", `M${this.x(epoch).toFixed(1)},0 V${HEIGHT + 2 * TOP}`);
    this.twins.forEach((twin, t) => {
      put(this.lines[t], "d", this.path(twin.losses, epoch));
      say(this.keys[t], `${twin.title}: ${numberText(twin.losses[epoch - 1])}`);
    });
  }
}
