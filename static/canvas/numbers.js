// The numbers of a picture: where each tensor's lie in a frame, and how a number is written.

/** What a packed text holds. */
export const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
export const floats = (text) => new Float32Array(bytes(text).buffer);

/** One twin's numbers, a row a frame. A gradient that did not come is NaN. */
export class Reel {
  constructor(twin) {
    this.twin = twin;
    this.width = twin.width;
    this.numbers = floats(twin.numbers);
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

  /** Whether any weight is another than in the first frame. */
  moved(frame) {
    return this.twin.parameters.some(({ strip }) => {
      const first = this.at(strip, 0).values;
      return this.at(strip, frame).values.some((value, i) => value !== first[i]);
    });
  }

  /** Whether all weights are those of another reel of the same model. */
  weightsAre(other, frame) {
    return this.twin.parameters.every(({ strip }, i) => {
      const theirs = other.at(other.twin.parameters[i].strip, frame).values;
      return this.at(strip, frame).values.every((value, at) => value === theirs[at]);
    });
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

/** A number as the rest of the app writes it: six digits are kept, four shown, half up; whole ones as they are. */
export function numberText(number, digits = 4) {
  if (number === null || number === undefined) return "none";
  if (!Number.isFinite(number)) return String(number).replace("NaN", "nan").replace("Infinity", "inf");
  const [mantissa, exponent] = number.toExponential(5).split("e");
  const six = Number(mantissa.replace(/[-.]/g, "")); // whole numbers from here on: a half is a half
  if (six === 0) return "0";
  const sign = number < 0 ? "-" : "";
  let power = Number(exponent);
  const unit = 10 ** (5 - power); // of the kept digits, to one
  if (power >= 0 && power < 6 && six % unit === 0) return `${sign}${six / unit}`;
  if (power >= digits - 1 && power < 6) return `${sign}${Math.floor((six + unit / 2) / unit)}`;
  const small = power < -4, large = power >= 6;
  const drop = 10 ** (6 - digits);
  let shown = Math.floor((six + drop / 2) / drop);
  if (shown === 10 ** digits) {
    shown /= 10;
    power += 1;
  }
  const text = String(shown);
  if (small || large) return `${sign}${text[0]}.${text.slice(1)}e${power < 0 ? "" : "+"}${power}`;
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${text}`;
  return `${sign}${text.slice(0, power + 1)}${power + 1 < digits ? "." : ""}${text.slice(power + 1)}`;
}

export const shapeText = (shape) => (shape.length ? shape.join(" × ") : "scalar");
