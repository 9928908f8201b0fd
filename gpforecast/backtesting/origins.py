"""From which origins a backtest forecasts: those whose horizons hold all inputs."""

import numpy as np

from gpforecast.backtesting.plan import chosen_origins
from gpforecast.common.types import (
    ArrayLike,
    BoolArray,
    ExogLike,
    Index,
    IntArray,
    Seed,
)
from gpforecast.common.validation import counted, is_integer
from gpforecast.pipeline.fitted import Fitted

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
    n_known: int,
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
    n_known : int
        How many values that model knows.
    horizon : int
    origins : int or array-like of int
        How many at most, chosen at random, or which.
    seed : int or Generator
    """
    n, first = len(lost), max(n_known, n_past)
    last = n - horizon
    if last < first:
        raise ValueError(
            f"series has {counted(n, 'value')}, of which the model has seen {n_known} and its lags "
            f"need {n_past}: no origin is left for a horizon of {horizon}. Pass a longer "
            f"series, a shorter horizon, or a forecaster fitted to less of it."
        )
    possible = np.arange(first, last + 1)
    possible = possible[inputs_known(lost, possible, horizon)]
    if is_integer(origins) and not len(possible):
        raise ValueError(NO_INPUTS.format(last - first + 1, counted(horizon, "step")))
    return chosen_origins(possible, origins, seed, first, last)
