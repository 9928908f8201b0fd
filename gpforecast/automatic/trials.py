"""The transforms of a series, and what is known of it with them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.automatic.candidates import Autoregression
from gpforecast.automatic.portfolio import Portfolio
from gpforecast.automatic.process import Process
from gpforecast.common.types import FloatArray
from gpforecast.transforms import Compose, Deterministic, Log
from gpforecast.transforms.base import Transform

Steps = tuple[Transform, ...]
Warps = Sequence[Log | None]


def warps_for(values: FloatArray, warps: Warps | None = None) -> Warps:
    """Return what may come first, by default nothing or a logarithm: of values (n,) above zero."""
    every = (None, Log()) if warps is None else warps
    return every if np.nanmin(values, initial=np.inf) > 0.0 else (None,)


@dataclass(frozen=True)
class TransformPlan:
    """Transforms, and what is known of a series with them.

    Attributes
    ----------
    transforms : Compose
    period : int or None
        Of the season that was found, in steps, be it taken away or left to the lags.
    horizon : int
        Steps of the forecasts of a trial; 0 where nothing was tried.
    cycles : tuple of Deterministic
        What takes cycles away beside that season, such as a year of days.
    portfolio : Portfolio or None
        What forecasts it; None where nothing was tried.
    main : Autoregression, Process or None
        The candidate that these transforms are of; None where none was judged with them.
    """

    transforms: Compose
    period: int | None = None
    horizon: int = 0
    cycles: tuple[Deterministic, ...] = ()
    portfolio: Portfolio | None = None
    main: Autoregression | Process | None = None

    def for_given(self, *without: type[Transform], by_score: bool = False) -> "TransformPlan":
        """Return the same for lags, a model or a kind of noise that a user gave.

        Parameters
        ----------
        *without : type of transform
            What may not be among its transforms.
        by_score : bool
            Whether those of least CRPS are taken, for a model alone.
        """
        if self.portfolio is None:
            return self
        before = self.portfolio.before_others(*without, by_score=by_score)
        main = self.main if self.main and self.main.transforms == before else None
        return replace(self, transforms=before.with_first(*self.cycles), main=main)


def bridged(values: FloatArray) -> FloatArray:
    """Return the series from its first known value to its last, straight lines over the gaps."""
    known = np.flatnonzero(~np.isnan(values))
    if len(known) == 0:
        return values[:0]
    return np.interp(np.arange(known[0], known[-1] + 1), known, values[known])
