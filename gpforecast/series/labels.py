"""What labels say: times, steps of a forecast, or a count of rows; whether inputs have theirs."""

import re

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.kinds import are_dates, are_periods, has_dates, is_labelled, is_series
from gpforecast.common.types import ExogLike, FloatArray, Index, IntArray, SeriesLike, Values
from gpforecast.common.validation import counted, real_array
from gpforecast.series.frames import one_column

Times = npt.NDArray[np.datetime64]

_DAY = pd.Timedelta(1, unit="D")


def counts_from_zero(index: Index) -> bool:
    """Whether an index only counts rows, as pandas makes it for data without one.

    Examples
    --------
    >>> counts_from_zero(pd.Series([3.0, 4.0]).index)
    True
    """
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def leads_with_day_or_month(text: str) -> bool:
    """Whether a text is a date such as 03/04/2024, which countries read in different orders.

    Examples
    --------
    >>> [leads_with_day_or_month(text) for text in ("03/04/2024", "4 3 24", "2024-03-04")]
    [True, True, False]
    """
    return re.match(r"\s*\d{1,2}\s*[-/., ]\s*\d{1,2}\s*[-/., ]\s*\d{2,4}\b", text) is not None


def counts_rows_of(given: Index, times: Index) -> bool:
    """Whether values go with `times` row by row, whatever their own labels say.

    The one rule for labels that are row numbers. Labels count; but 0, 1, 2, ..., as
    ``reset_index(drop=True)`` leaves them, with no more rows than there are times, only counts the
    rows that are given.

    Parameters
    ----------
    given, times : pandas.Index
        Of the values, and of the steps they are for.

    Examples
    --------
    >>> future = pd.RangeIndex(50, 60)
    >>> counts_rows_of(pd.RangeIndex(10), future), counts_rows_of(pd.RangeIndex(60), future)
    (True, False)
    """
    return counts_from_zero(given) and len(given) <= len(times)


def begins_with(given: Values, history: Values) -> bool:
    """Whether values are the whole series, history first, on the labels of the history.

    Then the labels of what follows are meant, even if they count from 0.

    Examples
    --------
    >>> begins_with(pd.Series([1.0, 2.0, 3.0]), pd.Series([1.0, 2.0]))
    True
    """
    n = len(history)
    if len(given) <= n or not (counts_from_zero(history.index) and counts_from_zero(given.index)):
        return False
    # Whole series may come in single precision.
    first, known = real_array(given.iloc[:n], "given"), real_array(history, "history")
    return np.allclose(first, known, rtol=1e-6, atol=0, equal_nan=True)


def all_numbers(*indexes: Index) -> bool:
    """Whether the labels of all indexes are numbers, so that they can be compared.

    Examples
    --------
    >>> all_numbers(pd.RangeIndex(2), pd.Index([0.5])), all_numbers(pd.to_datetime(["2024"]))
    (True, False)
    """
    return all(index.dtype.kind in "iuf" for index in indexes)


def aligned(
    y_true: SeriesLike, index: Index, history: "pd.Series[float]"
) -> tuple[IntArray, FloatArray]:
    """Return the steps of the horizon that came true, and what came."""
    y_true = one_column(y_true, "y_true")
    truth = real_array(y_true, "y_true", ndim=1)
    steps = _steps_at(y_true, index, history) if is_series(y_true) else None
    if steps is None:
        if len(truth) > len(index):
            raise ValueError(
                f"y_true has {counted(len(truth), 'value')} but the forecast "
                f"{counted(len(index), 'step')}; pass at most that many, or a Series on the same "
                f"index."
            )
        steps = np.arange(len(truth))
    known = (steps >= 0) & ~np.isnan(truth)
    if not known.any():
        raise ValueError("y_true has no value that is not missing; there is nothing to score.")
    return steps[known], truth[known]


def _steps_at(truth: Values, index: Index, history: "pd.Series[float]") -> IntArray | None:
    """Which step each value is for, -1 for none; None if their labels only count rows."""
    times = truth.index
    if counts_rows_of(times, index) and not begins_with(truth, history):
        return None
    steps = places_in(index, times)
    if (steps >= 0).any():
        return steps
    if counts_from_zero(times) or len(times) == 0:
        return None
    raise ValueError(
        f"y_true has no time in common with the forecast, which runs from {index[0]} to "
        f"{index[-1]}; got {times[0]} to {times[-1]}. {kind_mismatch(times, index)}".rstrip()
    )


def time_at(index: Index, at: int) -> str:
    """Return a time as a reader would write it: 2024-03 of months, no midnight of days.

    Times in a time zone are those of its clocks.

    Examples
    --------
    >>> time_at(pd.date_range("2024-03-01", periods=2, freq="MS"), 1)
    '2024-04'
    >>> time_at(pd.date_range("2024-03-01 05:00", periods=2, freq="h", tz="Europe/Paris"), 1)
    '2024-03-01 06:00'
    """
    if not are_dates(index):
        return str(index[at])
    clocks = index.tz_localize(None)
    rule = (index.freqstr or "").lstrip("0123456789")
    if rule[:1] in ("M", "Q", "Y"):
        return str(clocks[at].to_period(rule[0]))
    short = index.dtype.kind == "M" and (tick_of(index) or _DAY) < _DAY
    whole_days = not short and (clocks == clocks.normalize()).all()
    return str(clocks[at].date()) if whole_days else str(clocks[at]).removesuffix(":00")


def tick_of(index: Index) -> pd.Timedelta | None:
    """Return the step of an index, if it is a length of time and known.

    Examples
    --------
    >>> tick_of(pd.date_range("2024-03-01", periods=2, freq="h"))
    Timedelta('0 days 01:00:00')
    """
    freq = index.freq if index.dtype.kind in "Mm" else None  # type: ignore[attr-defined]
    if isinstance(freq, pd.offsets.Day):  # which is no Tick since pandas 3
        return freq.n * _DAY
    return pd.Timedelta(freq) if isinstance(freq, pd.offsets.Tick) else None


def times_of(index: Index, where: str) -> str:
    """Say which times of what are needed: how many, the first, the last and the frequency.

    Examples
    --------
    >>> times_of(pd.date_range("2025-01-01", periods=6, freq="MS"), "the forecast")
    "6 times of the forecast, 2025-01 to 2025-06 (freq 'MS')"
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
    """
    first, last = time_at(index, 0), time_at(index, -1)
    return first if len(index) == 1 else f"{first} to {last}"


def rows_needed(exog: ExogLike, needed: Index) -> ExogLike:
    """Return the rows of inputs whose labels are needed, if there are more and each is there once.

    Anything else is returned as it is, and so are rows that are counted from zero, unless those
    that are needed are too: such labels may mean no times. Dates count as the periods that they
    fall in, and periods as the dates that they hold (`places_among`).

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
    if not is_labelled(exog):
        return exog
    given = exog.index
    found = places_among(needed, given)
    if found is not None and (found >= 0).all():
        return exog.iloc[found].set_axis(needed)
    only_count = counts_from_zero(given) and not counts_from_zero(needed)
    more = len(given) > len(needed) and given.is_unique and not only_count
    if not more or kind_mismatch(given, needed):
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
    alike = len(given) == len(needed) and given.dtype.kind == needed.dtype.kind
    if given.equals(needed) or (alike and (given == needed).all()):
        return
    each = "for" if len(needed) == 1 else "for each of"
    needs = f"exog must have one row {each} the {times_of(needed, where)}"
    if not len(given):
        raise ValueError(f"{needs}; got none.")
    kind, lacking = kind_mismatch(given, needed), np.flatnonzero(~needed.isin(given))
    others = f" and {counted(len(lacking) - 1, 'other time')}" if len(lacking) > 1 else ""
    why = "All that are needed are among them: pass those alone, each once, sorted by time."
    if len(lacking):
        why = f"There is no row for {time_at(needed, int(lacking[0]))}{others}."
    got = f"{counted(len(given), 'row')}, {span_of(given)}"
    raise ValueError(f"{needs}; got {got}. {kind or why}")


def places_in(times: Index, labels: Index) -> IntArray:
    """Return where labels are among times, -1 for none; rounded, or in periods, if need be."""
    if all_numbers(labels, times):
        slack = 1e-12 + 1e-9 * np.abs(labels.to_numpy(dtype=np.float64))
        return times.get_indexer(labels, method="nearest", tolerance=slack)
    among = places_among(labels, times)
    return times.get_indexer(labels) if among is None else among


def places_among(labels: Index, times: Index) -> IntArray | None:
    """Return at which of some times labels of another kind are: dates in periods, or the reverse.

    Parameters
    ----------
    labels, times : pandas.Index
        Dates without a time zone and periods, or the reverse; the times in order.

    Returns
    -------
    ndarray of int or None
        -1 for what is at none of the times, at several, or at one with others; None of indexes
        of any other kinds.

    Examples
    --------
    >>> months = pd.period_range("2024-01", periods=3, freq="M")
    >>> places_among(pd.to_datetime(["2024-02-01", "2024-03-31", "2025-01-01"]), months).tolist()
    [1, 2, -1]
    """
    mixed = are_periods(labels) != are_periods(times)
    for index in (labels, times):
        mixed &= are_periods(index) or (are_dates(index) and index.tz is None)
    if not mixed or not times.is_monotonic_increasing:
        return None
    try:
        (begin, end), (begins, ends) = _ends_of_each(labels), _ends_of_each(times)
    except pd.errors.OutOfBoundsDatetime:  # pandas 2 knows no dates of periods after 2262
        return None
    first, after = np.searchsorted(ends, begin), np.searchsorted(begins, end, side="right")
    places = np.where(after - first == 1, first, -1)
    alone = np.bincount(places + 1)[places + 1] == 1
    return np.where(alone, places, -1)


def _ends_of_each(index: Index) -> tuple[Times, Times]:
    """Return when each of some periods begins and ends; dates do both at once."""
    if not are_periods(index):
        return index.to_numpy(), index.to_numpy()
    return index.start_time.to_numpy(), index.end_time.to_numpy()


def kind_mismatch(given: Index, needed: Index) -> str:
    """Say what kind of times came where another is needed; nothing where it is the same.

    Examples
    --------
    >>> kind_mismatch(pd.Index(["a", "b"]), pd.Index([2001, 2002]))
    'These times are text, and those of the series numbers: give both the same.'
    """
    if counts_from_zero(given) and not all_numbers(needed):
        return "These rows have no times: pass as many as are needed, or give them the times."
    names = [kind_of(index) for index in (given, needed)]
    if names[0] == names[1]:
        return ""
    return f"These times are {names[0]}, and those of the series {names[1]}: give both the same."


def kind_of(index: Index) -> str:
    """Return what kind of times an index has."""
    if are_dates(index):
        return "dates without a time zone" if index.tz is None else f"dates in {index.tz}"
    if are_periods(index):
        return f"periods ({index.freqstr})"
    return "numbers" if all_numbers(index) else "durations" if index.dtype.kind == "m" else "text"
