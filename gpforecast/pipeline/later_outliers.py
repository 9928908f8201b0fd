"""Outliers among values that come after a fit: found as the fit would have found them.

An update looks at the newest values with all that it knows of older ones, and only what is new
counts. The fit leaves three unusual values or more at the end of a series alone, as they may be a
new level. So where the third comes, the two before it are known again.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.ends import stuck_places
from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.automatic.outliers import NOTHING
from gpforecast.automatic.regressors import rarely_on
from gpforecast.automatic.unusual import Cleaned, Seen, cleaned
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import as_given
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.series.checked import values_of, without
from gpforecast.series.labels import time_at

_HABIT = 3  # outliers, those of the fit too: from here on they may be a habit of the series
_SINCE = "since the fit, "  # begins the note of outliers among new values
_SHIFTED = f"{_SINCE}the level shifts"


@dataclass(frozen=True)
class Later:
    """What is set aside after new values.

    Attributes
    ----------
    fitted : Fitted
        Without the values that are known again, and with a note of all found since the fit.
    outliers : tuple of int
        Positions of new values that are set aside, of a stuck sensor, too.
    first : int
        The position from which on there may be new rows.
    """

    fitted: Fitted
    outliers: tuple[int, ...]
    first: int

    def among(self, given: FloatArray) -> FloatArray:
        """Return new values (m,) with their outliers missing."""
        known = given.copy()
        known[np.array(self.outliers, dtype=int) - len(self.fitted.history)] = np.nan
        return known

    def reopened(self, given: FloatArray) -> tuple["Later", list[str]]:
        """Return it without closed times at which new values (m,) are others, and a note of it."""
        fitted, n = self.fitted, len(self.fitted.history)
        times = fitted.chain.axis.locate(fitted.axis.extended(len(given)).part(n, n + len(given)))
        chain = fitted.chain.reopened(self.among(given), times)
        if chain is fitted.chain:
            return self, []
        note = f"{chain.said_of_closing} (closed times, fewer since new values came)"
        return replace(self, fitted=replace(fitted, chain=chain)), [note]


def check_possible(fitted: Fitted, given: FloatArray, options: Options) -> None:
    """Refuse values (m,) that the logarithm or power of the fit cannot take.

    Where the fit looked for outliers, such values count as outliers, until there are three in a row
    at the end.
    """
    if not options.looks_for_outliers:
        fitted.chain.check(given, "new_values")
        return
    values = np.concatenate([values_of(fitted.history), given])
    newest = values[~np.isnan(values)][-th.LONGEST_END - 1 :]
    if fitted.chain.refused(newest).all():
        raise ValueError(
            f"new_values end with values ({', '.join(map(as_given, newest.tolist()))}) that have "
            f"no logarithm or root, and the fit transformed the series by one. Fit again to the "
            f"series with these values; another transform is then selected."
        )


def later_outliers(
    fitted: Fitted, given: FloatArray, inputs: FloatArray, options: Options
) -> Later:
    """Return which of the values (m,) that follow, with inputs (m, q), are outliers.

    None are looked for where the fit looked for none. Elsewhere, values that the selected logarithm
    or power cannot take are outliers too, and so is what a stuck sensor goes on to tell. What it
    told before is missing from then on, though rows of it may have been learned.
    """
    n, refused = len(fitted.history), fitted.chain.refused(given)
    if not options.looks_for_outliers or np.isnan(given).all():
        return Later(fitted, (), n)
    history = values_of(fitted.history)
    stuck = {*stuck_places(history)} & {*fitted.set_aside}
    places = stuck_places(np.concatenate([history, given]))
    held = [at for at in places if at >= n]
    begun = [at for at in places if at < n and at not in fitted.set_aside] if held else []
    given = given.copy()
    given[np.array(held, dtype=int) - n] = np.nan
    last = [at for at in _at_the_end(fitted) if at not in stuck]
    settled = tuple(place for place in fitted.set_aside if place not in last)
    clean, first = every, _ = _newest(fitted, settled, given, inputs, options)
    since = _unseen_by_the_fit(fitted)
    habit = len(settled) - len(stuck) >= _HABIT and (clean.unusual.outliers + first >= n).any()
    if habit or any(at >= since for at in {*settled} - stuck):  # which may be of a new level
        every = _newest(fitted, tuple(sorted(stuck)), given, inputs, options)[0]
    if habit:
        clean = _as_in_a_fit(clean, every, n - first)
    sizes = every.shifted_since(since - first) or clean.shifted_since(since - first)
    fitted = replace(fitted, notes=_with_shift(fitted, sizes))
    found = clean.unusual.outliers + first
    again = tuple(at for at in last if at in found or fitted.chain.refused(history[at : at + 1])[0])
    new = np.union1d(found[found >= n], n + np.flatnonzero(refused)).tolist()
    new = [at for at in new if at not in held]
    if not (new or held) and len(again) == len(last):
        return Later(fitted, (), n)
    aside = (*settled, *again, *begun)
    notes = [n for n in fitted.notes if n.startswith(_SHIFTED) or not n.startswith(_SINCE)]
    unusual = [at for at in (*settled, *again, *new) if at not in stuck]
    notes += _in_words(clean, first, [*again, *new], unusual, fitted)
    if held:
        until = time_at(fitted.axis.extended(len(given)).index, held[-1])
        came = f"{counted(len(held), 'value')} came as from a sensor that is stuck, up to {until}"
        notes += [f"{_SINCE}{came}; they count as missing"]
    new = sorted([*new, *held])
    back = [place for place in last if place not in again]
    fitted = replace(fitted, set_aside=aside, notes=tuple(notes))
    return Later(fitted, tuple(new), min([n, *back]))


def _unseen_by_the_fit(fitted: Fitted) -> int:
    """Return the first position at which the fit could not see a shift of the level.

    A shift needs values after it. Only one is taken away; where the fit did, it is not seen again.
    """
    one = fitted.chain.spec.shifts
    return fitted.n_fitted - (0 if one else th.SHIFT_FEWEST + th.LONGEST_RUN - 1)


def _with_shift(fitted: Fitted, sizes: str) -> tuple[str, ...]:
    """Return the notes, with one of a level that shifts; an earlier one if there are no sizes."""
    learned = values_of(fitted.history)[: fitted.n_fitted]
    if not sizes or np.nanmin(learned) == np.nanmax(learned):  # a fit to one value knows no change
        return fitted.notes
    note = (
        f"{_SHIFTED} {sizes}, much more than it changes elsewhere; the model has learned from the "
        f"old level, so fit again, which takes the shift away"
    )
    return (*(old for old in fitted.notes if not old.startswith(_SHIFTED)), note)


def _as_in_a_fit(clean: Cleaned, every: Cleaned, n: int) -> Cleaned:
    """Return it without new values that are usual where all outliers before them are known.

    What comes again and again is a habit of the series, or a season, and no outlier.
    """
    found = clean.unusual
    kept = (found.outliers < n) | np.isin(found.outliers, every.unusual.outliers)
    few = replace(found, outliers=found.outliers[kept], expected=found.expected[kept])
    return replace(clean, unusual=few)


def _in_words(
    clean: Cleaned, first: int, newest: list[int], aside: list[int], fitted: Fitted
) -> list[str]:
    """Return a note of the newest outliers, and of how many were set aside before since the fit."""
    since = [place for place in aside if place >= fitted.n_fitted]
    named = np.isin(clean.unusual.outliers + first, [p for p in newest if p in since])
    others = len(since) - int(named.sum())
    if not named.any():
        last = time_at(clean.y.index, max(since) - first) if since and max(since) >= first else ""
        when = f", the last at {last}" if last else ""
        return [f"{_SINCE}{counted(others, 'outlier')} treated as missing{when}"] if others else []
    found = replace(
        NOTHING, outliers=clean.unusual.outliers[named], expected=clean.unusual.expected[named]
    )
    before = f"; {counted(others, 'outlier')} before" if others else ""
    later = np.arange(len(clean.y)) + first >= fitted.n_fitted
    seen = None if clean.seen is None else replace(clean.seen, y=clean.seen.y.where(later))
    new = Cleaned(clean.y.where(later), found, seen)
    return [f"{_SINCE}{new.outliers.reason}{before}"]


def _newest(
    fitted: Fitted,
    settled: tuple[int, ...],
    given: FloatArray,
    inputs: FloatArray,
    options: Options,
) -> tuple[Cleaned, int]:
    """Return the newest values less what inputs explain, and the position of the first."""
    exog = fitted.exog.extended(inputs)
    axis = fitted.axis.extended(len(given))
    values = np.concatenate([values_of(without(fitted.history, settled)), given])
    start = max(len(values) - th.NEWEST_VALUES, 0)
    whole = np.concatenate([values_of(fitted.history), given])
    times = fitted.chain.axis.locate(axis)
    chain = fitted.given(exog.past, times.first).chain
    seen = Seen(pd.Series(whole[start:], axis.index[start:]))
    if chain.effects is not None and chain.effects.explains:
        values = np.where(chain.refused(values), np.nan, values)
        values = chain.backward(chain.effects.apply(chain.forward(values), times))
        seen = replace(seen, warp=chain.warp)
    y = pd.Series(values[start:], axis.index[start:])
    exog = replace(exog, past=exog.past[start:])
    if exog and exog.in_model:
        clean = cleaned_beside(y, exog, options.seasons)
    else:
        clean = cleaned(y, options.seasons, rarely_on(exog.past))
    return replace(clean, seen=seen), start


def _at_the_end(fitted: Fitted) -> list[int]:
    """Return the positions of the newest values, as far back as they are set aside."""
    known, aside = np.flatnonzero(fitted.history.notna()), np.array(fitted.set_aside, dtype=int)
    usual = np.flatnonzero(~np.isin(known, aside))
    last: list[int] = known[usual[-1] + 1 if len(usual) else 0 :].tolist()
    return last
