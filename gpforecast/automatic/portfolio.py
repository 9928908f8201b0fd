"""The mixture of candidates for a series, by one judge and one learned prior.

Their mean CRPS in trial forecasts (`judge`) and the prior (`prior`) give weights. The
autoregression or process of largest weight goes on as the one-step model, and the others join it in
an ensemble.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import (
    TABLE,
    Autoregression,
    Candidate,
    Shape,
    Structural,
    candidates,
)
from gpforecast.automatic.features import enough_for_lags
from gpforecast.automatic.judge import horizon_of, judge, origins_of
from gpforecast.automatic.prior import Prior, features, shipped, softmax
from gpforecast.automatic.process import Process
from gpforecast.common.types import FloatArray
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Log
from gpforecast.transforms.base import Transform

logger = logging.getLogger(__name__)

_LEAST_MASS = 0.01  # of the prior: what has less is not tried
_COST = 10.0  # of a process, whose lags are selected, in autoregressions
_MOST = 8  # members


@dataclass(frozen=True, eq=False)
class Portfolio:
    """Candidates for a series that were tried, their scores and weights.

    Attributes
    ----------
    main : Autoregression or Process
        What goes on as the one-step model.
    structural : tuple of Structural
        Those of an ensemble with it.
    lagged : tuple of Autoregression or Process
        The other ones.
    weights : ndarray
        In this order; their sum is 1.
    width : tuple of float
        Logarithm of the factor of all standard deviations at the first step, and its power of the
        step.
    table : tuple of (str, float, float)
        Every candidate in words, its weight and mean CRPS as a share of `size`.
    horizon : int
        Steps of the trial forecasts.
    n : float
        How many values they forecast.
    size, centre : float
        What the series was divided by, and what was then subtracted.
    y : ndarray (n,)
        The values after that.
    phi : ndarray (features,)
    tried : tuple of Candidate
        In the order of `table`.
    """

    main: Autoregression | Process
    structural: tuple[Structural, ...]
    lagged: tuple[Autoregression | Process, ...]
    weights: FloatArray
    width: tuple[float, float]
    table: tuple[tuple[str, float, float], ...]
    horizon: int
    n: float
    y: FloatArray
    phi: FloatArray
    tried: tuple[Candidate, ...]
    size: float = 1.0
    centre: float = 0.0

    def before_others(self, *without: type[Transform], by_score: bool = False) -> Compose:
        """Return what comes before lags, a model or a kind of noise that a user gave.

        The transforms of the one-step model; of the best autoregression if that is a process with
        less than half of the weight, whose own lags may know a trend that others do not.

        Parameters
        ----------
        *without : type of transform
            What may not be among them.
        by_score : bool
            Whether those of least CRPS are taken, for a model alone: weights suit the mixture.
        """
        pairs = zip(self.table, self.tried, strict=True)
        order = sorted(pairs, key=lambda pair: pair[0][2] if by_score else -pair[0][1])
        lagged = [one for _, one in order if isinstance(one, Autoregression | Process)]
        if self.weights[0] <= 0.5:
            lagged.sort(key=lambda one: isinstance(one, Process))
        found = (one.transforms for one in lagged)
        fit = (t for t in found if not any(isinstance(step, without) for step in t.steps))
        return next(fit, Compose())

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Every candidate in words, its weight and mean CRPS in the units of the series."""
        return tuple((words, weight, self.size * crps) for words, weight, crps in self.table)


def portfolio_of(
    y: FloatArray,
    seasons: tuple[int, ...],
    warps: Sequence[Log | None],
    prior: Prior | None = None,
    axis: TimeAxis | None = None,
    *,
    sure: bool = True,
) -> Portfolio:
    """Judge the candidates for a series, and weigh them.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps; not constant.
    seasons : tuple of int
        Steps of the season, and of a longer one that contains it; empty for none.
    warps : sequence of Log or None
        What may come first; None is nothing.
    prior : Prior, optional
        By default the one that comes with the library.
    axis : TimeAxis, optional
        The times of the values.
    sure : bool
        Whether there is a season for certain; otherwise what suits a series without is tried too.
    """
    prior, n, period = prior or shipped(), len(y), next(iter(seasons), None)
    phi, every = features(y, period), every_candidate(y, seasons, warps, axis)
    mass = _masses(prior, every, phi)
    if not sure:
        without = _masses(prior, every_candidate(y, (), warps, axis), features(y, None))
        mass |= {name: max(mass[name], without[name]) for name in without}
    lagged = np.array([not isinstance(one, Structural) for one in every])
    cost = np.array([_COST if isinstance(one, Process) else 1.0 for one in every])
    expected = np.array([mass[one.name] for one in every])
    likely = expected >= _LEAST_MASS * cost
    likely[np.argmax(np.where(lagged, expected, -1.0))] = True
    tried, lagged = [one for one, kept in zip(every, likely, strict=True) if kept], lagged[likely]
    names, horizon = [one.name for one in tried], horizon_of(n, period)
    found = judge(tried, y, origins_of(n, period, horizon), horizon)
    crps, weights = found.mean, softmax(prior.log_mass(names, phi))
    if np.isfinite(crps).any():
        weights = prior.weights(names, phi, crps, found.n)
    kept = restricted(weights)
    width = prior.factor(phi, found.of_mixture(kept))
    table = tuple(zip(map(str, tried), weights.tolist(), crps.tolist(), strict=True))
    logger.debug("portfolio: %s", table)
    main = int(np.argmax(np.where(lagged, weights, -1.0)))
    chosen = [c for c in range(len(tried)) if kept[c] > 0.0 and c != main]
    order = [main, *(c for c in chosen if not lagged[c]), *(c for c in chosen if lagged[c])]
    ordered = [tried[c] for c in order]
    of_lags = [one for one in ordered if not isinstance(one, Structural)]
    structural = tuple(one for one in ordered if isinstance(one, Structural))
    of = of_lags[0], structural, tuple(of_lags[1:]), kept[order]
    return Portfolio(*of, width, table, horizon, found.n, y, phi, tuple(tried))


def _masses(prior: Prior, every: Sequence[Candidate], phi: FloatArray) -> dict[str, float]:
    """Return the prior mass of each candidate by its name."""
    names = [one.name for one in every]
    return dict(zip(names, softmax(prior.log_mass(names, phi)).tolist(), strict=True))


def every_candidate(
    y: FloatArray,
    seasons: tuple[int, ...],
    warps: Sequence[Log | None],
    axis: TimeAxis | None = None,
) -> list[Autoregression | Structural | Process]:
    """Return all candidates for values y (n,): those of the table, and a process.

    That is of the values, or of what a mean for each step of a season leaves.
    """
    n, axis = len(y), axis or TimeAxis.rows(len(y))
    every: list[Autoregression | Structural | Process] = [*candidates(axis, seasons, warps)]
    if enough_for_lags(n) and None in warps:
        held = tuple(m for m in seasons[:1] if n >= 2 * m)
        first = TABLE["seasonal level"].steps(Shape(n, held)) if held else ()
        every.append(Process(y, next(iter(seasons), None), first))
    return every


def restricted(weights: FloatArray) -> FloatArray:
    """Return weights (c,) of the few candidates of a mixture, which sum to 1.

    At most eight, none of which counts less than a fiftieth.
    """
    kept = weights.copy()
    kept[np.argsort(-weights, kind="stable")[_MOST:]] = 0.0
    kept[kept < min(th.LEAST_WEIGHT, float(kept.max()))] = 0.0
    return np.asarray(kept / kept.sum())
