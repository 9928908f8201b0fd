"""Array types; the shapes are in trailing comments where they are used, e.g. ``# (n, d)``."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

ArrayLike: TypeAlias = npt.ArrayLike
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Seed: TypeAlias = int | np.random.Generator | None
# What a user passes for a series, or for one or more columns of inputs.
SeriesLike: TypeAlias = pd.Series | pd.DataFrame | npt.ArrayLike
