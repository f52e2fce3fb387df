"""Road networks from GIS to UNIGINE spline graphs (`.spl`) and back."""

__version__ = "0.1.0"
