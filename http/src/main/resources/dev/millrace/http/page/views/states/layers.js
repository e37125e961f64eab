// Layers of a drawing: which node is in which layer, in which order, and where.
//
// The steps are those of Sugiyama's method: cycles are broken, nodes are put into layers so that all edges point
// forward, long edges get a point in each layer that they cross, the order within a layer follows the neighbours, and
// positions are balanced between them. A label is a point with a size, so labels never overlap.

const SWEEPS = 24;
const GAP = 14;

/** Marks the edges that lead back to a node on the way from the start, so that the others have no cycle. */
export function breakCycles(names, edges, start) {
  const outgoing = new Map(names.map((name) => [name, []]));
  for (const edge of edges) {
    outgoing.get(edge.from).push(edge);
  }
  const state = new Map();
  const visit = (name) => {
    state.set(name, "open");
    for (const edge of outgoing.get(name)) {
      const seen = state.get(edge.to);
      edge.back = seen === "open";
      if (!seen) {
        visit(edge.to);
      }
    }
    state.set(name, "done");
  };
  [start, ...names].forEach((name) => state.has(name) || visit(name));
}

/** The layer of each node: the longest way to it; nodes that nothing leaves share the last layer. */
export function assignLayers(names, edges) {
  const layer = new Map(names.map((name) => [name, 0]));
  const forward = edges.map((edge) => (edge.back ? [edge.to, edge.from] : [edge.from, edge.to]));
  // There are no cycles among them, so as many rounds as there are nodes settle every layer.
  for (let round = 0; round < names.length; round++) {
    for (const [from, to] of forward) {
      layer.set(to, Math.max(layer.get(to), layer.get(from) + 1));
    }
  }
  const last = Math.max(...layer.values());
  const left = new Set(edges.map((edge) => edge.from));
  names.filter((name) => !left.has(name)).forEach((name) => layer.set(name, last));
  return layer;
}

/** Orders the layers (lists of points with `before` and `after` neighbours) so that few edges cross. */
export function orderLayers(layers) {
  const number = (layer) => layer.forEach((point, index) => (point.index = index));
  layers.forEach(number);
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(layers);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const side = down ? "before" : "after";
      layer.forEach((point) => (point.middle = middle(point[side], point.index)));
      layer.sort((a, b) => a.middle - b.middle || a.index - b.index);
      number(layer);
    }
    const now = crossings(layers);
    if (now < fewest) {
      fewest = now;
      best = layers.map((layer) => [...layer]);
    }
  }
  best.forEach((layer, i) => {
    layers[i] = layer;
    number(layer);
  });
}

function middle(neighbours, otherwise) {
  if (neighbours.length === 0) {
    return otherwise;
  }
  return neighbours.reduce((sum, other) => sum + other.index, 0) / neighbours.length;
}

function crossings(layers) {
  let count = 0;
  for (const layer of layers) {
    const ends = layer.flatMap((point) => point.after.map((other) => [point.index, other.index]));
    for (let i = 0; i < ends.length; i++) {
      for (let j = i + 1; j < ends.length; j++) {
        if ((ends[i][0] - ends[j][0]) * (ends[i][1] - ends[j][1]) < 0) {
          count++;
        }
      }
    }
  }
  return count;
}

/** Gives each point its `at` across the layers: near its neighbours, in order, without overlaps. */
export function placeLayers(layers) {
  for (const layer of layers) {
    let at = 0;
    for (const point of layer) {
      point.at = at + point.size / 2;
      at += point.size + GAP;
    }
    layer.forEach((point) => (point.at -= at / 2));
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const last = sweep === SWEEPS - 1;
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const sides = last ? ["before", "after"] : [sweep % 2 === 0 ? "before" : "after"];
      place(layer, sides);
    }
  }
  const least = Math.min(...layers.flat().map((point) => point.at - point.size / 2));
  layers.flat().forEach((point) => (point.at -= least));
}

/**
 * Places one layer. Wishes that would overlap are pooled and share their mean (the algorithm of pool adjacent
 * violators), which moves all of them as little as possible.
 */
function place(layer, sides) {
  const pools = [];
  let offset = 0;
  for (const [i, point] of layer.entries()) {
    offset += i === 0 ? 0 : (layer[i - 1].size + point.size) / 2 + GAP;
    const { wish, weight } = wished(point, sides);
    pools.push({ sum: (wish - offset) * weight, weight, points: [{ point, offset }] });
    while (pools.length > 1 && mean(pools.at(-2)) > mean(pools.at(-1))) {
      const { sum, weight: more, points } = pools.pop();
      const pool = pools.at(-1);
      pool.sum += sum;
      pool.weight += more;
      pool.points.push(...points);
    }
  }
  for (const pool of pools) {
    pool.points.forEach(({ point, offset: from }) => (point.at = mean(pool) + from));
  }
}

const mean = (pool) => pool.sum / pool.weight;

/** Where a point wants to be. A bend weighs more than a node, so that long edges become straight. */
function wished(point, sides) {
  let sum = 0;
  let weight = 0;
  for (const other of sides.flatMap((side) => point[side])) {
    const pull = point.bend && other.bend ? 8 : point.bend || other.bend ? 2 : 1;
    sum += other.at * pull;
    weight += pull;
  }
  return weight === 0 ? { wish: point.at, weight: 0.1 } : { wish: sum / weight, weight };
}
