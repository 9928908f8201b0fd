"""Conditions on steps and totals of several columns, as conditions on their joint distribution."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import astuple
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
    examples = (
        f"values of steps, such as {{{column!r}: {{{first}: 1.5}}}}, or sums of several, such as "
        f"total={{{column!r}: {{({first}, {last}): 9.5}}}}"
    )
    for argument, given in (("values", values), ("total", total)):
        if not (given is None or isinstance(given, Mapping | pd.DataFrame)):
            raise TypeError(f"{argument} must name columns; pass {examples}; got {given!r}.")
    singles = {} if values is None else dict(values.items())
    totals = {} if total is None else dict(total)
    every: list[Conditions] = []
    for name in dict.fromkeys([*singles, *totals]):
        steps, own = steps_of(name), singles.get(name, {})
        own = own.dropna() if isinstance(own, pd.Series) else own
        if not len(own) and name not in totals:
            continue
        found = Conditions.of(own, totals.get(name), index, history[name])
        wide = np.zeros((len(found.B), len(index) * len(history.columns)))
        wide[:, steps] = found.B
        every.append(Conditions(wide, found.low, found.high))
    if not every:
        raise ValueError(f"nothing is given; pass {examples}.")
    B, low, high = (np.concatenate(one) for one in zip(*map(astuple, every), strict=True))
    return Conditions(B, low, high)
