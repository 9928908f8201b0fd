"""New values of a series, on which all that was learned is conditioned."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.support import check
from gpforecast.common.types import ExogLike, FloatArray, SeriesLike
from gpforecast.models.base import (
    CanBeConditioned,
    fit_notes,
)
from gpforecast.pipeline.adaptive import Adaptive
from gpforecast.pipeline.direct import conditioned_leads
from gpforecast.pipeline.fitted import Fitted, rows_of
from gpforecast.pipeline.following import followed
from gpforecast.pipeline.input_notes import notes_on_new_inputs
from gpforecast.pipeline.later_outliers import Later, check_possible, later_outliers
from gpforecast.pipeline.noise import conditioned
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.pointers import (
    UNFINISHED,
    notes_on_waking,
)
from gpforecast.results.support import Support
from gpforecast.series.checked import (
    after_update,
    new_values_after,
    values_of,
    without,
)
from gpforecast.series.frames import one_column
from gpforecast.transforms.closed_times import ALWAYS

logger = logging.getLogger(__name__)

_NOT_FOLLOWED = (
    "the correction of the intervals stays as it was at the fit: update learns from its own errors "
    "only where there are no inputs, as their future values are not known"
)


def update(fitted: Fitted, new_values: SeriesLike, exog: ExogLike, options: Options) -> Fitted:
    """Return it conditioned on new values as well, as `Forecaster.update` says; log what is new.

    Parameters
    ----------
    fitted : Fitted
    new_values, exog
        As for `gpforecast.Forecaster.update`.
    options : Options
        Those of the fit.
    """
    if np.size(one_column(new_values, "new_values")) == 0:
        return fitted
    longer = _updated(fitted, new_values, exog, options)
    for note in longer.notes:
        if note not in fitted.notes:
            logger.info("note: %s", note)
    return longer


def _updated(fitted: Fitted, new_values: SeriesLike, exog: ExogLike, options: Options) -> Fitted:
    max_rows = options.row_limit
    found = new_values_after(new_values, fitted.history, fitted.axis, exog)
    given = found.values
    if not len(given):
        return fitted
    later = fitted.exog.over(found.exog, found.axis.index, "the new values", missing=True)
    check_possible(fitted, given, options)
    apart = later_outliers(fitted, given, later, options)
    support, notes = _still(fitted, given, apart)
    apart, opened = apart.reopened(given)
    notes += opened
    notes += notes_on_waking(values_of(fitted.history)[: fitted.n_fitted], given)
    fitted = apart.fitted
    learns = isinstance(fitted.calibration, Adaptive)
    notes += [_NOT_FOLLOWED] if learns and fitted.exog.n_given else []
    lasting = tuple(note for note in fitted.notes if not note.startswith(UNFINISHED))
    if opened:
        lasting = tuple(note for note in lasting if ALWAYS not in note)
    known = after_update(lasting, found, notes_on_new_inputs(fitted.exog, later))
    new = [note for note in notes if note not in known]
    fitted = replace(fitted, support=support, notes=(*known, *new))
    if learns and not fitted.exog.n_given:
        # One by one, so that every forecast knows the values before it.
        first = apart.first
        for value, inputs in zip(given, later, strict=True):
            here = len(fitted.history)
            outlier = here in apart.outliers
            fitted = followed(fitted, np.nan if outlier else value, options.method())
            one = Later(fitted, (here,) if outlier else (), first)
            fitted = _conditioned_on(np.array([value]), inputs[None], fitted, one, max_rows)
            first = here + 1
        return fitted
    return _conditioned_on(given, later, fitted, apart, max_rows)


def _conditioned_on(
    given: FloatArray, later: FloatArray, fitted: Fitted, apart: Later, max_rows: int | None
) -> Fitted:
    """Return it with a model that knows new values (m,) and inputs (m, q) as well."""
    fitted = replace(fitted, set_aside=(*fitted.set_aside, *apart.outliers))
    if not isinstance(fitted.model, CanBeConditioned):
        raise TypeError(f"{type(fitted.model).__name__} cannot be updated; fit again.")
    history = fitted.history
    index = fitted.axis.extended(len(given)).index
    y = pd.Series(np.concatenate([history, given]), index=index, name=history.name)
    inputs = fitted.exog.extended(later)
    first = fitted.chain.axis.locate(fitted.axis).first
    chain = fitted.given(inputs.past, first).chain
    every = rows_of(fitted.embedding, chain, without(y, fitted.set_aside), inputs)
    rows = fitted.rows.followed_by(every.new_from(apart.first, fitted.rows), max_rows)
    longer = replace(fitted, history=y, exog=inputs, rows=rows, chain=chain)
    measured = fitted.measurement is not None
    model = conditioned(longer) if measured else fitted.model.condition(rows.X, rows.y)
    leads = conditioned_leads(longer, apart.first, max_rows)
    new = [note for note in (*rows.notes, *fit_notes(model)) if note not in fitted.notes]
    return replace(longer, model=model, leads=leads, notes=(*fitted.notes, *new))


def _still(fitted: Fitted, given: FloatArray, apart: Later) -> tuple[Support | None, list[str]]:
    """Return the support of a series with new values; one that was only detected may be wrong."""
    support = fitted.support
    if support is not None and not fitted.support_reason:
        check(support, given, "new_values")
    if support is None or support.contains(apart.among(given)).all():
        return support, []
    return None, [
        f"the forecast is no longer kept to {support.described}, because new values are not"
    ]
