"""How well candidates forecast a series, from rolling origins in its own past.

All candidates forecast the same steps from the same origins, by the one recursion over the horizon
(`gpforecast.propagation.recursion`), and see only what came before an origin. Transforms are
judged by the CRPS of a linear autoregression after them (`trial`), lags by the absolute error of a
Gaussian process with these inputs (`LagJudge`).
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.lags.candidates import named
from gpforecast.automatic.process import Hyperparameters, Snapshots, on_grid
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.linear_ar import LinearAR
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.recursion import Inputs, Start, propagate, trajectory
from gpforecast.results.warped import distribution_of
from gpforecast.scores import crps_log_normal
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Log

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    """The scores of forecasts from origins in the last part of a series.

    Attributes
    ----------
    crps : float
        The mean, in the units of the series; inf if there were too few values, or a forecast
        diverged.
    last_std : float
        The median standard deviation of the last step, in the units of the warp; 0 in these cases.
    """

    crps: float = np.inf
    last_std: float = 0.0


def trial(y: FloatArray, transforms: Compose, lags: Sequence[int], horizon: int) -> Trial:
    """Forecast the last part of a series by a linear autoregression after some transforms.

    Both are fitted to the first 70 % of the values, and forecast from origins in the tenth that
    follows; then again with 80 and 90 %.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps; positive if the first transform is a logarithm.
    transforms : Compose
    lags : sequence of int
    horizon : int

    Notes
    -----
    Three least-squares fits and 24 forecasts: some milliseconds.
    """
    try:
        parts = list(_parts(y, transforms, lags, horizon))
    except ValueError:  # too short for the transforms, or a forecast that runs away
        parts = []
    if not parts:
        return Trial()
    scores, last_std = (np.concatenate(each) for each in zip(*parts, strict=True))
    mean = float(scores.mean())
    mean = mean if mean < th.TRIAL_LARGEST_CRPS * np.ptp(y) else np.inf
    logger.debug("trial of %s with lags %s: CRPS %.3g", transforms, lags, mean)
    return Trial(mean, float(np.median(last_std)))


def _parts(
    y: FloatArray, transforms: Compose, lags: Sequence[int], horizon: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the CRPS of every forecast of a part, and the standard deviations of the last steps.

    Raises
    ------
    ValueError
        If a part is too short for the transforms or the lags, or a forecast runs away.
    """
    n = len(y)
    for start, stop in pairwise(int(share * n) for share in th.TRIAL_PARTS):
        last = min(stop, n - horizon)
        if last < start:
            continue
        origins = _evenly(start, last, th.TRIAL_ORIGINS)
        times = TimeAxis.rows(n)
        chain = transforms.fit_at(y[:start], times.part(0, start))
        levels = chain.levels(y, times)
        rows = LagEmbedding(list(lags)).transform(levels[-1][chain.n_lost : start])
        if len(rows.y) < 2 * len(lags) + 2:
            raise ValueError("too few rows")
        model = LinearAR().fit(rows.X, rows.y)
        past = Start(_around(levels[-1], origins, -max(lags), 0))
        ahead = propagate(model.posterior_, ExactMoments(), Inputs(tuple(lags)), past, horizon)
        found = chain.undo(ahead, levels, origins, times)
        truth, var = _around(y, origins, 0, horizon), np.einsum("bhh->bh", found.covariance)
        if isinstance(chain.warp, Log):  # in closed form, which is many times faster
            scores = crps_log_normal(truth, found.mean, var, axis=())
        else:
            scores = distribution_of(found, chain.warp).crps(truth)
        yield np.ravel(scores), np.sqrt(var[:, -1])


@dataclass(frozen=True, eq=False)
class LagTrial:
    """The scores of one set of lags.

    Attributes
    ----------
    lags : tuple of int
        In increasing order.
    source : str
        Where they come from, in words.
    errors : ndarray (origins,)
        Mean over the horizon of absolute errors, each cut off at 1; in standard deviations.
    found : Hyperparameters
    n_compared : int
        Rows that the evidence is of.
    """

    lags: tuple[int, ...]
    source: str
    errors: FloatArray
    found: Hyperparameters
    n_compared: int

    @property
    def score(self) -> float:
        """The mean over origins: 0 is perfect, about 0.7 as bad as the mean of the series."""
        return float(self.errors.mean())

    @property
    def credit(self) -> float:
        """The log evidence of all rows less the price of the lags, nats."""
        return self.n_compared * self.found.log_evidence - th.LAG_PRICE * len(self.lags)

    def __str__(self) -> str:
        """Return lags and source in words."""
        return f"{named(self.lags)} ({self.source})"


@dataclass(frozen=True, eq=False)
class LagJudge:
    """The same targets, origins and horizon for every set of lags.

    The judge is a Gaussian process with one length-scale for all lags, and hyperparameters from a
    grid. A forecast is made from the rows before its origin alone: rows that come after would let
    a model with far-reaching lags find its place in time and interpolate.

    Attributes
    ----------
    z : ndarray (n,)
        The standardised series.
    reach : int
        The largest lag of any set; targets start there.
    horizon : int
        Steps of a forecast; 0 to judge by evidence alone.
    """

    z: FloatArray
    reach: int
    horizon: int

    @property
    def origins(self) -> IntArray:
        """Positions of the first values that are forecast: in the later half of the targets."""
        last = len(self.z) - self.horizon
        middle = (self.reach + len(self.z)) // 2 - self.horizon
        first = min(max(middle, self.reach + th.LAG_FEWEST_ROWS), last)
        return _evenly(first, last, th.LAG_ORIGINS)

    def rows(self, lags: tuple[int, ...], most: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return inputs, targets and the targets' positions, at most so many, evenly spaced."""
        at = _evenly(self.reach, len(self.z) - 1, min(most, len(self.z) - self.reach))
        return self.z[at[:, None] - np.array(lags)], self.z[at], at

    def trial(self, lags: tuple[int, ...], source: str = "") -> LagTrial:
        """Forecast from every origin; O(rows^3 + origins rows horizon lags)."""
        X, y, _ = self.rows(lags, th.GRID_ROWS)
        found = on_grid(X, y)
        if self.horizon == 0:
            return LagTrial(lags, source, np.array([-found.log_evidence]), found, len(y))
        origins = self.origins
        X, y_known, at = self.rows(lags, th.LAG_ROWS)
        known = Snapshots.of(X, y_known, np.searchsorted(at, origins), found)
        past = Start(_around(self.z, origins, -lags[-1], 0))
        ahead = trajectory(known, Inputs(lags), past, self.horizon)
        error = np.abs(ahead - _around(self.z, origins, 0, self.horizon))
        off = np.minimum(error, th.LAG_LARGEST_ERROR)
        return LagTrial(lags, source, off.mean(axis=1), found, len(y))


def _around(y: FloatArray, origins: IntArray, first: int, last: int) -> FloatArray:
    """Return y from `first` steps after each origin up to `last` steps after it."""
    values: FloatArray = y[origins[:, None] + np.arange(first, last)]
    return values


def _evenly(first: int, last: int, most: int) -> IntArray:
    """Return positions from `first` to `last`, evenly spaced, at most so many."""
    return np.unique(np.linspace(first, last, most).astype(np.int64))
