"""Values that count as missing: outliers, and what a stuck sensor repeats; at the fit and later."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.cleaned import cleaned, unfinished
from gpforecast.automatic.effects import rarely_on
from gpforecast.automatic.events import LONGEST_END
from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.automatic.lifetime import stuck_places, stuck_runs
from gpforecast.common.types import FloatArray, Index, Values
from gpforecast.common.validation import counted
from gpforecast.common.wording import as_given, in_digits
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.sections import step_of
from gpforecast.series.checked import values_of, without
from gpforecast.series.labels import time_at

UNFINISHED = "the last value,"  # begins a note that no update keeps
_ABOUT = 0.8  # a last value above this share of those a season earlier is as low as they were
_HABIT = 3  # outliers: from here on they may be a habit of the series
_SINCE = "since the fit, "  # begins the note of what was set aside among new values


def stuck_at_fit(y: Values, options: Options) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the positions of what a stuck sensor repeats, and a note of it.

    Only where outliers are looked for; elsewhere the note says what to do.
    """
    values, looks = values_of(y), options.looks_for_outliers
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
    runs = [run for run in stuck_runs(values) if run[1] >= since]
    if not runs:
        return ()
    length = [int((~np.isnan(values[first : last + 1])).sum()) for first, last in runs]
    first, last = (time_at(index, at) for at in runs[int(np.argmax(length))])
    others = f", and {counted(len(runs) - 1, 'shorter run')}" if len(runs) > 1 else ""
    do = "if a sensor was stuck, make them NaN, so that nothing is learned from them"
    do = f"as if a sensor was stuck: all but the first {become}" if become else do
    return (f"{max(length)} values in a row are equal, from {first} to {last}{others}: {do}",)


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
    values, index, step = values_of(y), y.index, step_of(y.index)
    seasons, n = features.calendar_periods(index), len(y)
    period = next((m for m in seasons if th.SEASON_CYCLES * m <= n), None)
    if driven or n - 1 in aside or step in ("step", "hour"):
        return []
    expected = unfinished(values, period)
    earlier = (values[max(n - m - 2, 0) : max(n - m + 1, 0)] for m in seasons)
    usual = (np.nanmin(np.append(each, np.inf)) * _ABOUT <= values[-1] for each in earlier)
    if expected is None or any(usual):  # or it was about as low a season earlier
        return []
    return [
        (
            f"{UNFINISHED} {as_given(float(values[-1]))} at {time_at(index, -1)}, is far below the "
            f"{in_digits(expected)} or so that those before it lead to expect, and forecasts start "
            f"from it: if its {step} was not over yet, leave it out"
        )
    ]


def check_possible(fitted: Fitted, given: FloatArray, options: Options) -> None:
    """Refuse values (m,) that the logarithm or power of the fit cannot take.

    Where the fit looked for outliers, such values count as outliers, until there are three in a row
    at the end.
    """
    if not options.looks_for_outliers:
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
    n, history = len(fitted.history), values_of(fitted.history)
    if not options.looks_for_outliers or np.isnan(given).all():
        return fitted, ()
    every_value = np.concatenate([history, given])
    stuck = {*stuck_places(every_value)}
    newest = _at_the_end(fitted)
    settled = {*fitted.set_aside} - {*newest}
    missing = stuck | settled if len(settled) < _HABIT else stuck
    unusual = _unusual(fitted, missing, every_value, inputs, options)
    unusual |= {*np.flatnonzero(fitted.chain.refused(every_value)).tolist()}
    back = [at for at in newest if at not in unusual | stuck]
    new = tuple(sorted(at for at in unusual | stuck if at >= n))
    begun = {at for at in stuck if at < n} if stuck & {*new} else set()
    aside = tuple(sorted({*fitted.set_aside, *begun} - {*back}))
    notes = [note for note in fitted.notes if not note.startswith(_SINCE)]
    later = [at for at in (*aside, *new) if at >= fitted.n_fitted]
    if later:
        last = time_at(fitted.axis.extended(len(given)).index, max(later))
        what = "outliers or of a stuck sensor, the last"
        what = f"as {what} at {last}" if len(later) > 1 else f"as an outlier, at {last}"
        notes.append(f"{_SINCE}{counted(len(later), 'value')} treated as missing, {what}")
    return replace(fitted, set_aside=aside, notes=tuple(notes)), new


def _unusual(
    fitted: Fitted, missing: set[int], values: FloatArray, inputs: FloatArray, options: Options
) -> set[int]:
    """Return which of the newest values are outliers, less what inputs (m, q) explain."""
    exog, axis = fitted.exog.extended(inputs), fitted.axis.extended(len(inputs))
    times, start = fitted.chain.axis.locate(axis), max(len(values) - th.NEWEST_VALUES, 0)
    values = values_of(without(pd.Series(values, axis.index), tuple(missing)))
    chain = fitted.given(exog.past, times.first).chain
    if chain.effects is not None and chain.effects.explains:
        values = np.where(chain.refused(values), np.nan, values)
        values = chain.backward(chain.effects.apply(chain.forward(values), times))
    y, past = pd.Series(values[start:], axis.index[start:]), exog.past[start:]
    if exog and exog.in_model:
        found = cleaned_beside(y, replace(exog, past=past), options.seasons)
    else:
        found = cleaned(y, options.seasons, rarely_on(past))
    return {*(found.aside + start).tolist()}


def _at_the_end(fitted: Fitted) -> list[int]:
    """Return the positions of the newest values, as far back as they are set aside."""
    known, aside = np.flatnonzero(fitted.history.notna()), np.array(fitted.set_aside, dtype=int)
    usual = np.flatnonzero(~np.isin(known, aside))
    last: list[int] = known[usual[-1] + 1 if len(usual) else 0 :].tolist()
    return last
