"""The built zip, unpacked as QGIS would, in a QGIS without a window that pytest-qgis starts.

`tests/test_qgis_plugin.py` runs these; by hand, in a virtual environment of the Python that has QGIS, made
with ``--system-site-packages``: ``pip install pytest-qgis``, then
``QT_QPA_PLATFORM=offscreen python -m pytest --rootdir=/tmp -c tests/qgis/pytest.ini tests/qgis`` (QGIS's
profile of these tests is made in the rootdir).
"""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest
from qgis.core import QgsProcessingFeedback, QgsVectorLayer
from qgis.PyQt import sip

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "qgis_plugin"))
BLOCKED = ("shapely", "fiona", "pyogrio", "arro3", "msgspec", "click", "rich", "matplotlib", "rasterio")
BLOCKED += ("distributed",)


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
def package(qgis_processing, plugins):
    """The plugin's package."""
    sys.path.insert(0, str(plugins))
    import spl_tools

    return spl_tools


@pytest.fixture(scope="session")
def plugin(package):
    """The plugin, loaded as `qgis_process` does."""
    plugin = package.classFactory(None)
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
    yield layer
    sip.delete(layer)  # pytest would keep it longer than QGIS lives
