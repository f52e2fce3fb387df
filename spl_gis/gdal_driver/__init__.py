"""The folder of `ogr_spl.py`, with which GDAL itself opens `.spl` files.

GDAL loads that script into a Python of its own, so it stands alone: nothing here imports it, and it imports
nothing of spl-gis.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
"""What the environment variable GDAL_PYTHON_DRIVER_PATH must name."""

NAME = "UNIGINE_SPL"
"""Short name of the driver."""
