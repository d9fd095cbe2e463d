// Which boxes a graph is drawn as, and where each stands. A module's calls are one box until a reader opens it; so are
// the plain operations that lead to one result and to nothing else. No box hides a place where scissors can stand.

import { graphlib, layout } from "../vendor/dagre.esm.js";

const BOX = { width: 116, height: 108 };
const SMALL = { width: 92, height: 94 };
const MOST = 40; // boxes that are still a picture
const RIDER = { width: 104, height: 22 };

/** The boxes: {id, nodes, last, title, inside} in the order of their calls. `opened` holds ids of opened boxes. */
export function boxesOf(data, opened) {
  const nodes = data.nodes.map((node, id) => ({ id, path: node.module ? node.module.split(".") : [], input: node.op === "input" }));
  const apart = new Set([...data.scissors.flatMap((s) => s.edges.map(([a, b]) => `${a}>${b}`)),
    ...data.edges.filter((e) => e.cut.some(Boolean)).map((e) => `${e.from}>${e.to}`)]);
  const calls = nodes.filter((node) => !node.input);
  const shared = commonPath(calls.filter((node) => node.path.length));
  const boxes = [...byModule(calls.filter((n) => n.path.length), shared, "", data, apart, opened),
    ...byResult(calls.filter((n) => !n.path.length), data, apart, opened),
    ...nodes.filter((n) => n.input).map((n) => single(n.id, data))];
  const sorted = boxes.sort((a, b) => a.nodes[0] - b.nodes[0]);
  return sorted.length > MOST ? whole(sorted, data, apart, opened) : sorted;
}

/** Whether nothing before a call is trained. */
const isData = (n, data) => data.nodes[n].twins.every((twin) => !twin || twin.missing === "unneeded");

/** For a graph of too many boxes: all that hangs together without passing a pair of scissors is one. */
function whole(boxes, data, apart, opened) {
  const home = new Map(boxes.flatMap((box, b) => box.nodes.map((n) => [n, b])));
  const root = boxes.map((_, b) => b);
  const find = (b) => (root[b] === b ? b : (root[b] = find(root[b])));
  for (const e of data.edges) {
    const a = home.get(e.from), b = home.get(e.to);
    const alike = isData(e.from, data) === isData(e.to, data);
    if (!apart.has(`${e.from}>${e.to}`) && alike && !boxes[a].small) root[find(a)] = find(b);
  }
  const groups = new Map();
  boxes.forEach((box, b) => groups.set(find(b), [...(groups.get(find(b)) ?? []), box]));
  return [...groups.values()].flatMap((group) => part(group, "", data, opened)).sort((a, b) => a.nodes[0] - b.nodes[0]);
}

/** Some boxes as one; opened, they are themselves, or parts of themselves where they are too many. */
function part(group, within, data, opened) {
  if (group.length === 1) return [{ ...group[0], within: group[0].within ?? (within || undefined) }];
  const ids = group.flatMap((box) => box.nodes).sort((a, b) => a - b);
  const id = `part@${ids[0]}-${ids.at(-1)}`;
  if (!opened.has(id)) {
    const last = lastOf(ids, data);
    const modules = [...new Set(ids.map((n) => data.nodes[n].module.split(".")[0]).filter(Boolean))];
    const title = modules.length > 3 ? `${modules[0]} to ${modules.at(-1)}` : modules.join(", ");
    return [{ id, nodes: ids, last, title: title || data.nodes[last].name || data.nodes[last].op, opens: true, within: within || undefined }];
  }
  if (group.length <= MOST) return group.map((box) => ({ ...box, within: box.within ?? id }));
  const size = Math.ceil(group.length / (MOST / 2));
  return Array.from({ length: Math.ceil(group.length / size) }, (_, i) => group.slice(i * size, (i + 1) * size)).flatMap((some) => part(some, id, data, opened));
}

function commonPath(nodes) {
  if (!nodes.length) return 0;
  let depth = 0;
  while (nodes.every((n) => n.path.length > depth + 1 && n.path[depth] === nodes[0].path[depth])) depth += 1;
  return depth;
}

function single(id, data) {
  const node = data.nodes[id];
  return { id: `n${id}`, nodes: [id], last: id, title: node.op === "input" ? node.name || "data" : callTitle(node), small: node.op === "input" };
}

function callTitle(node) {
  const own = node.module.split(".").pop();
  return own && node.op !== own && node.parameters.length ? own : node.name && node.shape.length === 0 ? node.name : node.op.replaceAll("_", " ").trim();
}

/** Runs of calls of the same module. */
function byModule(nodes, depth, parent, data, apart, opened) {
  const runs = [];
  for (const node of nodes) {
    const name = node.path[depth] ?? "";
    const run = runs.at(-1);
    if (run && run.name === name && name && goesOn(run.nodes, node, data)) run.nodes.push(node);
    else runs.push({ name, nodes: [node] });
  }
  return runs.flatMap((run) => {
    if (run.nodes.length === 1) return [single(run.nodes[0].id, data)];
    const ids = run.nodes.map((n) => n.id);
    const id = `${parent}${run.name}@${ids[0]}`;
    if (hides(ids, apart) || opened.has(id)) return byModule(run.nodes, depth + 1, `${id}/`, data, apart, opened).map((b) => ({ ...b, within: b.within ?? id }));
    return [{ id, nodes: ids, last: lastOf(ids, data), title: run.name, opens: true }];
  });
}

/** Whether a call belongs to the same forward pass of a module: it takes what that made, or its layer had no turn yet. */
function goesOn(run, node, data) {
  return data.edges.some((e) => e.to === node.id && run.some((one) => one.id === e.from))
    || !run.some((one) => one.path.join(".") === node.path.join("."));
}

/** Plain operations that all lead to one result. */
function byResult(nodes, data, apart, opened) {
  const open = new Map(nodes.map((n) => [n.id, null]));
  const takers = new Map();
  for (const e of data.edges) takers.set(e.from, [...(takers.get(e.from) ?? []), e.to]);
  const givers = new Map();
  for (const e of data.edges) givers.set(e.to, [...(givers.get(e.to) ?? []), e]);
  const boxes = [];
  for (const node of [...nodes].reverse()) {
    if (open.get(node.id)) continue;
    const group = new Set([node.id]);
    for (const id of group) // grows while it is gone through
      for (const e of givers.get(id) ?? [])
        if (open.has(e.from) && !open.get(e.from) && !apart.has(`${e.from}>${e.to}`) && takers.get(e.from).every((taker) => group.has(taker))) group.add(e.from);
    for (const id of group) open.set(id, true);
    const ids = [...group].sort((a, b) => a - b);
    const title = data.nodes[node.id].name || data.nodes[node.id].op;
    const id = `${title}@${ids[0]}`;
    if (ids.length === 1 || opened.has(id)) boxes.push(...ids.map((one) => ({ ...single(one, data), within: ids.length > 1 ? id : undefined })));
    else boxes.push({ id, nodes: ids, last: node.id, title, opens: true });
  }
  return boxes;
}

const hides = (ids, apart) => ids.some((a) => ids.some((b) => apart.has(`${a}>${b}`)));

function lastOf(ids, data) {
  const inside = new Set(ids);
  const leaving = data.edges.filter((e) => inside.has(e.from) && !inside.has(e.to)).map((e) => e.from);
  return leaving.length ? Math.max(...leaving) : ids.at(-1);
}

/** The edges between boxes: {id, from, to, start, end, edges}; `start` is the node whose tensor goes along it. */
export function linksOf(data, boxes) {
  const home = new Map(boxes.flatMap((box, b) => box.nodes.map((n) => [n, b])));
  const links = new Map();
  for (const edge of data.edges) {
    const from = home.get(edge.from), to = home.get(edge.to);
    if (from === to) continue;
    const id = `${boxes[from].id}>${boxes[to].id}`;
    if (!links.has(id)) links.set(id, { id, from, to, start: edge.from, edges: [] });
    links.get(id).edges.push(edge);
  }
  return [...links.values()];
}

/** Places boxes and links with dagre, from left to right; gives {width, height, columns} and sets x, y, column, points.
 * An input that only joins a later box rides below it, so that the main lane stays straight. */
export function place(boxes, links) {
  const riders = new Map();
  boxes.forEach((box, b) => {
    const out = links.filter((link) => link.from === b);
    const host = out.length === 1 ? out[0].to : -1;
    const main = (one) => one >= 0 && links.some((link) => link.to === one && link.from !== b && !(boxes[link.from].small && riders.has(link.from)) && boxes[link.from].nodes[0] !== b);
    if (box.small && b > 0 && main(host) && links.some((link) => link.to === host && !boxes[link.from].small)) riders.set(b, host);
  });
  const graph = new graphlib.Graph();
  const below = Math.max(0, ...boxes.map((_, b) => [...riders.values()].filter((host) => host === b).length));
  graph.setGraph({ rankdir: "LR", nodesep: 22 + 28 * below, ranksep: 64, marginx: 10, marginy: 8, ranker: "network-simplex" });
  graph.setDefaultEdgeLabel(() => ({}));
  boxes.forEach((box, b) => riders.has(b) || graph.setNode(String(b), { ...(box.small ? SMALL : BOX) }));
  for (const link of links)
    if (!riders.has(link.from)) graph.setEdge(String(link.from), String(link.to), { weight: boxes[link.from].small ? 1 : 4 });
  layout(graph);
  const laid = boxes.map((_, b) => graph.node(String(riders.get(b) ?? b)));
  const columns = [...new Set(laid.map((at) => Math.round(at.x)))].sort((a, b) => a - b);
  const waiting = new Map();
  boxes.forEach((box, b) => {
    const { x, y, width, height } = laid[b];
    const column = columns.indexOf(Math.round(x));
    if (!riders.has(b)) {
      Object.assign(box, { x: x - width / 2, y: y - height / 2, width, height, column });
      return;
    }
    const turn = waiting.get(riders.get(b)) ?? 0;
    waiting.set(riders.get(b), turn + 1);
    Object.assign(box, { ...RIDER, x: x - RIDER.width / 2, y: y + height / 2 + 12 + turn * 28, column: Math.max(0, column - 1), rides: true });
  });
  for (const link of links) {
    const a = boxes[link.from], b = boxes[link.to];
    if (a.rides) {
      const x = a.x + a.width / 2;
      link.points = [{ x, y: a.y + 9 }, { x, y: b.y + b.height + 9 }];
      continue;
    }
    const inner = graph.edge(String(link.from), String(link.to)).points.slice(1, -1);
    const far = b.column - a.column > 1;
    link.points = [{ x: a.x + a.width, y: a.y + a.height / 2 }, ...(far ? inner : []), { x: b.x, y: b.y + b.height / 2 }];
  }
  const { width, height } = graph.graph();
  return { width, height: Math.max(height, ...boxes.map((box) => box.y + box.height + 6)), columns: columns.length };
}

/** A smooth path through points, moved down by `dy`; `back` runs from the end to the start. */
export function curve(points, dy, back = false) {
  const way = (back ? [...points].reverse() : points).map(({ x, y }) => ({ x, y: y + dy }));
  let path = `M${way[0].x},${way[0].y}`;
  for (let i = 1; i < way.length; i += 1) {
    const middle = (way[i - 1].x + way[i].x) / 2;
    path += ` C${middle},${way[i - 1].y} ${middle},${way[i].y} ${way[i].x},${way[i].y}`;
  }
  return path;
}

/** The middle of a way. */
export function middle(points) {
  const i = Math.floor((points.length - 1) / 2);
  const a = points[i], b = points[i + 1] ?? a;
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
