// Both losses over the epochs, drawn up to the epoch that is shown; the rest is there, faint.

import { html, put, say, svg } from "./elements.js";
import { numberText } from "./numbers.js";

const WIDTH = 1000, HEIGHT = 120, LEFT = 8, TOP = 8;

export class Curves {
  constructor(twins, total) {
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
    const ends = html("span", { class: "ends", text: known.length ? `scale: loss ${numberText(this.low, 3)} to ${numberText(this.high, 3)}` : "no loss" });
    this.element = html("div", { class: "losses" }, html("p", { class: "keys" }, ...this.keys, ends), this.svg);
  }

  x(epoch) {
    return this.total < 2 ? WIDTH / 2 : LEFT + ((epoch - 1) / (this.total - 1)) * (WIDTH - 2 * LEFT);
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
