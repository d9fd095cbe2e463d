// A module that is called twice: its parameters' gradient can come from the one call while none passes back through the other.

import { stateOf } from "./numbers.js";

/** The calls outside of a box that use a parameter of it, in a twin. */
export function sharers(data, box, t) {
  const own = new Set(box.nodes.flatMap((n) => data.nodes[n].twins[t]?.parameters ?? []));
  return data.nodes.flatMap(({ twins }, n) => (!box.nodes.includes(n) && twins[t]?.parameters.some((p) => own.has(p)) ? [n] : []));
}

/** Those of them that the gradient of the box's parameters came from, where none came back through the box itself. */
export function feeders(data, reel, box, t, frame) {
  const came = (n) => stateOf(reel.stage(data.nodes[n].twins[t].stage, frame).norm) !== "none";
  const calls = box.nodes.filter((n) => data.nodes[n].twins[t]?.parameters.length);
  return calls.some(came) ? [] : sharers(data, box, t).filter(came);
}
