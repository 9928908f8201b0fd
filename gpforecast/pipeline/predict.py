"""Forecasts of a fitted series, of its continuation and of any series like it."""

import numpy as np
import pandas as pd

from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import positive_integer
from gpforecast.pipeline.after_gap import follow
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.remarks import trouble
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import distribution_of
from gpforecast.series import checked


def predict(
    fitted: Fitted,
    horizon: int,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    exog_cov: ArrayLike | None = None,
) -> Forecast:
    """Forecast the values that follow the last one observed, as `Forecaster.predict` says."""
    horizon, method = positive_integer(horizon, "horizon"), method_named(propagation)
    index = fitted.axis.future(horizon)
    future = fitted.exog.over(exog, index, f"the {horizon} future steps")
    covariance = fitted.exog.covariance(exog_cov, horizon)
    origins = Origins.at_the_end(fitted, index, future, covariance)
    joint, notes = _joint(origins, method)
    return Forecast.of(
        joint.at(0),
        index,
        history=fitted.history.copy(),
        propagation=method.name,
        notes=(*fitted.notes, *joint.remarks(), *notes),
        trajectory=_trajectory(origins),
    )


def predict_from(
    fitted: Fitted,
    series: SeriesLike,
    origins: ArrayLike,
    horizon: int,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    n_jobs: int | None = None,
) -> Distribution:
    """Forecast from many places of a series, as `Forecaster.predict_from` says."""
    found, axis = checked(series, fill=False), fitted.chain.axis
    n, values = len(found.values), found.values
    times = found.axis if isinstance(series, (pd.Series, pd.DataFrame)) else axis.of_length(n)
    horizon = positive_integer(horizon, "horizon")
    ends = _checked_origins(origins, fitted.n_past, n)
    known = fitted.exog.over(exog, times.index, "the whole series", missing=True)
    if fitted.exog and ends.max() + horizon > n:
        raise ValueError("with exog, every forecast must end within the series.")
    values[int(ends.max()) :] = np.nan  # what no origin knows need not suit the transforms
    ahead, inputs = axis.locate(times).extended(horizon), fitted.exog.scaled(known)
    places = Origins(fitted, values, ahead, inputs, ends, horizon, n_jobs=n_jobs)
    return _joint(places, method_named(propagation))[0]


def _joint(origins: Origins, method: Method) -> tuple[Distribution, list[str]]:
    """Return the joint distributions in the units of the series, calibrated; and notes of them."""
    calibration, warp = origins.fitted.calibration, origins.fitted.chain.warp
    z = follow(origins, method)
    joint = distribution_of(z, warp) if calibration is None else calibration.joint(z, warp)
    return joint, trouble(joint, origins, method)


def _trajectory(origins: Origins) -> FloatArray:
    """Return the plug-in path (h,) of a single origin, every prediction taken for a fact.

    NaN if it runs away from every finite number.
    """
    try:
        path = follow(origins, None).mean[0]
    except ValueError:
        return np.full(origins.horizon, np.nan)
    return origins.fitted.chain.backward(path)


def _checked_origins(origins: ArrayLike, earliest: int, n: int) -> IntArray:
    """Return positions from which a series of n values can be forecast, or say what is wrong."""
    where = np.atleast_1d(np.asarray(origins))
    if where.dtype.kind not in "iu" or where.ndim != 1 or len(where) == 0:
        raise ValueError(f"origins must be positions (whole numbers); got {where!r}.")
    if where.min() < earliest or where.max() > n:
        raise ValueError(
            f"origins must lie between {earliest} (the lags reach back so far) and {n} "
            f"(the end of the series); got {where.min()} to {where.max()}."
        )
    return where
