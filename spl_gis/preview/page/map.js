// The map: a view (k pixels in a metre, x and y of the scene's middle in pixels), and a bitmap that is larger than
// the window. Moving only copies the bitmap; it is drawn anew in slices of a few milliseconds while frames go on.
const canvas = document.getElementById("map");
const stage = document.getElementById("stage");
const SLICE = 5;
const state = { theme: "light", colouring: DATA.colouring, classes: [], crowded: new Set(), hover: null, picked: null, chain: null, marker: null,
  layers: { handles: false, points: true, ups: false } };
const map = { width: 0, height: 0, scale: 1, margin: 0, version: 0, bitmap: null, spare: null, job: null, waiting: false, probe: document.createElement("canvas").getContext("2d") };

const zooming = lib.zoom().on("zoom", moved);
const surface = lib.select(canvas).call(zooming);

function view() {
  return lib.zoomTransform(canvas);
}

function moved({ sourceEvent }) {
  redraw();
  showScale();
  if (!sourceEvent) showPlace();  // a button, a key or a list has moved the map, not the pointer
}

function resize() {
  map.width = stage.clientWidth;
  map.height = stage.clientHeight;
  map.scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(map.width * map.scale));
  canvas.height = Math.max(1, Math.round(map.height * map.scale));
  map.margin = Math.round(0.25 * Math.max(map.width, map.height));
  map.bitmap = map.spare = map.job = null;
  redraw();
}

function changed() {
  map.version++;
  redraw();
}

function redraw() {
  if (!map.waiting) requestAnimationFrame(frame);
  map.waiting = true;
}

function frame() {
  map.waiting = false;
  const started = performance.now();
  if (!map.job && stale()) map.job = newJob();
  while (map.job && performance.now() - started < SLICE) {
    if (map.job.steps.next().done) finishJob();
  }
  // A browser piles strokes up until somebody looks: so look now, rather than have a long frame at the end.
  if (map.job) map.probe.drawImage(map.job.sheet, 0, 0, 1, 1, 0, 0, 1, 1);
  copy();
  if (map.job || stale()) redraw();
}

// Whether the bitmap shows something else, or the window nears its edge.
function stale() {
  const old = map.bitmap, now = view();
  if (!old || old.version !== map.version || old.view.k !== now.k) return true;
  return Math.max(Math.abs(now.x - old.view.x), Math.abs(now.y - old.view.y)) > map.margin / 2;
}

function newJob() {
  const now = view(), side = map.margin;
  const sheet = map.spare || document.createElement("canvas");
  map.spare = null;
  sheet.width = Math.round((map.width + 2 * side) * map.scale);
  sheet.height = Math.round((map.height + 2 * side) * map.scale);
  const brush = sheet.getContext("2d");
  brush.setTransform(map.scale, 0, 0, map.scale, side * map.scale, side * map.scale);
  brush.lineJoin = "round";
  const box = [(-side - now.x) / now.k, (now.y - map.height - side) / now.k, (map.width + side - now.x) / now.k, (now.y + side) / now.k];
  const drawn = {};
  return { sheet, drawn, view: now, version: map.version, steps: paintAll(brush, { k: now.k, x: now.x, y: now.y, box }, drawn) };
}

function finishJob() {
  map.spare = map.bitmap && map.bitmap.sheet;
  map.bitmap = map.job;
  map.job = null;
  showCrowded();
}

function copy() {
  const brush = canvas.getContext("2d"), now = view(), side = map.margin;
  brush.setTransform(1, 0, 0, 1, 0, 0);
  brush.clearRect(0, 0, canvas.width, canvas.height);
  brush.setTransform(map.scale, 0, 0, map.scale, 0, 0);
  const from = map.bitmap || map.job;
  if (from) {
    const r = now.k / from.view.k;
    brush.drawImage(from.sheet, now.x - r * (from.view.x + side), now.y - r * (from.view.y + side), r * from.sheet.width / map.scale, r * from.sheet.height / map.scale);
  }
  overlay(brush, now);
}

// What follows the pointer: drawn on each frame, over the bitmap.
function overlay(brush, now) {
  brush.lineCap = "round";
  const colours = THEMES[state.theme];
  if (state.chain) outlined(brush, now, state.picked.input, state.chain.segments, colours.picked, 3);
  for (const [found, width] of [[state.picked, 6], [state.hover, 4]]) {
    const colour = found === state.hover ? colours.ink : colours.picked;
    if (found && found.input) outlined(brush, now, found.input, [found.item], colour, width);
    if (found && found.finding && found.finding.place) ring(brush, now, found.finding.place, colour);
  }
  if (state.marker) spot(brush, now.x + now.k * state.marker[0], now.y - now.k * state.marker[1], 6);
  if (canvas.matches(":focus-visible")) cross(brush, map.width / 2, map.height / 2);
}

function outlined(brush, now, input, items, colour, width) {
  brush.strokeStyle = colour;
  brush.lineWidth = width;
  brush.beginPath();
  for (const i of items) (input.kind === "graph" ? curve : polyline)(brush, now, input, i);
  brush.stroke();
}

function ring(brush, now, [x, y], colour) {
  brush.strokeStyle = colour;
  brush.lineWidth = 3;
  brush.beginPath();
  brush.arc(now.x + now.k * x, now.y - now.k * y, 13, 0, 2 * Math.PI);
  brush.stroke();
}

function spot(brush, x, y, radius) {
  brush.fillStyle = THEMES[state.theme].picked;
  brush.strokeStyle = THEMES[state.theme].ink;
  brush.lineWidth = 2;
  brush.beginPath();
  brush.arc(x, y, radius, 0, 2 * Math.PI);
  brush.fill();
  brush.stroke();
}

function cross(brush, x, y) {
  brush.strokeStyle = THEMES[state.theme].ink;
  brush.lineWidth = 1;
  brush.beginPath();
  for (const [dx, dy] of [[12, 0], [0, 12]]) {
    brush.moveTo(x - dx, y - dy);
    brush.lineTo(x + dx, y + dy);
  }
  brush.stroke();
}

// Show a box of the scene beside the panel, or above what covers the lowest `below` pixels.
function show([x0, y0, x1, y1], below = 0) {
  const margin = 24;
  const panel = document.getElementById("panel");
  const left = map.width > 640 && panel.open ? panel.offsetWidth + 8 : 0, right = 48;
  const wide = Math.max(50, map.width - left - right - 2 * margin), high = Math.max(50, map.height - below - 2 * margin - (left ? 0 : 48));
  const k = Math.min(wide / Math.max(x1 - x0, 1), high / Math.max(y1 - y0, 1));
  const x = left + margin + wide / 2 - k * (x0 + x1) / 2, y = map.height - below - margin - high / 2 + k * (y0 + y1) / 2;
  surface.call(zooming.transform, lib.zoomIdentity.translate(x, y).scale(k));
}

function fit() {
  const [[x0, y0], [x1, y1]] = DATA.bounds;
  const whole = Math.max(x1 - x0, y1 - y0, 1);
  zooming.scaleExtent([Math.min(map.width, map.height) / whole / 20, 4000]);
  show([x0, y0, x1, y1]);
}
