"""Whether inputs have the rows that are needed, and what to say where they do not."""

import numpy as np
import pandas as pd

from gpforecast.common.types import ExogLike, Index
from gpforecast.common.validation import counted
from gpforecast.series.labels import all_numbers, counts_from_zero, has_dates, label_at


def times_of(index: Index, where: str) -> str:
    """Say which times are needed: how many, of what, the first, the last and the frequency.

    Parameters
    ----------
    index : pandas.Index
        The times.
    where : str
        What they are times of.

    Examples
    --------
    >>> times_of(pd.date_range("2025-01-01", periods=6, freq="MS"), "the forecast")
    "6 times of the forecast, 2025-01-01 to 2025-06-01 (freq 'MS')"
    >>> times_of(pd.RangeIndex(60, 66), "the forecast")
    '6 times of the forecast, 60 to 65'
    """
    rule = f" (freq {index.freqstr!r})" if has_dates(index) and index.freqstr is not None else ""
    span = f", {span_of(index)}" if len(index) else ""
    return f"{counted(len(index), 'time')} of {where}{span}{rule}"


def span_of(index: Index) -> str:
    """Return the first and the last of some times.

    Examples
    --------
    >>> span_of(pd.RangeIndex(60, 66))
    '60 to 65'
    >>> span_of(pd.date_range("2025-03-28", periods=4, freq="15min"))
    '2025-03-28 00:00:00 to 2025-03-28 00:45:00'
    """
    first, last = label_at(index, 0), label_at(index, -1)
    return first if len(index) == 1 else f"{first} to {last}"


def rows_needed(exog: ExogLike, needed: Index) -> ExogLike:
    """Return the rows of inputs whose labels are needed, if there are more and each is there once.

    Anything else is returned as it is, and so are rows that are counted from zero, unless those
    that are needed are too: such labels may mean no times.

    Parameters
    ----------
    exog : DataFrame, Series or array-like
    needed : pandas.Index

    Examples
    --------
    >>> u = pd.Series([1.0, 2.0, 3.0], pd.date_range("2025-01-01", periods=3))
    >>> rows_needed(u, u.index[1:]).tolist()
    [2.0, 3.0]
    """
    if not isinstance(exog, (pd.DataFrame, pd.Series)):
        return exog
    given = exog.index
    only_count = counts_from_zero(given) and not counts_from_zero(needed)
    if len(given) <= len(needed) or not given.is_unique or only_count or kind_beside(given, needed):
        return exog
    places = given.get_indexer(needed)
    return exog if (places < 0).any() else exog.iloc[places]


def check_same_times(given: Index, needed: Index, where: str) -> None:
    """Refuse inputs whose times are not those that are needed, one after the other.

    Parameters
    ----------
    given : pandas.Index
        Of the inputs.
    needed : pandas.Index
    where : str
        What the times are of, for a message.

    Raises
    ------
    ValueError
        With what is needed, what came, and how they differ.
    """
    if len(given) == len(needed) and (given.equals(needed) or _equal(given, needed)):
        return
    each = "for" if len(needed) == 1 else "for each of"
    asked = f"exog must have one row {each} the {times_of(needed, where)}"
    if not len(given):
        raise ValueError(f"{asked}; got none.")
    raise ValueError(
        f"{asked}; got {counted(len(given), 'row')}, {span_of(given)}. {_difference(given, needed)}"
    )


def _equal(given: Index, needed: Index) -> bool:
    """Whether two indexes have the same labels, of the same types."""
    pairs = zip(given, needed, strict=True)
    return all(type(a) is type(b) and a == b for a, b in pairs)


def _difference(given: Index, needed: Index) -> str:
    """Say how times differ from those that are needed, and what to do."""
    kind = kind_beside(given, needed)
    if kind:
        return kind
    twice = given.duplicated()
    if twice.any():
        first = label_at(given, int(np.argmax(twice)))
        return f"{first} occurs more than once; keep one row of each time."
    lacking = np.flatnonzero(~needed.isin(given))
    if not len(lacking):
        if len(given) > len(needed):
            return "All that are needed are among them: pass only those rows."
        return "Sort the rows by time."
    if len(lacking) == len(needed):
        return f"None of these times is needed; pass rows for {span_of(needed)}."
    one = "there is no row for" if len(lacking) > 1 else "the row is missing for"
    others = f" and {counted(len(lacking) - 1, 'other time')}" if len(lacking) > 1 else ""
    return f"{one[0].upper()}{one[1:]} {label_at(needed, int(lacking[0]))}{others}."


def kind_beside(given: Index, needed: Index) -> str:
    """Say what kind of times came where another is needed; nothing where it is the same.

    Examples
    --------
    >>> kind_beside(pd.Index(["a", "b"]), pd.Index([2001, 2002]))
    'These times are text, and those of the series whole numbers: give both the same.'
    """
    if counts_from_zero(given) and not all_numbers(needed):
        return "These rows have no times: pass as many as are needed, or give them the times."
    if isinstance(given, pd.DatetimeIndex) and isinstance(needed, pd.DatetimeIndex):
        if str(given.tz) == str(needed.tz):
            return ""
        zones = [
            "no time zone" if i.tz is None else f"the time zone {i.tz}" for i in (given, needed)
        ]
        return (
            f"These times have {zones[0]}, and those of the series {zones[1]}: give both the same."
        )
    names = [_name_of(index) for index in (given, needed)]
    if names[0] == names[1]:
        return ""
    return f"These times are {names[0]}, and those of the series {names[1]}: give both the same."


def _name_of(index: Index) -> str:
    """Return what kind of times an index has."""
    if isinstance(index, pd.MultiIndex):
        return "of several levels"
    if isinstance(index, pd.PeriodIndex):
        return f"periods ({index.freqstr})"
    names = {"M": "dates", "m": "lengths of time", "i": "whole numbers", "u": "whole numbers"}
    return names.get(index.dtype.kind, "numbers" if index.dtype.kind == "f" else "text")
