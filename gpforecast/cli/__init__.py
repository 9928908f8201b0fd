"""The command line: `gpforecast demo`, `forecast`, `backtest` and `report`.

It reads files and options and calls the library; nothing is computed here.
"""

from gpforecast.cli.entry import main

__all__ = ["main"]
