// The numbers of a picture: where each tensor's lie in a frame, and how a number is written.

/** One twin's numbers, a row a frame. A gradient that did not come is NaN. */
export class Reel {
  constructor(twin) {
    this.twin = twin;
    this.width = twin.width;
    const bytes = Uint8Array.from(atob(twin.numbers), (c) => c.charCodeAt(0));
    this.numbers = new Float32Array(bytes.buffer);
  }

  /** The corner of a tensor that a strip [start, rows, columns] holds, in one frame. */
  at([start, rows, columns], frame) {
    const from = frame * this.width + start;
    const cells = rows * columns;
    return {
      rows,
      columns,
      values: this.numbers.subarray(from, from + cells),
      gradient: this.numbers.subarray(from + cells, from + 2 * cells),
      norm: this.numbers[from + 2 * cells],
    };
  }

  stage(index, frame) {
    return this.at(this.twin.stages[index], frame);
  }

  parameter(index, frame) {
    return this.at(this.twin.parameters[index].strip, frame);
  }
}

/** "value", "zero" or "none" of a norm: what came back. A norm of -1 came and was not measured. */
export const stateOf = (norm) => (Number.isNaN(norm) ? "none" : norm === 0 ? "zero" : "value");

/** The largest of some numbers without their signs, over all of them that are finite. */
export function largest(numbers) {
  let found = 0;
  for (const number of numbers) if (Number.isFinite(number) && Math.abs(number) > found) found = Math.abs(number);
  return found;
}

/** A number with four digits, as the rest of the app writes it. */
export function numberText(number, digits = 4) {
  if (number === null || number === undefined) return "none";
  if (!Number.isFinite(number)) return String(number).replace("NaN", "nan").replace("Infinity", "inf");
  const kept = Number(number.toPrecision(6));
  if (kept === 0) return "0";
  if (Number.isInteger(kept) && Math.abs(kept) < 1e6) return String(kept);
  const power = Math.floor(Math.log10(Math.abs(kept)));
  if (power < -4 || power >= 6) return kept.toExponential(digits - 1).replace("e+", "e");
  return power >= digits ? kept.toFixed(0) : kept.toPrecision(digits);
}

export const shapeText = (shape) => (shape.length ? shape.join(" × ") : "scalar");
