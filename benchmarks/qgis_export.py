"""Compare `spl:lines_to_spl` in QGIS with `spl-gis convert` plus QGIS's own time to iterate the layer.

    python -m benchmarks.qgis_export [--lines 110000] [--runs 3] [--fit vertices] [--qgis /usr/bin/python3]

Needs a Python that has QGIS. The network is the sample town, repeated on a grid, in a GeoPackage. Prints the
median times of the processor, so that other work on the machine does not count, and the median ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FITS = ("best", "fast", "vertices", "unigine")
"""As the algorithm numbers them."""


def in_qgis(plugins: Path, source: Path, target: Path, fit: str) -> dict[str, float]:
    """Iterate the layer, and run the algorithm; give the time [s] that both take."""
    from qgis.core import QgsApplication, QgsVectorLayer

    application = QgsApplication([], False)
    application.initQgis()
    sys.path[:0] = [str(plugins), str(Path(QgsApplication.pkgDataPath()) / "python" / "plugins")]
    from processing.core.Processing import Processing

    Processing.initialize()
    import processing
    import spl_tools

    plugin = spl_tools.classFactory(None)
    plugin.initProcessing()
    layer = QgsVectorLayer(str(source), "big", "ogr")
    start = time.process_time()
    features = sum(1 for feature in layer.getFeatures() if feature.geometry() and feature.attributes())
    iterated = time.process_time() - start
    assert features == layer.featureCount()
    start = time.process_time()
    asked = {"INPUT": layer, "FIT": FITS.index(fit), "OUTPUT": str(target)}
    processing.run("spl:lines_to_spl", asked)
    return {"iterated": iterated, "algorithm": time.process_time() - start}


def prepared(folder: Path, lines: int) -> Path:
    """Build the network, and unpack the plugin."""
    from benchmarks.convert import TOWN, repeated
    from spl_gis.formats import vector

    network = repeated(vector.read(TOWN), lines)
    vector.write(network, folder / "big.gpkg")
    print(f"{len(network):,} lines, {len(network.coords):,} vertices")
    built = folder / "spl_tools.zip"
    subprocess.run(
        [sys.executable, ROOT / "qgis_plugin" / "build.py", built], check=True, stdout=subprocess.DEVNULL
    )
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder)
    return folder / "big.gpkg"


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def one_run(source: Path, fit: str, qgis: str) -> dict[str, float]:
    """Give the times of the command line, of QGIS's iteration, and of the algorithm."""
    target = source.with_suffix(".spl")
    words = [
        sys.executable,
        "-m",
        "spl_gis",
        "convert",
        source,
        target,
        "--fit",
        fit,
        "--overwrite",
        "--quiet",
    ]
    start = _of_children()
    subprocess.run(words, check=True, cwd=ROOT)
    spent = _of_children() - start
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL"))}
    clean.update(QT_QPA_PLATFORM="offscreen", QGIS_CUSTOM_CONFIG_PATH=str(source.parent / "profile"))
    inner = [qgis, __file__, "--inside", source.parent, source, source.with_name("qgis.spl"), fit]
    done = subprocess.run(inner, check=True, capture_output=True, text=True, env=clean)
    return {"command line": spent, **json.loads(done.stdout.splitlines()[-1])}


def main() -> None:
    """Build the network, run both in turn, and print the ratio."""
    if sys.argv[1:2] == ["--inside"]:
        plugins, source, target = map(Path, sys.argv[2:5])
        print(json.dumps(in_qgis(plugins, source, target, sys.argv[5])), flush=True)
        os._exit(0)  # QGIS without a window may crash when its layers outlive it
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=110_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fit", default="vertices", choices=FITS)
    parser.add_argument("--qgis", default="/usr/bin/python3")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = prepared(Path(folder), asked.lines)
        rows = [one_run(source, asked.fit, asked.qgis) for _ in range(asked.runs)]
    for name in rows[0]:
        print(f"{name:12} {statistics.median(row[name] for row in rows):8.1f} s")
    ratio = statistics.median(row["algorithm"] / (row["command line"] + row["iterated"]) for row in rows)
    print(f"algorithm / (command line + iterated) = {ratio:.2f}")


if __name__ == "__main__":
    main()
