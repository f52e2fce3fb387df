"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import FileAccessError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


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
        When `path`, or another file that would be replaced, exists and `overwrite` is false; when its folder
        is missing, or the system refuses.
    """
    path = Path(os.path.realpath(path))  # a symbolic link stays one; the file it names is replaced
    with _sentences(path):
        _refuse_existing(path, overwrite)
        if path.is_dir():
            raise FileAccessError(f"{path} is a folder, not a file")
        scratch = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=path.parent))
    try:
        with _sentences(path):
            yield scratch / path.name
            files = sorted(scratch.iterdir(), key=lambda file: file.name == path.name)
            with _alone_in(path.parent):
                for file in files:
                    _refuse_existing(path.parent / file.name, overwrite)
                for file in files:
                    file.replace(path.parent / file.name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextlib.contextmanager
def whole_folder(path: Path, *, marked: str, overwrite: bool = False) -> Iterator[Path]:
    """Give a folder to write to, and let it appear as `path` when the block ends well.

    Parameters
    ----------
    path : Path
        The folder that shall appear.
    marked : str
        A file that each such folder has: only a folder that has it is replaced.
    overwrite : bool
        Replace an existing folder.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    FileAccessError
        When the folder exists and is not to be replaced, or the system refuses.
    """
    path = Path(os.path.realpath(path))
    with _sentences(path):
        _refuse_folder(path, marked, overwrite)
        scratch = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=path.parent))
    try:
        with _sentences(path):
            new, old = scratch / path.name, scratch / "old"
            new.mkdir()
            yield new
            with _alone_in(path.parent):
                _refuse_folder(path, marked, overwrite)
                if path.exists():
                    path.rename(old)
                new.rename(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _refuse_folder(path: Path, marked: str, overwrite: bool) -> None:
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not (path / marked).is_file():
        raise FileAccessError(f"{path} exists and has no {marked} in it: choose another folder")
    _refuse_existing(path, overwrite)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process moves files into a folder; the system lets go of it when we are killed.

    So of two processes that write one output, the files of one stay, and without leave to overwrite it is the
    first's. Windows and some network drives have no such lock: there the last one may win.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network drive without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _refuse_existing(path: Path, overwrite: bool) -> None:
    if not overwrite and path.exists():
        raise FileAccessError(f"{path} already exists: choose another name, or pass --overwrite")


@contextlib.contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn what the system says into a sentence."""
    try:
        yield
    except FileAccessError:
        raise
    except OSError as error:
        raise FileAccessError(f"cannot write {path}: {error.strerror or error}") from error
