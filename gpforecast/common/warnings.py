"""Warnings of numerical trouble, which is recorded on the result and warned of once."""

import sys
import warnings


class NumericalWarning(UserWarning):
    """Something numerical went less than well; the result records what and how much."""


def warn_numerically(message: str) -> None:
    """Warn of numerical trouble, at the line outside the package that led to it."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("gpforecast."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, NumericalWarning, stacklevel=level)
