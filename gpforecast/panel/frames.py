"""A long table taken apart into series, and checked where that concerns the whole table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, Index, IntArray
from gpforecast.common.validation import real_array
from gpforecast.series.time_axis import TimeAxis


@dataclass(frozen=True, eq=False)
class Member:
    """One series of a panel, as it travels to a worker.

    Attributes
    ----------
    position : int
        Which series it is, counted in the order of the table.
    y : Series
        Its values, sorted by time and otherwise as given: nothing is checked yet.
    exog, future : DataFrame or None
        Exogenous columns at the times of `y`, and at all times that `future` has for it.
    """

    position: int
    y: "pd.Series[float]"
    exog: pd.DataFrame | None = None
    future: pd.DataFrame | None = None

    def future_exog(self, horizon: int) -> pd.DataFrame | None:
        """Return the exogenous columns at the `horizon` steps to come, or say what is missing."""
        if self.future is None:
            return None
        steps = TimeAxis.of(self.y.index, fill=True).future(horizon)
        twice = self.future.index.duplicated()
        if twice.any():
            raise ValueError(
                f"future must hold each time of a series once; got {self.future.index[twice][0]} "
                f"twice."
            )
        absent = ~steps.isin(self.future.index)
        if absent.any():
            raise ValueError(
                f"future must hold the exogenous inputs at the {horizon} steps that follow the "
                f"series, {steps[0]} to {steps[-1]}; {int(absent.sum())} are missing, the first "
                f"{steps[absent][0]}."
            )
        return self.future.loc[steps].set_axis(steps)


@dataclass(frozen=True, eq=False)
class Panel:
    """A long table, sorted by series and time.

    Attributes
    ----------
    ids : Index (m,)
        One label a series, in the order in which they first came, of the table's dtype.
    """

    ids: Index
    _times: Index  # (n,), sorted
    _values: FloatArray  # (n,)
    _starts: IntArray  # (m + 1,), where each series begins
    _exog: pd.DataFrame | None = None
    _future: pd.DataFrame | None = None
    _future_starts: IntArray | None = None

    @staticmethod
    def of(frame: Any, id_: str, time: str, target: str, future: Any) -> "Panel":
        """Check a table and sort it; the user's own is left as it is."""
        columns = _columns(frame, (id_, time, target), "frame")
        _check_times(frame[time], "frame", time)
        others = [c for c in columns if c not in (id_, time, target)]
        if others and future is None:
            listed = ", ".join(map(repr, others))
            raise ValueError(
                f"frame has columns beside {id_!r}, {time!r} and {target!r}: {listed}. Pass their "
                f"values over the horizon as future=..., or drop them."
            )
        values = real_array(frame[target], target, ndim=1)
        codes, ids = pd.factorize(frame[id_], sort=False)
        _check_codes(codes, frame[id_], "frame", id_)
        order, starts = _sorted(codes, frame[time], len(ids))
        panel = Panel(
            pd.Index(ids, name=id_),
            pd.Index(frame[time].iloc[order], name=time),
            values[order],
            starts,
        )
        return panel if future is None else panel._with(frame[others].iloc[order], future)

    def _with(self, exog: pd.DataFrame, future: Any) -> "Panel":
        """Return the panel with exogenous columns, past and future."""
        id_: Any = self.ids.name  # column names need not be text
        time: Any = self._times.name
        columns = _columns(future, (id_, time), "future")
        wanted, given = set(exog.columns), set(columns) - {id_, time}
        if wanted != given or not wanted:
            raise ValueError(
                f"future must have the exogenous columns of frame, {sorted(map(str, wanted))}; got "
                f"{sorted(map(str, given))}. Drop what is in one of them only."
            )
        _check_times(future[time], "future", time)
        codes = self.ids.get_indexer(pd.Index(future[id_]))
        _check_codes(codes, future[id_], "future", id_)
        order, starts = _sorted(codes, future[time], len(self.ids))
        later = future[list(exog.columns)].iloc[order]
        later.index = pd.Index(future[time].iloc[order])
        exog = exog.set_axis(self._times)
        return Panel(self.ids, self._times, self._values, self._starts, exog, later, starts)

    def __len__(self) -> int:
        """Return the number of series."""
        return len(self.ids)

    def __iter__(self) -> Iterator[Member]:
        """Yield the series one at a time, so that all of them never exist twice."""
        for position in range(len(self)):
            yield self[position]

    def __getitem__(self, position: int) -> Member:
        """Return the series at a position."""
        part = slice(self._starts[position], self._starts[position + 1])
        y = pd.Series(self._values[part], index=self._times[part])
        if self._exog is None or self._future is None or self._future_starts is None:
            return Member(position, y)
        later = slice(self._future_starts[position], self._future_starts[position + 1])
        return Member(position, y, self._exog.iloc[part], self._future.iloc[later])


def _columns(frame: Any, wanted: tuple[str, ...], name: str) -> list[Any]:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"{name} must be a DataFrame in the long format, one row for each series and time; got "
            f"{type(frame).__name__}."
        )
    for column in wanted:
        if column not in frame.columns:
            raise ValueError(
                f"{name} must have a column {column!r}; got {list(map(str, frame.columns))}. Name "
                f"yours with id=..., time=... and target=....{_made_long(frame, wanted)}"
            )
    if not frame.columns.is_unique or len(set(wanted)) < len(wanted):
        raise ValueError(f"{name} must have each column once, of distinct names; got {wanted}.")
    if len(frame) == 0:
        raise ValueError(f"{name} must have rows; got none.")
    return list(frame.columns)


def _made_long(frame: pd.DataFrame, wanted: tuple[Any, ...]) -> str:
    """Say how a table with a column for each series becomes a long one, if it looks like that."""
    id_, target = wanted[0], wanted[-1]
    if len(wanted) < 3 or id_ in frame.columns or target in frame.columns:
        return ""
    time = wanted[1]
    timed = "frame" if time in frame.columns else f"frame.rename_axis({time!r}).reset_index()"
    return (
        f" If each series has a column of its own, "
        f"{timed}.melt(id_vars={time!r}, var_name={id_!r}, value_name={target!r}) makes it long."
    )


def _check_times(times: Any, name: str, column: str) -> None:
    kind = times.dtype
    dated = isinstance(times.array, (pd.arrays.DatetimeArray, pd.arrays.PeriodArray))
    if dated or isinstance(times.array, pd.arrays.TimedeltaArray):
        return
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind):
        return
    raise TypeError(
        f"{name}[{column!r}] must hold dates, periods, time steps or numbers; got dtype {kind}, "
        f"such as {times.iloc[0]!r}. Convert it, for instance with pandas.to_datetime."
    )


def _check_codes(codes: Any, labels: Any, name: str, column: str) -> None:
    """Refuse rows without an id, and of `future` those of unknown series."""
    wrong = np.asarray(codes) < 0
    if wrong.any():
        first = labels[wrong].iloc[0]
        what = "a series that frame does not have" if name == "future" else "no series"
        raise ValueError(
            f"{name}[{column!r}] must name a series in every row; {int(wrong.sum())} name {what}, "
            f"the first {first!r} at row {int(np.argmax(wrong))}."
        )


def _sorted(codes: Any, times: Any, n_series: int) -> tuple[IntArray, IntArray]:
    """Return the order by series and time, ties as they came, and where each series starts."""
    keys = pd.DataFrame({"series": np.asarray(codes), "time": times.array})
    order = keys.sort_values(["series", "time"], kind="stable").index.to_numpy()
    counts = np.bincount(np.asarray(codes), minlength=n_series)
    return np.asarray(order), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
