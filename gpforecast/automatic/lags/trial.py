"""One set of lags on trial, by forecasts from origins in the past of a series."""

import math
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.grid import Hyperparameters, evenly, factor, on_grid
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate
from gpforecast.series.scaling import ROUNDING

Lags = tuple[int, ...]


class LagTrial(NamedTuple):
    """What one set of lags scored, in standard deviations of the series.

    Attributes
    ----------
    lags : tuple of int
        In increasing order.
    score : float
        The sum of both, of which the larger counts most.
    crps : float
        Of forecasts, geometric mean over their origins: that of a path without a width is its mean
        absolute error. NaN without forecasts, inf if one runs away.
    crps_of_step : float
        Of one step, by the log evidence of n rows less the price of the lags. A Gaussian of
        standard deviation s has the log density l = -log(2 pi e s^2) / 2 a row on average, and the
        CRPS s / sqrt(pi) = exp(-l) / (pi sqrt(2e)).
    found : Hyperparameters
    """

    lags: Lags
    score: float
    crps: float
    crps_of_step: float
    found: Hyperparameters


def tried(z: FloatArray, lags: Lags, longest: int, horizon: int) -> LagTrial:
    """Forecast from every origin by the rows before it; O(rows^3 + origins rows horizon lags).

    The rows that come after would let a model with far lags find its place in time.

    Parameters
    ----------
    z : ndarray (n,)
        The standardised series.
    lags : tuple of int
    longest : int
        The largest lag of any set: all have the same targets, and the same origins.
    horizon : int
        Steps of a forecast; 0 to judge by one step alone.
    """

    def rows(most: int) -> tuple[FloatArray, FloatArray, IntArray]:
        at = evenly(longest, len(z) - 1, min(most, len(z) - longest))
        return z[at[:, None] - np.array(lags)], z[at], at

    X, y, _ = rows(th.GRID_ROWS)
    found, price = on_grid(X, y), th.LAG_PRICE * len(lags) / len(y)
    step = float(np.exp(price - found.log_evidence) / (np.pi * np.sqrt(2.0 * math.e)))
    if horizon == 0:
        return LagTrial(lags, step, np.nan, step, found)
    last = len(z) - horizon
    middle = (longest + len(z)) // 2 - horizon
    origins = evenly(min(max(middle, longest + th.SHORTEST), last), last, th.LAG_ORIGINS)
    X, y, at = rows(th.LAG_ROWS)
    process = Snapshots.of(X, y, np.searchsorted(at, origins), found)
    models = Columns.of(cast(Predictive, process), Inputs(lags))  # of which the mean is enough
    past = Start(z[origins[:, None] + np.arange(-lags[-1], 0)])
    try:
        ahead = propagate(models, PlugIn(), past, horizon).mean
    except ValueError:  # it runs away
        return LagTrial(lags, np.inf, np.inf, step, found)
    error = np.abs(ahead - z[origins[:, None] + np.arange(horizon)]).mean(axis=1)
    crps = float(scipy.stats.gmean(np.maximum(error, ROUNDING)))
    return LagTrial(lags, crps + step, crps, step, found)


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The mean of a process as it is known at each of several origins.

    A recursion evaluates it at one input an origin, in the order of the origins.

    Attributes
    ----------
    centers : ndarray (n, d)
        Inputs of the training rows, in length-scales.
    weights : ndarray (origins, n)
        Of the basis functions; 0 for rows that are not known at an origin.
    lengthscale : float
    """

    centers: FloatArray
    weights: FloatArray
    lengthscale: float

    @staticmethod
    def of(X: FloatArray, y: FloatArray, known: IntArray, found: Hyperparameters) -> "Snapshots":
        """Return the process at origins where so many of the first rows are known, (origins,).

        The factor of the first rows is the leading block of the factor of all.
        """
        L, weights = factor(X, found), np.zeros((len(known), len(y)))
        for w, m in zip(weights, known, strict=True):
            w[:m] = scipy.linalg.cho_solve((L[:m, :m], True), y[:m])
        return Snapshots(X / found.lengthscale, weights, found.lengthscale)

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean (origins,) at inputs X (origins, d)."""
        squared = scipy.spatial.distance.cdist(X / self.lengthscale, self.centers, "sqeuclidean")
        f: FloatArray = (np.exp(-0.5 * squared) * self.weights).sum(axis=1)
        return f
