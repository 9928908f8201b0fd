"""What a value is: a word, a series, a table, labels that are dates."""

from typing import TYPE_CHECKING, TypeGuard

import pandas as pd

from gpforecast.common.types import Values

if TYPE_CHECKING:
    from typing_extensions import TypeIs
else:
    TypeIs = TypeGuard  # before Python 3.13


def is_auto(value: object) -> TypeIs[str]:
    """Return whether an option is "auto": chosen for the user.

    Examples
    --------
    >>> is_auto("auto"), is_auto([1, 2]), is_auto(pd.Series([1, 2]))
    (True, False, False)
    """
    return is_word(value, "auto")


def is_word(value: object, *words: str) -> TypeIs[str]:
    """Return whether `value` is one of some words; an array, equal to them or not, is none."""
    return isinstance(value, str) and value in words


def is_series(value: object) -> TypeGuard[Values]:
    """Return whether `value` is one column of values with labels."""
    return isinstance(value, pd.Series)


def is_labelled(value: object) -> TypeGuard[Values | pd.DataFrame]:
    """Return whether the rows of `value` have labels: those of a Series or DataFrame.

    Examples
    --------
    >>> is_labelled(pd.Series([1.0])), is_labelled([1.0])
    (True, False)
    """
    return isinstance(value, (pd.Series, pd.DataFrame))


def is_frame(value: object) -> TypeIs[pd.DataFrame]:
    """Return whether `value` is a table of labelled columns."""
    return is_labelled(value) and not is_series(value)


def are_dates(index: object) -> TypeIs[pd.DatetimeIndex]:
    """Return whether labels are dates, or times on dates."""
    return isinstance(index, pd.DatetimeIndex)


def are_periods(index: object) -> TypeIs[pd.PeriodIndex]:
    """Return whether labels are periods, such as months."""
    return isinstance(index, pd.PeriodIndex)


def has_dates(index: object) -> TypeIs[pd.DatetimeIndex | pd.PeriodIndex]:
    """Return whether labels are dates or periods.

    Examples
    --------
    >>> has_dates(pd.period_range("2024Q1", periods=3, freq="Q")), has_dates(pd.RangeIndex(3))
    (True, False)
    """
    return are_dates(index) or are_periods(index)
