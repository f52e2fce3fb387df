// node fitting_peers.mjs in.json out.json: fit {which, tolerance, lines} with paper or fit-curve from FITTING_NODE.
import { createRequire } from "module";
import fs from "fs";
const require = createRequire(process.env.FITTING_NODE + "/");
const { which, tolerance, lines } = JSON.parse(fs.readFileSync(process.argv[2]));
const pair = (p) => [p.x, p.y];
let fit;
if (which === "paper") {
  const paper = require("paper/dist/paper-core.js");
  paper.setup(new paper.Size(100, 100));
  fit = (line) => {
    const path = new paper.Path({ segments: line, insert: false });
    path.simplify(tolerance * tolerance);
    return path.segments.slice(1).map((b, i) => {
      const a = path.segments[i];
      return [pair(a.point), pair(a.point.add(a.handleOut)), pair(b.point.add(b.handleIn)), pair(b.point)];
    });
  };
} else {
  const fitCurve = require("fit-curve");
  fit = (line) => fitCurve(line, tolerance * tolerance);
}
for (const line of lines.slice(0, 20)) fit(line);
const start = process.hrtime.bigint();
const curves = lines.map((line) => { try { return fit(line); } catch { return []; } });
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
fs.writeFileSync(process.argv[3], JSON.stringify({ seconds, curves }));
