// Places, lengths and words.
function placeOn(graph, i, t, axis) {
  const s = 1 - t;
  return s * s * s * graph.at(i, 0, axis) + 3 * s * s * t * graph.at(i, 1, axis)
    + 3 * s * t * t * graph.at(i, 2, axis) + t * t * t * graph.at(i, 3, axis);
}

function wayOn(graph, i, t, axis) {
  const s = 1 - t, [a, b, c, d] = [0, 1, 2, 3].map((which) => graph.at(i, which, axis));
  return s * s * (b - a) + 2 * s * t * (c - b) + t * t * (d - c);
}

const product = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const inner = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// The up vector at a place, as the engine turns it from one end to the other.
function upOn(graph, i, t) {
  const [start, end] = [0, 3].map((from) => graph.ups.slice(6 * i + from, 6 * i + from + 3));
  const axis = product(start, end), size = Math.hypot(...axis);
  if (size < 1e-7) return start;
  const angle = t * Math.atan2(size, inner(start, end)), side = product(axis, start);
  return [0, 1, 2].map((n) => Math.cos(angle) * start[n] + Math.sin(angle) * side[n] / size);
}

// The roll at a place in degrees, positive to the right of the way; null = not known.
function rollOn(graph, i, t) {
  if (!graph.ups) return 0;
  const way = [0, 1, 2].map((axis) => wayOn(graph, i, t, axis)), right = [way[1], -way[0], 0], up = upOn(graph, i, t);
  const across = inner(up, right) * Math.hypot(...way), along = inner(up, product(right, way));
  return across || along ? Math.atan2(across, along) * 180 / Math.PI : null;
}

// The chain of a segment: its segments in driving order, and x, y, z and roll at places along it with the way in plan.
function chainOf(graph, picked) {
  const { segment, reverse, offsets } = graph.runs;
  const at = segment.indexOf(picked);
  let run = 0;
  while (offsets[run + 1] <= at) run++;
  const rows = [...segment.subarray(offsets[run], offsets[run + 1])];
  const chain = { segments: rows, way: [], x: [], y: [], z: [], roll: [] };
  const steps = Math.max(2, Math.min(24, Math.ceil(6000 / rows.length)));
  let way = 0;
  rows.forEach((i, order) => {
    for (let step = order ? 1 : 0; step <= steps; step++) {
      const back = reverse[offsets[run] + order], t = back ? 1 - step / steps : step / steps, roll = rollOn(graph, i, t);
      const [x, y, z] = [0, 1, 2].map((axis) => placeOn(graph, i, t, axis));
      const last = chain.x.length - 1;
      if (last >= 0) way += Math.hypot(x - chain.x[last], y - chain.y[last]);
      chain.way.push(way); chain.x.push(x); chain.y.push(y); chain.z.push(z); chain.roll.push(back && roll ? -roll : roll);
    }
  });
  return chain;
}

function number(value, digits = 1) {
  return Number.isFinite(value) ? value.toLocaleString("en", { maximumFractionDigits: digits, useGrouping: false }) : "∞";
}

function metres(value) {
  if (value === Infinity) return "straight";
  return value >= 100000 ? `${number(value / 1000)} km` : `${number(value, value < 10 ? 3 : 1)} m`;
}

const WORDS = {
  length: ["length", metres],
  radius: ["least radius", (value) => value > 1e6 ? "straight" : metres(value)],
  grade: ["steepest grade", (value) => value === Infinity ? "vertical" : `${number(value)} %`],
  roll: ["roll", (value) => Number.isNaN(value) ? "not known" : `${number(value)}°`],
  deviation: ["off the source", metres],
};

function lonlatAt(x, y) {
  const { middle, half, exponents, terms } = DATA.place;
  const u = (x - middle[0]) / half[0], v = (y - middle[1]) / half[1];
  const [lon, lat] = terms.map((row) => row.reduce((sum, term, n) => sum + term * u ** exponents[n][0] * v ** exponents[n][1], 0));
  return [((lon + 540) % 360) - 180, lat];
}

function lonlatText(x, y) {
  if (!DATA.place) return DATA.nowhere;
  const error = Math.max(DATA.place.error, 0.001);
  const digits = Math.max(2, Math.min(8, Math.round(5 - Math.log10(error))));
  const [lon, lat] = lonlatAt(x, y).map((angle) => angle.toFixed(digits));
  return `lat ${lat}, lon ${lon} (within ${error < 1 ? `${Math.ceil(error * 1000)} mm` : `${Math.ceil(error)} m`})`;
}
