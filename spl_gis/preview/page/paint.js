// Drawing, in steps: each yield is a place where the browser may do something else.
const THEMES = {
  light: { pale: "#9aa3ad", none: "#a9b0b8", ink: "#1c2128", ground: "#fbfcfd", rejects: "#c2185b", handle: "#6b7480", up: "#00838f", profile: "#1f6fb2", picked: "#ffb300", degree: ["#c62828", "#1565c0", "#4a525c", "#d84315"], severity: { error: "#c62828", warning: "#c77700", note: "#0b63c5" } },
  dark: { pale: "#68717d", none: "#565e69", ink: "#e4e8ee", ground: "#14171c", rejects: "#ff6fa5", handle: "#98a2af", up: "#3fd0d0", profile: "#5fb0f0", picked: "#ffd54f", degree: ["#ff5252", "#64b5f6", "#aab4c0", "#ff8a50"], severity: { error: "#ff5252", warning: "#ffb74d", note: "#7ab8ff" } },
};
const CHUNK = 1200;
const LIMITS = { handles: 3000, ups: 3000, joints: 2500, points: 4000 };

function colourOf(which) {
  return which === NONE ? THEMES[state.theme].none : COLOURINGS[state.colouring][state.theme][which];
}

// Items in the order of their classes, and where each class begins.
function byClass(items, classes) {
  const starts = new Uint32Array(258);
  for (const i of items) starts[classes[i] + 1]++;
  for (let n = 0; n < 257; n++) starts[n + 1] += starts[n];
  const order = new Uint32Array(items.length), next = starts.slice();
  for (const i of items) order[next[classes[i]]++] = i;
  return { order, starts };
}

// `draw(i)` adds item i to the path of its class.
function* stroked(brush, items, classes, width, draw) {
  const { order, starts } = byClass(items, classes);
  yield;
  brush.lineWidth = width;
  for (let n = 0; n <= NONE; n++) {
    for (let from = starts[n]; from < starts[n + 1]; from += CHUNK) {
      const to = Math.min(from + CHUNK, starts[n + 1]);
      brush.strokeStyle = colourOf(n);
      brush.beginPath();
      for (let at = from; at < to; at++) draw(order[at]);
      brush.stroke();
      yield;
    }
  }
}

function widthFor(count) {
  return count > 20000 ? 1 : count > 4000 ? 1.5 : 2.4;
}

// One segment as a real Bezier; one that is smaller than two pixels as its chord.
function curve(brush, view, graph, i) {
  const { k, x, y } = view, at = graph.at;
  const x0 = x + k * at(i, 0, 0), y0 = y - k * at(i, 0, 1), x3 = x + k * at(i, 3, 0), y3 = y - k * at(i, 3, 1);
  const x1 = x + k * at(i, 1, 0), y1 = y - k * at(i, 1, 1), x2 = x + k * at(i, 2, 0), y2 = y - k * at(i, 2, 1);
  brush.moveTo(x0, y0);
  const size = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), Math.abs(x2 - x0), Math.abs(y2 - y0), Math.abs(x3 - x0), Math.abs(y3 - y0));
  if (size < 2) brush.lineTo(x3, y3);
  else brush.bezierCurveTo(x1, y1, x2, y2, x3, y3);
}

function polyline(brush, view, lines, i) {
  const { coords, offsets } = lines;
  for (let v = offsets[i]; v < offsets[i + 1]; v++) {
    const x = view.x + view.k * coords[2 * v], y = view.y - view.k * coords[2 * v + 1];
    if (v === offsets[i]) brush.moveTo(x, y);
    else brush.lineTo(x, y);
  }
}

function* paintLines(brush, view, lines, number) {
  const items = lines.index.search(...view.box), classes = state.classes[number];
  if (classes) {
    yield* stroked(brush, items, classes, widthFor(items.length), (i) => polyline(brush, view, lines, i));
    return;
  }
  const rejects = lines.kind === "rejects";
  brush.setLineDash(rejects ? [6, 4] : []);
  brush.strokeStyle = rejects ? THEMES[state.theme].rejects : THEMES[state.theme].pale;
  brush.lineWidth = rejects ? 2 : 1.2;
  for (let from = 0; from < items.length; from += CHUNK / 4) {
    brush.beginPath();
    for (const i of items.slice(from, from + CHUNK / 4)) polyline(brush, view, lines, i);
    brush.stroke();
    yield;
  }
  brush.setLineDash([]);
  if (rejects) rings(brush, view, lines, items);
}

// Rejects may be points, or too short to be seen: each has a ring round its first vertex.
function rings(brush, view, { coords, offsets }, items) {
  brush.beginPath();
  for (const i of items) {
    const x = view.x + view.k * coords[2 * offsets[i]], y = view.y - view.k * coords[2 * offsets[i] + 1];
    brush.moveTo(x + 6, y);
    brush.arc(x, y, 6, 0, 2 * Math.PI);
  }
  brush.stroke();
}

function* paintCurves(brush, view, graph, number, drawn) {
  const items = graph.index.search(...view.box);
  drawn[graph.name] = items.length;
  // what lies below other graphs is wider, so that all are seen where they agree
  const above = INPUTS.slice(number + 1).filter((input) => input.kind === "graph" && input.visible).length;
  yield* stroked(brush, items, state.classes[number], widthFor(items.length) * (1 + above), (i) => curve(brush, view, graph, i));
  if (state.layers.handles) paintHandles(brush, view, graph, items);
  if (state.layers.ups) paintUps(brush, view, graph, items);
  yield;
}

// Both ends of each segment: their place on the canvas, and the number of the end.
function eachEnd(view, graph, items, visit) {
  for (const i of items) {
    for (const end of [0, 1]) visit(view.x + view.k * graph.at(i, 3 * end, 0), view.y - view.k * graph.at(i, 3 * end, 1), i, end);
  }
}

function paintHandles(brush, view, graph, items) {
  if (crowded("handles", items.length)) return;
  brush.strokeStyle = brush.fillStyle = THEMES[state.theme].handle;
  brush.lineWidth = 1;
  brush.beginPath();
  const knobs = [];
  eachEnd(view, graph, items, (x, y, i, end) => {
    const hx = x + view.k * graph.tangents[6 * i + 3 * end], hy = y - view.k * graph.tangents[6 * i + 3 * end + 1];
    brush.moveTo(x, y);
    brush.lineTo(hx, hy);
    knobs.push(hx, hy);
  });
  brush.stroke();
  for (let n = 0; n < knobs.length; n += 2) brush.fillRect(knobs[n] - 2.5, knobs[n + 1] - 2.5, 5, 5);
}

// Up vectors in plan, 40 pixels for one that lies flat; an upright one is a dot. Length goes with the root of the
// lean: so 15 pixels for one that leans by 8 degrees.
function paintUps(brush, view, graph, items) {
  if (crowded("ups", items.length)) return;
  brush.strokeStyle = brush.fillStyle = THEMES[state.theme].up;
  brush.lineWidth = 2;
  brush.beginPath();
  const ups = graph.ups;
  if (ups) eachEnd(view, graph, items, (x, y, i, end) => {
    const [east, north] = [ups[6 * i + 3 * end], ups[6 * i + 3 * end + 1]];
    const size = 40 / Math.sqrt(Math.hypot(east, north) || 1);
    brush.moveTo(x, y);
    brush.lineTo(x + size * east, y - size * north);
  });
  brush.stroke();
  eachEnd(view, graph, items, (x, y) => brush.fillRect(x - 2.5, y - 2.5, 5, 5));
}

function crowded(layer, count) {
  if (count > LIMITS[layer]) state.crowded.add(layer);
  return count > LIMITS[layer];
}

function* paintPoints(brush, view, graph) {
  const items = graph.pointIndex.search(...view.box), { points, degree } = graph;
  const joints = items.length <= LIMITS.joints;
  const shown = items.filter((i) => joints || degree[i] !== 2);
  if (!joints) state.crowded.add("points");
  if (shown.length > LIMITS.points) return;
  const radius = shown.length > 1500 ? 1.3 : shown.length > 400 ? 2.4 : 3.6;
  for (const which of [2, 0, 1, 3]) {
    brush.fillStyle = which === 1 ? THEMES[state.theme].ground : THEMES[state.theme].degree[which];
    brush.strokeStyle = THEMES[state.theme].degree[which];
    brush.lineWidth = 1.6;
    brush.beginPath();
    for (const i of shown) {
      if (Math.min(degree[i], 3) !== which) continue;
      const x = view.x + view.k * points[3 * i], y = view.y - view.k * points[3 * i + 1];
      const r = which === 2 ? radius * 0.7 : radius;
      brush.moveTo(x + r, y);
      brush.arc(x, y, r, 0, 2 * Math.PI);
    }
    brush.fill();
    if (which === 1) brush.stroke();
    yield;
  }
}

function findingsIn(x0, y0, x1, y1) {
  return FINDINGS.search(x0, y0, x1, y1).filter((i) => state.layers[PLACED[i].severity]);
}

function* paintFindings(brush, view) {
  const items = findingsIn(...view.box).sort((a, b) => b - a);  // the worst, which come first, on top
  const size = items.length > 300 ? 0.45 : items.length > 60 ? 0.7 : 1;
  for (const i of items) {
    const { place, severity } = PLACED[i];
    const x = view.x + view.k * place[0], y = view.y - view.k * place[1];
    brush.fillStyle = THEMES[state.theme].severity[severity] || THEMES[state.theme].pale;
    brush.strokeStyle = THEMES[state.theme].ground;
    brush.lineWidth = size;
    brush.beginPath();
    for (const [dx, dy] of [[0, -8], [7, 5], [-7, 5]]) brush.lineTo(x + size * dx, y + size * dy);
    brush.closePath();
    brush.fill();
    brush.stroke();
    if (i % 200 === 0) yield;
  }
}

// All layers, from below to above; `drawn` is told how many segments of each graph were drawn.
function* paintAll(brush, view, drawn) {
  state.crowded.clear();
  for (const kind of ["lines", "graph", "rejects"]) {
    for (const [number, input] of INPUTS.entries()) {
      if (input.kind !== kind || !input.visible) continue;
      if (kind === "graph") yield* paintCurves(brush, view, input, number, drawn);
      else yield* paintLines(brush, view, input, number);
    }
  }
  if (state.layers.points) for (const input of INPUTS) if (input.kind === "graph" && input.visible) yield* paintPoints(brush, view, input);
  yield* paintFindings(brush, view);
}
