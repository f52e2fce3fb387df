// What happens when.
function localPlace(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=number], select")) return;
  const step = event.shiftKey ? 240 : 80;
  const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  const centre = [map.width / 2, map.height / 2];
  if (moves[event.key]) surface.call(zooming.translateBy, ...moves[event.key].map((pixels) => pixels / view().k));
  else if (event.key === "+" || event.key === "=") surface.call(zooming.scaleBy, 1.5, centre);
  else if (event.key === "-") surface.call(zooming.scaleBy, 1 / 1.5, centre);
  else if (event.key === "0") fit();
  else if (event.key === "Escape") pick(null);
  else if (event.key === "Enter" && event.target === canvas) pick(pickAt(...centre, 16));
  else return;
  event.preventDefault();
  showPlace(...centre);
  if (event.target === canvas && event.key !== "Enter" && event.key !== "Escape") hover(pickAt(...centre, 16));
}

function listen() {
  canvas.addEventListener("pointermove", (event) => {
    showPlace(...localPlace(event));
    if (event.pointerType === "mouse" && !event.buttons) hover(pickAt(...localPlace(event), 8));
  });
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("click", (event) => {
    showPlace(...localPlace(event));
    pick(pickAt(...localPlace(event), event.pointerType === "mouse" ? 8 : 18));
  });
  canvas.addEventListener("focus", redraw);
  canvas.addEventListener("blur", redraw);
  document.addEventListener("keydown", onKey);
  $("in").onclick = () => surface.call(zooming.scaleBy, 1.5, [map.width / 2, map.height / 2]);
  $("out").onclick = () => surface.call(zooming.scaleBy, 1 / 1.5, [map.width / 2, map.height / 2]);
  $("fit").onclick = fit;
  $("theme").onclick = () => setTheme(state.theme === "dark" ? "light" : "dark");
  $("close").onclick = () => pick(null);
  $("find").onsubmit = findSegment;
  new ResizeObserver(() => {
    resize();
    if (chart) chart.setSize({ width: stage.clientWidth, height: chart.height });
  }).observe(stage);
}

function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  $("frame").textContent = DATA.frame;
  canvas.setAttribute("aria-label", `Map of ${DATA.title}`);
  if (window.innerWidth <= 640) $("panel").open = false;
  fillColours();
  fillLayers();
  fillFindings();
  resize();
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  listen();
  fit();
}

start();
// For tests, and for the curious: what is drawn and picked.
window.preview = { state, map, view, pickAt, fit, inputs: INPUTS, settled: () => !map.job && !map.waiting && !stale(), drawn: () => map.bitmap && map.bitmap.drawn };
