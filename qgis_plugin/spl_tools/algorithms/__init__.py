"""The algorithms: one file each, and one line in this table."""

from .check_spl import CheckSpl
from .drape_lines import DrapeLines
from .lines_to_spl import LinesToSpl
from .preview_fit import PreviewFit
from .reproject_spl import ReprojectSpl
from .spl_to_lines import SplToLines
from .tile_spl import TileSpl

ALGORITHMS = (LinesToSpl, SplToLines, ReprojectSpl, CheckSpl, PreviewFit, DrapeLines, TileSpl)
"""In the order of the toolbox."""
