"""Haste, where many small things are made."""

from __future__ import annotations

import contextlib
import gc


@contextlib.contextmanager
def quickly():
    """Leave Python's search for cycles aside while many small things are made: it can take half the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
