// What moves: a step that runs forward and back, and the epochs one after the other. Nothing moves for who asked for rest.

const BEAT = 120; // milliseconds that the front takes from one column to the next

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Plays one step: values run forward, then gradients back, as far as they came. Ends when it is over. */
export function playStep(scene) {
  if (still()) return Promise.resolve();
  const columns = scene.size.columns;
  const whole = BEAT * (2 * columns + 2);
  const running = [];
  const run = (element, frames, delay, duration) => {
    if (element.style.display === "none") return;
    running.push(element.animate(frames, { delay, duration, fill: "backwards", easing: "ease-in-out" }));
  };
  for (const row of scene.rows) {
    for (const { box, element } of row.boxes) {
      run(element, [{ transform: "scale(1)" }, { transform: "scale(1.06)" }, { transform: "scale(1)" }], BEAT * box.column, 2 * BEAT);
      if (element.classList.contains("fed")) run(element, [{ boxShadow: "0 0 0 0 var(--grad)" }, { boxShadow: "0 0 0 4px var(--grad)" }, { boxShadow: "0 0 0 0 var(--grad)" }], BEAT * (2 * columns - box.column), 2 * BEAT);
    }
    for (const wire of row.wires) {
      const from = scene.boxes[wire.link.from].column, to = scene.boxes[wire.link.to].column;
      const drawn = (path) => { const length = path.getTotalLength(); return [{ strokeDasharray: `${length}`, strokeDashoffset: `${length}` }, { strokeDasharray: `${length}`, strokeDashoffset: "0" }]; };
      run(wire.forward, drawn(wire.forward), BEAT * from, BEAT * (to - from));
      const back = BEAT * (2 * columns - to);
      if (wire.back.style.display !== "none") run(wire.back, drawn(wire.back), back, BEAT * (to - from));
      run(wire.label, [{ opacity: 0 }, { opacity: 1 }], back, BEAT * (to - from));
      if (wire.stump) {
        run(wire.stump, drawn(wire.stump), back, BEAT);
        run(wire.bar, [{ opacity: 0 }, { opacity: 1 }], back, BEAT);
      }
    }
  }
  const clock = scene.element.animate([{ opacity: 1 }, { opacity: 1 }], whole);
  running.push(clock);
  scene.stopMotion = () => running.forEach((one) => one.cancel());
  return clock.finished.then(() => true, () => false);
}

/** Shows frame after frame by the screen's own clock, about `seconds` for all of them. */
export class Player {
  constructor(show, ended, seconds = 8) {
    Object.assign(this, { show, ended, seconds, running: false });
  }

  start(frame, frames) {
    const each = Math.max(60, Math.min(700, (1000 * this.seconds) / frames));
    this.running = true;
    let last = performance.now();
    const tick = (now) => {
      if (!this.running) return;
      if (now - last >= each) {
        last = now;
        frame += 1;
        if (frame >= frames) { this.stop(); return; }
        this.show(frame);
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  stop() {
    if (!this.running) return;
    this.running = false;
    this.ended();
  }
}
