"""`--rejects FILE`: the refused and repaired features of all layers that were read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..convert.merge import merged_features
from ..formats import rejects
from ..report import Report


def write(source: Path, path: Path, given: dict[str, Any], report: Report) -> None:
    """Write the features that the report names, as `source` has them."""
    options = {name: given[name] for name in ("encoding", "source_crs", "engine")}
    found = [rejects.find(source, layer, report, **options) for layer in given["layer"] or [None]]
    whole = found[0]
    if len(found) > 1:
        features = merged_features([each.features for each in found], report)
        whole = rejects.Rejects(features, np.concatenate([each.geometries for each in found]), whole.crs)
    rejects.write(whole, path, engine=given["engine"], overwrite=given["overwrite"], report=report)
