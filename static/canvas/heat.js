// A tensor as a small heat map: orange for positive, blue for negative, the stronger the larger.

const WARM = [217, 119, 6], COOL = [37, 99, 235];

/** A canvas with one dot a cell, shown `size` CSS pixels a cell. */
export function heatMap(rows, columns, size) {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  canvas.style.width = `${columns * size}px`;
  canvas.style.height = `${rows * size}px`;
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}

const painted = new WeakMap();

/** Draws the numbers; `most` is the number that gets the strongest colour. */
export function paintHeat(canvas, numbers, most) {
  const now = `${most} ${numbers.join()}`;
  if (painted.get(canvas) === now) return;
  painted.set(canvas, now);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i];
    const [red, green, blue] = number >= 0 ? WARM : COOL;
    const share = Number.isFinite(number) ? Math.min(Math.abs(number) / (most || 1), 1) : 0;
    image.data.set([red, green, blue, 22 + 233 * Math.sqrt(share)], 4 * i);
  }
  context.putImageData(image, 0, 0);
}
