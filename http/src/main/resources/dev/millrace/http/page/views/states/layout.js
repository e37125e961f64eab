// The drawing of a state machine: boxes, arrows and labels with their places. Pure geometry, no DOM.

import { assignLayers, breakCycles, orderLayers, placeLayers } from "./layers.js";

const LINE = 15;
const MARGIN = 14;
const BEND = 6;
const LOOP = 40;
const LAYER_GAP = 14;
const MOST_LINES = 4;

/**
 * Merges the transitions between the same two states by the same actors into one edge.
 *
 * @returns edges: {from, to, by: [actor], lines: [text], events: [name]}
 */
export function mergeEdges(transitions) {
  const edges = new Map();
  for (const { event, by, from: sources, to } of transitions) {
    const actors = [...(by ?? ["SYSTEM"])].sort();
    for (const from of [sources].flat()) {
      const key = [from, to, ...actors].join(" ");
      if (!edges.has(key)) {
        edges.set(key, { from, to, by: actors, events: [] });
      }
      edges.get(key).events.push(event);
    }
  }
  return [...edges.values()].map((edge) => ({ ...edge, lines: lines(edge.events) }));
}

function lines(events) {
  const names = events.map((event) => event.toLowerCase().replaceAll("_", " "));
  return names.length <= MOST_LINES
    ? names
    : [...names.slice(0, MOST_LINES - 1), `and ${names.length - MOST_LINES + 1} more`];
}

/**
 * Lays a machine out from left to right.
 *
 * @param machine {initial, states: [{name, final}], transitions: [{event, by, from: [state], to}]}
 * @param width of a text in pixels: (text, kind: "state" | "label") => number
 */
export function layout(machine, width) {
  const edges = mergeEdges(machine.transitions);
  const names = machine.states.map((state) => state.name);
  const between = edges.filter((edge) => edge.from !== edge.to);
  breakCycles(names, between, machine.initial);
  const layerOf = assignLayers(names, between);
  const layers = Array.from({ length: 2 * Math.max(...layerOf.values()) + 1 }, () => []);
  const nodes = new Map();
  for (const state of machine.states) {
    const loops = edges.some((edge) => edge.from === state.name && edge.to === state.name);
    const box = { ...state, width: Math.max(112, width(state.name, "state") + 28), height: 50 };
    const point = { box, size: box.height + (loops ? 2 * LOOP : 0), depth: box.width, before: [], after: [] };
    nodes.set(state.name, point);
    layers[2 * layerOf.get(state.name)].push(point);
  }
  for (const edge of between) {
    edge.points = bends(edge, nodes, layerOf, layers, width);
  }
  orderLayers(layers);
  placeLayers(layers);
  const size = spread(layers);
  return {
    ...size,
    nodes: [...nodes.values()].map(({ box, x, at }) => ({ ...box, x, y: at + MARGIN })),
    edges: [
      ...route(between, nodes),
      ...edges.filter((edge) => edge.from === edge.to).map((edge) => loop(edge, nodes)),
    ],
  };
}

/** The points of an edge in the layers between its ends; the middle one has its label. */
function bends(edge, nodes, layerOf, layers, width) {
  const [first, last] = edge.back ? [edge.to, edge.from] : [edge.from, edge.to];
  const from = 2 * layerOf.get(first);
  const to = 2 * layerOf.get(last);
  const points = [];
  // Labels stand between two layers of states, next to the edge's first state: that is where a reader starts.
  const label = edge.back ? to - 1 : from + 1;
  for (let layer = from + 1; layer < to; layer++) {
    const isLabel = layer === label;
    const point = { bend: true, size: isLabel ? edge.lines.length * LINE + 4 : BEND, before: [], after: [] };
    point.depth = isLabel ? Math.max(...edge.lines.map((line) => width(line, "label"))) + 14 : 0;
    point.isLabel = isLabel;
    layers[layer].push(point);
    points.push(point);
  }
  const chain = [nodes.get(first), ...points, nodes.get(last)];
  for (let i = 1; i < chain.length; i++) {
    chain[i - 1].after.push(chain[i]);
    chain[i].before.push(chain[i - 1]);
  }
  return points;
}

/** Gives each layer its place from left to right, and each point its x. */
function spread(layers) {
  let x = MARGIN;
  for (const layer of layers) {
    const depth = Math.max(36, ...layer.map((point) => point.depth));
    layer.forEach((point) => (point.x = x + depth / 2));
    x += depth + LAYER_GAP;
  }
  const height = Math.max(...layers.flat().map((point) => point.at + point.size / 2));
  return { width: x - LAYER_GAP + MARGIN, height: height + 2 * MARGIN };
}

/** The paths, with the ends of a box's arrows spread over its side. */
function route(edges, nodes) {
  const ends = [];
  for (const edge of edges) {
    const points = edge.back ? [...edge.points].reverse() : edge.points;
    const [out, into] = edge.back ? ["left", "right"] : ["right", "left"];
    edge.start = { node: nodes.get(edge.from), side: out, toward: points[0].at };
    edge.end = { node: nodes.get(edge.to), side: into, toward: points.at(-1).at };
    ends.push(edge.start, edge.end);
  }
  for (const node of nodes.values()) {
    for (const side of ["left", "right"]) {
      const here = ends.filter((end) => end.node === node && end.side === side).sort((a, b) => a.toward - b.toward);
      const room = Math.min(node.box.height - 16, 16 * (here.length - 1));
      here.forEach((end, i) => {
        end.x = node.x + (side === "left" ? -1 : 1) * (node.box.width / 2);
        end.y = node.at + MARGIN + (here.length < 2 ? 0 : (i / (here.length - 1) - 0.5) * room);
      });
    }
  }
  return edges.map((edge) => {
    const middle = edge.points.map(({ x, at, depth }) => ({ x, y: at + MARGIN, depth }));
    const way = edge.back ? middle.reverse() : middle;
    const label = edge.points.find((point) => point.isLabel);
    return {
      ...described(edge),
      path: curve([edge.start, ...way, edge.end], edge.back ? -1 : 1),
      label: { x: label.x, y: label.at + MARGIN, width: label.depth - 8, height: label.size },
    };
  });
}

const described = ({ from, to, by, lines: text, events }) => ({ from, to, by, lines: text, events });

/** A smooth line through points; through the width of a label it runs straight. */
function curve(points, direction) {
  const first = points[0];
  let path = `M${round(first.x)} ${round(first.y)}`;
  let at = first;
  for (const [i, point] of points.entries()) {
    if (i === 0) {
      continue;
    }
    const half = ((point.depth ?? 0) / 2) * direction;
    // The arrow head needs a straight end.
    const entry = { x: point.x - half - (i === points.length - 1 ? 8 * direction : 0), y: point.y };
    const middle = round((at.x + entry.x) / 2);
    path += `C${middle} ${round(at.y)} ${middle} ${round(entry.y)} ${round(entry.x)} ${round(entry.y)}`;
    at = { x: point.x + half, y: point.y };
    path += `L${round(i === points.length - 1 ? point.x : at.x)} ${round(at.y)}`;
  }
  return path;
}

/** An arrow from a box to itself, over its top. */
function loop(edge, nodes) {
  const { x, at, box } = nodes.get(edge.from);
  const top = at + MARGIN - box.height / 2;
  const over = round(top - 34);
  const path = `M${round(x - 22)} ${round(top)}C${round(x - 34)} ${over} ${round(x + 34)} ${over} ${round(x + 22)} ${round(top)}`;
  return { ...described(edge), path, label: { x, y: top - 34, width: 0, height: 0 } };
}

const round = (value) => Math.round(value * 10) / 10;
