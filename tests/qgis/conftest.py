"""The built zip, unpacked as QGIS would, in a QGIS without a window.

Run with the Python that has QGIS: ``/usr/bin/python3 -m pytest -c tests/qgis/pytest.ini tests/qgis``.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QGIS_CUSTOM_CONFIG_PATH"] = tempfile.mkdtemp()
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp())

import pytest
from qgis.core import QgsApplication, QgsProcessingFeedback, QgsProject, QgsVectorLayer

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "qgis_plugin"))
BLOCKED = ("shapely", "fiona", "pyogrio", "arro3", "msgspec", "click", "rich", "matplotlib", "rasterio")


class _Blocked:
    """Makes libraries that a QGIS may lack impossible to import."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"blocked for this test: {name}")


if not os.environ.get("SPL_GIS_UNBLOCKED"):
    sys.meta_path.insert(0, _Blocked())


class Feedback(QgsProcessingFeedback):
    """Keeps what an algorithm says."""

    def __init__(self):
        super().__init__(False)
        self.infos, self.warned, self.steps = [], [], []
        self.progressChanged.connect(self.steps.append)

    def pushInfo(self, info):
        self.infos.append(info)

    def pushWarning(self, warning):
        self.warned.append(warning)


@pytest.fixture(scope="session")
def plugins(tmp_path_factory):
    """The folder that the built zip was unpacked to."""
    import build

    folder = tmp_path_factory.mktemp("plugins")
    with zipfile.ZipFile(build.build(folder / "spl_tools.zip")) as archive:
        archive.extractall(folder)
    sys.path.remove(str(ROOT / "qgis_plugin"))
    return folder


@pytest.fixture(scope="session")
def application():
    """QGIS with Processing."""
    QgsApplication.setPrefixPath("/usr", True)
    app = QgsApplication([], False)
    app.initQgis()
    sys.path.append(str(Path(QgsApplication.pkgDataPath()) / "python" / "plugins"))
    from processing.core.Processing import Processing

    Processing.initialize()
    yield app
    QgsProject.instance().clear()


@pytest.fixture(scope="session")
def plugin(application, plugins):
    """The plugin, loaded as `qgis_process` does."""
    sys.path.insert(0, str(plugins))
    import spl_tools

    plugin = spl_tools.classFactory(None)
    plugin.initProcessing()
    yield plugin
    plugin.unload()


@pytest.fixture()
def feedback():
    return Feedback()


@pytest.fixture()
def run(plugin, feedback):
    """Run an algorithm of the provider."""
    import processing

    def run(name, **parameters):
        return processing.run(f"spl:{name}", parameters, feedback=feedback)

    return run


@pytest.fixture()
def town():
    layer = QgsVectorLayer(str(ROOT / "sample_data" / "town.gpkg"), "town", "ogr")
    assert layer.isValid()
    return layer
