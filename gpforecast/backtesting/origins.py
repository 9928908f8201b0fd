"""From which origins a backtest forecasts: those whose horizons hold all inputs."""

import numpy as np

from gpforecast.common.types import (
    ArrayLike,
    BoolArray,
    ExogLike,
    Index,
    IntArray,
    Seed,
)
from gpforecast.common.validation import (
    counted,
    generator,
    is_integer,
    positive_integer,
)
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.predict import checked_origins

NO_INPUTS = (
    "exog must be known over the horizon of at least one origin; each of the {} horizons of {} has "
    "a missing input. Fill some of them, or pass a shorter horizon."
)


def lost_inputs(fitted: Fitted, exog: ExogLike, index: Index) -> BoolArray:
    """Return at which times an input that the model itself takes is missing, (n,)."""
    if exog is None or not fitted.exog.in_model:
        return np.zeros(len(index), dtype=bool)
    inputs = fitted.exog.over(exog, index, "the whole series", missing=True)
    return np.asarray(np.isnan(inputs).any(axis=1))


def inputs_known(lost: BoolArray, origins: IntArray, horizon: int) -> BoolArray:
    """Return over which horizons from origins (b,) no input is missing; `lost` (n,) says where.

    Examples
    --------
    >>> inputs_known(np.array([False, False, True, False]), np.array([0, 1, 3]), horizon=1)
    array([ True,  True,  True])
    >>> inputs_known(np.array([False, False, True, False]), np.array([0, 1, 2]), horizon=2)
    array([ True, False, False])
    """
    so_far = np.concatenate([[0], np.cumsum(lost)])
    return np.asarray(so_far[origins + horizon] == so_far[origins])


def origins_of(
    lost: BoolArray,
    n_past: int,
    seen: int,
    horizon: int,
    origins: int | ArrayLike,
    seed: Seed,
) -> IntArray:
    """Return the positions to forecast from, or say why there are none.

    Parameters
    ----------
    lost : ndarray of bool (n,)
        Where an input of the first model is missing.
    n_past : int
        How many values must come before an origin.
    seen : int
        How many values that model has seen.
    horizon : int
    origins : int or array-like of int
        How many at most, chosen at random, or which.
    seed : int or Generator
    """
    n, first = len(lost), max(seen, n_past)
    last = n - horizon
    if last < first:
        raise ValueError(
            f"series has {counted(n, 'value')}, of which the model has seen {seen} and its lags "
            f"need {n_past}: no origin is left for a horizon of {horizon}. Pass a longer "
            f"series, a shorter horizon, or a forecaster fitted to less of it."
        )
    if is_integer(origins):
        places = np.arange(first, last + 1)
        places = places[inputs_known(lost, places, horizon)]
        if not len(places):
            raise ValueError(NO_INPUTS.format(last - first + 1, counted(horizon, "step")))
        count = min(positive_integer(origins, "origins"), len(places))
        chosen: IntArray = np.sort(generator(seed).choice(places, count, replace=False))
        return chosen
    seen_or_lag = "values before are seen in training or needed as lags"
    why = seen_or_lag, "the horizon must end within the series"
    return checked_origins(origins, first, last, why, "a number of them or a list of positions")
