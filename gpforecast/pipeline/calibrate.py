"""Learn from forecasts of a series' own past by how much their spread is off."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.types import ExogLike, FloatArray
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import predict_from
from gpforecast.propagation import MethodLike
from gpforecast.series.checked import values_of

_PART = 0.6  # of the series, from which the model that is judged learns
_FEWEST = 20  # values to judge it by
_ORIGINS = (60, 300)  # at most, for many rows and for few
_WORK = 3e9  # pairs of rows, over all origins and steps: a few seconds
_LONGEST = 48  # steps


def calibrated(
    fitted: Fitted, exog: ExogLike, options: Options, fit_to_first: Callable[[int], Fitted]
) -> Fitted:
    """Return it with a calibration by its own series, and a note of that or of why there is none.

    The same settings, fitted to the first 60 % of the series, forecast from at most 300 origins in
    the rest.

    Parameters
    ----------
    fitted : Fitted
    exog : optional
        The inputs it was fitted to.
    options : Options
        Of the fit.
    fit_to_first : callable
        Fits the same settings to as many values of the series, from its start.
    """
    try:
        made = _learned(fitted, exog, options, fit_to_first)
    except (TypeError, ValueError) as error:
        return replace(fitted, notes=(*fitted.notes, f"not calibrated: {error}"))
    note = f"calibrated ({made.kind}): {made}"
    return replace(fitted, calibration=made, notes=(*fitted.notes, note))


def _learned(
    fitted: Fitted, exog: ExogLike, options: Options, fit_to_first: Callable[[int], Fitted]
) -> Calibration:
    n = len(fitted.history)
    cut = max(round(_PART * n), fitted.n_past + 2)
    if n - cut < _FEWEST:
        least = int(np.ceil(_FEWEST / (1 - _PART)))
        raise ValueError(f"{n} values are too few, calibrate needs at least {least}")
    residuals = _residuals(fit_to_first(cut), fitted.history, exog, options.propagation)
    steps = np.isfinite(residuals).sum(axis=0) >= _FEWEST // 2
    horizon = len(steps) if steps.all() else int(np.argmin(steps))
    if horizon == 0:
        raise ValueError(f"fewer than {_FEWEST // 2} of its forecasts could be judged")
    return Calibration.of(str(options.calibrate), residuals[:, :horizon])


def _residuals(
    early: Fitted, y: "pd.Series[float]", exog: ExogLike, propagation: MethodLike
) -> FloatArray:
    """Return errors over standard deviations, (b, h), of what was fitted to the beginning of y."""
    cut = len(early.history)
    horizon = min((len(y) - cut) // 2, _LONGEST)
    last = len(y) - (1 if exog is None else horizon)
    most = int(np.clip(_WORK / horizon / len(early.rows.y) ** 2, *_ORIGINS))
    origins = np.unique(np.linspace(cut, last, min(most, last - cut + 1)).astype(int))
    joint = predict_from(early, y, origins, horizon, propagation, exog=exog)
    values = np.concatenate([values_of(y), np.full(horizon, np.nan)])
    residuals = joint.standardised(values[origins[:, None] + np.arange(horizon)])
    return np.where(np.isfinite(residuals), residuals, np.nan)
