// What Python wrote: typed arrays in base64, in metres from the middle of the scene.
const DATA = JSON.parse(document.getElementById("data").textContent);
const KINDS = { f4: Float32Array, u4: Uint32Array, i4: Int32Array, u1: Uint8Array };
const NONE = 255;

function unpack({ type, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[type](bytes.buffer);
}

// An index of boxes; box(i) fills `corners` with x0, y0, x1, y1. Flatbush knows no empty index.
function indexOf(count, box) {
  if (!count) return { search: () => [] };
  const index = new lib.Flatbush(count), corners = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    box(i, corners);
    index.add(...corners);
  }
  index.finish();
  return index;
}

function graphOf(input) {
  const points = unpack(input.points), ends = unpack(input.ends), tangents = unpack(input.tangents);
  const measures = Object.entries(input.measures).map(([name, values]) => [name, unpack(values)]);
  const graph = {
    ...input, points, ends, tangents,
    ups: input.ups && unpack(input.ups),
    degree: unpack(input.degree),
    measures: Object.fromEntries(measures),
    runs: Object.fromEntries(Object.entries(input.runs).map(([name, values]) => [name, unpack(values)])),
    count: ends.length / 2,
    // The plan of control point `which` (0 to 3) of segment i is x(i, which), y(i, which); z is the height.
    at(i, which, axis) {
      const end = which > 1 ? 1 : 0;
      const place = points[3 * ends[2 * i + end] + axis];
      return which % 3 ? place + tangents[6 * i + 3 * end + axis] : place;
    },
  };
  graph.index = indexOf(graph.count, (i, corners) => {
    const x = [0, 1, 2, 3].map((which) => graph.at(i, which, 0)), y = [0, 1, 2, 3].map((which) => graph.at(i, which, 1));
    corners[0] = Math.min(...x); corners[1] = Math.min(...y); corners[2] = Math.max(...x); corners[3] = Math.max(...y);
  });
  graph.pointIndex = indexOf(points.length / 3, (i, corners) => {
    corners[0] = corners[2] = points[3 * i]; corners[1] = corners[3] = points[3 * i + 1];
  });
  return graph;
}

function linesOf(input) {
  const coords = unpack(input.coords), offsets = unpack(input.offsets);
  const lines = { ...input, coords, offsets, count: offsets.length - 1 };
  lines.index = indexOf(lines.count, (i, corners) => {
    corners.splice(0, 4, Infinity, Infinity, -Infinity, -Infinity);
    for (let v = offsets[i]; v < offsets[i + 1]; v++) {
      corners[0] = Math.min(corners[0], coords[2 * v]); corners[1] = Math.min(corners[1], coords[2 * v + 1]);
      corners[2] = Math.max(corners[2], coords[2 * v]); corners[3] = Math.max(corners[3], coords[2 * v + 1]);
    }
  });
  return lines;
}

function featuresOf({ fid, columns }) {
  const unpacked = Object.entries(columns).map(([name, { values, index }]) => [name, values, unpack(index)]);
  return (row) => row < 0 ? [] : [["feature", String(fid[row])],
    ...unpacked.map(([name, values, index]) => [name, values[index[row]]]).filter(([, value]) => value !== "")];
}

const INPUTS = DATA.inputs.map((input) => {
  const opened = input.kind === "graph" ? graphOf(input) : linesOf(input);
  return { ...opened, feature: unpack(input.feature), attributes: featuresOf(input.features), visible: true };
});
const SEVERITIES = ["error", "warning", "note"];
const MOST_MARKED = 1000;  // of a severity, else they are shown when asked for
const PLACED = DATA.findings.filter(({ place }) => place);
const FINDINGS = indexOf(PLACED.length, (i, corners) => corners.splice(0, 4, ...PLACED[i].place, ...PLACED[i].place));
const COLOURINGS = DATA.colourings.map((each) => ({ ...each, index: each.index.map((index) => index && unpack(index)) }));

// The class of each segment, or line, of an input; null = it is not coloured.
function classesOf(colouring, number) {
  const input = INPUTS[number], index = colouring.index[number];
  if (!index || colouring.per === "segment") return index;
  if (colouring.per === "input") return new Uint8Array(input.count).fill(index[0]);
  return Uint8Array.from(input.feature, (row) => row < 0 ? NONE : index[row]);
}
