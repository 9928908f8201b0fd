"""What an index must be: of times or numbers, in order, each once; and keys that stand for times.

Text that can be read in one way only, such as 2024Q1, becomes periods. Other keys, years with their
weeks, months, quarters or days, are refused by a sentence that names them and gives the call that
converts them.
"""

import re
from contextlib import suppress
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, has_dates
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly

_TEXTS = {
    # What text stands for: the freq of periods, the months in each, and its year and part of it.
    "weeks of ISO 8601, which begin on Mondays": ("W-SUN", 0, r"(\d{4})-?W(\d{1,2})(?:-1)?"),
    "quarters of calendar years": ("Q", 3, r"(\d{4})[-/ ]?Q([1-4])"),
    "months": ("M", 1, r"(\d{4})(?:-(?=\d\d)|-?M)(0?[1-9]|1[0-2])"),
    "half-years, named by their first quarters": ("Q", 6, r"(\d{4})-?[HS]([12])"),
}
_NUMBERS = {
    # What comes after the year: the factor of the year, the most that a year has, what they become.
    "months": (100, 12, "dates", "pandas.to_datetime({}, format='%Y%m')"),
    "weeks": (100, 53, "Mondays of ISO weeks", "pandas.to_datetime({} + '1', format='%G%V%u')"),
    "quarters": (
        10, 4, "periods",
        "pandas.PeriodIndex({}.str.replace('(.)$', r'Q\\1', regex=True), freq='Q')",
    ),
    "days": (10_000, 1231, "dates", "pandas.to_datetime({}, format='%Y%m%d')"),
    "days of the year": (1000, 366, "dates", "pandas.to_datetime({}, format='%Y%j')"),
}  # fmt: skip
_YEAR_LAST = {"days, months and years": "%d%m%Y", "months, days and years": "%m%d%Y"}
_UNIX = {  # what is counted since 1970, and how many of them make a second
    "s": ("seconds", 1), "ms": ("milliseconds", 10**3),
    "us": ("microseconds", 10**6), "ns": ("nanoseconds", 10**9),
}  # fmt: skip
_FROM_1985, _TO_2099 = 500_000_000, 4_100_000_000  # seconds


def check_kind(index: Index, name: str) -> None:
    """Refuse an index of text, of objects or of several levels."""
    if index.nlevels > 1:
        raise TypeError(
            f"{name} must have an index of one level; got a MultiIndex with {index.nlevels}. "
            f"Select one series, for instance with {name}.xs(key)."
        )
    if not (has_dates(index) or index.dtype.kind in "iufm"):
        if said := refusal(index, index_of(name)):
            raise TypeError(said)
        example = f" such as {index[0]!r}" if len(index) else ""
        raise TypeError(
            f"{name} must have an index of dates, periods, time steps or numbers; got an index of "
            f"dtype {index.dtype}{example}. {how_to_convert(index, f'{name}.index')}"
        )


def how_to_convert(index: Index, where: str) -> str:
    """Say how text or objects, which are the index or a column of a frame, become times."""
    with quietly():  # pandas warns where each label has a form of its own
        read = pd.to_datetime(pd.Series(index.dropna(), dtype=object), errors="coerce", utc=True)
    if not len(read) or not (read.dt.year >= 1000).all():
        call = "pandas.PeriodIndex.from_fields(year=year, month=month, freq='M')"
        return f"pandas.to_datetime does not read it: make periods of its numbers, such as {call}."
    call, at = f"pandas.to_datetime({where})", ".dt" if where.endswith("]") else ""
    if re.search(r":\d\d\S*[+-]\d\d:?\d\d$", str(index[0])):  # of a time zone
        call = f"pandas.to_datetime({where}, utc=True){at}.tz_convert('Europe/Paris')"
    return f"Convert it first, for instance with {where} = {call}."


def index_of(name: str) -> str:
    """Return where the index is of what messages call `name`, such as a column of frame."""
    return f"{name.split()[-1]}.index"


def check_order(index: Index, name: str) -> None:
    """Refuse timestamps that are missing, occur twice or go back, and an index without any."""
    missing = np.array(index.isna())
    if index.dtype.kind == "f":
        missing |= np.isinf(index.to_numpy())
    if missing.any():
        raise ValueError(
            f"{name} must have a timestamp on every row; got {int(missing.sum())} missing or "
            f"infinite, the first at position {int(np.argmax(missing))}; drop those rows."
        )
    twice = np.asarray(index.duplicated())
    if twice.any():
        raise ValueError(
            f"{name} must have each timestamp once; got "
            f"{counted(int(twice.sum()), 'duplicated timestamp')}, the first {index[twice][0]}; "
            f"keep one row of each, or their mean: in pandas, {name}.groupby(level=0).mean(); "
            f"for a long table, group by series and time."
            f"{_clock_hint(index, twice, name)}"
        )
    if not index.is_monotonic_increasing:
        a, b = next(pair for pair in pairwise(index) if pair[1] < pair[0])
        raise ValueError(
            refusal(index, index_of(name))
            or f"{name} must have timestamps in increasing order; got {b} after {a}; sort the rows "
            f"by timestamp."
        )
    if len(index) == 0 and not isinstance(index, pd.RangeIndex):
        raise ValueError(f"{name} must have at least 1 row; got 0 rows.")


def _clock_hint(index: Index, twice: BoolArray, name: str) -> str:
    """Say what to do if the times that occur twice are the hour that the clocks go back by."""
    first = index[twice][:1]
    if not (are_dates(first) and first.day_of_week[0] == 6 and 0 < first.hour[0] <= 3):
        return ""
    return (
        f" If it is the hour that clocks going back repeat, give the timestamps their time zone "
        f"instead: in pandas, {name}.index = {name}.index.tz_localize('Europe/Paris', "
        f"ambiguous='infer')."
    )


def with_times(index: Index) -> Index:
    """Return text that can only be weeks, months or quarters as periods; any other index as it is.

    Weeks are those of ISO 8601, which begin on Mondays.

    Examples
    --------
    >>> with_times(pd.Index(["2024-Q4", "2025-Q1"])).freqstr
    'Q-DEC'
    >>> with_times(pd.Index(["2020-W53", "2021-W01"]))[0].start_time.day_name()
    'Monday'
    """
    kind, days = _read(index)
    return pd.PeriodIndex(days, freq=_TEXTS[kind][0], name=index.name) if kind else index


def reading(index: Index) -> tuple[str, ...]:
    """Say what text is read as, if it is.

    Examples
    --------
    >>> reading(pd.Index(["2024Q1", "2024Q2"]))
    ('labels such as 2024Q1 are read as quarters of calendar years',)
    """
    kind, _ = _read(index)
    return (f"labels such as {index[0]} are read as {kind}",) if kind else ()


def first_day(text: str) -> tuple[str, date] | None:
    """Return what a text stands for that names a part of a year, and its first day.

    Examples
    --------
    >>> first_day("Q4 2019")
    ('quarters of calendar years', datetime.date(2019, 10, 1))
    """
    year_first = re.sub(r"(?i)^(Q[1-4])[-/ ]*(\d{4})$", r"\2\1", text)
    for kind, (_, months, pattern) in _TEXTS.items():
        if found := re.fullmatch(pattern, year_first, re.IGNORECASE):
            year, part = map(int, found.groups())
            with suppress(ValueError):  # not all years have a week 53
                if not months:
                    return kind, date.fromisocalendar(year, part, 1)
                return kind, date(year, months * (part - 1) + 1, 1)
    return None


def _read(index: Index) -> tuple[str, list[date]]:
    """Return what all labels stand for, and their first days; "" if they are no such text."""
    if index.nlevels > 1 or index.inferred_type != "string" or index.hasnans:
        return "", []
    found = list(filter(None, map(first_day, index.astype(str))))
    kinds = {kind for kind, _ in found}
    if len(found) < len(index) or len(kinds) != 1:
        return "", []
    return kinds.pop(), [day for _, day in found]


def refusal(index: Index, where: str, *, irregular: bool = True) -> str:
    """Say that numbers or text are times, and how to convert them; else nothing.

    Parameters
    ----------
    index : Index
    where : str
        What holds it in the user's code.
    irregular : bool
        Whether they have no regular step; those that have are at most seconds since 1970.

    Examples
    --------
    >>> refusal(pd.Index([1735689600, 1735693200]), "series.index").partition(": ")[0]
    'series.index holds seconds since 1970, as 1735689600 is 2025-01-01 00:00:00'
    >>> refusal(pd.Index([202151, 202152, 202201]), "series.index").partition(":")[0]
    'series.index holds years and weeks, not numbers, as 202152 is followed by 202201'
    >>> refusal(pd.Index([31012024, 1022024]), "series.index").partition(":")[0]
    'series.index holds days, months and years, not numbers, such as 31012024'
    >>> refusal(pd.Index([1998, 1999, 2001]), "series.index")
    ''
    """

    def said(what: str, become: str, call: str) -> str:
        return f"{where} holds {what}: convert them to {become}, in pandas with {where} = {call}."

    is_whole = index.dtype.kind in "iu" and len(index) > 0
    least, most = (int(index.min()), int(index.max())) if is_whole else (0, 0)
    for unit, (what, n) in _UNIX.items():
        if least // n >= _FROM_1985 and most // n <= _TO_2099:
            what = f"{what} since 1970, as {index[0]} is {pd.Timestamp(index[0], unit=unit)}"
            return said(what, "dates", f"pandas.to_datetime({where}, unit={unit!r})")
    for what, form in _YEAR_LAST.items() if is_whole and not index.is_monotonic_increasing else ():
        digits = pd.Series(index).astype(str).str.zfill(8)
        if pd.to_datetime(digits, format=form, errors="coerce").is_monotonic_increasing:
            call = f"pandas.to_datetime({where}.astype(str).str.zfill(8), format={form!r})"
            return said(f"{what}, not numbers, such as {index[0]}", "dates", call)
    numbers = _whole_numbers(index) if irregular else None
    if numbers is None:
        return ""
    is_text = index.inferred_type == "string"
    if not is_text and len(np.unique(np.diff(numbers))) == 1:
        return ""
    for what, (factor, most, become, call) in _NUMBERS.items():
        years, parts = np.divmod(numbers, factor)
        if not (_within(years, 1600, 2299) and _within(parts, 1, most)):
            continue
        turns = np.flatnonzero(np.diff(numbers // 100 if what == "days" else years))
        dates = pd.to_datetime(pd.Series(numbers).astype(str), format="%Y%m%d", errors="coerce")
        if (what == "days" and dates.hasnans) or not (is_text or len(turns)):
            continue
        if is_text:
            kind = f"as text, such as {index[0]!r}"
            text = where if index[0].isdigit() else f"{where}.str.replace({index[0][4]!r}, '')"
        else:
            before, after = numbers[turns[0] : turns[0] + 2]
            kind = f"not numbers, as {before} is followed by {after}"
            text = f"{where}.astype({'int' if index.dtype.kind == 'f' else 'str'})"
            text += ".astype(str)" if index.dtype.kind == "f" else ""
        return said(f"years and {what}, {kind}", become, call.format(text))
    return ""


def _whole_numbers(index: Index) -> IntArray | None:
    """Return labels as whole numbers in order, each once, if all are; also years-parts of text."""
    if index.inferred_type == "string":
        text = pd.Series(index.astype(object))
        if not text.str.fullmatch(r"\d{4}[-/]\d{1,2}|\d{5,8}").all():
            return None
        return np.unique(text.str.replace("[-/]", "", regex=True).astype(np.int64))
    if index.dtype.kind not in "iuf" or len(index) < 2:
        return None
    values = np.unique(index.to_numpy(dtype=np.float64))
    whole = _within(values, 0, 99_999_999) and (values == np.rint(values)).all()
    return values.astype(np.int64) if whole else None


def _within(numbers: IntArray | FloatArray, least: int, most: int) -> bool:
    return bool(((numbers >= least) & (numbers <= most)).all())
