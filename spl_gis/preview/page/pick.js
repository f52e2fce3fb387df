// What lies at a place on the canvas, within `reach` pixels: a finding, else a segment, else a line.
function pickAt(px, py, reach) {
  const { k, x, y } = view(), sx = (px - x) / k, sy = (y - py) / k, r = reach / k;
  const near = findingsIn(sx - r, sy - r, sx + r, sy + r).map((i) => PLACED[i]);
  const finding = nearest(near, ({ place }) => Math.hypot(place[0] - sx, place[1] - sy), r);
  if (finding) return { finding };
  for (const graphs of [true, false]) {
    const found = INPUTS.filter((input) => input.visible && (input.kind === "graph") === graphs).flatMap((input) => {
      const item = nearest(input.index.search(sx - r, sy - r, sx + r, sy + r), (i) => distanceTo(input, i, sx, sy), r);
      return item === null ? [] : [{ input, item }];
    });
    const best = nearest(found, ({ input, item }) => distanceTo(input, item, sx, sy), r);
    if (best) return best;
  }
  return null;
}

function nearest(items, distance, limit) {
  let best = null;
  for (const item of items) {
    const d = distance(item);
    if (d <= limit) [best, limit] = [item, d];
  }
  return best;
}

function distanceTo(input, i, x, y) {
  const places = [];
  if (input.kind === "graph") for (let t = 0; t <= 24; t++) places.push([placeOn(input, i, t / 24, 0), placeOn(input, i, t / 24, 1)]);
  else for (let v = input.offsets[i]; v < input.offsets[i + 1]; v++) places.push([input.coords[2 * v], input.coords[2 * v + 1]]);
  let least = Infinity;
  for (let n = 1; n < places.length; n++) least = Math.min(least, toEdge(x, y, ...places[n - 1], ...places[n]));
  return least;
}

function toEdge(x, y, x0, y0, x1, y1) {
  const dx = x1 - x0, dy = y1 - y0, size = dx * dx + dy * dy;
  const t = size ? Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / size)) : 0;
  return Math.hypot(x0 + t * dx - x, y0 + t * dy - y);
}

function same(a, b) {
  return a === b || (a && b && a.input === b.input && a.item === b.item && a.finding === b.finding);
}

function hover(found) {
  if (same(found, state.hover)) return;
  state.hover = found;
  showInfo();
  redraw();
}

function pick(found) {
  state.picked = found;
  state.chain = found && found.input && found.input.kind === "graph" ? chainOf(found.input, found.item) : null;
  state.hover = state.marker = null;
  showInfo();
  showProfile();
  redraw();
}

// Rows of names and values about what was found.
function about({ input, item, finding }) {
  if (finding) {
    const rows = [["severity", finding.severity], ["where", finding.path], ["what", finding.message]];
    return [...rows, ...Object.entries(DATA.codes[finding.code] || {})];
  }
  const rows = [];
  if (input.kind === "graph") {
    for (const [name, values] of Object.entries(input.measures)) rows.push([WORDS[name][0], WORDS[name][1](values[item])]);
    const heights = [0, 3].map((which) => number(input.at(item, which, 2), 2));
    rows.push(["points", `${input.ends[2 * item]} to ${input.ends[2 * item + 1]}`], ["heights", `${heights.join(" to ")} m`]);
  }
  return [...rows, ...input.attributes(input.feature[item])];
}

function titleOf({ input, item, finding }) {
  if (finding) return finding.code;
  return `${input.kind === "graph" ? "Segment" : "Line"} ${item} of ${input.name}`;
}
