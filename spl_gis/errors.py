"""Everything raised on purpose: sentences for people, and built-in exceptions for programs."""

from __future__ import annotations

from os import PathLike


class SplGisError(Exception):
    """Base of all errors that spl-gis raises on purpose."""


class FormatError(SplGisError, ValueError):
    """A file does not hold what it should.

    Parameters
    ----------
    message : str
        What is wrong and what to do next.
    path : path-like, optional
        The file.
    location : str, optional
        Where in the file: a JSON path (``$.points[3][1]``), a line and column, a layer or a feature id.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | PathLike[str] | None = None,
        location: str | None = None,
    ) -> None:
        self.path = path
        self.location = location
        where = ", ".join(str(part) for part in (path, location) if part is not None)
        super().__init__(f"{where}: {message}" if where else message)


class FileAccessError(SplGisError, OSError):
    """A file cannot be read or written: missing, already there, no permission, disk full."""


class GraphError(SplGisError, ValueError):
    """Arrays that do not make a spline graph or a set of lines."""


class GeoreferenceError(SplGisError, ValueError):
    """No place on Earth, or a place that cannot be computed."""


class FitError(SplGisError, ValueError):
    """A fit method that does not exist, or options it cannot use."""


class OptionError(SplGisError, ValueError):
    """An option, or a combination of options, that makes no sense here."""


class MissingDependencyError(SplGisError, ImportError):
    """An optional library is needed for what was asked."""
