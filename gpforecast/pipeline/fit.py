"""From a series to a `Fitted`: a chain of steps, each of which returns its value and its notes."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.model import without_explosion
from gpforecast.automatic.settings import Settings
from gpforecast.common.kinds import is_labelled
from gpforecast.common.types import ExogLike, SeriesLike
from gpforecast.common.validation import check_size
from gpforecast.models.base import OneStepModel, fit_notes, seeded_copy
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.pipeline.calibrate import calibrated
from gpforecast.pipeline.direct import with_leads
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.noise import with_noise
from gpforecast.pipeline.options import Options, check_model
from gpforecast.pipeline.rows import TrainingRows, rows_of
from gpforecast.pipeline.select import inputs_of, selected, series_notes
from gpforecast.pipeline.set_aside import outliers_at_fit, stuck_at_fit
from gpforecast.pipeline.with_notes import WithNotes
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, CheckedSeries, values_of, without
from gpforecast.series.embedding import LagEmbedding

logger = logging.getLogger(__name__)


def fit(options: Options, series: SeriesLike, exog: ExogLike = None) -> Fitted:
    """Learn the one-step map of a series, and correct its intervals where that is an option.

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
    check_model(options.model)  # it may have been set since they were made
    return fit_checked(options, checked(series, exog, open_days=True, least=FEWEST))


def fit_checked(options: Options, found: CheckedSeries) -> Fitted:
    """Learn the one-step map of a series that was checked, whatever its values."""
    with one_blas_thread(len(found.series) <= SMALL):
        return _learned(options, found)


def fit_to_first(n: int, options: Options, y: "pd.Series[float]", exog: ExogLike) -> Fitted:
    """Fit to the first n values of a series, and to the inputs at the same times."""
    if is_labelled(exog):
        exog = exog.iloc[:n]  # by position, whatever the index
    elif exog is not None:
        exog = np.asarray(exog)[:n]
    if not isinstance(options.noise, (str, pd.Series)) and np.ndim(options.noise):
        options = replace(options, noise=np.asarray(options.noise)[:n])
    return fit_checked(options, checked(y.iloc[:n], exog, least=FEWEST))


def _learned(options: Options, found: CheckedSeries) -> Fitted:
    """Run the steps of a fit on a checked series."""
    y = found.series
    given = inputs_of(found, options)
    inputs = given.value
    stuck = stuck_at_fit(y, options)
    chosen = selected(without(y, stuck.value), inputs, options)
    settings, exog = chosen.value, chosen.value.exog or inputs
    driven = bool(exog.n_given or options.calendars)
    aside = outliers_at_fit(y, settings, stuck.value, driven=driven)
    kept = without(y, aside.value)
    if aside.value:
        check_size(values_of(kept), "series without its outliers")
    exog_lags = exog.lags(settings.exog_lags) if exog.in_model else None
    embedding = LagEmbedding(settings.lags.value, exog_lags=exog_lags)
    rows = rows_of(embedding, settings.chain, kept, exog).at_most(options.row_limit, options.seed)
    model = _trained(settings, rows, options)
    of_series = WithNotes(y, (*found.notes, *series_notes(values_of(y))))
    steps = of_series, given, stuck, aside, chosen, rows, model
    fitted = Fitted(
        history=y,
        chain=settings.chain,
        embedding=embedding,
        exog=exog,
        rows=rows,
        model=model.value.value,
        notes=tuple(note for step in steps for note in step.notes),
        lags_reason=settings.lags.reason,
        model_reasons=model.value.reasons,
        support=settings.support.value,
        support_reason=settings.support.reason,
        ensemble=settings.ensemble.value,
        ensemble_reasons=settings.ensemble.reasons,
        set_aside=aside.value,
        n_fitted=len(y),
    )
    if options.direct:
        fitted = with_leads(fitted, settings.model.value, options)
    else:
        fitted = with_noise(fitted, options.noise)
    fitted = calibrated(fitted, options, found.exog, fit_to_first)
    for note in fitted.notes:
        logger.info("note: %s", note)
    return fitted


def _trained(
    settings: Settings, rows: TrainingRows, options: Options
) -> WithNotes[Decision[OneStepModel]]:
    """Return the model fitted to the rows, or the one that takes its place if it explodes."""
    chosen = settings.model
    model = seeded_copy(chosen.value, options.seed)
    model.fit(rows.X, rows.y)
    if options.model is None and not options.direct:
        instead = without_explosion(chosen, model, rows.X.shape[1], settings.lags.value)
        if instead is not chosen:
            chosen, model = instead, seeded_copy(instead.value, options.seed)
            model.fit(rows.X, rows.y)
    return WithNotes(replace(chosen, value=model), tuple(fit_notes(model)))
