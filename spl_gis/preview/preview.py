"""What `view` gives: it can be saved, and shows itself in Jupyter."""

from __future__ import annotations

import html
from os import PathLike
from pathlib import Path

from ..errors import OptionError
from ..files import whole_file
from ..model import SplineGraph
from ..report import Report
from . import page, picture
from .colours import choose, colourings
from .measures import measure
from .scene import Scene

SUFFIXES = (".html", ".svg", ".png")
"""What a preview can be saved as."""


def check_suffix(path: Path) -> None:
    """Refuse, with an `OptionError`, a file that is no picture."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"{path} is no picture: its name must end in one of {', '.join(SUFFIXES)}")


class Preview:
    """Graphs and lines in one frame, measured and coloured.

    Attributes
    ----------
    scene : Scene
        The inputs in one frame.
    measures : list of Measures or None
        What was measured on each input that is a graph.
    colourings : list of Colouring
        What there is to colour by.
    colouring : Colouring
        What was chosen of it.
    """

    def __init__(self, scene: Scene, color_by: str | None, report: Report) -> None:
        self.scene = scene
        self.measures = [
            measure(each.data, scene.sources) if isinstance(each.data, SplineGraph) else None
            for each in scene.shown
        ]
        self.colourings = colourings(scene, self.measures)
        self.colouring = choose(self.colourings, color_by)
        self._report = report

    def html(self) -> str:
        """Give the page: one file that needs nothing else."""
        return page.html(self.scene, self.measures, self.colourings, self.colouring)

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the page (.html) or a drawing (.svg, .png); it appears whole or not at all.

        Raises
        ------
        OptionError
            When the suffix is another.
        FileAccessError
            When the file exists and `overwrite` is false, or cannot be written.
        MissingDependencyError
            When matplotlib is needed and missing.
        """
        path = Path(path)
        check_suffix(path)
        with whole_file(path, overwrite=overwrite) as scratch:
            if path.suffix.lower() == ".html":
                scratch.write_text(self.html(), encoding="utf-8")
            else:
                picture.save(self.scene, self.colouring, scratch, self._report)

    def _repr_html_(self) -> str:
        """Show the page in Jupyter, in a frame of its own."""
        return (
            f'<iframe title="{html.escape(self.scene.title)}" srcdoc="{html.escape(self.html())}" '
            'style="width: 100%; height: 600px; border: 0"></iframe>'
        )
