"""Build the plugin's zip, with the core inside: `python qgis_plugin/build.py [spl_tools.zip]`.

The same files give the same bytes, whenever and wherever it is built.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLUGIN, CORE = HERE / "spl_tools", HERE.parent / "spl_gis"
WHEN = (1980, 1, 1, 0, 0, 0)
LEFT_OUT = {"cli", "__main__.py", "__pycache__"}
"""What of the core a plugin has no use for."""


def files() -> Iterator[tuple[str, bytes]]:
    """Give the name and the bytes of each file of the zip."""
    for path in sorted(PLUGIN.rglob("*")):
        relative = path.relative_to(PLUGIN)
        if path.is_file() and not LEFT_OUT & set(relative.parts) and relative.parts[0] != CORE.name:
            data = path.read_bytes()
            yield (
                f"{PLUGIN.name}/{relative.as_posix()}",
                _stamped(data) if path.name == "metadata.txt" else data,
            )
    for path in sorted(CORE.rglob("*")):
        relative = path.relative_to(CORE)
        if path.is_file() and not LEFT_OUT & set(relative.parts):
            yield f"{PLUGIN.name}/{CORE.name}/{relative.as_posix()}", path.read_bytes()
    yield f"{PLUGIN.name}/{CORE.name}/LICENSE", (HERE.parent / "LICENSE").read_bytes()


def version() -> str:
    """Give the version of the core, which is the plugin's as well."""
    found = re.search(r'__version__ = "([^"]+)"', (CORE / "__init__.py").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{CORE} does not say its version")
    return found[1]


def _stamped(metadata: bytes) -> bytes:
    return re.sub(rb"(?m)^version=.*$", b"version=" + version().encode(), metadata)


def build(target: Path) -> Path:
    """Write the zip."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files()):
            entry = zipfile.ZipInfo(name, WHEN)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, compresslevel=9)
    return target


if __name__ == "__main__":
    print(build(Path(sys.argv[1] if len(sys.argv) > 1 else f"spl_tools-{version()}.zip")))
