r"""Outliers of a process that inputs drive: values that are unusual given the inputs.

A step of an input, or a pulse, moves the series far, and is no outlier. So what stands apart in the
series by itself is predicted from lags of the series and of the inputs, by a Gaussian process that
knows the other suspects too: what the same inputs did elsewhere is no surprise. An outlier is one,
by its error over its standard deviation beside those of all usual values. What is none becomes
usual, until nothing changes.
"""

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.cleaned import Cleaned, cleaned
from gpforecast.automatic.effects import rarely_on
from gpforecast.automatic.events import COST, LAGS, Events, runs_of
from gpforecast.automatic.grid import evenly, on_grid, parts_left_out
from gpforecast.automatic.tails import nats, scale_of, tail_of
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.warnings import on_trial
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.series.checked import values_of
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.scaling import ROUNDING


def cleaned_beside(
    y: "pd.Series[float]", exog: Exogenous, seasons: tuple[int, ...] | None = None
) -> Cleaned:
    """Return a series that inputs drive with its outliers; shifts of its level are left to them.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    exog : Exogenous
    seasons : tuple of int, optional
        As for `cleaned`.
    """
    found = cleaned(y, seasons, soon_after(rarely_on(exog.past)), driven=True)
    at, expected = found.events.outliers, found.events.expected
    if not len(at):
        return found
    with one_blas_thread(), on_trial():
        kept = _surprising(values_of(y), exog.scaled(exog.past), at, expected)
    return Cleaned(y, Events(at[kept], expected[kept]))


def soon_after(rare: BoolArray) -> BoolArray:
    """Return where something happened (n, q), or so soon before that it may go on."""
    begun = np.cumsum(rare, axis=0)
    return np.asarray(begun > np.pad(begun, ((LAGS + 1, 0), (0, 0)))[: len(rare)])


def _surprising(y: FloatArray, U: FloatArray, places: IntArray, expected: FloatArray) -> BoolArray:
    """Return which values (k,) surprise a process that knows the inputs U (n, q) as well."""
    kept = np.ones(len(places), dtype=bool)
    while not (apart := _apart(y, U, places[kept], expected[kept])).all():
        kept[kept] = apart
    return kept


def _apart(y: FloatArray, U: FloatArray, places: IntArray, expected: FloatArray) -> BoolArray:
    """Return which of the values (k,) surprise the process, if none of them is usual.

    Each run of them is predicted by all others and by some of the usual values, as many as
    hyperparameters are found on; these are predicted one by one.
    """
    usual = ~np.isnan(y)
    usual[places] = False
    middle, spread = float(np.median(y[usual])), float(y[usual].std())
    kept = np.zeros(len(y), dtype=bool)
    if spread <= ROUNDING * float(np.abs(y[usual]).max()):
        return kept[places]
    likely = y.copy()
    likely[places] = expected
    X, targets = _lagged((likely - middle) / spread, U), (y - middle) / spread
    complete = ~np.isnan(X).any(axis=1) & ~np.isnan(targets)
    rows = np.flatnonzero(complete & usual)
    suspects = places[complete[places]]
    if len(rows) < 2 * X.shape[1] + 2 or not len(suspects):
        return kept[places]
    rows = rows[evenly(0, len(rows) - 1, th.GRID_ROWS)]
    model = on_grid(X[rows], targets[rows]).model
    error, std = parts_left_out(model, X[rows], targets[rows], np.arange(len(rows))[:, None])
    z = error / std
    size = scale_of(z)
    tail = tail_of(z / size) if size > 0.0 else np.inf
    both, runs = np.append(rows, suspects), runs_of(suspects)
    parts = [len(rows) + np.searchsorted(suspects, run) for run in runs]
    error, std = parts_left_out(model, X[both], targets[both], parts)
    kept[suspects] = (worth := nats(error / std / max(size, 1.0), tail) - COST) > 0.0
    for run, part in zip(runs, parts, strict=True):
        kept[run] &= worth[part - len(rows)].max() > np.log(len(y))
    return kept[places]


def _lagged(z: FloatArray, U: FloatArray) -> FloatArray:
    """Return lags of a series, of inputs and the inputs of now, (n, d); NaN where there is none."""
    n, p = len(z), LAGS
    most = p if p + len(U.T) * (p + 1) <= n // 4 else 0  # of many inputs no lags
    columns = [(z, k) for k in range(1, p + 1)]
    columns += [(u, k) for u in U.T for k in range(most + 1)]
    return np.column_stack([np.append(np.full(k, np.nan), x[: n - k]) for x, k in columns])
