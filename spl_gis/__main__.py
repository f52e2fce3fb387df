"""Run the command line: ``python -m spl_gis``."""

from .cli import main

if __name__ == "__main__":
    main()
