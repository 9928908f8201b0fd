"""Columns of a file that are known beforehand and move the values: the inputs of a forecast."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from pandas.api.types import is_object_dtype, is_string_dtype

from gpforecast.cli.files.choosing import columns_named
from gpforecast.cli.files.marks import Hints
from gpforecast.cli.files.numbers import is_missing, is_number, mostly_numbers, read_numbers
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.ordering import in_order
from gpforecast.cli.files.table import Column, Table
from gpforecast.common.types import FloatArray, Index
from gpforecast.common.validation import counted
from gpforecast.series.labels import time_at

_NUMBERS_ONLY = {"mean", "sum"}  # of --duplicates


def input_columns(
    table: Table, used: Sequence[Column | None], options: FileOptions
) -> list[Column]:
    """Return the columns that --exog names, none of which holds the times or the values."""
    columns = columns_named(table, options.exog, "--exog")
    for column in columns:
        if any(column is one for one in used):
            raise ValueError(
                f"--exog: {column.name!r} holds the times or the values; name other columns."
            )
        if sum(other.name == column.name for other in columns) > 1:
            raise ValueError(f"--exog names column {column.name!r} twice; name it once.")
    return columns


def read_inputs(
    columns: Sequence[Column],
    index: Index,
    times: Column | None,
    options: FileOptions,
    hints: Hints,
) -> pd.DataFrame:
    """Read inputs at all times of a file, of which those after the last value are its future.

    Where all cells that are not empty are ``1``, or one word such as ``x``, an empty one says that
    there is none: the input is 1 or 0 then. A column of other texts holds categories.

    Parameters
    ----------
    columns : sequence of Column
    index : Index
        The time of each row of the file.
    times : Column or None
    options : FileOptions
    hints : Hints
        What other columns say of decimal marks.

    Returns
    -------
    DataFrame
        A column for each input, in the order of the times.

    Raises
    ------
    ValueError
        If a cell cannot be read.
    """
    found = {column.name: _values(column, options, hints) for column in columns}
    if times is None:
        return pd.DataFrame(found, index=index)
    frame = {}
    for name, values in found.items():
        text = isinstance(values, list) and options.duplicates in _NUMBERS_ONLY
        one = replace(options, duplicates="first") if text else options
        frame[name], _ = in_order(values, index, times, one, "")
    return pd.DataFrame(frame)


def check_future(future: pd.DataFrame, name: str) -> None:
    """Refuse inputs that are not known at all times of the horizon, in words of the file.

    Parameters
    ----------
    future : DataFrame
        A row for each step, empty where the file has none.
    name : str
        Of the column of values.
    """
    missing = future.isna()
    lacking = [column for column in future.columns if missing[column].any()]
    if not lacking:
        return
    texts = any(is_object_dtype(kind) or is_string_dtype(kind) for kind in future.dtypes)
    instead = "" if texts else ", or pass --forecast-exog to have the inputs forecast, too"
    at = missing[lacking].any(axis=1).to_numpy()
    known = int(at.argmax())
    fewer = f", or pass --horizon {known}" if known and at[known:].all() else ""
    raise ValueError(
        f"--exog: {', '.join(map(repr, lacking))} must be known for {counted(len(at), 'step')} "
        f"after the last value; a cell or a row is missing for {int(at.sum())} of them, first for "
        f"{time_at(future.index, known)}. Fill them in, in rows with an empty cell of "
        f"{name!r}{fewer}{instead}."
    )


def said_of(exog: pd.DataFrame, n: int) -> str:
    """Say which inputs were read, and how many rows after the n of the series have them all."""
    names = ", ".join(map(repr, exog.columns))
    later = int(exog.iloc[n:].notna().all(axis=1).cumprod().sum())
    return f"with {names}" + (f", known for {counted(later, 'row')} more" if later else "")


def _marks(texts: Sequence[str]) -> bool:
    """Whether all of some cells are one mark, such as ``x`` or ``1``, and no other number."""
    mark = {*texts}
    return len(mark) == 1 and (not is_number(texts[0]) or texts[0] == "1")


def _values(column: Column, options: FileOptions, hints: Hints) -> FloatArray | list[str | None]:
    texts = column.texts()
    given = [text for text in texts if not is_missing(text, options)]
    if _marks(given) and len(given) < len(texts):
        return np.array([float(not is_missing(text, options)) for text in texts])
    if not mostly_numbers(texts, options):
        return [None if is_missing(text, options) else text for text in texts]
    try:
        return read_numbers(column, options, hints).values
    except ValueError as error:
        raise ValueError(str(error).replace("--value:", "--exog:")) from None
