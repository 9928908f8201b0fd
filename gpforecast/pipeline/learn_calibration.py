"""Corrections of intervals by the errors of forecasts: learned at the fit, and later followed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import ExogLike, FloatArray, Values
from gpforecast.pipeline.calibration import Adaptive, Calibration
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import at_the_end, predict_from
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.series.checked import values_of, without

FitToFirst = Callable[[int, Options, Values, ExogLike], Fitted]
"""Fits options to the first n values of a series."""

_PART = 0.6  # share of the series that the judged model is fitted to
_FEWEST = 20  # values to judge it by
_ORIGINS = (60, 300)  # at most, for many rows and for few
_WORK = 3e9  # pairs of rows, over all origins and steps: a few seconds
_LONGEST = 48  # steps


def calibrated(
    fitted: Fitted, options: Options, exog: ExogLike, fit_to_first: FitToFirst
) -> Fitted:
    """Return the fit with a calibration by its own series, and a note of it or why it has none.

    The same settings, fitted to the first 60 % of the series, forecast from at most 300 origins in
    the rest.
    """
    if options.calibration is None:
        return fitted
    try:
        with bar("calibrating"):
            residuals = _residuals(fitted, options, exog, fit_to_first)
            made = Calibration.of(options.calibration, residuals)
    except (TypeError, ValueError) as error:
        return fitted.noting(f"the intervals were not corrected: {error}")
    made = Adaptive.after(made) if options.calibration == "adaptive" else made
    note = f'intervals were corrected (calibrate="{made.kind}"): {made}'
    return replace(fitted, calibration=made).noting(note)


def _residuals(
    fitted: Fitted, options: Options, exog: ExogLike, fit_to_first: FitToFirst
) -> FloatArray:
    """Return errors over standard deviations, (b, h), of what was fitted to the beginning."""
    y = without(fitted.history, fitted.set_aside)
    n = len(y)
    cut = max(round(_PART * n), fitted.n_past + 2)
    if n - cut < _FEWEST:
        least = int(np.ceil(_FEWEST / (1 - _PART)))
        raise ValueError(f"{n} values are too few, calibrate needs at least {least}")
    same = replace(
        options,
        calibrate=None,
        support=None,
        noise=options.noise if fitted.measurement else "process",
        lags=fitted.inputs.lags,
        model=fitted.model,
        transforms=fitted.chain.spec,
        season_length="auto",
    )
    if fitted.exog.in_model:
        same = replace(same, exog_lags=fitted.embedding.exog_lags)  # may have been chosen
    if fitted.exog and not fitted.exog.in_model and fitted.chain.effects is None:
        exog, same = None, replace(same, exog_lags=None, calendar=None)  # they explain nothing
    early = fit_to_first(cut, same, y, exog)
    horizon = min((n - cut) // 2, _LONGEST if options.max_horizon is None else options.max_horizon)
    last = n - (1 if exog is None else horizon)
    most = int(np.clip(_WORK / horizon / len(early.rows.y) ** 2, *_ORIGINS))
    origins = np.unique(np.linspace(cut, last, min(most, last - cut + 1)).astype(int))
    joint = predict_from(early, y, origins, horizon, options.method(), exog=exog)
    values = np.concatenate([values_of(y), np.full(horizon, np.nan)])
    residuals = joint.standardised(values[origins[:, None] + np.arange(horizon)])
    residuals[~np.isfinite(residuals)] = np.nan
    enough = np.isfinite(residuals).sum(axis=0) >= _FEWEST // 2
    if not enough[0]:
        raise ValueError(f"fewer than {_FEWEST // 2} of its forecasts could be judged")
    return residuals[:, : horizon if enough.all() else int(np.argmin(enough))]


def followed(fitted: Fitted, value: float, propagation: MethodLike) -> Fitted:
    """Return it with a calibration that knows the next value, in the units of the series.

    Only an `Adaptive` one changes. The model is not conditioned on the value.
    """
    calibration = fitted.calibration
    if not isinstance(calibration, Adaptive):
        return fitted
    index = fitted.axis.extended(calibration.horizon).index[len(fitted.axis) :]
    origin = at_the_end(fitted, fitted.exog.over(None, index, "the forecast"))
    (mean,), (std,) = moments_from(origin, method_named(propagation))
    (warped,) = fitted.chain.forward(np.array([value]))
    return replace(fitted, calibration=calibration.followed(mean, std, float(warped)))


def moments_from(origins: Origins, method: Method) -> tuple[FloatArray, FloatArray]:
    """Return means and standard deviations (b, h), in the units of the warp, before calibration.

    NaN where there is no forecast, as too few values are known or it runs away.
    """
    b, h = len(origins.ends), origins.horizon
    try:
        z = origins.follow(method)
    except ValueError:
        if b == 1:
            return np.full((1, h), np.nan), np.full((1, h), np.nan)
        halves = np.array_split(origins.ends, 2)
        parts = [moments_from(replace(origins, ends=ends), method) for ends in halves]
        mean, std = (np.concatenate(of_both) for of_both in zip(*parts, strict=True))
        return mean, std
    return z.mean, np.sqrt(z.var)
