"""UNIGINE spline graphs (.spl) in QGIS. Licence: GPL-2.0-or-later; the core in spl_gis is MIT."""


def classFactory(iface):
    """Give the plugin; `iface` is None when QGIS has no window."""
    from .plugin import Plugin

    return Plugin(iface)
