"""From a series to a `Fitted`: a chain of steps, each with its notes."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.model import without_explosion
from gpforecast.automatic.month_days import days_of_month
from gpforecast.automatic.seasons import is_held
from gpforecast.automatic.settings import Settings, settings_for
from gpforecast.common.kinds import is_auto, is_labelled, is_series
from gpforecast.common.progress import bar
from gpforecast.common.types import ExogLike, FloatArray, SeriesLike, Values
from gpforecast.common.validation import check_size, counted
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.pipeline.calibration import Adaptive, Calibration
from gpforecast.pipeline.direct import with_leads
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.noise import with_noise
from gpforecast.pipeline.options import Options, check_model
from gpforecast.pipeline.predict import joint_from, within_series
from gpforecast.pipeline.rows import TrainingRows, rows_of
from gpforecast.pipeline.set_aside import end_notes, stuck_at_fit
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, CheckedSeries, values_of, without
from gpforecast.series.days import weeks_in_words
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.zoned import utc_note
from gpforecast.transforms import Chain

logger = logging.getLogger(__name__)

_HARDLY_ANY = 8  # values: with fewer, the width of the intervals is a guess
_PART = 0.6  # share of the series that is fitted to, for the errors of the rest
_FEWEST = 20  # values to calibrate by
_ORIGINS = (60, 300)  # at most, for many rows and for few
_WORK = 3e9  # pairs of rows, over all origins and steps: a few seconds
_LONGEST = 48  # steps
_BLANK = 0.2  # share of the rows, from beyond which an input may be blank on purpose
_LAG_0 = (
    "inputs count at lag 0 alone; if the series answers later or for longer, "
    "exog_lags=[0, 1, 2, 3] lets earlier inputs in"
)


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
    return fit_checked(options, checked(series, exog, open_days=True, by_clock=True, least=FEWEST))


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
    if not is_series(options.noise) and np.ndim(options.noise):
        options = replace(options, noise=np.asarray(options.noise)[:n])
    return fit_checked(options, checked(y.iloc[:n], exog, least=FEWEST))


def _learned(options: Options, found: CheckedSeries) -> Fitted:
    """Run the steps of a fit on a checked series."""
    y = found.series
    inputs, of_inputs = inputs_of(found, options)
    stuck, of_stuck = stuck_at_fit(y, options)
    settings, of_settings = selected(without(y, stuck), inputs, options)
    exog = settings.exog
    aside = tuple(sorted({*settings.outliers.value, *stuck}))
    kept = without(y, aside)
    if aside:
        check_size(values_of(kept), "series without its outliers")

    def rows_for(embedding: LagEmbedding, chain: Chain) -> TrainingRows:
        return rows_of(embedding, chain, kept, exog).at_most(options.row_limit, options.seed)

    rows = rows_for(settings.embedding, settings.chain)
    model = _trained(settings, rows, options)
    notes = [*found.notes, *series_notes(values_of(y)), *utc_note(y), *of_inputs, *of_stuck]
    notes += settings.outliers.reasons
    notes += end_notes(y, aside, driven=bool(exog))
    notes += [*of_settings, *rows.notes, *fit_notes(model.value)]
    fitted = put_together(y, settings, rows, model, notes)
    others = []
    for one in settings.others:
        own = LagEmbedding(list(one.lags))
        rows = rows_for(own, one.chain)
        taught = rows.taught(one.model, options.seed)
        given = y, one.chain, own, exog, rows, taught
        others.append(Fitted(*given, set_aside=aside, n_fitted=len(y)))
    fitted = replace(fitted, others=tuple(others), set_aside=aside, clock=found.axis.clock)
    if options.direct:
        fitted = with_leads(fitted, settings.model.value, options)
    elif settings.widening is None or not is_auto(options.noise):
        fitted = with_noise(fitted, options.noise)
    elif options.calibration is None:  # what was judged had all of its noise in the process
        wider = Calibration.widened(settings.widening, 1)
        fitted = replace(fitted, calibration=wider, noise_reasons=(str(wider),))
    fitted = _calibrated(fitted, options, found.exog)
    for note in fitted.notes:
        logger.info("note: %s", note)
    return fitted


def put_together(
    y: Values,
    settings: Settings,
    rows: TrainingRows,
    model: Decision[OneStepModel],
    notes: list[str],
) -> Fitted:
    """Return a fitted series, from what was selected for it and its model, which is fitted."""
    return Fitted(
        y, settings.chain, settings.embedding, settings.exog, rows, model.value,
        notes=tuple(notes),
        lags_reason=settings.lags.reason,
        model_reasons=model.reasons,
        support=settings.support.value,
        support_reason=settings.support.reason,
        ensemble=settings.ensemble.value,
        ensemble_reasons=settings.ensemble.reasons,
        set_aside=settings.outliers.value,
        n_fitted=len(y),
        candidates=settings.candidates,
    )  # fmt: skip


def _calibrated(fitted: Fitted, options: Options, exog: ExogLike) -> Fitted:
    """Return the fit with a calibration by its own series, and a note of it or why it has none.

    The same settings, fitted to the first 60 % of the series, forecast from at most 300 origins in
    the rest.
    """
    if options.calibration is None:
        return fitted
    try:
        with bar("calibrating"):
            residuals = _residuals(fitted, options, exog)
            made = Calibration.of(options.calibration, residuals)
    except (TypeError, ValueError) as error:
        return fitted.noting(f"the intervals were not corrected: {error}")
    made = Adaptive.after(made) if options.calibration == "adaptive" else made
    note = f'intervals were corrected (calibrate="{made.kind}"): {made}'
    return replace(fitted, calibration=made).noting(note)


def _residuals(fitted: Fitted, options: Options, exog: ExogLike) -> FloatArray:
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
    at = within_series(early, y, origins, horizon, exog)
    joint = joint_from(at, options.method()).distribution
    values = np.concatenate([values_of(y), np.full(horizon, np.nan)])
    residuals = joint.standardised(values[origins[:, None] + np.arange(horizon)])
    residuals[~np.isfinite(residuals)] = np.nan
    enough = np.isfinite(residuals).sum(axis=0) >= _FEWEST // 2
    if not enough[0]:
        raise ValueError(f"fewer than {_FEWEST // 2} of its forecasts could be judged")
    return residuals[:, : horizon if enough.all() else int(np.argmin(enough))]


def _trained(settings: Settings, rows: TrainingRows, options: Options) -> Decision[OneStepModel]:
    """Return the model fitted to the rows, or the one that takes its place if it explodes."""
    chosen = settings.model
    model = rows.taught(chosen.value, options.seed)
    if options.model is None and not options.direct and settings.widening is None:
        instead = without_explosion(chosen, model, len(rows.y), settings.lags.value)
        if instead is not chosen:
            chosen, model = instead, rows.taught(instead.value, options.seed)
    return replace(chosen, value=model)


def series_notes(values: FloatArray) -> list[str]:
    """Return notes on a series (n,) that is too short or of two classes.

    Examples
    --------
    >>> series_notes(np.array([0.0, np.nan, 1.0, 0.0]))
    ['only 3 values: the intervals are guesses', 'all values are 0 or 1: \
gf.EventForecaster forecasts the probability of each']
    """
    known, notes = values[~np.isnan(values)], []
    if len(known) < _HARDLY_ANY:
        notes.append(f"only {counted(len(known), 'value')}: the intervals are guesses")
    if set(np.unique(known)) == {0.0, 1.0}:
        notes.append("all values are 0 or 1: gf.EventForecaster forecasts the probability of each")
    return notes


def inputs_of(found: CheckedSeries, options: Options) -> tuple[Exogenous, list[str]]:
    """Return the inputs of a series and of its dates, with a note of those that are often blank."""
    y, axis, notes = found.series, replace(found.axis, label=options.label), list[str]()
    inputs = Exogenous.fit(found.exog, axis, options.calendars)
    if options.calendar is None and options.automatic and not inputs:
        detected = days_of_month(y, axis, options.seasons)
        inputs = Exogenous.fit(None, axis, detected=detected.value)
        notes += detected.reasons
    if inputs.calendars and axis.label is None:
        notes += weeks_in_words(y.index)
    if not inputs.n_given and options.exog_lags is not None:
        raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")
    own = [np.array_equal(past, values_of(y), equal_nan=True) for past in inputs.past.T]
    if any(own) and y.min() < y.max():
        raise ValueError(
            f"exog must not hold the series itself, as {inputs.sources[own.index(True)]} is: leave "
            f"it out. The past of the series is used in any case."
        )
    missing = np.isnan(inputs.past).sum(axis=0)
    blank = {s: n for s, n in zip(inputs.sources, missing, strict=True) if n > _BLANK * len(y)}
    return inputs, notes + [
        f"input {name} is missing in {n} of {len(y)} rows, and little is learned from those; if a "
        f"blank means none, fill it with 0 first"
        for name, n in blank.items()
    ]


def selected(y: Values, inputs: Exogenous, options: Options) -> tuple[Settings, list[str]]:
    """Return what the user gave and the automatic choice of the rest, with notes on it.

    Parameters
    ----------
    y : Series (n,)
        Values of a stuck sensor are NaN.
    inputs : Exogenous
    options : Options
    """
    settings = settings_for(y, options.given, inputs)
    notes, chain, inputs = [*settings.input_notes], settings.chain, settings.exog
    if chain.closing:
        change = " (closed times); if that may change, name the transforms yourself"
        notes.append(f"{chain.closed_times_in_words}{change * options.automatic}")
    terms = () if chain.effects is None else chain.effects.terms or ()
    lags_selected = options.automatic and (inputs.in_model or any(lag for _, lag in terms))
    if inputs.n_given and options.exog_lags is None and not lags_selected:
        notes = [f"{notes[0]}; {_LAG_0}", *notes[1:]] if settings.input_notes else [_LAG_0, *notes]
    for season in sorted(options.seasons or ()):
        call = f"gf.transforms.Deterministic(fourier={min(2, season // 2)}, period={season})"
        note = (
            f"the season of {season} steps, which season_length names, is not used: neither the "
            f"lags nor the transforms have it; transforms=[{call}] models it"
        )
        notes += [] if _is_used(season, settings) else [note]
    return settings, notes


def _is_used(season: int, settings: Settings) -> bool:
    """Whether something in the forecast repeats itself after so many steps."""
    spec, ensemble = settings.chain.spec, settings.ensemble.value
    members = () if ensemble is None else ensemble.members
    return (
        season in settings.lags.value
        or is_held(season, spec)
        or any(abs(period - season) < 1 for period in spec.periods)
        or any(one.posterior.period == season for one in members)
    )
