"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import FileAccessError


@contextlib.contextmanager
def whole_file(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a place to write to, and move what was written there to `path` when the block ends well.

    The block writes to a path of the same name inside a temporary directory beside `path`. All files it
    leaves there (a shapefile is several) are then moved beside `path`, the one named like `path` last.
    After an error nothing is moved, and the temporary directory is removed either way.

    Parameters
    ----------
    path : Path
        The file that shall appear.
    overwrite : bool
        Replace an existing file.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    FileAccessError
        When `path` exists and `overwrite` is false, its folder is missing, or the system refuses.
    """
    if path.exists() and not overwrite:
        raise FileAccessError(f"{path} already exists: choose another name, or pass --overwrite")
    if path.is_dir():
        raise FileAccessError(f"{path} is a folder, not a file")
    path = Path(os.path.realpath(path))  # a symbolic link stays one; the file it names is replaced
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    except OSError as error:
        raise FileAccessError(f"cannot write in {path.parent}: {error.strerror}") from error
    try:
        yield scratch / path.name
        for file in sorted(scratch.iterdir(), key=lambda file: file.name == path.name):
            file.replace(path.parent / file.name)
    except OSError as error:
        if isinstance(error, FileAccessError):
            raise
        raise FileAccessError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
