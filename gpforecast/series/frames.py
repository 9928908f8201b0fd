"""Series and frames as they come in, also of polars, pyarrow and what else narwhals reads.

They become pandas objects here, at the door; behind it all is pandas, and so are results. A frame
that has no index gets the one column of dates or times that it has, or else counts its rows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import pandas as pd

from gpforecast.common.imports import to_install
from gpforecast.common.kinds import are_dates, are_periods, is_frame, is_labelled
from gpforecast.common.types import Index, Values
from gpforecast.common.warnings import quietly
from gpforecast.series.index_checks import with_times

if TYPE_CHECKING:
    import narwhals.stable.v1 as nw
    from narwhals.stable.v1.typing import IntoSeries

T = TypeVar("T")


def as_pandas(
    given: T, name: str, *, series: object = None, indexed: bool = True
) -> T | Values | pd.DataFrame:
    """Return a series or frame of another library as one of pandas; anything else as it is.

    Parameters
    ----------
    given : object
        What a user passed. Missing values (null) become NaN, or None among texts.
    name : str
        Its name in the user's call, for a message.
    series : object
        The series that it belongs to: a series or frame without times goes with its rows.
    indexed : bool
        Whether a column of times becomes the index. False for tables in the long format.

    Raises
    ------
    ImportError
        If narwhals, which reads it, is not installed.
    TypeError
        If it is lazy.
    ValueError
        If it has several columns of times.

    Examples
    --------
    >>> as_pandas([1.0, 2.0], "series")
    [1.0, 2.0]
    """
    if is_labelled(given):
        dates = of_dates(given.index)
        return given if dates is given.index else given.set_axis(dates)
    if given is None or isinstance(given, np.ndarray | Sequence):
        return given
    try:
        import narwhals.stable.v1 as nw
    except ModuleNotFoundError as error:
        # What hands out its columns by the Arrow interface, as polars and pyarrow do.
        if not (error.name or "").startswith("narwhals") or not hasattr(
            given, "__arrow_c_stream__"
        ):
            return given
        raise ImportError(
            f"{name} is a {type(given).__name__}, which narwhals reads: {to_install('narwhals')}, "
            f"or pass a pandas object.",
            name="narwhals",
        ) from None
    found = nw.from_native(given, allow_series=True, pass_through=True)
    match found:
        case nw.LazyFrame():
            kind = type(given).__name__
            raise TypeError(f"{name} must be a table in memory; got a {kind}. Call its collect().")
        case nw.DataFrame() | nw.Series() if found.implementation.is_pandas_like():
            return found.to_pandas()
        case nw.Series():
            return _with_labels_of(series, _column(found))
    if not isinstance(found, nw.DataFrame):
        return given
    times = [c for c in found.columns if found.schema[c] in (nw.Date, nw.Datetime)]
    if indexed and len(times) > 1:
        raise ValueError(
            f"{name} must have one column of dates or times, which becomes its index; got "
            f"{' and '.join(map(repr, times))}. Select the columns that are meant."
        )
    index = pd.Index(_column(found[times[0]])) if indexed and times else None
    columns = [_column(found[c]) for c in found.columns if index is None or c not in times]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(len(found)))
    return _with_labels_of(series, frame) if index is None else frame.set_axis(index)


def one_column(y: T, name: str) -> T | Values:
    """Return the column of a DataFrame that has just one, and anything else as it is.

    Series and frames of other libraries become those of pandas first (`as_pandas`).
    """
    found = as_pandas(y, name)
    if isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] == 1:
        return cast("T", found[:, 0])
    if not is_frame(found):
        return found
    if found.shape[1] != 1:
        raise ValueError(
            f"{name} must be one column of values; got a DataFrame with {found.shape[1]} columns. "
            f"Select the column to forecast; the others can be passed as exog. "
            f"gf.VectorForecaster forecasts several together, gf.forecast_panel each by itself. If "
            f"a column holds the dates, make it the index: {name}.set_index(column), after "
            f"pandas.to_datetime if they are text."
        )
    return found.iloc[:, 0]


def as_table(exog: object) -> pd.DataFrame | None:
    """Return labelled columns as a DataFrame; None for what has no labels."""
    return pd.DataFrame(exog) if is_labelled(exog) else None


def _with_labels_of(other: object, counted: Values | pd.DataFrame) -> Values | pd.DataFrame:
    """Return rows that are only counted on the index of what they belong to, if it has as many."""
    if is_labelled(other) and len(other) == len(counted):
        return counted.set_axis(other.index)
    return counted


def of_dates(index: Index) -> Index:
    """Return business days, timestamps of pyarrow and keys (`with_times`) as dates or periods.

    Every use of periods of business days makes pandas warn that they will be removed.
    """
    if index.dtype.kind == "M" and not are_dates(index):
        return pd.DatetimeIndex(index)
    if not are_periods(index):
        return with_times(index)
    if not isinstance(index.freq, pd.offsets.BusinessDay):
        return index
    with quietly():
        return index.to_timestamp()


def _column(column: "nw.Series[IntoSeries]") -> Values:
    """Return a column with its name, counted from 0."""
    import narwhals.stable.v1 as nw

    dtype = column.dtype
    match dtype:
        case nw.Datetime() if dtype.time_zone is not None:
            utc = pd.DatetimeIndex(column.to_numpy()).tz_localize("UTC")
            return pd.Series(utc.tz_convert(dtype.time_zone), name=column.name)
        case nw.Enum():
            labels = column.cat.get_categories().to_list()
            ordered = pd.Categorical(column.to_list(), categories=labels, ordered=True)
            return pd.Series(ordered, name=column.name)
    plain = dtype.is_numeric() or dtype.is_temporal()
    return pd.Series(column.to_numpy() if plain else column.to_list(), name=column.name)
