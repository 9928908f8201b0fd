"""Array types; the shapes are in trailing comments where they are used, e.g. ``# (n, d)``."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

ArrayLike: TypeAlias = npt.ArrayLike
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Seed: TypeAlias = int | np.random.Generator | None
