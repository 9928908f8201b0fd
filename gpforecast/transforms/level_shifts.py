"""Levels that shift at known times, beside trends and cycles."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.deterministic import Deterministic


@storable
@dataclass(frozen=True, repr=False)
class LevelShifts(Deterministic):
    """Take away steps of the level at known positions, and other functions of time.

    Their sizes are coefficients of `Deterministic`, found together with the others; a forecast is
    of the newest level, and includes what is not known of it.

    Parameters
    ----------
    trend : int
        The degree of the polynomial in time.
    fourier, period, calendar
        As for `Deterministic`.
    at : sequence of int
        Positions, counted from the first value of the fitted series, from which on the level is
        another.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> y = np.r_[np.zeros(40), np.full(40, 3.0)]
    >>> flat = gf.transforms.LevelShifts(at=[40]).fit(y).transform(y)
    >>> bool(np.ptp(flat) < 1e-9)
    True
    """

    trend: int = 0
    at: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for place in self.at:
            positive_integer(place, "at")
        object.__setattr__(self, "at", tuple(int(place) for place in self.at))

    @property
    def n_steps(self) -> int:
        """How many of the last columns are steps of the level."""
        return len(self.at)

    def design(self, times: TimeAxis, length: float) -> FloatArray:
        """Return the columns of D at the times, (n, p): those of `Deterministic`, then steps."""
        steps = times.positions[:, None] >= np.array(self.at, dtype=np.float64)
        return np.hstack([super().design(times, length), steps.astype(np.float64)])
