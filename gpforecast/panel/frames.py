"""Tables of many series, long or wide: taken apart, checked as a whole, put together again."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import joblib
import numpy as np
import pandas as pd

from gpforecast.common.kinds import has_dates, is_frame
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray, Values
from gpforecast.common.validation import counted, is_number, real_array
from gpforecast.results.display import side_by_side
from gpforecast.series.coarser import on_open_days
from gpforecast.series.frames import as_pandas, of_dates
from gpforecast.series.index_checks import how_to_convert, refusal


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
        values = pd.util.hash_pandas_object(self.rows).to_numpy()
        return hash_of(names, str(self.rows.index.dtype), values, self.codes.astype(np.int64))


@dataclass(frozen=True, eq=False)
class Panel:
    """A long table, sorted by series and time.

    Attributes
    ----------
    ids : Index (m,)
        One label a series, in the order in which they first came, of the table's dtype.
    wide : DataFrame or None
        The table on its times, if it was given with a column for each series.
    """

    ids: Index
    _past: _Table  # the target, then exogenous columns
    _future: _Table | None = None
    wide: pd.DataFrame | None = None

    @staticmethod
    def of(
        frame: object, id_: Hashable, time: Hashable, target: Hashable, future: object
    ) -> "Panel":
        """Check a table and sort it."""
        table, wide = long_table(frame, (id_, time, target), "frame")
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
        name = time if wide is None else wide.index.name
        past = _Table.of(rows, pd.Series(table[time].array, name=name), codes)
        ids = pd.Index(labels, name=id_, tupleize_cols=False)
        if future is None:
            return Panel(ids, past, wide=wide)

        if wide is not None:
            raise ValueError(
                "future goes with a frame in the long format, which has the past of the inputs as "
                "further columns; got a wide one. Melt it, and merge the inputs."
            )
        later, _ = long_table(future, (id_, time), "future")
        given = set(later.columns) - {id_, time}
        if set(others) != given or not given:
            raise ValueError(
                f"future must have the exogenous columns of frame, {sorted(map(str, others))}; got "
                f"{sorted(map(str, given))}. Drop those that are in one of them only."
            )
        codes = ids.get_indexer(pd.Index(later[id_], tupleize_cols=False))
        _check_codes(codes, later[id_], "future")
        return Panel(ids, past, _Table.of(later[others], later[time], codes))

    def __len__(self) -> int:
        """Return the number of series."""
        return len(self.ids)

    @property
    def times(self) -> Index:
        """The times of all rows, series by series."""
        return self._past.rows.index

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
        ids = pd.util.hash_pandas_object(self.ids.to_series()).to_numpy()
        future = "" if self._future is None else self._future.hash()
        return {"frame": hash_of(ids, self._past.hash()), "future": future}

    def __iter__(self) -> Iterator[Member]:
        """Yield the series one at a time, so that all of them never exist twice."""
        return self.members(range(len(self)))

    def assembled(self, tables: dict[Hashable, pd.DataFrame], time: Hashable) -> pd.DataFrame:
        """Return the tables of series, by their ids, in the form in which the panel was given."""
        ids = self.ids[self.ids.isin(list(tables))]
        if self.wide is None:
            return stacked([*tables.values()], ids, time)
        return side_by_side(tables.values(), ids.rename(self.wide.columns.name))

    def members(self, positions: Iterable[int]) -> Iterator[Member]:
        """Yield the series at these positions."""
        for position in positions:
            rows = self._past.of_series(position)
            y = rows.iloc[:, 0].rename(None)
            if y.dtype == object:  # some series of the table holds text: this one, or another
                y = y.infer_objects()
            later = None if self._future is None else self._future.of_series(position)
            y, exog, _ = on_open_days(y, None if later is None else rows.iloc[:, 1:])
            yield Member(y, exog, later)


def hash_of(*values: object) -> str:
    """Return one hash of arrays, and of plain values of Python."""
    return str(joblib.hash(values))


def long_table(
    frame: object, needed: tuple[Hashable, ...], name: str
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return a table in the long format with the needed columns and usable times.

    And the same on its times, if it was given with a column for each series.

    With a target among the needed columns, it may be given as a wide frame: times as its index, or
    as its one column of times, and a column of values for each series. Columns that are needed may
    be levels of the index.
    """
    frame = as_pandas(frame, name, indexed=False)
    if not is_frame(frame):
        raise TypeError(
            f"{name} must be a DataFrame in the long format, one row for each series and time, or "
            f"with a column for each series; got {type(frame).__name__}."
        )
    if not frame.columns.is_unique or len(set(needed)) < len(needed):
        raise ValueError(
            f"{name} must have each column once, of distinct names; got "
            f"{[*map(str, frame.columns)]} and the names {needed}."
        )
    wide = _wide(frame, needed)
    frame = frame if wide is None else _melted(wide, needed)
    if levels := [n for n in frame.index.names if n in needed and n not in frame.columns]:
        frame = frame.reset_index(levels)
    for column in needed:
        if column not in frame.columns:
            text = [c for c in frame if column == needed[0] and frame[c].dtype.kind not in "biufMm"]
            call = f"{name}.set_index(pandas.to_datetime({name}.pop({text[0]!r})))" if text else ""
            raise ValueError(
                f"{name} must have a column {column!r}; got {list(map(str, frame.columns))}. Name "
                f"yours with id=..., time=... and target=.... A wide frame has numbers, a column "
                f"for each series, and each time once, as its index{', as by ' * bool(call)}{call}."
            )
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
            f"{times.dtype}, such as {times.iloc[0]!r}. "
            f"{how_to_convert(pd.Index(times), f'{name}[{needed[1]!r}]')}"
        )
    return frame, wide


def _wide(table: pd.DataFrame, needed: tuple[Hashable, ...]) -> pd.DataFrame | None:
    """Return a wide frame on its times; None if it has ids, or is no table of series in columns."""
    id_, time = needed[:2]
    if len(needed) < 3 or id_ in {*table.columns, *table.index.names}:
        return None
    if not has_dates(table.index):
        named = time in table.columns and table[time].dtype.kind != "f"  # else a series
        times = [time] if named else [c for c in table if has_dates(of_dates(pd.Index(table[c])))]
        if len(times) == 1:
            table = table.set_index(times[0])
            table = table.set_axis(of_dates(table.index))
    index, numeric = table.index, all(dtype.kind in "biuf" for dtype in table.dtypes)
    sized = table.shape[1] > 0 and index.nlevels == 1 and index.is_unique
    return table if sized and (numeric or has_dates(index)) else None


def _melted(
    wide: pd.DataFrame, needed: tuple[Hashable, ...], used: BoolArray | None = None
) -> pd.DataFrame:
    """Return the used places (t, m) of a wide frame in the long format.

    Without them, each series begins with its first value.
    """
    wide = wide.sort_index() if used is None else wide
    known = wide.notna().to_numpy()
    if used is None:
        used = np.maximum.accumulate(known) | ~known.any(axis=0)
    values = pd.concat([wide.iloc[:, k] for k in range(wide.shape[1])], ignore_index=True)
    (series, times), names = np.nonzero(used.T), wide.columns.to_flat_index()
    columns = (names[series], wide.index[times], values[used.T.ravel()].array)
    return pd.DataFrame(dict(zip(needed, columns, strict=True)))


def spans(known: BoolArray) -> BoolArray:
    """Return the places of each column (t, m) from its first to its last known value."""
    return np.maximum.accumulate(known) & np.maximum.accumulate(known[::-1])[::-1]


def stacked(tables: Sequence[pd.DataFrame], ids: Index, time: Hashable) -> pd.DataFrame:
    """Return the tables of series, each on its times, as one in the long format."""
    whole = pd.concat(tables)
    found = whole.set_axis(whole.index.rename(time)).reset_index()
    found.insert(0, ids.name, ids.repeat([len(table) for table in tables]))
    return found


def in_columns(table: pd.DataFrame, needed: tuple[Hashable, ...], name: str) -> pd.DataFrame:
    """Return the values of a long table with a row for each time and a column for each series."""
    id_, time, target = needed
    repeated = table.duplicated([id_, time])
    if repeated.any():
        which, when = (table[column][repeated].iloc[0] for column in (id_, time))
        raise ValueError(
            f"{name} must hold each time of a series once; {which!r} has {when} twice."
        )
    return table.set_index([time, id_])[target].unstack()  # noqa: PD010 - pivot refuses tuples


def in_form_of(
    wide: pd.DataFrame | None, found: pd.DataFrame, needed: tuple[Hashable, ...], *, indexed: bool
) -> pd.DataFrame:
    """Return series in columns in the form in which others were given, wide or long.

    Wide, they have the same times, as their index or as a column; long, each is from its first to
    its last value.
    """
    if wide is None:
        return _melted(found, needed, spans(found.notna().to_numpy()))
    found = found.reindex(wide.index)
    found.columns = found.columns.rename(wide.columns.name)
    return found if indexed else found.reset_index()


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
