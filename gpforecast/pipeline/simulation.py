"""Runs of a fitted model over a stretch of its own: free simulation, and one step at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import array_without_infinities
from gpforecast.series.checked import one_column, values_of
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.labels import counts_rows_of
from gpforecast.series.time_axis import TimeAxis


def begin_simulation(
    exog: Any, start: Any, inputs: Exogenous, n_past: int
) -> tuple["pd.Series[float]", FloatArray, Any]:
    """Cut a stretch of inputs into what lies beside the first outputs and what is simulated.

    Parameters
    ----------
    exog : DataFrame, Series or array (n, q)
        Inputs over the whole stretch.
    start : Series or array-like (k,)
        The first k outputs, at the first k times of `exog`; NaN where missing.
    inputs : Exogenous
        Of the fitted model.
    n_past : int
        How many outputs the model reaches back over.

    Returns
    -------
    history : Series (k,)
        Before a single output at a float, a missing one as well: two labels tell their step.
    past : ndarray (k, q)
        Inputs beside it, in the order of the fit.
    future : DataFrame (n - k, q)
        Inputs to simulate over.

    Raises
    ------
    TypeError, ValueError
        If the outputs are too few or too many, are not numbers, or have other times than the first
        inputs; or if the inputs are not those of the fit, on a regular index.
    """
    labelled = isinstance(exog, (pd.DataFrame, pd.Series))
    axis = TimeAxis.of(exog.index, "exog") if labelled else TimeAxis.rows(len(exog))
    index = axis.index
    if pd.api.types.is_integer_dtype(index.dtype) and len(index) > 1:
        step = int(index[1]) - int(index[0])  # a range knows its step however short
        index = pd.RangeIndex(index[0], index[-1] + step, step, name=index.name)
    start = one_column(start, "start")
    given = array_without_infinities(start, "start", ndim=1)
    k, n = len(given), len(index)
    if not n_past <= k < n:
        raise ValueError(
            f"start must hold at least the {n_past} outputs that the model reaches back over, and "
            f"fewer than the {n} rows of exog, which begins at the same time; got {k}."
        )
    if isinstance(start, pd.Series) and not counts_rows_of(start.index, index):
        same = start.index.equals(index[:k])
        if not same:
            raise ValueError(
                f"start must be the first outputs at the times of exog, {index[0]} to "
                f"{index[k - 1]}; got {start.index[0]} to {start.index[-1]}."
            )
    values = inputs.over(exog, index, "the simulated times", missing=True)
    name = getattr(start, "name", None)
    history, past = pd.Series(given.copy(), index=index[:k], name=name), values[:k]
    future = pd.DataFrame(values[k:], index=index[k:], columns=list(inputs.columns))
    if k == 1 and pd.api.types.is_float_dtype(index.dtype):
        earlier = pd.Index([2 * index[0] - index[1], index[0]], dtype=index.dtype, name=index.name)
        history, past = pd.Series([np.nan, *given], index=earlier, name=name), values[[0, 0]]
    return history, past, future


def one_step_ahead(
    y: "pd.Series[float]",
    exog: FloatArray,
    n_past: int,
    predict: Callable[[IntArray, Any], Any],
) -> pd.DataFrame:
    """Predict every value of a series from those before it.

    Parameters
    ----------
    y : Series (n,)
    exog : ndarray (n, q)
        Inputs at the same times; either may hold NaN.
    n_past : int
        How many values a prediction needs before it.
    predict : callable
        Takes origins and a propagation method, and forecasts one step from each; what it returns
        has ``mean`` (b, 1) and ``covariance`` (b, 1, 1).

    Returns
    -------
    DataFrame (n - n_past, 4)
        Columns ``observed``, ``mean``, ``std`` and ``residual``, as
        `gpforecast.Forecaster.predict_in_sample` says.
    """
    values = values_of(y)
    unknown = np.isnan(values) | np.isnan(exog).any(axis=1)
    so_far = np.concatenate([[0], np.cumsum(unknown)])
    times = np.arange(n_past, len(values))
    whole = so_far[times] == so_far[times - n_past]
    whole &= ~np.isnan(exog[times]).any(axis=1)
    known_inputs = ~np.isnan(exog[times]).any(axis=1)
    mean, var = np.full(len(times), np.nan), np.full(len(times), np.nan)
    # At known inputs every method gives the same, and naive iteration costs least.
    for chosen, method in ((whole, "naive"), (~whole & known_inputs, None)):
        if chosen.any():
            found = predict(times[chosen], method)
            mean[chosen], var[chosen] = found.mean[:, 0], found.covariance[:, 0, 0]
    seen = values[times]
    columns = {"observed": seen, "mean": mean, "std": np.sqrt(var), "residual": seen - mean}
    return pd.DataFrame(columns, index=y.index[n_past:])
