"""How QGIS Desktop opens a `.spl`: dropped, from the Browser, or by Layer > Add Layer."""

from .opener import Opener

__all__ = ["Opener"]
