"""Warnings of numerical trouble, which is recorded on the result and warned of once."""

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_TRYING = ContextVar("_TRYING", default=False)
_QUIET = ContextVar("_QUIET", default=False)


class NumericalWarning(UserWarning):
    """A recoverable numerical problem; the result records what and how much."""


@contextmanager
def on_trial() -> Iterator[None]:
    """Suppress numerical warnings of models that are only tried, in this thread."""
    token = _TRYING.set(True)
    try:
        yield
    finally:
        _TRYING.reset(token)


class _Quiet:
    """The message of a filter of warnings, which matches where `quietly` is in force.

    The filters belong to the whole process, and ``warnings.catch_warnings``, which replaces and
    restores all of them, leaves wrong ones behind where several threads use it at once. Should this
    one be left, it does no harm: outside of `quietly` it matches nothing, nor does its pattern,
    which others may take for it.
    """

    pattern = "(?!)"

    def match(self, _text: str) -> bool:
        """Return whether a warning is to be ignored, whatever it says."""
        return _QUIET.get()


_IGNORED: Any = ("ignore", _Quiet(), Warning, None, 0)
_turn = threading.RLock()


def _renew() -> None:
    """Let a forked process begin with a lock that no thread holds."""
    global _turn
    _turn = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@contextmanager
def quietly() -> Iterator[None]:
    """Ignore the warnings of another library, in this thread.

    One thread at a time, as the other library may change the filters itself, and two that put them
    back in another order leave wrong ones behind. Only for short calls.
    """
    with _turn:
        before: Any = warnings.filters
        token = _QUIET.set(True)
        before[:] = [_IGNORED, *before]
        try:
            yield
        finally:
            _QUIET.reset(token)
            now: Any = warnings.filters  # others may have replaced them meanwhile
            for filters in (before, now):
                if _IGNORED in filters:
                    filters.remove(_IGNORED)


def warn_numerically(message: str) -> None:
    """Warn of numerical trouble, at the line outside the package that led to it."""
    if _TRYING.get():
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("gpforecast."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, NumericalWarning, stacklevel=level)
