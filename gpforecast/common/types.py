"""Array types and what users may pass; shapes stand in trailing comments, e.g. ``# (n, d)``."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

ArrayLike: TypeAlias = npt.ArrayLike
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
StrArray: TypeAlias = npt.NDArray[np.str_]
Seed: TypeAlias = int | np.random.Generator | None

if TYPE_CHECKING:
    Index: TypeAlias = pd.Index[Any]
    Values: TypeAlias = pd.Series[Any]  # of any dtype
else:  # they take no parameters when the program runs
    Index, Values = pd.Index, pd.Series

SeriesLike: TypeAlias = Values | pd.DataFrame | npt.ArrayLike
"""One column of values, as a user passes it: a Series, a one-column DataFrame, a list, an array."""
ExogLike: TypeAlias = Values | pd.DataFrame | npt.ArrayLike | None
"""Exogenous columns, as a user passes them; None where there are none."""
