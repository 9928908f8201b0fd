"""Free simulation: a fitted model run over a stretch of inputs of its own."""

import numpy as np
import pandas as pd

from gpforecast.common.types import ArrayLike, Index, SeriesLike
from gpforecast.common.validation import array_without_infinities, is_series
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.predict import predict
from gpforecast.propagation import MethodLike
from gpforecast.results.forecast import Forecast
from gpforecast.series.exogenous import Encoded
from gpforecast.series.frames import one_column
from gpforecast.series.labels import counts_rows_of
from gpforecast.series.time_axis import TimeAxis


def simulate(
    fitted: Fitted,
    exog: SeriesLike,
    start: SeriesLike | None,
    propagation: MethodLike,
    *,
    exog_cov: ArrayLike | None = None,
) -> Forecast:
    """Run the model over given inputs, from its history or from a `start` of its own.

    Parameters
    ----------
    fitted : Fitted
    exog : DataFrame, Series or array (n, q)
        Inputs over the whole stretch.
    start : Series or array-like (k,), or None
        The first k outputs, at the first k times of `exog`; NaN where missing.
    propagation, exog_cov
        As for `gpforecast.Forecaster.simulate`.

    Raises
    ------
    TypeError, ValueError
        If the outputs are too few or too many, are not numbers, or have other times than the first
        inputs; or if the inputs are not those of the fit, on a regular index.
    """
    if fitted.leads is not None:
        raise ValueError(
            "simulate predicts each output from its own earlier ones, which direct forecasts do "
            'not; fit a forecaster with strategy="iterated".'
        )
    if np.ndim(exog) == 0:
        raise ValueError(f"exog must hold the inputs at each time to simulate; got {exog!r}.")
    n = np.shape(exog)[0]
    if start is None:
        return predict(fitted, n, propagation, exog=exog, exog_cov=exog_cov)
    index: Index = pd.RangeIndex(n)
    if isinstance(exog, (pd.DataFrame, pd.Series)):
        index = TimeAxis.of(exog.index, "exog").index
    start = one_column(start, "start")
    given = array_without_infinities(start, "start", ndim=1)
    k = len(given)
    if not fitted.n_past <= k < n:
        raise ValueError(
            f"start must hold at least the {fitted.n_past} outputs that the model reaches back "
            f"over, and fewer than the {n} rows of exog, which begins at the same time; got {k}."
        )
    name = None
    if is_series(start):
        name, labels = start.name, start.index
        if not (counts_rows_of(labels, index) or labels.equals(index[:k])):
            raise ValueError(
                f"start must be the first outputs at the times of exog, {index[0]} to "
                f"{index[k - 1]}; got {labels[0]} to {labels[-1]}."
            )
    values = fitted.exog.over(exog, index, "the simulation", missing=True)
    history, past = pd.Series(given.copy(), index=index[:k], name=name), values[:k]
    if k == 1 and pd.api.types.is_numeric_dtype(index.dtype):  # two labels show the step
        earlier = pd.Index([2 * index[0] - index[1], index[0]], dtype=index.dtype, name=index.name)
        history, past = pd.Series([np.nan, *given], index=earlier, name=name), values[[0, 0]]
    begun = fitted.after(history, past)
    return predict(begun, n - k, propagation, exog=Encoded(values[k:]), exog_cov=exog_cov)
