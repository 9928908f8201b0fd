"""Exogenous columns of categories, as columns of zeros and ones."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from gpforecast.common.types import ExogLike, Values
from gpforecast.series.frames import as_table
from gpforecast.storage import storable

_MOST_LEVELS = 12  # even in a short series
_VALUES_A_LEVEL = 5


@storable
@dataclass(frozen=True)
class Categories:
    """Which columns hold categories, and the categories that each has in the fit.

    Attributes
    ----------
    levels : mapping of column to tuple of str
        The most frequent category first: it has no column, as what the others are
        compared with.
    """

    levels: dict[Hashable, tuple[str, ...]]

    @staticmethod
    def of(exog: ExogLike) -> "Categories":
        """Find the columns of text, categories or truth values among those of a fit."""
        table = as_table(exog)
        if table is None:
            return Categories({})
        once = [c for c in table.columns if list(table.columns).count(c) == 1]  # others are refused
        return Categories({c: _levels(table[c]) for c in once if _is_category(table[c])})

    def named(self, column: Hashable) -> tuple[Hashable, ...]:
        """Return the names of the columns that a column becomes."""
        if column not in self.levels:
            return (column,)
        first, *others = self.levels[column]
        return tuple(f"{column}={level}" for level in others or [first])

    def encoded(self, exog: ExogLike) -> ExogLike:
        """Return a table with zeros and ones in the place of categories.

        Raises
        ------
        ValueError
            If there is a category that the fit did not have.
        """
        table = as_table(exog)
        if table is None or not self.levels:
            return exog
        columns: list[Values] = []
        for name, column in table.items():
            if name not in self.levels:
                columns.append(column)
                continue
            texts, known = column.astype(object).map(str, na_action="ignore"), self.levels[name]
            unknown = texts[~texts.isin(known) & column.notna()]
            if len(unknown):
                raise ValueError(
                    f"exog column {name!r} must hold categories of the fit, "
                    f"{', '.join(map(repr, sorted(known)))}; got {unknown.iloc[0]!r} at "
                    f"{unknown.index[0]}. Nothing is known of its effect: pass the category that "
                    f"resembles it most, or fit with it."
                )
            for level, new in zip(known[1:] or known, self.named(name), strict=True):
                made = (texts == level).astype(np.float64).where(column.notna())
                columns.append(made.rename(str(new)))
        return pd.concat(columns, axis=1)


def _is_category(column: Values) -> bool:
    known = column.dropna()
    if is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype) or not len(known):
        return False
    if isinstance(column.dtype, pd.CategoricalDtype):
        return True
    numbers = known.astype(str).str.fullmatch(r"[-+\d.,\s%]+").all()  # read as text: a mistake
    return not numbers and bool(known.map(type).isin([str]).all())


def _levels(column: Values) -> tuple[str, ...]:
    texts = column.dropna().astype(object).map(str)
    counts = texts.value_counts()
    if len(counts) > max(_MOST_LEVELS, len(texts) / _VALUES_A_LEVEL):
        raise ValueError(
            f"exog column {column.name!r} has {len(counts)} different texts in {len(texts)} rows, "
            f"too many for categories; group those that are alike, or leave the column out."
        )
    order = sorted(counts.index, key=lambda level: (-int(counts[level]), level))
    return (order[0], *sorted(order[1:]))
