"""Conditions on steps and totals of several columns, as conditions on their joint distribution."""

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import IntArray
from gpforecast.results.conditions import Conditions, Wanted

ByColumn: TypeAlias = (
    "Mapping[Hashable, Mapping[Hashable, Wanted] | pd.Series[float]] | pd.DataFrame"
)


def conditions_of(
    values: "ByColumn | None",
    total: Mapping[Hashable, Mapping[Hashable, Wanted]] | None,
    index: pd.Index,
    history: pd.DataFrame,
    steps_of: Callable[[Hashable], IntArray],
) -> Conditions:
    """Read conditions on columns; see `VectorForecast.given`.

    `steps_of` returns the places of a column's steps in the joint distribution.
    """
    example = f"{{{history.columns[0]!r}: {{{index[0]!r}: 1.5}}}}"
    if not (values is None or isinstance(values, Mapping | pd.DataFrame)):
        raise TypeError(
            f"values must map names of columns to values of their steps, such as {example}; got "
            f"{values!r}."
        )
    if not (total is None or isinstance(total, Mapping)):
        raise TypeError(
            f"total must map names of columns to sums of their steps, such as {example}; got "
            f"{total!r}."
        )
    rows, low, high = [], [], []
    singles = {} if values is None else dict(values.items())
    totals = {} if total is None else dict(total)
    for name in dict.fromkeys([*singles, *totals]):
        steps, own = steps_of(name), singles.get(name)
        if isinstance(own, pd.Series):
            own = own.dropna()
            own = own if len(own) else None
        if own is None and name not in totals:
            continue
        asked = Conditions.of(own, totals.get(name), index, history[name])
        wide = np.zeros((len(asked.B), len(index) * len(history.columns)))
        wide[:, steps] = asked.B
        rows.append(wide)
        low.append(asked.low)
        high.append(asked.high)
    if not rows:
        raise ValueError(
            "nothing is given: pass values or ranges of steps of some columns, or total=."
        )
    return Conditions(np.concatenate(rows), np.concatenate(low), np.concatenate(high))
