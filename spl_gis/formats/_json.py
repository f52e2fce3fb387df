"""Plain data as JSON, by the fastest encoder at hand."""

from __future__ import annotations

import json
from typing import Any


def encode(data: Any) -> bytes:
    """Give compact JSON of plain data, without NaN or infinity: by msgspec, else by the standard library."""
    try:
        import msgspec
    except ImportError:
        return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return msgspec.json.encode(data)


def encode_numbers(numbers: list[float | int]) -> bytes:
    """Give compact JSON of finite numbers."""
    try:
        import msgspec
    except ImportError:
        return repr(numbers).encode().replace(b" ", b"")  # as the json module has it, and faster
    return msgspec.json.encode(numbers)
