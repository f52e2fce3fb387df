// Places, lengths and words.
function placeOn(graph, i, t, axis) {
  const s = 1 - t;
  return s * s * s * graph.at(i, 0, axis) + 3 * s * s * t * graph.at(i, 1, axis)
    + 3 * s * t * t * graph.at(i, 2, axis) + t * t * t * graph.at(i, 3, axis);
}

// The chain of a segment: its segments in driving order, and x, y, z at places along it with the way in plan.
function chainOf(graph, picked) {
  const { segment, reverse, offsets } = graph.runs;
  const at = segment.indexOf(picked);
  let run = 0;
  while (offsets[run + 1] <= at) run++;
  const rows = [...segment.subarray(offsets[run], offsets[run + 1])];
  const chain = { segments: rows, way: [], x: [], y: [], z: [] };
  const steps = Math.max(2, Math.min(24, Math.ceil(6000 / rows.length)));
  let way = 0;
  rows.forEach((i, order) => {
    for (let step = order ? 1 : 0; step <= steps; step++) {
      const t = reverse[offsets[run] + order] ? 1 - step / steps : step / steps;
      const [x, y, z] = [0, 1, 2].map((axis) => placeOn(graph, i, t, axis));
      const last = chain.x.length - 1;
      if (last >= 0) way += Math.hypot(x - chain.x[last], y - chain.y[last]);
      chain.way.push(way); chain.x.push(x); chain.y.push(y); chain.z.push(z);
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
