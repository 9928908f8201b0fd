"""Array types and what users may pass; shapes stand in trailing comments, e.g. ``# (n, d)``."""

from collections.abc import Callable
from inspect import Parameter, formatannotation, signature
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

T = TypeVar("T")
Seed: TypeAlias = int | np.random.Generator | None


class Named(str):
    """What `help` shows of a type: its name, not the ten types that it stands for."""

    __slots__ = ()
    __repr__ = str.__str__

    def __or__(self, other: object) -> "Named":
        return Named(f"{self} | " + formatannotation(other).strip("'"))

    def __ror__(self, other: object) -> "Named":
        return Named(formatannotation(other).strip("'") + f" | {self}")


def show_without_types(function: Callable[..., object]) -> None:
    """Let `help` show the names and defaults of a long call; its docstring has the types.

    Examples
    --------
    >>> def call(lags: int | str | None = "auto") -> None: ...
    >>> show_without_types(call)
    >>> signature(call)
    <Signature (lags='auto')>
    """
    shown = signature(function)
    plain = [each.replace(annotation=Parameter.empty) for each in shown.parameters.values()]
    shorter = shown.replace(parameters=plain, return_annotation=Parameter.empty)
    setattr(function, "__signature__", shorter)  # noqa: B010 - a function has no such attribute


def known_as(name: str) -> Callable[[type[T]], type[T]]:
    """Let Python name the class that users know in errors of the methods of one of its parts.

    Examples
    --------
    >>> @known_as("Forecaster")
    ... class Part:
    ...     def fit(self): ...
    >>> Part().fit(1)
    Traceback (most recent call last):
    ...
    TypeError: Forecaster.fit() takes 1 positional argument but 2 were given
    """

    def naming(cls: type[T]) -> type[T]:
        for method in vars(cls).values():
            if isinstance(method, FunctionType):
                method.__qualname__ = f"{name}.{method.__name__}"
        return cls

    return naming


if TYPE_CHECKING:
    Index: TypeAlias = pd.Index[Any]
    Values: TypeAlias = pd.Series[Any]  # of any dtype
    ArrayLike: TypeAlias = npt.ArrayLike
    BoolArray: TypeAlias = npt.NDArray[np.bool_]
    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]
    SeriesLike: TypeAlias = Values | pd.DataFrame | npt.ArrayLike
    """One column of values, as a user passes it: Series, one-column DataFrame, list or array."""
    ExogLike: TypeAlias = Values | pd.DataFrame | npt.ArrayLike | None
    """Exogenous columns, as a user passes them; None where there are none."""
else:  # the first two take no parameters when the program runs
    Index, Values = pd.Index, pd.Series
    ArrayLike, SeriesLike = Named("ArrayLike"), Named("SeriesLike")
    ExogLike, BoolArray = Named("ExogLike"), Named("BoolArray")
    FloatArray, IntArray = Named("FloatArray"), Named("IntArray")
