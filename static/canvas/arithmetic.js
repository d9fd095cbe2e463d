// One element of a call's result, written out with the numbers that it was computed from.

import { numberText } from "./numbers.js";

const FUNCTIONS = { tanh: "tanh", relu: "relu", sigmoid: "sigmoid", softplus: "softplus", exp: "exp", log: "log", round: "round", neg: "−" };
const SIGNS = { add: "+", sub: "−", mul: "·", div: "/" };

/** A sentence, or "" where the kept corner of the tensors does not hold all that is needed. */
export function arithmetic(node, twin, reel, frame) {
  const out = reel.stage(twin.stage, frame);
  const result = numberText(out.values[0]);
  const inputs = twin.inputs.map((i) => ({ shape: null, ...reel.stage(i, frame) }));
  const [first, second] = inputs;
  if (node.op === "linear") return linear(twin, reel, frame, first, result);
  if (!first) return "";
  if (node.op in FUNCTIONS) return `${FUNCTIONS[node.op]}(${numberText(first.values[0])}) = ${result}`;
  if (node.op in SIGNS && second && twin.inputs.length === 2) return `${numberText(first.values[0])} ${SIGNS[node.op]} ${numberText(second.values[0])} = ${result}`;
  return "";
}

function linear(twin, reel, frame, input, result) {
  const own = twin.parameters.map((i) => ({ ...reel.twin.parameters[i], ...reel.parameter(i, frame) }));
  const weight = own.find((p) => p.shape.length === 2), bias = own.find((p) => p.shape.length === 1);
  if (!input || !weight || weight.shape[1] > input.columns) return "";
  const products = [...weight.values.slice(0, weight.shape[1])].map((w, i) => `${numberText(input.values[i])} · ${numberText(w)}`);
  return `${products.join(" + ")}${bias ? ` + ${numberText(bias.values[0])}` : ""} = ${result}`;
}
