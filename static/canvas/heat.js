// A tensor as a small heat map: orange for positive, blue for negative, the stronger the larger.

export const WARM = [217, 119, 6], COOL = [37, 99, 235];
const GREY = [120, 120, 120];

/** All the heat maps of a drawing on one canvas. A canvas for each would be a layer for each, which the browser composes
 * anew at every frame. A map keeps its place in the drawing by an empty element in its box. */
export class HeatSheet {
  constructor(width, height) {
    this.canvas = document.createElement("canvas");
    Object.assign(this.canvas, { width, height, className: "heat" });
    this.canvas.setAttribute("aria-hidden", "true");
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.maps = [];
  }

  /** A map of so many cells, `size` pixels each; gives its map, whose `element` goes into a box. */
  map(rows, columns, size, kind = "") {
    const element = document.createElement("span");
    element.className = `map ${kind}`;
    element.style.cssText = `width:${columns * size}px;height:${rows * size}px`;
    const map = { element, rows, columns, size, painted: "" };
    this.maps.push(map);
    return map;
  }

  /** Looks where the maps stand: once, when the drawing has been laid out. Boxes do not move afterwards. */
  settle() {
    for (const map of this.maps) {
      const box = map.element.offsetParent;
      if (box) Object.assign(map, { x: Math.round(box.offsetLeft + box.clientLeft + map.element.offsetLeft), y: Math.round(box.offsetTop + box.clientTop + map.element.offsetTop) });
    }
  }

  /** Draws the numbers; `most` is the number that gets the strongest colour. `faded` for what learns nothing. */
  paint(map, numbers, most, faded = false) {
    const now = `${faded} ${most} ${numbers.join()}`;
    if (map.x === undefined || map.painted === now) return;
    map.painted = now;
    const { rows, columns, size } = map;
    const image = new ImageData(columns * size, rows * size);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < rows * columns; i += 1) {
      const number = numbers[i];
      const [red, green, blue] = faded ? GREY : number >= 0 ? WARM : COOL;
      const share = Number.isFinite(number) ? Math.min(Math.abs(number) / (most || 1), 1) : 0;
      const alpha = Math.round((22 + 233 * Math.sqrt(share)) * (faded ? 0.55 : 1));
      const pixel = ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
      const left = (i % columns) * size, top = Math.floor(i / columns) * size;
      for (let y = top; y < top + size; y += 1) pixels.fill(pixel, y * columns * size + left, y * columns * size + left + size);
    }
    this.context.putImageData(image, map.x, map.y);
  }
}
