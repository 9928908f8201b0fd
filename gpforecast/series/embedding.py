"""A series, and known inputs with it, as rows (X, y) of a one-step regression.

Row for target time t with lead h, lags l1 < l2 < ... and exogenous columns u, v, ...::

    X = [y(t - l1 - (h - 1)), y(t - l2 - (h - 1)), ..., u(t - k1), u(t - k2), ..., v(t - k1), ...]
    y = y(t)
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from gpforecast.common.types import ExogLike, FloatArray, Index, SeriesLike
from gpforecast.common.validation import counted, is_integer, positive_integer, shown
from gpforecast.series.checked import checked
from gpforecast.series.exogenous import ExogLags, exog_array
from gpforecast.storage import storable

_MOST_LAGS = 100_000


@dataclass(frozen=True, eq=False)
class Embedded:
    """A series as regression rows, what `LagEmbedding.transform` returns.

    Attributes
    ----------
    X : ndarray, shape (n, d)
        Inputs, C-contiguous, in the units of the series and of the exogenous columns.
    y : ndarray, shape (n,)
        Targets, in the units of the series.
    index : pandas.Index
        The times of the targets, n of them.
    columns : tuple of str
        A name for each of the d inputs, such as ``"lag12"`` or ``"exog temp lag0"``.
    n_dropped : int
        How many rows were left out because a value in them was missing.
    """

    X: FloatArray  # (n, d)
    y: FloatArray  # (n,)
    index: Index
    columns: tuple[str, ...]
    n_dropped: int


@storable
@dataclass(frozen=True)
class LagEmbedding:
    """Which past values of a series, and of its inputs, predict a value.

    Parameters
    ----------
    lags : int or sequence of int
        An int n stands for the lags 1 to n; otherwise positive integers in increasing order, such
        as ``[6, 12, 18]``. Kept as the int or a tuple.
    lead : int
        How many steps before the target the value at lag 1 lies: lag l is l + lead - 1 steps before
        its target. 1 is the one-step model; h gives targets for a direct h-step model.
    exog_lags : sequence of int, or mapping from column to sequence of int, optional
        Lags of the exogenous columns, >= 0, in increasing order: one list for every column, or one
        per column by name (by position, from 0, for an array). They are counted back from the
        target's own time whatever the lead is: 0 is the value at the target's time, which must be
        known in advance to forecast. None stands for lag 0 of every column.

    Attributes
    ----------
    lags_ : tuple of int
        The lags written out.
    max_lag : int
        Steps from the target back to its oldest input: largest lag + lead - 1.

    Raises
    ------
    TypeError
        If lags are no list.
    ValueError
        If a lag or the lead is not a whole number in its range, or lags are empty, repeated or out
        of order.

    Examples
    --------
    >>> rows = LagEmbedding(lags=[1, 3]).transform([10.0, 11.0, 12.0, 13.0, 14.0])
    >>> rows.X
    array([[12., 10.],
           [13., 11.]])
    >>> rows.y, list(rows.index), rows.columns
    (array([13., 14.]), [3, 4], ('lag1', 'lag3'))
    """

    lags: int | Sequence[int] = 16
    lead: int = field(default=1, kw_only=True)
    exog_lags: ExogLags = field(default=None, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        one = np.ndim(self.lags) == 0 and self.lags is not None
        lags = positive_integer(self.lags, "lags") if one else _lag_tuple(self.lags, "lags", 1)
        if is_integer(lags) and lags > _MOST_LAGS:
            raise ValueError(
                f"lags must be at most {_MOST_LAGS}, as n stands for the lags 1 to n; got {lags}. "
                f"For a single lag pass a list, lags=[{lags}]."
            )
        given = self.exog_lags
        if isinstance(given, Mapping):
            given = {c: _lag_tuple(ks, f"exog_lags[{c!r}]", 0) for c, ks in given.items()}
        elif given is not None:
            given = _lag_tuple(given, "exog_lags", 0)
        object.__setattr__(self, "lags", lags)
        object.__setattr__(self, "lead", positive_integer(self.lead, "lead"))
        object.__setattr__(self, "exog_lags", given)

    @property
    def lags_(self) -> tuple[int, ...]:
        """The lags of the series, written out."""
        lags = self.lags
        return tuple(range(1, lags + 1)) if is_integer(lags) else tuple(lags)  # type: ignore[arg-type]

    @property
    def max_lag(self) -> int:
        """Steps from a target back to the oldest value of the series among its inputs."""
        return self.lags_[-1] + self.lead - 1

    def exog_plan(self, columns: Iterable[Hashable]) -> tuple[tuple[int, int], ...]:
        """Return the order in which exogenous inputs follow the series' lags in X.

        Parameters
        ----------
        columns : iterable
            The names of the exogenous columns, in their order.

        Returns
        -------
        tuple of (int, int)
            For each exogenous input the position of its column and its lag, counted back from the
            target's time.

        Raises
        ------
        ValueError
            If `exog_lags` is a mapping over other columns than these.

        Examples
        --------
        >>> LagEmbedding(exog_lags={"rain": [0, 1], "temp": [0]}).exog_plan(["temp", "rain"])
        ((0, 0), (1, 0), (1, 1))
        """
        names = list(columns)
        given = self.exog_lags
        if not isinstance(given, Mapping):
            given = dict.fromkeys(names, (0,) if given is None else tuple(given))
        problems = [f"names {c!r}, which exog does not have" for c in given if c not in names]
        problems += [f"says nothing of {c!r}" for c in names if c not in given]
        if problems:
            raise ValueError(
                f"exog_lags must name the columns of exog, {names!r}; it {problems[0]}. Give each "
                f"column its lags, or leave columns out of exog."
            )
        return tuple((j, lag) for j, c in enumerate(names) for lag in given[c])

    def n_inputs(self, n_exog: int = 0) -> int:
        """Return d, the number of inputs of a row.

        Parameters
        ----------
        n_exog : int
            The number of exogenous columns.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If `exog_lags` is a mapping over another number of columns.

        Examples
        --------
        >>> LagEmbedding(12, exog_lags=[0, 1]).n_inputs(n_exog=2)
        16
        """
        if isinstance(self.exog_lags, Mapping) and len(self.exog_lags) == n_exog:
            return len(self.feature_names(self.exog_lags))
        return len(self.feature_names(range(n_exog)))

    def feature_names(self, exog_columns: Iterable[Hashable] = ()) -> tuple[str, ...]:
        """Return a name for each input, in the order of X's columns.

        Parameters
        ----------
        exog_columns : iterable
            The names of the exogenous columns.

        Returns
        -------
        tuple of str

        Raises
        ------
        ValueError
            As `exog_plan`.

        Examples
        --------
        >>> LagEmbedding([1, 12]).feature_names(["temp"])
        ('lag1', 'lag12', 'exog temp lag0')
        """
        names = list(exog_columns)
        own = tuple(f"lag{lag}" for lag in self.lags_)
        return own + tuple(f"exog {names[j]} lag{k}" for j, k in self.exog_plan(names))

    def transform(self, y: SeriesLike, exog: ExogLike = None) -> Embedded:
        """Lay a series out as regression rows, in time and memory O(n d).

        X is filled once, column by column; nothing else of its size is made.

        Parameters
        ----------
        y : Series or 1-D array-like
            The series; NaN marks missing values.
        exog : DataFrame, Series or array-like, shape (n,) or (n, columns), optional
            Inputs at the times of `y`, NaN where missing. A pandas object must have the index of
            `y`.

        Returns
        -------
        Embedded
            One row for each target time whose inputs all lie within the series, less those in which
            a value is missing.

        Raises
        ------
        TypeError
            If values are not real numbers, or the index is of a kind that cannot be regular.
        ValueError
            If the index is not regular, a value is infinite, `exog` does not fit `y` or
            `exog_lags`, or fewer than 2 rows can be made.

        Examples
        --------
        >>> rows = LagEmbedding(1, lead=2).transform([1.0, 2.0, None, 4.0, 5.0, 6.0])
        >>> rows.X.ravel(), rows.y, rows.n_dropped
        (array([2., 4.]), array([4., 6.]), 2)
        """
        series = checked(y)
        values, index = series.values, series.axis.index
        if exog is not None:
            columns, inputs = exog_array(exog, index)
        elif self.exog_lags is None:
            columns, inputs = (), np.empty((len(values), 0))
        else:
            raise ValueError(
                f"exog must be given where exog_lags is; got exog_lags={self.exog_lags!r} and no "
                f"exog. Pass the inputs, or leave exog_lags out."
            )
        return self.embed(values, index, inputs, columns)

    def embed(
        self,
        values: FloatArray,
        index: Index,
        inputs: FloatArray,
        columns: Sequence[Hashable],
        lost: int = 0,
    ) -> Embedded:
        """Lay values (n,) and inputs (n, columns) that have been checked out as rows.

        So many values as `lost` were used up by transforms before.
        """
        plan = self.exog_plan(columns)
        first = self.first_target(len(values), [k for _, k in plan], lost)
        sources = [(values, lag + self.lead - 1) for lag in self.lags_]
        sources += [(inputs[:, j], k) for j, k in plan]

        complete = ~np.isnan(values[first:])  # (targets,)
        for source, shift in sources:
            complete &= ~np.isnan(source[first - shift : len(source) - shift])
        n_dropped = int((~complete).sum())
        if len(complete) - n_dropped < 2:
            raise ValueError(
                f"series and exog must leave at least 2 rows without missing values to learn from; "
                f"got {len(complete) - n_dropped} of {len(complete)}. Fill short gaps first, for "
                f"instance with Series.interpolate(), or use fewer lags: each missing value spoils "
                f"every row that has it among its lags."
            )
        targets = first + np.flatnonzero(complete)  # (n,)
        times = index[first:] if n_dropped == 0 else index[targets]
        X = np.empty((len(targets), len(sources)))
        for column, (source, shift) in zip(X.T, sources, strict=True):
            column[:] = source[targets - shift]
        return Embedded(X, values[targets], times, self.feature_names(columns), n_dropped)

    def first_target(self, n: int, exog_lags: list[int], lost: int = 0) -> int:
        """Return the position of the first target whose inputs exist, if two targets have them.

        Parameters
        ----------
        n : int
            Values of the series.
        exog_lags : list of int
            Lags of all exogenous columns.
        lost : int
            Values that were used up by transforms before.

        Raises
        ------
        ValueError
            If fewer than two targets have inputs.
        """
        first, last = max([self.max_lag, *exog_lags]), self.lags_[-1]
        if n >= first + 2:
            return first
        used = f", of which transforms use up {lost}," if lost else ""
        what = f"lags={last} needs" if len(self.lags_) == last else f"lags up to {last} need"
        if first > self.max_lag:
            what = f"exog_lags up to {first} need"
        more = f" with lead={self.lead}" if self.lead > 1 else ""
        raise ValueError(
            f"series has {counted(n + lost, 'value')}{used} but {what} at least {first + 2}{more}, "
            f"2 of them to learn from; pass a longer series or fewer lags."
        )


def _lag_tuple(lags: object, name: str, lowest: int) -> tuple[int, ...]:
    array = np.asarray(lags, dtype=object)
    if array.ndim == 0:
        raise TypeError(f"{name} must be a list of whole numbers; got {shown(lags)}.")
    values = array.tolist()
    whole = bool(values) and all(is_integer(lag) for lag in values) and values[0] >= lowest
    if not whole or len(values) > _MOST_LAGS or any(b <= a for a, b in pairwise(values)):
        raise ValueError(
            f"{name} must be a list of integers from {lowest} up in increasing order, each once, "
            f"at most {_MOST_LAGS}; got {shown(lags)}."
        )
    return tuple(map(int, values))
