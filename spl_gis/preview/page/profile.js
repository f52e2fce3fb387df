// The side profile of the picked chain, by uPlot.
let chart = null;

function showProfile() {
  if (chart) chart.destroy();
  chart = null;
  const chain = state.chain;
  const was = $("profile").hidden;
  $("profile").hidden = !chain;
  if (chain) {
    $("along").textContent = profileText(chain);
    $("chart").setAttribute("aria-label", profileText(chain));
    const options = profileOptions();
    $("chart").style.height = `${options.height}px`;  // uPlot takes its place later, but the map must know now
    chart = new lib.uPlot(options, [chain.way, chain.z, chain.roll], $("chart"));
  }
  if (was !== $("profile").hidden) resize();
}

function profileText({ segments, way, z, roll }) {
  let climb = 0, fall = 0, low = Infinity, high = -Infinity;
  z.forEach((height, n) => {
    [low, high] = [Math.min(low, height), Math.max(high, height)];
    const rise = n ? height - z[n - 1] : 0;
    if (rise > 0) climb += rise;
    else fall -= rise;
  });
  const run = `Chain of ${segments.length} segment${segments.length > 1 ? "s" : ""}, ${metres(way[way.length - 1])} in plan`;
  const leans = roll.some((angle) => angle) ? `, roll ${number(Math.min(...roll))} to ${number(Math.max(...roll))}° (dashed)` : "";
  if (high - low < 0.001) return `${run}, flat at ${number(low, 2)} m${leans}`;
  return `${run}, heights ${number(low)} to ${number(high)} m, climbs ${number(climb)} m, falls ${number(fall)} m${leans}`;
}

function profileOptions() {
  const { ink, pale, profile, up } = THEMES[state.theme], leans = state.chain.roll.some((angle) => angle);
  const axis = { stroke: ink, grid: { stroke: `${pale}55`, width: 1 }, ticks: { stroke: `${pale}55`, width: 1 } };
  const short = (values) => values.map((value) => number(value, 2));
  return {
    width: stage.clientWidth, height: window.innerHeight < 700 ? 110 : 150, legend: { show: false }, padding: [8, 30, 0, 0],
    scales: { x: { time: false }, y: { range: (_, low, high) => high - low < 1 ? [low - 1, high + 1] : [low - 0.05 * (high - low), high + 0.05 * (high - low)] },
      roll: { range: (_, low, high) => [Math.min(low, -5), Math.max(high, 5)] } },
    axes: [{ ...axis, size: 34, values: (_, ticks) => short(ticks).map((tick) => `${tick} m`) }, { ...axis, size: 80, values: (_, ticks) => short(ticks).map((tick) => `${tick} m`) },
      { ...axis, show: leans, scale: "roll", side: 1, size: 60, stroke: up, grid: { show: false }, values: (_, ticks) => short(ticks).map((tick) => `${tick}°`) }],
    series: [{}, { stroke: profile, width: 2, pxAlign: 0, points: { show: false } },
      { show: leans, scale: "roll", stroke: up, width: 1.5, dash: [6, 4], pxAlign: 0, points: { show: false } }],
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [markOnMap] },
  };
}

function markOnMap({ cursor }) {
  const { idx } = cursor, chain = state.chain;
  state.marker = chain && idx != null ? [chain.x[idx], chain.y[idx]] : null;
  redraw();
}
