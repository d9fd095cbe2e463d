// What the twins answer, as points beside the losses: the plane parted into classes, a cloud, or a value for each state.

import { html } from "./elements.js";
import { bytes, floats } from "./numbers.js";

const SIZE = 150;
const INKS = ["#2f6fde", "#c2570c", "#0d8a66", "#8b5cf6", "#b3266b"];
/** The same as pixels of a region: red, green, blue, and a light opacity. */
const PIXELS = INKS.map((ink) => [1, 3, 5].map((at) => parseInt(ink.slice(at, at + 2), 16)).concat(77));

export class Planes {
  constructor(plane, twins) {
    this.plane = plane;
    this.reference = floats(plane.reference);
    this.sides = twins.map((twin, t) => {
      const canvas = html("canvas", { width: 2 * SIZE, height: 2 * SIZE, role: "img" });
      const small = html("canvas", { width: plane.side, height: plane.side }); // the regions, one dot each
      const said = html("figcaption", { class: `twin${t}`, text: twin.title });
      return { canvas, small, said, title: twin.title, figure: html("figure", {}, said, canvas), answers: floats(plane.answers[t]), regions: plane.regions ? bytes(plane.regions[t]) : null };
    });
    this.element = html("div", { class: "planes" }, html("p", { text: plane.title }), ...this.sides.map((side) => side.figure));
  }

  paint(frame, frames) {
    this.sides.forEach((side, t) => {
      const context = side.canvas.getContext("2d");
      context.setTransform(2, 0, 0, 2, 0, 0);
      context.clearRect(0, 0, SIZE, SIZE);
      context.globalAlpha = 1;
      if (side.regions) this.paintRegions(context, side, frame);
      else this.paintAnswers(context, side, frame, frames, t);
    });
  }

  at(points, i) {
    const [left, right, below, above] = this.plane.bounds;
    return [SIZE * (points[2 * i] - left) / (right - left), SIZE * (1 - (points[2 * i + 1] - below) / (above - below))];
  }

  paintRegions(context, side, frame) {
    const { side: places, classes } = this.plane;
    const image = new ImageData(places, places);
    for (let i = 0; i < places * places; i += 1) {
      const pixel = PIXELS[side.regions[frame * places * places + i] % PIXELS.length];
      const at = 4 * ((places - 1 - Math.floor(i / places)) * places + (i % places));
      image.data.set(pixel, at);
    }
    side.small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(side.small, 0, 0, SIZE, SIZE);
    let right = 0;
    classes.forEach((of, i) => {
      const [x, y] = this.at(this.reference, i);
      const column = Math.min(places - 1, Math.max(0, Math.round((x / SIZE) * (places - 1))));
      const row = Math.min(places - 1, Math.max(0, Math.round((1 - y / SIZE) * (places - 1))));
      if (side.regions[frame * places * places + row * places + column] === of) right += 1;
      context.fillStyle = INKS[of % INKS.length];
      mark(context, of, x, y, true);
    });
    side.canvas.setAttribute("aria-label", `${side.title}: about ${right} of ${classes.length} points lie in the region of their class`);
  }

  paintAnswers(context, side, frame, frames, t) {
    const ink = getComputedStyle(side.canvas).color;
    const count = side.answers.length / 2 / frames;
    context.strokeStyle = ink;
    for (let i = 0; i < this.reference.length / 2; i += 1) mark(context, this.plane.kind === "values" ? 2 : 0, ...this.at(this.reference, i), false);
    context.fillStyle = INKS[t];
    for (let i = 0; i < count; i += 1) {
      const [x, y] = this.at(side.answers, frame * count + i);
      if (Number.isFinite(x)) mark(context, t, x, y, true);
    }
    side.canvas.setAttribute("aria-label", `${side.title}: ${count} points`);
  }
}

/** A mark of a shape of its own: nothing is told by colour alone. */
function mark(context, shape, x, y, full) {
  context.beginPath();
  if (shape % 3 === 0) context.arc(x, y, 3, 0, 7);
  else if (shape % 3 === 1) { context.moveTo(x, y - 4); context.lineTo(x + 4, y + 3); context.lineTo(x - 4, y + 3); context.closePath(); }
  else context.rect(x - 4, y - 4, 8, 8);
  if (full) context.fill();
  else context.stroke();
}
