"""Whether what a file gives to a setting is of the type that the class declares for it."""

from collections.abc import Sequence
from functools import cache
from inspect import get_annotations, signature
from types import UnionType
from typing import Union, get_args, get_origin

import numpy as np
import pandas as pd

from gpforecast.common.types import Named
from gpforecast.common.validation import shown

_MOST = 2**63  # whole numbers beyond it fit no array and no compiled function


def check_fields(cls: type, parts: dict[str, object]) -> None:
    """Refuse settings of an object that are of other types than its class declares.

    Parameters
    ----------
    cls : type
        A class of this package, whose constructor may leave to a type checker what it takes.
    parts : dict
        Values of its fields, or of the parameters of its constructor, by name.

    Raises
    ------
    TypeError
        If one of them is of none of the declared types, or is a whole number beyond 64 bits.

    Examples
    --------
    >>> from gpforecast.propagation import MonteCarlo
    >>> check_fields(MonteCarlo, {"n_paths": 100, "seed": None})
    >>> check_fields(MonteCarlo, {"n_paths": "x"})
    Traceback (most recent call last):
    ...
    TypeError: n_paths of MonteCarlo must be of type int; got 'x'
    """
    hints = _hints(cls)
    for name in parts.keys() & hints.keys():
        if not _fits(parts[name], hint := hints[name]):
            kind = hint.__name__ if isinstance(hint, type) else str(hint)
            raise TypeError(
                f"{name} of {cls.__name__} must be of type {kind}; got {shown(parts[name])}"
            )


@cache
def _hints(cls: type) -> dict[str, object]:
    own = get_annotations(getattr(cls, "__init__"), eval_str=True)  # noqa: B009
    called = signature(cls, eval_str=True).parameters  # which `help` may show without types
    return {name: own.get(name, p.annotation) for name, p in called.items()}


def _fits(value: object, hint: object) -> bool:
    """Return whether a value is of a type, as far as that can be seen of an object."""
    cls, parts = get_origin(hint) or hint, get_args(hint)
    if cls in (Union, UnionType) or isinstance(cls, Named):
        kinds = cls.kinds if isinstance(cls, Named) else parts
        return any(_fits(value, kind) for kind in kinds)
    if cls is None:
        return value is None
    if not isinstance(cls, type) or not getattr(cls, "_is_runtime_protocol", True):
        return True
    if type(value) is bool and cls is int:
        return False
    if type(value) is int and cls in (int, float):
        return abs(value) < _MOST
    several = cls is Sequence or parts[1:] == (...,)
    if several and isinstance(value, tuple | list):
        return all(_fits(item, parts[0]) for item in value)
    return isinstance(value, (cls, np.ndarray, pd.Index) if cls is Sequence else cls)
