"""Files of heights, through rasterio: whatever GDAL reads, also zipped, and tiles in a folder."""

from __future__ import annotations

import gzip
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pyproj import CRS

from .. import frames
from ..errors import FileAccessError, FormatError, MissingDependencyError
from ..model import Floats
from ..report import Report
from .cells import Affine, Reader, Window
from .doubts import doubted, metres_of

if TYPE_CHECKING:
    import rasterio

SUFFIXES = (
    *(".tif", ".tiff", ".vrt", ".hgt", ".asc", ".grd", ".img", ".dem", ".dt0", ".dt1", ".dt2"),
    *(".bil", ".flt", ".bt", ".nc", ".xyz"),
)
"""What files of heights are called, when they are looked for in a folder or a zip file."""


@dataclass(frozen=True)
class RasterFile:
    """A file of heights as a `Raster`; it is open only while it is read.

    Attributes
    ----------
    name, affine, shape, crs, unit
        As of `Raster`.
    path : str
        Where GDAL finds it.
    nodata : tuple of float
        Values that mean that the height is unknown, besides what the file says.
    report : Report
        Told of values that cannot be heights.
    """

    name: str
    affine: Affine
    shape: tuple[int, int]
    crs: CRS | None
    unit: float
    path: str
    nodata: tuple[float, ...]
    report: Report

    @contextmanager
    def opened(self) -> Iterator[Reader]:
        """Open it."""
        from rasterio.enums import MaskFlags

        with _open(self.path, self.name) as dataset:
            declared = bool(self.nodata) or MaskFlags.all_valid not in dataset.mask_flag_enums[0]
            with doubted(
                lambda window: self._read(dataset, window), self.name, self.unit, declared, self.report
            ) as read:
                yield read

    def _read(self, dataset: rasterio.DatasetReader, window: Window) -> Floats:
        from rasterio.errors import RasterioIOError

        rows, columns = (window.top, window.bottom), (window.left, window.right)
        try:
            cells = dataset.read(1, window=(rows, columns), masked=True)
        except RasterioIOError as error:
            raise FormatError(f"the raster cannot be read: {error}", path=self.name) from error
        values = cells.astype(np.float64).filled(np.nan)
        for unknown in self.nodata:
            values[np.isclose(values, unknown, rtol=1e-6, atol=0.0)] = np.nan
        heights: Floats = values * dataset.scales[0] + dataset.offsets[0]
        return heights


@contextmanager
def _open(path: str, name: str) -> Iterator[rasterio.DatasetReader]:
    """Open a file, or say what is wrong with it."""
    try:
        import rasterio
        from rasterio.errors import NotGeoreferencedWarning, RasterioIOError
    except ImportError as error:
        raise MissingDependencyError(
            "terrain from a raster file needs rasterio: pip install 'spl-gis[terrain]'"
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotGeoreferencedWarning)
            dataset = rasterio.open(path)
    except NotGeoreferencedWarning as error:
        raise FormatError(
            "the raster does not say where it lies: it needs a world file, or corners of its own", path=name
        ) from error
    except RasterioIOError as error:
        raise FormatError(f"this is no raster of heights that GDAL reads: {error}", path=name) from error
    with dataset:
        yield dataset


def open_rasters(
    paths: Iterable[Path],
    report: Report,
    *,
    crs: CRS | None = None,
    default_crs: CRS | None = None,
    nodata: float | None = None,
) -> list[RasterFile]:
    """Look at files of heights, and say what had to be assumed of them.

    Parameters
    ----------
    paths : iterable of Path
        Rasters, zip files of them, or folders.
    report : Report
        Told what was assumed.
    crs : pyproj.CRS, optional
        CRS of all of them, whatever they say.
    default_crs : pyproj.CRS, optional
        CRS of those that do not say it.
    nodata : float, optional
        A value that means unknown, besides what the files say.
    """
    found = [item for path in paths for item in _found(Path(path))]
    return [_looked_at(name, path, report, crs, default_crs, nodata) for name, path in found]


def _found(path: Path) -> list[tuple[str, str]]:
    """Give the names of the rasters in a file or folder, and how GDAL opens each."""
    if path.is_dir():
        inside = sorted(item for item in path.iterdir() if _is_raster(item.name))
        if not inside:
            raise FileAccessError(f"there is no raster of heights in the folder {path}")
        return [found for item in inside for found in _found(item)]
    if not path.is_file():
        raise FileAccessError(f"there is no file {path}")
    whole = path.absolute().as_posix()
    if path.suffix.lower() == ".gz":
        return [(path.name, f"/vsigzip/{whole}")]
    if path.suffix.lower() != ".zip":
        return [(path.name, whole)]
    try:
        with zipfile.ZipFile(path) as archive:
            members = [name for name in sorted(archive.namelist()) if _is_raster(name)]
    except zipfile.BadZipFile as error:
        raise FormatError(f"this is not a zip file that can be read: {error}", path=path) from error
    if not members:
        raise FormatError("there is no raster of heights in the zip file", path=path)
    return [(f"{path.name}/{member}", f"/vsizip/{{{whole}}}/{member}") for member in members]


def _is_raster(name: str) -> bool:
    name = name.lower()
    if name.startswith(("__macosx/", ".")):
        return False
    return name.removesuffix(".gz").removesuffix(".zip").endswith(SUFFIXES)


def _looked_at(
    name: str, path: str, report: Report, crs: CRS | None, default_crs: CRS | None, nodata: float | None
) -> RasterFile:
    with _open(path, name) as dataset:
        own = _own_crs(dataset, name, report)
        used = _chosen_crs(name, own, crs, default_crs, report)
        unit = _unit(dataset, used, name, report)
        if dataset.count > 1:
            report.note(f"{name} has {dataset.count} bands: the first is taken for heights")
        unknown = [] if nodata is None else [nodata]
        if dataset.driver == "GRASSASCIIGrid" and dataset.nodata is None and _has_stars(path):
            report.note(f"{name} marks unknown heights by *, which GDAL reads as 0: 0 is taken for unknown")
            unknown.append(0.0)
        affine = Affine(*tuple(dataset.transform)[:6])
        return RasterFile(name, affine, dataset.shape, used, unit, path, tuple(unknown), report)


def _own_crs(dataset: Any, name: str, report: Report) -> CRS | None:
    """Give the CRS that a raster says; one without a name of its datum is looked up by its numbers."""
    if dataset.crs is None:
        return None
    own = frames.parse_crs(dataset.crs.to_wkt(version="WKT2_2019"))
    known = own.to_authority() if "nknown" in str(own.datum) else None
    if known is None:
        return own
    code = ":".join(known)
    report.note(f"{name} does not name the datum of its CRS: by its numbers it is {code} (else: --dem-crs)")
    return frames.parse_crs(code)


def _chosen_crs(
    name: str, own: CRS | None, crs: CRS | None, default: CRS | None, report: Report
) -> CRS | None:
    if crs is not None:
        if own is not None and not frames.same(own, crs):
            report.note(f"{name} says that it is in {own.name}: {crs.name} is used instead, as asked")
        return crs
    if own is not None:
        return own
    if default is not None:
        report.note(f"{name} has no CRS: taken for that of the lines, {default.name} (else: --dem-crs)")
    return default


def _unit(dataset: Any, crs: CRS | None, name: str, report: Report) -> float:
    """Give the metres of one unit of heights; a CRS that says what heights are has said their unit, too."""
    if crs is not None and len(crs.axis_info) > 2:
        return 1.0
    said = (dataset.units[0] or "").strip()
    if said == "" and crs is not None and "foot" in crs.axis_info[0].unit_name:
        report.warn(
            f"{name} is in feet but does not say what its heights are: they are taken for metres; if they "
            "are in feet, pass --dem-crs with a CRS of heights in feet, such as EPSG:2225+6360"
        )
    return metres_of(said, name, report)


def _has_stars(path: str) -> bool:
    """Tell whether a GRASS grid marks unknown cells by stars."""
    zipped = path.startswith("/vsigzip/")
    if path.startswith("/vsizip/"):
        return False
    plain = path.removeprefix("/vsigzip/")
    with gzip.open(plain) if zipped else Path(plain).open("rb") as file:
        return any(b"*" in line for line in file)
