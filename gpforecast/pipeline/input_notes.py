"""Notes on inputs: blank cells, and values far from all that was learned from."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import listed
from gpforecast.series.exogenous import Exogenous

_BLANK = 0.2  # share of the rows, from beyond which an input may be blank on purpose
_FAR = 0.5  # of the range of an input, beyond it
_ROUNDING = 1e-9  # of a value: what differs by less is the same


def notes_on_blank_inputs(exog: Exogenous) -> list[str]:
    """Return a note on inputs of which many cells are blank, as where a blank means none.

    Examples
    --------
    >>> import pandas as pd
    >>> promotion = pd.DataFrame({"promotion": [1.0, *[np.nan] * 9]})
    >>> notes_on_blank_inputs(Exogenous.fit(promotion, promotion.index))[0][:57]
    "input 'promotion' is missing in 9 of 10 rows, and little "
    """
    n, blank = len(exog.past), dict[str, int]()
    for source, column in zip(exog.sources, exog.past.T, strict=True):
        blank.setdefault(source, int(np.isnan(column).sum()))  # one for each category
    return [
        f"input {name} is missing in {missing} of {n} rows, and little is learned from those: if a "
        f"blank means none, fill it first, with 0 or with a word of its own"
        for name, missing in blank.items()
        if missing > _BLANK * n
    ]


def notes_on_far_inputs(exog: Exogenous, values: FloatArray) -> list[str]:
    """Return notes on inputs far beyond their past, as in another unit, or between two values.

    Far is by more than half of their range so far; of a column that never changed, by anything. Of
    an input that only was on or off, all between is new.

    Parameters
    ----------
    exog : Exogenous
    values : ndarray (m, q)
        Later values of all columns, NaN where missing.

    Examples
    --------
    >>> import pandas as pd
    >>> valve = pd.DataFrame({"valve": [0.0, 0.4, 1.0]})
    >>> notes_on_far_inputs(Exogenous.fit(valve, valve.index), np.array([[1.5], [57.0]]))[0][:80]
    "inputs far from all that was learned from: 'valve' is 57 (from 0 to 1 so far); w"
    """
    far, between = [], []
    for name, past, later in zip(exog.columns[: exog.n_given], exog.past.T, values.T, strict=False):
        low, high = float(np.nanmin(past)), float(np.nanmax(past))
        beyond = np.nan_to_num(np.maximum(later - high, low - later))
        if beyond.max() > max(_FAR * (high - low), _ROUNDING * max(abs(low), abs(high))):
            so_far = f"from {low:.10g} to {high:.10g}" if high > low else f"{low:.10g}"
            far.append(f"{name!r} is {later[beyond.argmax()]:.10g} ({so_far} so far)")
        inside = later[(later > low) & (later < high)]
        if len(inside) and not ((past > low) & (past < high)).any():
            between.append(f"{name!r} is {inside[0]:.10g} ({low:.10g} or {high:.10g} so far)")
    guess = "what they do there is a guess, and the intervals may not tell"
    said = []
    if far:
        said.append(
            f"inputs far from all that was learned from: {listed(far)}; {guess}: check their units"
        )
    if between:
        said.append(f"inputs between the only two values so far: {listed(between)}; {guess}")
    return said


def notes_on_new_inputs(exog: Exogenous, values: FloatArray) -> list[str]:
    """Return notes on the inputs of an update: those that are missing, and those far from the past.

    Parameters
    ----------
    exog : Exogenous
    values : ndarray (m, q)
        New values of all columns, NaN where missing.
    """
    far, lost = notes_on_far_inputs(exog, values), np.isnan(values)
    if not lost.any():
        return far
    names = listed([*dict.fromkeys(exog.sources[j] for j in np.flatnonzero(lost.any(axis=0)))])
    rows = f"{int(lost.any(axis=1).sum())} of {counted(len(values), 'new row')}"
    return [f"inputs are missing in {rows}, and little is learned from those: {names}", *far]
