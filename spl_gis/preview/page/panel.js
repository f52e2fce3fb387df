// Controls, legend, and what is said about segments. Text goes in as text, never as markup.
const $ = (id) => document.getElementById(id);

function make(name, attributes = {}, ...children) {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children);
  return element;
}

function showInfo() {
  const found = state.hover || state.picked;
  $("info").hidden = !found;
  $("info").classList.toggle("hover", Boolean(state.hover));
  if (!found) return;
  const rows = about(found).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  $("info").replaceChildren(make("h2", {}, titleOf(found)), make("dl", {}, ...rows));
}

function showColours() {
  const colouring = COLOURINGS[state.colouring];
  state.classes = INPUTS.map((input, number) => classesOf(colouring, number));
  const counts = new Map();
  for (const classes of state.classes) for (const which of classes || []) counts.set(which, (counts.get(which) || 0) + 1);
  const rows = [...colouring.labels.entries(), [NONE, "no value"]].filter(([which]) => counts.has(which));
  $("legend").hidden = colouring.per === "input" && rows.length < 2;  // then there is nothing to tell apart
  $("legend").replaceChildren(...rows.map(([which, label]) => {
    const swatch = make("b");
    swatch.style.background = colourOf(which);
    return make("li", {}, swatch, make("span", {}, label), make("i", {}, String(counts.get(which))));
  }));
  changed();
}

function fillColours() {
  $("colour").append(...COLOURINGS.map(({ name }, value) => new Option(name, value, false, value === state.colouring)));
  const measured = COLOURINGS.some(({ name }) => name === "deviation");
  if (INPUTS.some(({ kind }) => kind === "graph") && !measured) {
    $("colour").append(Object.assign(new Option("deviation (add the source lines)"), { disabled: true }));
  }
  $("colour").onchange = () => {
    state.colouring = Number($("colour").value);
    showColours();
  };
}

function layer(label, checked, set, extra = []) {
  const box = make("input", { type: "checkbox", checked });
  box.onchange = () => {
    set(box.checked);
    changed();
  };
  $("layers").append(make("label", {}, box, make("span", {}, label, ...extra)));
}

const KIND_NAMES = { graph: "Curves", lines: "Source lines", rejects: "Rejects" };

function fillLayers() {
  for (const input of INPUTS) {
    layer(`${KIND_NAMES[input.kind]} `, true, (on) => { input.visible = on; }, [make("small", {}, `${input.name} (${input.count})`)]);
  }
  if (INPUTS.some(({ kind }) => kind === "graph")) {
    layer("Points ", state.layers.points, (on) => { state.layers.points = on; }, degreeKey());
    layer("Handles ", false, (on) => { state.layers.handles = on; }, [make("small", { id: "crowded-handles" })]);
    layer("Up vectors ", false, (on) => { state.layers.ups = on; }, [make("small", { id: "crowded-ups" })]);
  } else {
    $("find").hidden = true;
  }
  for (const severity of SEVERITIES) {
    const count = PLACED.filter((finding) => finding.severity === severity).length;
    state.layers[severity] = severity === "error" || count <= MOST_MARKED;
    if (count) layer(`Findings: ${severity}s `, state.layers[severity], (on) => { state.layers[severity] = on; }, [make("small", {}, `(${count})`)]);
  }
}

function degreeKey() {
  const key = make("small", { id: "degrees" });
  ["alone", "end", "joint", "junction"].forEach((word, degree) => {
    if (!degree && !INPUTS.some((input) => input.degree && input.degree.includes(0))) return;
    const dot = make("span", { className: "dot" });
    dot.dataset.degree = degree;
    key.append(make("span", { className: "whole" }, dot, word), " ");
  });
  return [key, make("small", { id: "crowded-points" })];
}

function showCrowded() {
  for (const name of ["handles", "ups", "points"]) {
    const note = $(`crowded-${name}`);
    if (note) note.textContent = state.crowded.has(name) ? " – zoom in to see all" : "";
  }
}

function fillFindings() {
  $("findings").hidden = !DATA.findings.length;
  const most = 500, more = DATA.findings.length - most;
  $("findings").firstElementChild.textContent = `Findings (${DATA.findings.length})`;
  $("findings").lastElementChild.append(...DATA.findings.slice(0, most).map((finding) => {
    const button = make("button", { type: "button", disabled: !finding.place }, `${finding.code} ${finding.path}: ${finding.message}`);
    button.dataset.severity = finding.severity;
    button.onclick = () => goTo([...finding.place, ...finding.place], { finding });
    return make("li", {}, button);
  }), ...(more > 0 ? [make("li", {}, `and ${more} more`)] : []));
}

function goTo([x0, y0, x1, y1], found) {
  pick(found);  // first, because the profile takes its place from the map
  show([x0 - 25, y0 - 25, x1 + 25, y1 + 25], map.width > 640 ? 0 : $("info").offsetHeight);
}

function findSegment(event) {
  event.preventDefault();
  const input = INPUTS.find(({ kind, visible }) => kind === "graph" && visible), item = Number($("number").value);
  if (!input || !$("number").value || !(item < input.count)) {
    $("info").hidden = false;
    $("info").replaceChildren(input ? `${input.name} has the segments 0 to ${input.count - 1}` : "no graph is shown");
    return;
  }
  const x = [0, 3].map((which) => input.at(item, which, 0)), y = [0, 3].map((which) => input.at(item, which, 1));
  goTo([Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)], { input, item });
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.style.colorScheme = theme;
  for (const dot of document.querySelectorAll(".dot")) {
    dot.style.borderColor = THEMES[theme].degree[dot.dataset.degree];
    dot.style.background = dot.dataset.degree === "1" ? "none" : THEMES[theme].degree[dot.dataset.degree];
  }
  for (const button of document.querySelectorAll("#findings button")) {
    button.style.borderLeftColor = THEMES[theme].severity[button.dataset.severity] || THEMES[theme].pale;
  }
  showColours();
  showProfile();
}

function showScale() {
  const longest = 130 / view().k, power = 10 ** Math.floor(Math.log10(longest));
  const size = power * [5, 2, 1].find((step) => step * power <= longest);
  const text = size >= 1000 ? `${number(size / 1000)} km` : size >= 1 ? `${size} m` : `${number(size * 1000)} mm`;
  $("scale").firstElementChild.style.width = `${size * view().k}px`;
  $("scale").firstElementChild.textContent = text;
  $("scale").setAttribute("aria-label", `Scale bar: ${text}`);
}

// Where a pixel is; without one, the middle of the map.
function showPlace(px = map.width / 2, py = map.height / 2) {
  const { k, x, y } = view(), sx = (px - x) / k, sy = (y - py) / k;
  const digits = k > 20 ? 3 : k > 1 ? 2 : 1;
  $("scene").textContent = `x ${(sx + DATA.middle[0]).toFixed(digits)}, y ${(sy + DATA.middle[1]).toFixed(digits)} m`;
  $("lonlat").textContent = lonlatText(sx, sy);
}
