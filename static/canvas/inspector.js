// What stands in a box, looked at closely: values and gradient of both twins, flags, the line, one element's arithmetic.

import { arithmetic } from "./arithmetic.js";
import { html } from "./elements.js";
import { COOL, WARM } from "./heat.js";
import { largest, numberText, shapeText, stateOf } from "./numbers.js";
import { feeders } from "./shared.js";

/** The inspector of a box in one frame. */
export function inspector(data, reels, box, frame, close) {
  const node = data.nodes[box.last];
  const head = html("header", {}, html("h3", { text: node.name && node.name !== box.title ? `${box.title} → ${node.name}` : box.title }),
    html("button", { type: "button", class: "close", "aria-label": "Close the inspector", text: "×", click: close }));
  const about = html("p", {}, box.opens ? `${box.nodes.length} calls; shown is what comes out of the last, ${node.title}: ` : `${node.title}: `, node.does, `. Shape ${shapeText(node.shape)}.`);
  const line = node.code ? html("p", {}, html("code", { text: node.code }), html("small", { text: ` line ${node.line}` })) : "";
  const twins = html("div", { class: "sides" }, ...reels.map((reel, t) => side(node, reel, t, frame, box, data)));
  return html("section", { class: "inspector", "aria-label": `Inspector: ${box.title}` }, head, about, line, twins);
}

function side(node, reel, t, frame, box, data) {
  const twin = node.twins[t];
  const parts = [html("h4", { class: `twin${t}`, text: reel.twin.title })];
  if (!twin) return html("div", {}, ...parts, html("p", { text: "This call is not in this step." }));
  const now = reel.stage(twin.stage, frame);
  parts.push(table("Values forward", now, now.values, node.shape));
  parts.push(stateOf(now.norm) === "none" || Number.isNaN(now.gradient[0])
    ? html("p", { class: "missing", text: now.norm < 0 ? "A gradient came back; it is too large to list." : `No gradient: ${twin.why.replaceAll("`", "") || "none came back"}.` })
    : table(`Gradient back, norm ${numberText(now.norm)}`, now, now.gradient, node.shape));
  const sum = arithmetic(node, twin, reel, frame);
  if (sum) parts.push(html("p", { class: "sum" }, "First element: ", html("code", { text: sum })));
  const all = [...new Set(box.nodes.flatMap((n) => data.nodes[n].twins[t]?.parameters ?? []))];
  const norms = all.map((i) => reel.parameter(i, frame).norm).filter((norm) => norm >= 0);
  if (norms.length > 1) parts.push(html("p", {}, `Gradient of its ${norms.length} parameters together: norm ${numberText(Math.hypot(...norms))}`));
  if (feeders(data, reel, box, t, frame).length) parts.push(html("p", { text: "Its parameters' gradient came from another call: none passes back through this one." }));
  for (const i of all.slice(0, 6)) {
    const parameter = reel.twin.parameters[i], numbers = reel.parameter(i, frame);
    parts.push(html("details", {}, html("summary", {}, html("code", { text: parameter.name }), ` ${stateOf(numbers.norm) === "none" ? "no gradient" : numbers.norm < 0 ? "has a gradient" : `gradient norm ${numberText(numbers.norm)}`}`),
      table("Value", numbers, numbers.values, parameter.shape),
      stateOf(numbers.norm) === "none" ? html("p", { class: "missing", text: parameter.reason.replaceAll("`", "") }) : table("Gradient", numbers, numbers.gradient, parameter.shape)));
  }
  parts.push(html("ul", { class: "flags" }, ...twin.flags.map((flag) => html("li", { text: flag }))));
  return html("div", {}, ...parts);
}

/** The kept corner as a table that is also a heat map. */
function table(label, { rows, columns }, numbers, shape) {
  const most = largest(numbers) || 1;
  const body = html("tbody");
  for (let r = 0; r < rows; r += 1) {
    const row = html("tr");
    for (let c = 0; c < columns; c += 1) {
      const number = numbers[r * columns + c];
      const share = Number.isFinite(number) ? (Math.min(Math.abs(number) / most, 1) * 0.42).toFixed(2) : 0;
      row.append(html("td", { text: numberText(number), style: `background:rgba(${number >= 0 ? WARM : COOL},${share})` }));
    }
    body.append(row);
  }
  const whole = shape.reduce((a, b) => a * b, 1) === rows * columns;
  return html("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    html("table", {}, html("caption", { text: `${label}, ${shapeText(shape)}${whole ? "" : `, first ${rows} × ${columns}`}` }), body));
}
