"""A long table taken apart into series, and checked where that concerns the whole table."""

import hashlib
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.kinds import has_dates, is_frame
from gpforecast.common.types import FloatArray, Index, IntArray, Values
from gpforecast.common.validation import counted, is_number, real_array
from gpforecast.series.closed_days import on_open_days
from gpforecast.series.frames import as_pandas, of_dates
from gpforecast.series.keys import refusal


@dataclass(frozen=True, eq=False)
class Member:
    """One series of a panel, as it travels to a worker.

    Attributes
    ----------
    y : Series
        Its values, sorted by time and otherwise as given: nothing is checked yet.
    exog, future : DataFrame or None
        Exogenous columns at the times of `y`, and at all times that `future` has for it.
    """

    y: "pd.Series[float]"
    exog: pd.DataFrame | None = None
    future: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class _Table:
    """A long table, sorted by series and time.

    Attributes
    ----------
    rows : DataFrame
        On their times; the user's own frame is left as it is.
    codes : ndarray (n,)
        The position of the series of each row.
    """

    rows: pd.DataFrame
    codes: IntArray

    @staticmethod
    def of(rows: pd.DataFrame, times: Values, codes: IntArray) -> "_Table":
        """Sort rows by the series of their codes, then by time; the sort is stable."""
        keys = pd.DataFrame({"series": codes, "time": times.array})
        order = keys.sort_values(["series", "time"], kind="stable").index.to_numpy()
        index = of_dates(pd.Index(times.iloc[order], name=times.name))
        return _Table(rows.iloc[order].set_axis(index), codes[order])

    def of_series(self, position: int) -> pd.DataFrame:
        """Return the rows of one series."""
        return self.rows.iloc[slice(*np.searchsorted(self.codes, [position, position + 1]))]

    def hash(self) -> str:
        """Return one hash of all that it holds."""
        names = [(repr(name), str(dtype)) for name, dtype in self.rows.dtypes.items()]
        whole = hashlib.sha256(f"{names} {self.rows.index.dtype}".encode())
        whole.update(pd.util.hash_pandas_object(self.rows).to_numpy().tobytes())
        whole.update(self.codes.astype(np.int64).tobytes())
        return whole.hexdigest()


@dataclass(frozen=True, eq=False)
class Panel:
    """A long table, sorted by series and time.

    Attributes
    ----------
    ids : Index (m,)
        One label a series, in the order in which they first came, of the table's dtype.
    """

    ids: Index
    _past: _Table  # the target, then exogenous columns
    _future: _Table | None = None

    @staticmethod
    def of(
        frame: object, id_: Hashable, time: Hashable, target: Hashable, future: object
    ) -> "Panel":
        """Check a table and sort it."""
        table = long_table(frame, (id_, time, target), "frame")
        others = [c for c in table.columns if c not in (id_, time, target)]
        if others and future is None:
            listed = ", ".join(map(repr, others))
            raise ValueError(
                f"frame has more columns than {id_!r}, {time!r} and {target!r}: {listed}. Pass "
                f"their values over the horizon as future=..., or drop them."
            )
        rows = table[[target, *others]].copy()
        rows[target] = _numbers(table[target], str(target))
        codes, labels = pd.factorize(table[id_], sort=False)
        _check_codes(codes, table[id_], "frame")
        past = _Table.of(rows, table[time], codes)
        ids = pd.Index(labels, name=id_)
        if future is None:
            return Panel(ids, past)

        later = long_table(future, (id_, time), "future")
        given = set(later.columns) - {id_, time}
        if set(others) != given or not given:
            raise ValueError(
                f"future must have the exogenous columns of frame, {sorted(map(str, others))}; got "
                f"{sorted(map(str, given))}. Drop those that are in one of them only."
            )
        codes = ids.get_indexer(pd.Index(later[id_]))
        _check_codes(codes, later[id_], "future")
        return Panel(ids, past, _Table.of(later[others], later[time], codes))

    def __len__(self) -> int:
        """Return the number of series."""
        return len(self.ids)

    @property
    def latest(self) -> "pd.Timestamp | pd.Period | None":
        """The last date at which a series has a value; None if times are numbers."""
        rows = self._past.rows
        return rows.index[rows.iloc[:, 0].notna()].max() if has_dates(rows.index) else None

    def end_of(self, position: int) -> Index:
        """Return the time of the last value of a series, and those of the empty rows after it."""
        rows = self._past.of_series(position).iloc[:, 0]
        known = np.flatnonzero(rows.notna())
        return rows.index[known[-1] if len(known) else len(rows) - 1 :]

    def hashes(self) -> dict[str, str]:
        """Return hashes of the two tables, by their names; they hold the order of the series."""
        ids = pd.util.hash_pandas_object(self.ids.to_series()).to_numpy().tobytes()
        past = hashlib.sha256(ids + self._past.hash().encode()).hexdigest()
        return {"frame": past, "future": "" if self._future is None else self._future.hash()}

    def __iter__(self) -> Iterator[Member]:
        """Yield the series one at a time, so that all of them never exist twice."""
        return self.members(range(len(self)))

    def members(self, positions: Iterable[int]) -> Iterator[Member]:
        """Yield the series at these positions."""
        for position in positions:
            rows = self._past.of_series(position)
            y = rows.iloc[:, 0].rename(None)
            if y.dtype == object:  # some series of the table holds text: this one, or another
                y = y.infer_objects()
            if self._future is None:
                yield Member(on_open_days(y, None)[0])
            else:
                y, exog, _ = on_open_days(y, rows.iloc[:, 1:])
                yield Member(y, exog, self._future.of_series(position))


def long_table(frame: object, needed: tuple[Hashable, ...], name: str) -> pd.DataFrame:
    """Return a table in the long format with the needed columns and usable times."""
    frame = as_pandas(frame, name, indexed=False)
    if not is_frame(frame):
        raise TypeError(
            f"{name} must be a DataFrame in the long format, one row for each series and time; got "
            f"{type(frame).__name__}."
        )
    for column in needed:
        if column not in frame.columns:
            raise ValueError(
                f"{name} must have a column {column!r}; got {list(map(str, frame.columns))}. Name "
                f"yours with id=..., time=... and target=.... pandas.melt makes a table with a "
                f"column for each series long."
            )
    if not frame.columns.is_unique or len(set(needed)) < len(needed):
        raise ValueError(f"{name} must have each column once, of distinct names; got {needed}.")
    if len(frame) == 0:
        raise ValueError(f"{name} must have rows; got none.")
    times = frame[needed[1]]
    if (read := of_dates(pd.Index(times))).dtype != times.dtype:
        frame = frame.copy(deep=False)
        frame[needed[1]] = times = pd.Series(read, frame.index)
    if said := refusal(pd.Index(times.unique()), f"{name}[{needed[1]!r}]"):
        raise ValueError(said)
    if times.dtype.kind not in "Mmiuf" and not str(times.dtype).startswith("period"):
        raise TypeError(
            f"{name}[{needed[1]!r}] must hold dates, periods, time steps or numbers; got dtype "
            f"{times.dtype}, such as {times.iloc[0]!r}. Convert it first: in pandas, with "
            f"pandas.to_datetime."
        )
    return frame


def _numbers(values: Values, name: str) -> FloatArray | Values:
    """Return values as numbers; with the text of some rows, which is a matter of their series.

    Text that is a number counts as one: with one word in it, pandas reads a column as text.

    Raises
    ------
    TypeError
        If none is a number.
    """
    try:
        return real_array(values, name, ndim=1)
    except TypeError:
        if isinstance(values.dtype, pd.StringDtype) or values.dtype == object:
            read = pd.to_numeric(values, errors="coerce").astype(object)
            values = read.where(read.notna() | values.isna(), values)
        if values.dtype != object or not any(is_number(value) for value in values):
            raise
        return values


def _check_codes(codes: IntArray, labels: Values, name: str) -> None:
    """Refuse rows without an id, and of `future` those of unknown series."""
    wrong = codes < 0
    if wrong.any():
        column, at = f"{name}[{labels.name!r}]", f"row {int(np.argmax(wrong))}"
        rows, first = counted(int(wrong.sum()), "row"), labels[wrong].iloc[0]
        if not pd.isna(first):
            raise ValueError(
                f"{column} names a series that frame does not have in {rows}, the first {at}: "
                f"{first!r}. Drop these rows, or add the series to frame."
            )
        raise ValueError(
            f"{column} must name a series in every row; it is empty in {rows}, the first {at}. "
            f"Fill in the name of their series, or drop them: in pandas, "
            f"{name}.dropna(subset=[{labels.name!r}])."
        )
