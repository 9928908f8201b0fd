"""The steps of a forecast by their labels or positions, as pandas selects rows."""

from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.types import IntArray
from gpforecast.results.functionals import Functionals
from gpforecast.results.periods import positions


class NoSuchStepError(KeyError):
    """No step of the forecast has this label."""

    def __str__(self) -> str:
        """Return the sentence as it is; a KeyError puts it in quotes."""
        return str(self.args[0])


@dataclass(frozen=True, eq=False)
class Selectable(Functionals):
    """The steps of a `Forecast`: how many there are, and forecasts of some of them.

    Examples
    --------
    >>> import gpforecast as gf
    >>> f = gf.Forecaster(lags=8).fit(gf.datasets.mackey_glass(200, seed=0)).predict(20)
    >>> len(f), len(f[205:209]), f.iloc[-1].mean.index.tolist()
    (20, 5, [219])
    """

    __iter__ = None  # else Python would ask for the labels 0, 1, 2, ...

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.index)

    def __getitem__(self, key: object) -> Self:
        """Return the steps with some labels; the same as ``loc[key]``."""
        return self.loc[key]

    @property
    def loc(self) -> "Selection[Self]":
        """Steps by their labels, such as ``f.loc["1959"]`` or ``f.loc["1959-03":"1959-06"]``.

        Labels, parts of dates, lists, slices and masks mean what they mean to pandas; ``f[...]`` is
        the same. The result is a `Forecast` of these steps, with their joint distribution.
        """
        return Selection(self, by_label=True)

    @property
    def iloc(self) -> "Selection[Self]":
        """Steps by their positions, such as ``f.iloc[:6]`` for the first six; else as `loc`."""
        return Selection(self, by_label=False)

    def _at(self, steps: IntArray) -> Self:
        """Return the forecast of some steps (k,), in the order they are given.

        The history goes on to be what comes before the first of them: steps in between are missing
        values. What does not consist of successive steps has none.
        """
        first, history = int(steps[0]), self.history
        if (np.diff(steps) != 1).any():
            history = history.iloc[:0]
        elif first and len(history):
            index = history.index.append(self.index[:first])
            values = np.append(history.to_numpy(dtype=np.float64), np.full(first, np.nan))
            history = pd.Series(values, index, name=history.name)
        path = None if self.trajectory is None else self.trajectory.iloc[steps]
        some = self._as(self.distribution.over(steps), history)
        return replace(some, index=self.index[steps], trajectory=path)


T = TypeVar("T", bound=Selectable)


@dataclass(frozen=True, eq=False)
class Selection(Generic[T]):
    """What `Selectable.loc` and `Selectable.iloc` return: to be followed by ``[...]``."""

    forecast: T
    by_label: bool

    def __getitem__(self, key: object) -> T:
        """Return the forecast of the steps that a key selects."""
        index = self.forecast.index
        if self.by_label:
            steps = positions(index, key)
        else:
            steps = np.atleast_1d(np.arange(len(index))[key])  # type: ignore[call-overload]
        if not len(steps):
            raise NoSuchStepError(
                f"{key!r} names no step of the forecast, which goes from {index[0]} to "
                f"{index[-1]}. f[...] and f.loc[...] take labels, f.iloc[...] positions; "
                f"properties of all steps are attributes, such as f.mean, or columns of to_frame()."
            )
        return self.forecast._at(steps)
