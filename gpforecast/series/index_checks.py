"""What an index must be, whatever its steps: of times or numbers, in order, each once."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, has_dates
from gpforecast.common.types import BoolArray, Index
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly
from gpforecast.series import keys
from gpforecast.series.labels import all_numbers


def check_kind(index: Index, name: str) -> None:
    """Refuse an index of text, of objects or of several levels."""
    if index.nlevels > 1:
        raise TypeError(
            f"{name} must have an index of one level; got a MultiIndex with {index.nlevels}. "
            f"Select one series, for instance with {name}.xs(key)."
        )
    if not (has_dates(index) or index.dtype.kind == "m" or all_numbers(index)):
        if said := keys.refusal(index, index_of(name)):
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
            f"{name} must have timestamps in increasing order; got {b} after {a}; sort the rows "
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
