"""From a series to a `Fitted`: series, settings, rows, model."""

import copy
import logging
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.settings import settings_for
from gpforecast.common.progress import bar
from gpforecast.common.types import ExogLike, SeriesLike
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.pipeline.calibrate import calibrated
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.rows import TrainingRows, embedded
from gpforecast.series import checked
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous

logger = logging.getLogger(__name__)

_LAG_0 = (
    "inputs enter with lag 0 alone, as exog_lags was not given; if the series answers later or "
    "for longer, exog_lags=[0, 1, 2, 3] lets earlier inputs in"
)


def fit(options: Options, series: SeriesLike, exog: ExogLike = None) -> Fitted:
    """Learn the one-step map of a series, and if wanted how far its forecasts have been off.

    Parameters
    ----------
    options : Options
    series, exog
        As for `gpforecast.Forecaster.fit`.

    Raises
    ------
    TypeError, ValueError
        With a sentence that says what is wrong and what to do.
    """
    found = checked(series, exog)
    y, exog = found.series, found.exog
    inputs = Exogenous.fit(exog, y.index)
    if not inputs and options.exog_lags is not None:
        raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")

    settings = settings_for(
        y,
        transforms=options.transforms,
        lags=options.lags,
        model=options.model,
        exog=inputs,
        exog_lags=options.exog_lags,
        max_rows=options.max_rows,
    )
    chain = settings.chain
    embedding = LagEmbedding(settings.lags.value, exog_lags=options.exog_lags)

    every, _ = embedded(embedding, chain, y, inputs)
    rows = TrainingRows.of(every).at_most(options.row_limit, options.seed)

    model = _fresh(settings.model.value)
    model.fit(rows.X, rows.y)

    at_once = bool(inputs) and options.exog_lags is None
    fitted = Fitted(
        history=y,
        chain=chain,
        embedding=embedding,
        exog=inputs,
        rows=rows,
        model=model,
        notes=(*found.notes, *([_LAG_0] if at_once else []), *rows.notes, *fit_notes(model)),
        lags_reason=settings.lags.reason,
        model_reasons=settings.model.reasons,
    )
    if options.calibrate is not None:
        same = replace(
            options, calibrate=None, lags=embedding.lags_, model=model, transforms=chain.spec
        )
        with bar("calibrating"):
            fitted = calibrated(fitted, exog, options, lambda n: fit_to_first(n, same, y, exog))
    for note in fitted.notes:
        logger.info("note: %s", note)
    return fitted


def fit_to_first(n: int, options: Options, y: "pd.Series[float]", exog: ExogLike) -> Fitted:
    """Fit to the first n values of a series, and to the inputs beside them."""
    if isinstance(exog, (pd.Series, pd.DataFrame)):
        exog = exog.iloc[:n]  # by position, whatever the index
    elif exog is not None:
        exog = np.asarray(exog)[:n]
    return fit(options, y.iloc[:n], exog)


def _fresh(model: OneStepModel) -> OneStepModel:
    """Return a copy of a model to be fitted."""
    fresh = copy.deepcopy(model)
    if isinstance(fresh, type) or not (hasattr(fresh, "fit") and hasattr(fresh, "predict")):
        raise TypeError(
            f"model must be a one-step model such as gf.models.GaussianProcess(); got {fresh!r}."
        )
    return fresh
