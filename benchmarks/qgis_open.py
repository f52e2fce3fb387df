"""Compare opening a `.spl` in QGIS with opening the same lines from a GeoPackage, in one run.

    /usr/bin/python3 benchmarks/qgis_open.py [--segments 100000] [--runs 3] [--profile]

Needs the Python that has QGIS. The graph is the sample town's, repeated on a grid. Prints the median wall
time that the plugin takes to make its group of layers, that QGIS takes to read the same lines with the same
attributes from a GeoPackage, and that either takes when the map is drawn as well.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QGIS_CUSTOM_CONFIG_PATH"] = tempfile.mkdtemp()
ROOT = Path(__file__).resolve().parent.parent
SPACING = 2000.0
"""Distance [m] between towns."""


def with_plugin(folder: Path) -> Any:
    """Start QGIS with the plugin from its built zip, and give its application."""
    sys.path.insert(0, str(ROOT / "qgis_plugin"))
    import build
    from qgis.core import QgsApplication

    with zipfile.ZipFile(build.build(folder / "spl_tools.zip")) as archive:
        archive.extractall(folder)
    sys.path[:] = [str(folder), *(entry for entry in sys.path if Path(entry or ".").resolve() != ROOT)]
    application = QgsApplication([], False)
    application.initQgis()
    return application


def town_graph() -> Any:
    """Make the graph of the sample town."""
    from qgis.core import QgsVectorLayer
    from spl_tools.adapter import read_layer, read_lines
    from spl_tools.spl_gis import convert, frames
    from spl_tools.spl_gis.report import Report, silent

    layer = QgsVectorLayer(str(ROOT / "sample_data" / "town.gpkg"), "town", "ogr")
    lines = read_lines(read_layer(layer, silent, layer), Report())
    frame = frames.scene_frame(lines.coords, lines.crs)
    return convert.lines_to_graph(lines, frame)


def repeated(town: Any, segments: int) -> Any:
    """Repeat a graph on a square grid until there are so many segments."""
    import dataclasses

    import numpy as np

    times = -(-segments // len(town))
    copy = np.arange(times)
    side = int(np.ceil(np.sqrt(times)))
    shift = SPACING * np.column_stack([copy % side, copy // side, np.zeros(times)])

    def moved(numbers: Any, step: int) -> Any:
        return (numbers[None] + step * copy.reshape(-1, *[1] * numbers.ndim)).reshape(-1, *numbers.shape[1:])

    def tiled(numbers: Any) -> Any:
        return np.tile(numbers, (times, *[1] * (numbers.ndim - 1)))

    features = town.features.take(tiled(np.arange(len(town.features))))
    return dataclasses.replace(
        town,
        points=(town.points[None] + shift[:, None]).reshape(-1, 3),
        ends=moved(town.ends, len(town.points)),
        tangents=tiled(town.tangents),
        ups=tiled(town.ups),
        line=moved(town.line, len(town.line_feature)),
        line_feature=moved(town.line_feature, len(town.features)),
        line_part=tiled(town.line_part),
        features=dataclasses.replace(features, fid=np.arange(1, len(features) + 1)),
    )


def opened(path: Path) -> list[Any]:
    """Open a graph as the plugin does."""
    from spl_tools.adapter import quickly
    from spl_tools.opener.group import add_group
    from spl_tools.opener.kinds import Opened
    from spl_tools.spl_gis import formats
    from spl_tools.spl_gis.formats import sidecar
    from spl_tools.spl_gis.report import Report, silent

    report = Report()
    with quickly():
        graph = formats.read_graph(path, report=report)
        opened = Opened(graph, sidecar.read_deviations(sidecar.beside(path)))
        return list(add_group(opened, path, report, silent, lambda layer, make: None).values())


def loaded(path: Path) -> list[Any]:
    """Read all features of a layer of a GeoPackage."""
    from qgis.core import QgsVectorLayer

    layer = QgsVectorLayer(str(path), "same", "ogr")
    assert sum(1 for _ in layer.getFeatures()) == layer.featureCount()
    return [layer]


def drawn(layers: list[Any]) -> None:
    """Draw the map of what is shown at first."""
    from qgis.core import QgsMapRendererParallelJob, QgsMapSettings
    from qgis.PyQt.QtCore import QSize

    settings = QgsMapSettings()
    settings.setOutputSize(QSize(1280, 800))
    settings.setDestinationCrs(layers[0].crs())
    settings.setLayers(layers)
    settings.setExtent(settings.fullExtent())
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the wall time [s] of some work, and what it gave."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def prepared(folder: Path, segments: int) -> tuple[Path, Path]:
    """Write the graph, and a GeoPackage of its lines as the plugin shows them."""
    from qgis.core import QgsProject, QgsVectorFileWriter
    from spl_tools.spl_gis import formats
    from spl_tools.spl_gis.report import Report

    graph, same = folder / "big.spl", folder / "same.gpkg"
    formats.write(repeated(town_graph(), segments), graph, overwrite=True, report=Report())
    layer = next(layer for layer in opened(graph) if layer.name() == "Splines")
    options = QgsVectorFileWriter.SaveVectorOptions()
    shifts = QgsProject.instance().transformContext()
    done = QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(same), shifts, options)
    assert done[0] == QgsVectorFileWriter.WriterError.NoError, done
    print(f"{layer.featureCount():,} segments, {graph.stat().st_size / 1e6:.0f} MB .spl")
    QgsProject.instance().clear()
    return graph, same


def one_run(graph: Path, same: Path) -> tuple[float, float, float, float]:
    """Give the times of the plugin and of QGIS, without and with the drawing."""
    from qgis.core import QgsProject

    ours, layers = timed(lambda: opened(graph))
    tree = QgsProject.instance().layerTreeRoot()
    shown = [layer for layer in reversed(layers) if tree.findLayer(layer).isVisible()]
    ours_drawn, _ = timed(lambda: drawn(shown))
    theirs, layers = timed(lambda: loaded(same))
    theirs_drawn, _ = timed(lambda: drawn(layers))
    QgsProject.instance().clear()
    return ours, theirs, ours + ours_drawn, theirs + theirs_drawn


def main() -> None:
    """Build the network, open it in turn, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="print where the plugin's time goes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        application = with_plugin(Path(name))
        graph, same = prepared(Path(name), asked.segments)
        rows = [one_run(graph, same) for _ in range(asked.runs)]
        for number, what in ((0, "opened"), (2, "and drawn")):
            ours, theirs = (statistics.median(row[number + side] for row in rows) for side in (0, 1))
            ratio = statistics.median(row[number] / row[number + 1] for row in rows)
            print(f"{what:10} plugin {ours:6.2f} s  GeoPackage {theirs:6.2f} s  ratio {ratio:.2f}")
        if asked.profile:
            profile = cProfile.Profile()
            profile.runcall(opened, graph)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        sys.stdout.flush()
        os._exit(0)  # QGIS without a window may crash when its layers outlive it
    del application


if __name__ == "__main__":
    main()
