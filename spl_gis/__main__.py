"""Run the command line: ``python -m spl_gis``."""

from .cli import main

main()
