"""New values of a series, on which all that was learned is conditioned."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.support import check
from gpforecast.common.types import ExogLike, FloatArray, SeriesLike
from gpforecast.models.base import fit_notes
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.direct import conditioned_leads
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.noise import conditioned
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import at_the_end, far_inputs
from gpforecast.pipeline.rows import rows_of
from gpforecast.pipeline.set_aside import UNFINISHED, check_possible, screened
from gpforecast.propagation import Method
from gpforecast.series.checked import after_update, new_values_after, without
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
    found = new_values_after(new_values, fitted.history, fitted.axis, exog)
    given = np.concatenate([found.again, found.values])
    if not len(given):
        return fitted
    n, known_notes = len(fitted.history) - len(found.again), fitted.notes
    inputs = fitted.exog.over(found.exog, found.axis.index, "the new values", missing=True)
    inputs = np.concatenate([fitted.exog.past[n:], inputs])
    fitted, clock = fitted.first(n), found.axis.clock
    n_final = len(given) - found.axis.pending
    check_possible(fitted, given, options)
    known_aside = {*fitted.set_aside}
    fitted, outliers = screened(fitted, given, inputs, options)
    first = min([n, *(known_aside - {*fitted.set_aside})])  # from here on there may be new rows
    usual = np.where(np.isin(np.arange(n, n + len(given)), outliers), np.nan, given)
    kept = tuple(note for note in fitted.notes if not note.startswith(UNFINISHED))
    notes = after_update(kept, found, far_inputs(fitted.exog, inputs))
    fitted = _within_support(replace(fitted, notes=notes), given, usual)
    fitted = _reopened(fitted, usual)
    learns = fitted.calibration is not None and fitted.calibration.learns
    if learns and fitted.exog.n_given:
        learns, fitted = False, fitted.noting(_NOT_FOLLOWED)
    size = 1 if learns else len(given)  # so that every forecast knows all before it
    for i in range(0, len(given), size):
        new, aside = slice(i, i + size), [at for at in outliers if 0 <= at - n - i < size]
        if learns and fitted.calibration and i < n_final:  # it knows each step once
            value = np.nan if aside else given[i]
            fitted = _followed(fitted, fitted.calibration, value, options.method())
        fitted = replace(fitted, set_aside=(*fitted.set_aside, *aside))
        begin = n + i if i else first
        fitted = _conditioned_on(given[new], inputs[new], fitted, begin, options.row_limit)
    fitted = replace(fitted, clock=clock)
    for note in fitted.notes:
        if note not in known_notes:
            logger.info("note: %s", note)
    return fitted


def _conditioned_on(
    given: FloatArray, later: FloatArray, fitted: Fitted, first: int, max_rows: int | None
) -> Fitted:
    """Return it with a model that knows new values (m,) and inputs (m, q) as well.

    From the position `first` on there may be new rows.
    """
    history = fitted.history
    index = fitted.axis.extended(len(given)).index
    y = pd.Series(np.concatenate([history, given]), index=index, name=history.name)
    inputs = fitted.exog.extended(later)
    chain = fitted.given(inputs.past, fitted.chain.axis.locate(fitted.axis).first).chain
    every = rows_of(fitted.embedding, chain, without(y, fitted.set_aside), inputs)
    rows = fitted.rows.followed_by(every.new_from(first, fitted.rows), max_rows)
    longer = replace(fitted, history=y, exog=inputs, rows=rows, chain=chain)
    measured = fitted.measurement is not None
    model = conditioned(longer) if measured else rows.conditioned(fitted.model)
    leads = conditioned_leads(longer, first, max_rows)
    others = tuple(
        _conditioned_on(given, later, replace(one, set_aside=fitted.set_aside), first, max_rows)
        for one in fitted.others
    )
    found = replace(longer, model=model, leads=leads, others=others)
    return found.noting(*rows.notes, *fit_notes(model))


def _followed(fitted: Fitted, calibration: Calibration, value: float, method: Method) -> Fitted:
    """Return it with a calibration that knows the next value, which the model does not."""
    index = fitted.axis.extended(calibration.horizon).index[len(fitted.axis) :]
    origin = at_the_end(fitted, fitted.exog.over(None, index, "the forecast"))
    (mean,), (std,) = origin.moments(method)
    (warped,) = fitted.chain.forward(np.array([value]))
    return replace(fitted, calibration=calibration.followed(mean, std, float(warped)))


def _within_support(fitted: Fitted, given: FloatArray, usual: FloatArray) -> Fitted:
    """Drop a detected support that new values leave; refuse values outside a declared one.

    In `usual` outliers are missing.
    """
    support = fitted.support
    if support is not None and not fitted.support_reason:
        check(support, given, "new_values")
    if support is None or support.follows(
        np.append(fitted.known[~np.isnan(fitted.known)][-1:], usual)
    ):
        return fitted
    note = f"the forecast is no longer kept to {support.described}, because new values are not"
    return replace(fitted, support=None).noting(note)


def _reopened(fitted: Fitted, given: FloatArray) -> Fitted:
    """Return it without closed times at which new values (m,) are others."""
    n = len(fitted.history)
    times = fitted.chain.axis.locate(fitted.axis.extended(len(given)).part(n, n + len(given)))
    found = fitted.reopened(given, times)
    if found is fitted:
        return fitted
    notes = tuple(note for note in fitted.notes if ALWAYS not in note)
    left = found.chain.closed_times_in_words
    return replace(found, notes=notes).noting(*([left] if left else []))
