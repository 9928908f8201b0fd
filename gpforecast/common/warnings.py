"""Warnings of numerical trouble, which is recorded on the result and warned of once."""

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_TRYING = ContextVar("_TRYING", default=False)
_FILTERS = threading.RLock()


class NumericalWarning(UserWarning):
    """Something numerical went less than well; the result records what and how much."""


@contextmanager
def on_trial() -> Iterator[None]:
    """Keep the numerical trouble of models that are only tried to themselves, in this thread."""
    token = _TRYING.set(True)
    try:
        yield
    finally:
        _TRYING.reset(token)


@contextmanager
def quietly(category: type[Warning] = Warning) -> Iterator[None]:
    """Ignore the warnings of another library.

    The filters belong to the whole process: two threads that changed them at once could leave them
    changed for good, so one waits for the other. Only for short calls.
    """
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


def warn_numerically(message: str) -> None:
    """Warn of numerical trouble, at the line outside the package that led to it."""
    if _TRYING.get():
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("gpforecast."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, NumericalWarning, stacklevel=level)
