"""Refused and repaired features as a layer of their own, as the source has them, with what was wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from ..errors import OptionError
from ..files import whole_file
from ..model import Column, Features, Ints, LineStrings
from ..report import Remark, Report
from . import vector
from ._drivers import driver_for
from ._geometry import outlines_from_wkb
from ._source import PathLike
from ._write import make_output, write_output

SUFFIXES = (".gpkg", ".geojson", ".json", ".geojsonl")
"""Formats in which one layer holds geometries of every kind, and rows without any."""

FID, LAYER, WHAT, REASON = "reject_fid", "reject_layer", "reject", "reject_reason"
"""Columns that are put before those of the source."""


class Rejects(NamedTuple):
    """Refused and repaired features of one source layer.

    Attributes
    ----------
    features : Features
        Their rows: the columns `FID`, `LAYER`, `WHAT` ("refused" or "repaired") and `REASON`, and those of
        the source. All null but ours where GDAL shows no such feature.
    geometries : ndarray of bytes, shape (F,)
        Their geometries as the source has them, as WKB; None where there is none.
    crs : pyproj.CRS or None
        CRS of the geometries.
    """

    features: Features
    geometries: NDArray[Any]
    crs: CRS | None


def check_suffix(path: Path) -> None:
    """Refuse a file whose format cannot hold rejects, with an `OptionError` that lists those that can."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(
            f"rejects have geometries of every kind, or none: {path.name} cannot hold them, use one of "
            f"{', '.join(SUFFIXES)}"
        )


def find(source: PathLike, layer: str | None, report: Report, **options: Any) -> Rejects:
    """Read the refused and repaired features of a layer again, from where they are.

    Parameters
    ----------
    source : path-like
        The file that was read.
    layer : str, optional
        The layer of it, as it was given to `vector.read`.
    report : Report
        What was refused and repaired.
    **options
        `encoding`, `source_crs` and `engine` as in `vector.read`.

    Returns
    -------
    Rejects
        One row for each feature, in the order of their ids.
    """
    query, raw, crs = vector.raw_layer(source, layer, Report(), **options)
    features, row = table(Features(raw.fid, raw.columns, query.layer), report)
    geometries = np.full(len(row), None, object)
    geometries[row >= 0] = raw.geometries(row[row >= 0])
    return Rejects(features, geometries, crs)


def table(layer: Features, report: Report) -> tuple[Features, Ints]:
    """Give the rows of the refused and repaired features of a layer, and where in it each of them is.

    Parameters
    ----------
    layer : Features
        All rows of the layer.
    report : Report
        What was refused and repaired.

    Returns
    -------
    Features
        In the order of their ids, with the columns that `Rejects` has.
    ndarray of int, shape (F,)
        Row of each in `layer`, -1 = it is not there.
    """
    refused, repaired = (
        [remark for remark in remarks if remark.layer in ("", layer.layer)]
        for remarks in (report.refused, report.repaired)
    )
    fid = np.unique([remark.fid for remark in refused + repaired]).astype(np.int64)
    order = np.argsort(layer.fid, kind="stable")
    row = np.append(order, -1)[np.searchsorted(layer.fid, fid, sorter=order)]
    row[row >= 0] = np.where(layer.fid[row[row >= 0]] == fid[row >= 0], row[row >= 0], -1)
    ours = _own_columns(fid, layer.layer, refused, repaired)
    return Features(fid, {**ours, **_apart(layer.take(row).columns, ours)}, layer.layer), row


def write(rejects: Rejects, path: Path, *, engine: str, overwrite: bool, report: Report) -> None:
    """Write rejects as a layer called ``rejects``; raises what `vector.write` raises."""
    check_suffix(path)
    machine, said = vector.machine_of(engine), Report()
    # rows of several layers may share an id
    features = Features(np.arange(len(rejects.features)) + 1, rejects.features.columns, "rejects")
    geometries, crs = rejects.geometries, rejects.crs
    output = make_output(features, geometries, "Unknown", crs, path, machine=machine, report=said)
    with whole_file(path, overwrite=overwrite) as scratch:
        write_output(output, scratch, driver_for(path), machine, len(features), said)
    for sentence in said.notes + said.warnings:  # about the layer of rejects, not about the job
        report.note(f"{path.name}: {sentence}")


def are_rejects(features: Features) -> bool:
    """Tell whether a layer is one that `write` wrote."""
    return {FID, WHAT, REASON} <= set(features.columns)


def read(path: PathLike, layer: str | None = None, **options: Any) -> LineStrings:
    """Read what `write` wrote, to show it where it is.

    Parameters
    ----------
    path : path-like
        The file.
    layer : str, optional
        The layer of rejects, when there are others.
    **options
        Those of `vector.read`.

    Returns
    -------
    LineStrings
        All parts of all geometries that have a place: a point as a line of two equal vertices, a ring of a
        polygon as a closed one. Features without a place have no line.
    """
    _, raw, crs = vector.raw_layer(path, layer, Report(), **options)
    coords, offsets, row, part = outlines_from_wkb(raw.geometries(np.arange(len(raw.fid))))
    return LineStrings(coords, offsets, row, part, Features(raw.fid, raw.columns, "rejects"), crs)


def _own_columns(
    fid: Ints, layer: str, refused: Sequence[Remark], repaired: Sequence[Remark]
) -> dict[str, Column]:
    reasons: dict[int, dict[str, None]] = {
        number: {} for number in fid.tolist()
    }  # a set that keeps its order
    for remark in [*refused, *repaired]:
        reasons[remark.fid][remark.reason] = None
    gone = {remark.fid for remark in refused}
    none = np.zeros(len(fid), bool)
    return {
        FID: Column(fid, none, "Integer64"),
        LAYER: Column(np.full(len(fid), layer, object), none, "String"),
        WHAT: _texts(["refused" if number in gone else "repaired" for number in reasons]),
        REASON: _texts(["; ".join(said) for said in reasons.values()]),
    }


def _texts(values: Sequence[str]) -> Column:
    texts = np.empty(len(values), object)
    texts[:] = values
    return Column(texts, np.zeros(len(values), bool), "String")


def _apart(columns: Mapping[str, Column], taken: Mapping[str, Column]) -> dict[str, Column]:
    """Give the columns whose name is taken another one: a file of rejects may be read again."""
    return {f"source_{name}" if name in taken else name: column for name, column in columns.items()}
