"""What the labels of a user's values say: times, or no more than a count of rows."""

import numpy as np
import pandas as pd

from gpforecast.common.types import Index, Values
from gpforecast.common.validation import real_array


def counts_from_zero(index: Index) -> bool:
    """Whether an index only counts rows, as pandas makes it for data without one.

    Examples
    --------
    >>> counts_from_zero(pd.Series([3.0, 4.0]).index)
    True
    """
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


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
