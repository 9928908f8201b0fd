"""From a series to a `Fitted` (settings, rows, model, calibration), and on with new values."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.ends import stuck_places
from gpforecast.automatic.features import calendar_periods, n_newest
from gpforecast.automatic.model import without_explosion
from gpforecast.automatic.settings import settings_for
from gpforecast.common.progress import bar
from gpforecast.common.types import ExogLike, FloatArray, Index, SeriesLike
from gpforecast.common.validation import check_size, is_auto, is_labelled
from gpforecast.models.base import (
    HasClasses,
    HasQuantiles,
    fit_notes,
    seeded_copy,
)
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.pipeline import later_inputs
from gpforecast.pipeline.adaptive import Adaptive
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.direct import with_leads
from gpforecast.pipeline.fitted import Fitted, rows_of
from gpforecast.pipeline.input_notes import notes_on_blank_inputs
from gpforecast.pipeline.noise import with_noise
from gpforecast.pipeline.options import Options, check_model
from gpforecast.pipeline.pointers import (
    notes_on_classes,
    notes_on_closed_days,
    notes_on_end,
    notes_on_few,
    notes_on_hours_without,
    notes_on_outliers,
    notes_on_stuck,
    notes_on_unfinished,
    notes_on_zeros,
)
from gpforecast.pipeline.predict import predict_from
from gpforecast.pipeline.season_notes import (
    notes_on_season_left,
    notes_on_seasons,
    notes_on_unseen_season,
    notes_on_unseen_year,
)
from gpforecast.series import checked
from gpforecast.series.checked import (
    FEWEST,
    CheckedSeries,
    values_of,
    without,
)
from gpforecast.series.closed_days import on_open_days
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous

logger = logging.getLogger(__name__)

# Calibration
_PART = 0.6  # share of the series that the judged model is fitted to
_FEWEST = 20  # values to judge it by
_ORIGINS = (60, 300)  # at most, for many rows and for few
_WORK = 3e9  # pairs of rows, over all origins and steps: a few seconds
_LONGEST = 48  # steps

_MISSING = "count as missing; outliers=None keeps them"
_CHANGES = " (closed times); if that may change, name the transforms yourself"
_LAG_0 = (
    "inputs count at the time of the value alone (lag 0), as exog_lags was not given; if the "
    "series answers later or for longer, exog_lags=[0, 1, 2, 3] lets earlier inputs in"
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
    check_model(options.model)  # it may have been set since they were made
    y, exog, closed = on_open_days(series, exog)
    found = checked(y, exog, least=FEWEST)
    return fit_checked(options, replace(found, notes=(*closed, *found.notes)))


def fit_checked(options: Options, found: CheckedSeries) -> Fitted:
    """Learn the one-step map of a series that was checked, whatever its values."""
    with one_blas_thread(len(found.series) <= SMALL):
        return _learned(options, found)


def _learned(options: Options, found: CheckedSeries) -> Fitted:
    """Learn the map of a series that was checked."""
    y, exog = found.series, found.exog
    inputs = Exogenous.fit(exog, y.index, options.calendars)
    if not inputs.n_given and options.exog_lags is not None:
        raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")

    stuck = stuck_places(values_of(y)) if options.looks_for_outliers else ()
    settings = settings_for(
        without(y, stuck),
        transforms=options.transforms,
        lags=options.lags,
        model=options.model,
        exog=inputs,
        exog_lags=options.exog_lags,
        max_rows=options.max_rows,
        support=options.support,
        outliers=options.outliers,
        combine=options.combines,
        iterated=not options.direct,
        season_length=options.season_length,
    )
    chain = settings.chain
    inputs = settings.exog or inputs
    exog_lags = inputs.lags(settings.exog_lags) if inputs.in_model else None
    embedding = LagEmbedding(settings.lags.value, exog_lags=exog_lags)

    outliers = settings.outliers
    aside = tuple(sorted({*outliers.value, *stuck}))
    kept = without(y, aside)
    if aside:
        check_size(values_of(kept), "series without its outliers")
    every = rows_of(embedding, chain, kept, inputs)
    rows = every.at_most(options.row_limit, options.seed)

    model = settings.model.value
    if isinstance(model, HasClasses):
        raise TypeError(
            f"model must predict numbers; got {model!r}, which predicts classes. Forecast a "
            f"series of classes with gf.EventForecaster."
        )
    if isinstance(model, HasQuantiles):
        raise TypeError(
            f"model must be of the values as they are; got {model!r}, which warps its targets but "
            f"not the lags. Use transforms=gf.transforms.LearnedWarp() and another model."
        )
    model = seeded_copy(model, options.seed)
    model.fit(rows.X, rows.y)
    chosen = settings.model
    if options.model is None and not options.direct:
        chosen = without_explosion(chosen, model, rows.X.shape[1], settings.lags.value)
    if chosen is not settings.model:
        model = seeded_copy(chosen.value, options.seed)
        model.fit(rows.X, rows.y)

    explained = bool(inputs.n_given or options.calendars) or len(y) - 1 in aside
    at_once = inputs.in_model and bool(inputs.n_given) and options.exog_lags is None
    automatic = is_auto(options.transforms)
    at_once &= not automatic
    as_named = not automatic and options.seasons is None and not explained
    unnamed = automatic and options.seasons is None
    fitted = Fitted(
        history=y,
        chain=chain,
        embedding=embedding,
        exog=inputs,
        rows=rows,
        model=model,
        notes=(
            *found.notes,
            *(note for note in notes_on_closed_days(y.index) if note not in found.notes),
            *notes_on_hours_without(values_of(y), y.index),
            *([f"{chain.said_of_closing}{_CHANGES * automatic}"] if chain.closing else []),
            *notes_on_few(values_of(y)),
            *(
                notes_on_stuck(values_of(y), y.index, _MISSING if stuck else "")
                or notes_on_end(values_of(y), y.index)
            ),
            *notes_on_outliers(outliers, y.index, options.calendars),
            *([] if explained else notes_on_unfinished(values_of(y), y.index)),
            *notes_on_blank_inputs(inputs),
            *settings.input_notes,
            *notes_on_classes(values_of(y)),
            *notes_on_zeros(values_of(kept), y.index),
            *notes_on_seasons(options.seasons or (), settings, y.index),
            *(notes_on_unseen_season(settings, y.index) if options.seasons is None else ()),
            *(notes_on_unseen_year(settings, values_of(y), y.index, inputs) if unnamed else ()),
            *(notes_on_season_left(settings, values_of(kept), y.index) if as_named else ()),
            *_selected_by_a_part(options, y.index),
            *([_LAG_0] if at_once else []),
            *rows.notes,
            *fit_notes(model),
        ),
        lags_reason=settings.lags.reason,
        model_reasons=chosen.reasons,
        support=settings.support.value,
        support_reason=settings.support.reason,
        set_aside=aside,
        n_fitted=len(y),
    )
    if options.direct:
        fitted = with_leads(fitted, settings.model.value, options)
    else:
        fitted = with_noise(fitted, options.noise)
    if inputs.n_given and not inputs.in_model and options.exog_lags is None:
        fitted = replace(fitted, notes=_with_later_inputs(fitted, settings.input_notes))
    combined = settings.ensemble
    fitted = replace(fitted, ensemble=combined.value, ensemble_reasons=combined.reasons)
    if options.calibration is not None:
        with bar("calibrating"):
            fitted = _calibrated(fitted, exog, options)
    for note in fitted.notes:
        logger.info("note: %s", note)
    return fitted


def _with_later_inputs(fitted: Fitted, said: tuple[str, ...]) -> tuple[str, ...]:
    """Return the notes with what is known of later effects of inputs, beside what was said."""
    later = later_inputs.noted(fitted)
    if not (later and said):
        return (*fitted.notes, later) if later else fitted.notes
    return tuple(f"{note}; {later}" if note == said[-1] else note for note in fitted.notes)


def _selected_by_a_part(options: Options, index: Index) -> list[str]:
    """Return a note of what the newest values of a long series alone have selected."""
    n = len(index)
    if n <= th.LAG_NEWEST_VALUES:
        return []
    given = {"transforms": options.transforms, "lags": options.lags}
    newest = {"transforms": min(n, n_newest(calendar_periods(index))), "lags": th.LAG_NEWEST_VALUES}
    said = [
        f"{name} by no more than the newest {newest[name]}"
        for name, value in given.items()
        if is_auto(value)
    ]
    return [f"of {n} values, {' and '.join(said)} were selected"] if said else []


def fit_to_first(n: int, options: Options, y: "pd.Series[float]", exog: ExogLike) -> Fitted:
    """Fit to the first n values of a series, and to the inputs beside them."""
    if is_labelled(exog):
        exog = exog.iloc[:n]  # by position, whatever the index
    elif exog is not None:
        exog = np.asarray(exog)[:n]
    if not isinstance(options.noise, (str, pd.Series)) and np.ndim(options.noise):
        options = replace(options, noise=np.asarray(options.noise)[:n])
    return fit_checked(options, checked(y.iloc[:n], exog, least=FEWEST))


def _calibrated(fitted: Fitted, exog: ExogLike, options: Options) -> Fitted:
    """Return it with a calibration by its own series, and a note of that or of why there is none.

    The same settings, fitted to the first 60 % of the series, forecast from at most 300 origins in
    the rest.
    """
    try:
        made = Calibration.of(str(options.calibration), _residuals(fitted, exog, options))
    except (TypeError, ValueError) as error:
        return replace(fitted, notes=(*fitted.notes, f"the intervals were not corrected: {error}"))
    made = Adaptive.after(made) if options.calibration == "adaptive" else made
    note = f'intervals were corrected (calibrate="{made.kind}"): {made}'
    return replace(fitted, calibration=made, notes=(*fitted.notes, note))


def _residuals(fitted: Fitted, exog: ExogLike, options: Options) -> FloatArray:
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
