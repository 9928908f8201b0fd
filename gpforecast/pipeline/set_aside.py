"""Values that count as missing: outliers, and what a stuck sensor repeats; at the fit and later."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.cleaned import cleaned, unfinished
from gpforecast.automatic.effects import rarely_on, without_effects
from gpforecast.automatic.events import LONGEST_END
from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.automatic.lifetime import stuck_places, ties_in
from gpforecast.common.types import FloatArray, Index, Values
from gpforecast.common.validation import counted
from gpforecast.common.wording import as_given, in_digits
from gpforecast.pipeline.describe import step_of
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.series.checked import values_of, without
from gpforecast.series.labels import time_at

UNFINISHED = "the last value,"  # begins a note that no update keeps
_SINCE = "since the fit, "  # begins the note of what was set aside among new values


def stuck_at_fit(y: Values, options: Options) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the positions of what a stuck sensor repeats, and a note of it.

    Only where outliers are looked for; elsewhere the note says what to do.
    """
    values, looks = values_of(y), options.given.outliers
    become = "count as missing; outliers=None keeps them" if looks else ""
    return stuck_places(values) if looks else (), stuck_notes(values, y.index, become)


def stuck_notes(
    values: FloatArray, index: Index, become: str = "", since: int = 0
) -> tuple[str, ...]:
    """Return a note on values that are equal for long in a series that hardly ever repeats one.

    It says what has become of them, or else what may be done. Runs that ended before the position
    `since` are left out.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:30] = values[20]
    >>> stuck_notes(values, pd.RangeIndex(40))[0][:53]
    '10 values in a row are equal, from 20 to 29: if a sen'
    """
    runs = sorted((run for run in ties_in(values)[0] if run[-1] >= since), key=len)
    if not runs:
        return ()
    *shorter, run = runs
    first, last = (time_at(index, int(at)) for at in run[[0, -1]])
    others = f", and {counted(len(shorter), 'shorter run')}" if shorter else ""
    do = "if a sensor was stuck, make them NaN, so that nothing is learned from them"
    do = f"as if a sensor was stuck: all but the first {become}" if become else do
    return (f"{len(run)} values in a row are equal, from {first} to {last}{others}: {do}",)


def end_notes(y: Values, aside: Sequence[int], *, driven: bool) -> list[str]:
    """Return a note on a series whose last step may not be over.

    Parameters
    ----------
    y : Series (n,)
    aside : sequence of int
        Positions of outliers.
    driven : bool
        Whether inputs or calendars may explain a last value that is far below others.
    """
    step, seasons = step_of(y.index), features.calendar_periods(y.index)
    enough = (m for m in seasons if th.SEASON_CYCLES * m <= len(y))
    if driven or len(y) - 1 in aside or step in ("step", "hour"):
        return []
    expected = unfinished(values_of(y), next(enough, min(seasons, default=None)))
    if expected is None:
        return []
    return [
        (
            f"{UNFINISHED} {as_given(float(y.iloc[-1]))} at {time_at(y.index, -1)}, is far below "
            f"the {in_digits(expected)} or so that those before it lead to expect, and forecasts "
            f"start from it: if its {step} was not over yet, leave it out"
        )
    ]


def check_possible(fitted: Fitted, given: FloatArray, options: Options) -> None:
    """Refuse values (m,) that the logarithm or power of the fit cannot take.

    Where the fit looked for outliers, such values count as outliers, until there are three in a row
    at the end.
    """
    if not options.given.outliers:
        fitted.chain.check(given, "new_values")
        return
    values = np.concatenate([values_of(fitted.history), given])
    newest = values[~np.isnan(values)][-LONGEST_END - 1 :]
    if fitted.chain.refused(newest).all():
        raise ValueError(
            f"new_values end with values ({', '.join(map(as_given, newest.tolist()))}) that have "
            f"no logarithm or root, and the fit transformed the series by one. Fit again to the "
            f"series with these values; another transform is then selected."
        )


def screened(
    fitted: Fitted, given: FloatArray, inputs: FloatArray, options: Options
) -> tuple[Fitted, tuple[int, ...]]:
    """Return the fit with what now counts again, and which of the next values (m,) are set aside.

    Returns
    -------
    Fitted
        Without the values that count again, and with a note of all set aside since the fit.
    tuple of int
        Positions of new values that are set aside, of a stuck sensor, too.

    Notes
    -----
    They are found as a fit to the newest values would find them: what comes again and again is a
    habit of the series, and no outlier. None are looked for where the fit looked for none.
    Elsewhere, values that the selected logarithm or power cannot take are outliers too, and so is
    what a stuck sensor goes on to repeat. Three unusual values or more at the end of a series are
    left alone, as they may be a new level: where the third comes, the two before it count again.
    """
    n, values = len(fitted.history), np.concatenate([values_of(fitted.history), given])
    if not options.given.outliers or np.isnan(given).all():
        return fitted, ()
    observed = np.flatnonzero(fitted.history.notna())
    usual = np.flatnonzero(~np.isin(observed, fitted.set_aside))
    newest = {*observed[usual.max(initial=-1) + 1 :].tolist()}  # as far back as they are set aside
    stuck = {*stuck_places(values)}
    found = stuck | {*np.flatnonzero(fitted.chain.refused(values)).tolist()}
    found |= _unusual(fitted, stuck, values, inputs, options)
    aside = {*fitted.set_aside} - newest | found & (newest | stuck | {*range(n, len(values))})
    note = ""
    if later := [at for at in aside if at >= fitted.n_fitted]:
        last = time_at(fitted.axis.extended(len(given)).index, max(later))
        what = "outliers or of a stuck sensor, the last"
        what = f"as {what} at {last}" if len(later) > 1 else f"as an outlier, at {last}"
        note = f"{_SINCE}{counted(len(later), 'value')} treated as missing, {what}"
    known, new = (tuple(sorted(at for at in aside if (at < n) == old)) for old in (True, False))
    return replace(fitted, set_aside=known).noting(note, instead_of=_SINCE), new


def _unusual(
    fitted: Fitted, missing: set[int], values: FloatArray, inputs: FloatArray, options: Options
) -> set[int]:
    """Return which of the newest values are outliers, less what inputs (m, q) explain."""
    exog, axis = fitted.exog.extended(inputs), fitted.axis.extended(len(inputs))
    times, start = fitted.chain.axis.locate(axis), max(len(values) - th.NEWEST_VALUES, 0)
    y = without(pd.Series(values, axis.index), tuple(missing))
    y = without_effects(y, fitted.given(exog.past, times.first).chain, times)[start:]
    past = exog.past[start:]
    if exog and exog.in_model:
        found = cleaned_beside(y, replace(exog, past=past), options.seasons)
    else:
        found = cleaned(y, options.seasons, rarely_on(past))
    return {*(found.aside + start).tolist()}
