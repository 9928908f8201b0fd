"""Conditions on steps and totals of several columns, as conditions on their joint distribution."""

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import IntArray
from gpforecast.results.conditions import Conditions, Wanted, named_step

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
    column, first, last = history.columns[0], named_step(index, 0), named_step(index, -1)
    if not (values is None or isinstance(values, Mapping | pd.DataFrame)):
        raise TypeError(
            f"values must say which step of which column has which value, such as "
            f"{{{column!r}: {{{first}: 1.5}}}}; got {values!r}."
        )
    if not (total is None or isinstance(total, Mapping)):
        raise TypeError(
            f"total must say which steps of which column the sum is of, such as "
            f"{{{column!r}: {{({first}, {last}): 9.5}}}}; got {total!r}."
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
            f"nothing is given; pass values of steps, such as {{{column!r}: {{{first}: 1.5}}}}, or "
            f"sums of several, such as total={{{column!r}: {{({first}, {last}): 9.5}}}}."
        )
    return Conditions(np.concatenate(rows), np.concatenate(low), np.concatenate(high))
