"""What the later values of series show of their candidates, and weights learned from that.

A prior (`prior`) is learned from thousands of series by ``benchmarks/accuracy/learn_prior.py``, and
refitted to the series of a panel by `learned_from`, with a ridge that draws towards it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy

from gpforecast.automatic.cleaned import Cleaned, cleaned
from gpforecast.automatic.prior import Prior, log_ratios, softmax, worth
from gpforecast.automatic.seasons import Seasons
from gpforecast.automatic.support import SupportLike, choose_support
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import on_trial
from gpforecast.series.checked import FEWEST, values_of

_RIDGE = 1.5  # on the mean square of what a feature adds to a log weight, or of a change of that
_WORTH = 1000.0  # series: what a prior that is refitted counts
_KAPPA = 0.1  # at most: without a bound it may run to the best candidate alone
_N_NODES = 25
_FAR = 20.0  # CRPS of the best, and median sizes of a set: what is further off counts as so far
_TINY = float(np.finfo(np.float64).tiny)

Forecast = tuple[FloatArray, FloatArray, bool]
"""Means and standard deviations (h,), and whether they are of logarithms."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What the later values of a series show of its candidates.

    The CRPS of a mixture of forecasts X is w' a - w' D w / 2, with a the mean of |X_c - y| and D
    that of |X_i - X_j|: it is best where forecasts differ.

    Attributes
    ----------
    phi : ndarray (p,)
    crps : ndarray (c,)
        Mean CRPS of trial forecasts; inf where a candidate was not tried.
    n : float
        How many values these forecast.
    a : ndarray (c,)
        Over the CRPS of the best.
    D : ndarray (c, c)
    size : float
        CRPS of the best over the usual change of the series.
    """

    phi: FloatArray
    crps: FloatArray
    n: float
    a: FloatArray
    D: FloatArray
    size: float

    @staticmethod
    def of(
        phi: FloatArray,
        crps: FloatArray,
        n: float,
        forecasts: Sequence[Forecast | None],
        truth: FloatArray,
        change: float,
    ) -> "Lesson":
        """Return what forecasts show by later values (h,), NaN where one is missing.

        `change` is the mean absolute change of the series over a season, or a step.
        """
        nodes = scipy.special.ndtri((np.arange(_N_NODES) + 0.5) / _N_NODES)
        at, known, samples = [], np.isfinite(truth), []
        for c, forecast in enumerate(forecasts):
            if forecast is not None:
                mean, std, in_logs = forecast
                z = mean[known, None] + std[known, None] * nodes
                at.append(c)
                samples.append((np.exp(z) if in_logs else z) - truth[known, None])
        x = np.array(samples)  # (tried, h, nodes)
        own = np.abs(x[..., :, None] - x[..., None, :]).mean(axis=(1, 2, 3))
        best = float(np.nanmin(np.abs(x).mean(axis=(1, 2)) - 0.5 * own))
        best = max(best, _TINY)
        x = np.clip(x, -_FAR * best, _FAR * best)
        apart = [np.abs(x[:, :, None, :] - one[None, :, :, None]).mean(axis=(1, 2, 3)) for one in x]
        there = np.zeros(len(crps), dtype=bool)
        there[at] = np.isfinite(crps[at]) & np.isfinite(x).all(axis=(1, 2))
        a, D = np.zeros(len(crps)), np.zeros((len(crps), len(crps)))
        a[at], D[np.ix_(at, at)] = np.abs(x).mean(axis=(1, 2)) / best, np.array(apart) / best
        both = there[:, None] & there
        crps, a, D = np.where(there, crps, np.inf), np.where(there, a, 0.0), np.where(both, D, 0.0)
        return Lesson(phi, crps, n, a, D, best / max(change, _TINY))


def lesson_of(
    y: "pd.Series[float]",
    horizon: int,
    prior: Prior,
    *,
    seasons: Seasons | None = None,
    support: SupportLike = "auto",
    outliers: bool = True,
) -> Lesson | None:
    """Return what the last values of a series show of the candidates that a fit to the rest tries.

    None where it has no mixture: too few values, a running total, a cycle of its own.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    horizon : int
        How many of the last values are held out.
    prior : Prior
        Says which candidates are tried.
    seasons, support
        As the fit has them.
    outliers : bool
        Whether they are looked for.
    """
    values = values_of(y)
    last = int(np.flatnonzero(~np.isnan(values)).max(initial=-1)) + 1
    if np.isfinite(values[: max(last - horizon, 0)]).sum() < FEWEST:
        return None
    past = y.iloc[: last - horizon]
    clean = cleaned(past, seasons) if outliers else Cleaned(past)
    known = np.flatnonzero(clean.known.notna())
    possible = choose_support(values_of(clean.known), support).value
    if not len(known) or (possible is not None and possible.rising):
        return None
    plan = choose_transforms(clean.steady, seasons, prior=prior).value
    found = plan.portfolio
    if found is None or plan.cycles:
        return None
    end = int(known[-1]) + 1  # what is set aside after it is forecast, and teaches nothing
    later = np.where(np.arange(end, last) < len(past), np.nan, values[end:last])
    crps = np.full(len(prior.names), np.inf)
    ahead: list[Forecast | None] = [None] * len(crps)
    for one, (_, _, score) in zip(found.tried, found.table, strict=True):
        try:
            with on_trial():
                mean, var = one.forecast(found.y, np.array([len(found.y)]), last - end)
        except ValueError:  # a forecast that runs away
            continue
        std, in_logs = np.sqrt(var[0].clip(0.0)), one.warp is not None
        with np.errstate(over="ignore"):
            far = np.exp(mean[0] + 3.0 * std) if in_logs else mean[0] + 3.0 * std
        if np.isfinite([score, *far]).all():
            c = prior.names.index(one.name)
            crps[c], ahead[c] = score, (mean[0], std, in_logs)
    if np.isfinite(crps).sum() < 2:  # nothing to compare
        return None
    change = mean_change(found.y, plan.period)
    later = later / found.size - found.centre
    return Lesson.of(prior.within(found.phi), crps, found.n, ahead, later, change)


def mean_change(y: FloatArray, period: int | None) -> float:
    """Return the mean absolute change of values (n,) over a season, if they have more than one."""
    m = period if period is not None and period < len(y) else 1
    return float(np.abs(y[m:] - y[:-m]).mean())


def learned_from(lessons: Sequence[Lesson], prior: Prior) -> Prior:
    """Return a prior refitted to the lessons of some series.

    The ridge counts the prior as a thousand series: few hardly move it, and many decide. Its width
    stays. The order of the lessons does not matter.

    Parameters
    ----------
    lessons : sequence of Lesson
        At least one, of the candidates of the prior.
    prior : Prior
    """
    ordered = sorted(lessons, key=lambda one: (one.phi.tobytes(), one.crps.tobytes()))
    ridge = _RIDGE * _WORTH / len(ordered)
    B, kappa = learned_weights(ordered, (prior.B, prior.kappa), ridge)
    return replace(prior, B=B, kappa=kappa)


def learned_weights(
    lessons: Sequence[Lesson],
    start: tuple[FloatArray, float] | None = None,
    ridge: float = _RIDGE,
    sets: Sequence[str] | None = None,
) -> tuple[FloatArray, float]:
    """Return B (c, p) and kappa, by series whose later values are known.

    They minimise the mean over series of the mixture's CRPS over the best, each weighted by the
    root of its size, of several sets the mean of its logarithm, with a ridge on the mean square of
    what each feature adds to the logarithm of a weight, whatever its unit. Without weights the
    series that are easy to forecast decide, and scores are trusted too much; weighted by the size
    itself, they are trusted too little where the past repeats.

    Parameters
    ----------
    lessons : sequence of Lesson
    start : (ndarray (c, p), float), optional
        B and kappa towards which the ridge draws, by default 0 and none: kappa then starts at 0.01.
    ridge : float
    sets : sequence of str, optional
        To which each belongs; by default one.
    """
    phi, crps, n_scores, a, size = (
        np.array([getattr(one, k) for one in lessons]) for k in ("phi", "crps", "n", "a", "size")
    )
    D, (n, p), c = np.array([one.D for one in lessons]), phi.shape, crps.shape[1]
    B0, kappa0 = (np.zeros((c, p)), 0.01) if start is None else start
    unit = np.sqrt(np.mean(phi**2, axis=0))
    unit[unit == 0.0] = 1.0
    phi, B0, each = phi / unit, B0 * unit, ridge / B0.size
    counts = worth(n_scores)
    of_n = float(np.sqrt(np.mean(counts**2)))
    kappa0 *= of_n
    of_kappa = 0.0 if start is None else each
    there = np.isfinite(crps)
    worse = counts[:, None] / of_n * np.where(there, log_ratios(crps), 0.0)
    of_set = np.unique(sets or [""] * n, return_inverse=True)[1]
    belongs = np.eye(of_set.max() + 1)[of_set]
    median = np.array([np.median(size[of_set == k]) for k in range(belongs.shape[1])])
    size = np.sqrt(np.minimum(size / np.maximum(median, _TINY)[of_set], _FAR))

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        B, kappa = x[:-1].reshape(c, p), x[-1]
        w = softmax(np.where(there, phi @ B.T - kappa * worse, -np.inf))
        Dw, off, moved = np.einsum("nij,nj->ni", D, w), B - B0, kappa - kappa0
        of_mixture = np.sum(w * (a - 0.5 * Dw), axis=1)
        g = a - Dw
        total = (size * of_mixture) @ belongs  # of each set
        by = w * (g - np.sum(w * g, axis=1)[:, None])
        by *= (size * (belongs @ (belongs.sum(axis=0) / total)) / n)[:, None]
        slope = by.T @ phi + 2.0 * each * off
        of_ridge = each * np.sum(off**2) + of_kappa * moved**2
        value = float(np.log(total / belongs.sum(axis=0)) @ belongs.mean(axis=0) + of_ridge)
        return value, np.append(slope.ravel(), 2.0 * of_kappa * moved - (by * worse).sum())

    bounds = [(None, None)] * B0.size + [(0.0, _KAPPA * of_n)]
    found = scipy.optimize.minimize(
        loss,
        np.append(B0.ravel(), kappa0),
        method="L-BFGS-B",
        jac=True,
        bounds=bounds,
        options={"maxiter": 800},
    )
    return found.x[:-1].reshape(c, p) / unit, float(found.x[-1]) / of_n
