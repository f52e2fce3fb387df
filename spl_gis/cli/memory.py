"""How much memory the program has taken."""

from __future__ import annotations

import sys


def peak() -> dict[str, float]:
    """Give the most memory that was in use so far, as a measure of a report; nothing where no one tells."""
    try:
        import resource
    except ImportError:  # Windows
        return {}
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, elsewhere 1024 of them
    return {"peak memory [MB]": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)}
