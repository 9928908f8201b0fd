"""Forecasts of a fitted series, of its continuation and of any series like it."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import positive_integer
from gpforecast.pipeline.after_gap import follow_after_gap, reaches_a_gap
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.origins import Ahead, Origins, follow
from gpforecast.pipeline.remarks import trouble
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.propagation.recursion import Propagated
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
    horizon = positive_integer(horizon, "horizon")
    index = fitted.axis.future(horizon)
    future = fitted.exog.over(exog, index, f"the {horizon} future steps")
    covariance = fitted.exog.covariance(exog_cov, horizon)
    origins = Origins.at_the_end(fitted, index, future)
    method = method_named(propagation)
    z = _followed(origins, Ahead(horizon, method, covariance))
    return labelled(origins, z, method, index, trajectory=_trajectory(origins, horizon))


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
    ahead = axis.locate(times).extended(horizon)
    places = Origins(fitted, values, ahead, fitted.exog.scaled(known), ends)
    method = method_named(propagation)
    joint = _distribution(fitted, _followed(places, Ahead(horizon, method, n_jobs=n_jobs)))
    for remark in trouble(joint, places, method):
        remark.warn()
    return joint


def labelled(
    origins: Origins,
    z: Propagated,
    method: Method,
    index: pd.Index,
    *,
    trajectory: FloatArray | None = None,
) -> Forecast:
    """Return the forecast from a single origin, and warn of what went less than well.

    Parameters
    ----------
    origins : Origins
    z : Propagated
        Its horizon in the units of the warp.
    method : propagation method
        By which that was found.
    index : Index (h,)
        Of the future.
    trajectory : ndarray (h,), optional
    """
    fitted = origins.fitted
    joint = _distribution(fitted, z)
    met = trouble(joint, origins, method)
    for remark in met:
        remark.warn()
    return Forecast.of(
        joint.at(0),
        index,
        history=fitted.history.copy(),
        propagation=method.name,
        notes=(*fitted.notes, *joint.remarks(), *(remark.note for remark in met)),
        trajectory=trajectory,
    )


def _distribution(fitted: Fitted, z: Propagated) -> Distribution:
    """Return the joint distributions in the units of the series, calibrated."""
    calibration, warp = fitted.calibration, fitted.chain.warp
    return distribution_of(z, warp) if calibration is None else calibration.joint(z, warp)


def _trajectory(origins: Origins, horizon: int) -> FloatArray:
    """Return the plug-in path (h,) of a single origin, every prediction taken for a fact.

    NaN if it runs away from every finite number.
    """
    try:
        path = _followed(origins, Ahead(horizon, None)).mean[0]
    except ValueError:
        return np.full(horizon, np.nan)
    return origins.fitted.chain.backward(path)


def _followed(origins: Origins, ahead: Ahead) -> Propagated:
    """Return the horizon of every origin as `follow` does, whatever is missing before it."""
    behind_gap = reaches_a_gap(origins)
    if not behind_gap.any():
        return follow([origins], ahead)[0]
    order = np.argsort(behind_gap, kind="stable")  # those without a gap come first
    parts = []
    if not behind_gap.all():
        whole = replace(origins, ends=origins.ends[~behind_gap])
        parts += follow([whole], ahead)
    parts += [follow_after_gap(origins, int(end), ahead) for end in origins.ends[behind_gap]]
    return _gathered(parts, np.argsort(order))


def _gathered(parts: list[Propagated], order: IntArray) -> Propagated:
    """Return batches as one, its origins in the given order."""

    def joined(arrays: list[FloatArray]) -> FloatArray:
        return np.concatenate(arrays)[order]

    paths = [part.paths for part in parts if part.paths is not None]
    return Propagated(
        joined([part.mean for part in parts]),
        joined([part.covariance for part in parts]),
        joined([part.latent_var for part in parts]),
        joined(paths) if paths else None,
        sum(part.n_clipped for part in parts),
    )


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
