"""Forecasts compared with what came, in order of time, for a calibration that learns from that."""

from dataclasses import replace

import numpy as np

from gpforecast.common.types import ExogLike, FloatArray, IntArray, SeriesLike
from gpforecast.pipeline.adaptive import Adaptive
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.origins import Origins, follow
from gpforecast.pipeline.predict import at_the_end, within_series
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.series import checked

_AT_ONCE = 200  # origins that are forecast together


def followed(fitted: Fitted, value: float, propagation: MethodLike) -> Fitted:
    """Return it with a calibration that knows the next value, in the units of the series.

    Only an `Adaptive` one changes. The model is not conditioned on the value.
    """
    calibration = fitted.calibration
    if not isinstance(calibration, Adaptive):
        return fitted
    origin = at_the_end(fitted, calibration.horizon)
    (mean,), (std,) = _moments(origin, method_named(propagation))
    (warped,) = _warped(fitted, np.array([value]))
    return replace(fitted, calibration=calibration.followed(mean, std, float(warped)))


def followed_to(
    fitted: Fitted,
    series: SeriesLike,
    seen: int,
    origins: IntArray,
    horizon: int,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    n_jobs: int | None = None,
) -> Fitted:
    """Return it with the half-widths of each origin, by the errors known there.

    Only an `Adaptive` calibration changes. The model stays as it is and forecasts from every value.

    Parameters
    ----------
    fitted : Fitted
    series, horizon, propagation, exog, n_jobs
        As for `gpforecast.backtest`.
    seen : int
        How many values of the series were known at the fit; 0 for another series.
    origins : ndarray (b,)
        No earlier than that.
    """
    calibration, last = fitted.calibration, int(origins.max())
    if not isinstance(calibration, Adaptive):
        return fitted
    if not seen:
        calibration = calibration.without_forecasts
    steps, method = min(horizon, calibration.horizon), method_named(propagation)
    mean, std = np.full((2, last - seen, steps), np.nan)
    for begin in range(max(seen, fitted.n_past), last, _AT_ONCE):
        some = np.arange(begin, min(begin + _AT_ONCE, last))
        places = within_series(fitted, series, some, steps, exog, n_jobs)
        mean[some - seen], std[some - seen] = _moments(places, method)
    warped = _warped(fitted, checked(series).values[seen:last])
    widths = [calibration.values]
    for forecast in zip(mean, std, warped.tolist(), strict=True):
        calibration = calibration.followed(*forecast)
        widths.append(calibration.values)
    at = Calibration(
        calibration.kind,
        calibration.factors,
        calibration.knots,
        np.array(widths)[origins - seen],
        calibration.n_origins,
    )
    return replace(fitted, calibration=at)


def _warped(fitted: Fitted, values: FloatArray) -> FloatArray:
    """Return values (n,) in the units of the warp."""
    warp = fitted.chain.warp
    with np.errstate(divide="ignore", invalid="ignore"):
        return values if warp is None else warp.forward(values)


def _moments(origins: Origins, method: Method) -> tuple[FloatArray, FloatArray]:
    """Return means and standard deviations (b, h), in the units of the warp, before calibration.

    NaN where there is no forecast, as too few values are known or it runs away.
    """
    b, h = len(origins.ends), origins.horizon
    try:
        z = follow(origins, method)
    except ValueError:
        if b == 1:
            return np.full((1, h), np.nan), np.full((1, h), np.nan)
        halves = np.array_split(origins.ends, 2)
        parts = [_moments(replace(origins, ends=ends), method) for ends in halves]
        mean, std = (np.concatenate(of_both) for of_both in zip(*parts, strict=True))
        return mean, std
    return z.mean, np.sqrt(np.einsum("bhh->bh", z.covariance))
