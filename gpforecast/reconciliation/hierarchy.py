"""Which series are sums of which: by a matrix, by a tree, or by the keys of the bottom series."""

import warnings
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from gpforecast.common.cached import cached_property
from gpforecast.common.kinds import is_frame
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted, finite_array, real_array
from gpforecast.common.wording import listed
from gpforecast.panel.frames import in_columns, in_form_of, long_table, spans

_NAMED = 3  # parts that a warning names

Tree = Mapping[Hashable, Sequence[Hashable]]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The series of a hierarchy, each a sum of those at the bottom.

    Attributes
    ----------
    names : tuple (n,)
        Of all series, the totals first.
    bottom : tuple (m,)
        Of the series that are no sums of others, the last m of `names`.
    matrix : ndarray (n, m)
        S, whose rows are the weights of the bottom series in each series.

    Examples
    --------
    >>> tree = Hierarchy.of({"all": ["north", "south"], "south": ["coast", "hills"]})
    >>> tree.names
    ('all', 'south', 'north', 'coast', 'hills')
    >>> tree.to_frame().loc[["all", "south"]]
           north  coast  hills
    all      1.0    1.0    1.0
    south    0.0    1.0    1.0
    """

    names: tuple[Hashable, ...]
    bottom: tuple[Hashable, ...]
    matrix: FloatArray

    @classmethod
    def of(cls, structure: "Hierarchy | pd.DataFrame | Tree") -> "Hierarchy":
        """Read a hierarchy.

        Parameters
        ----------
        structure : DataFrame, mapping or Hierarchy
            - a numeric frame: the matrix, with all series as its index, those at the bottom as its
              columns;
            - a mapping from each total to the list of its parts, which may be totals again;
            - a frame of text or categories: see `from_keys`.

        Raises
        ------
        TypeError
            If it is none of these.
        ValueError
            If it is no hierarchy: the sentence says where.
        """
        if isinstance(structure, Hierarchy):
            return structure
        if not isinstance(structure, pd.DataFrame | Mapping):
            raise TypeError(
                f"structure must be a sum matrix or key columns (DataFrame), or a mapping from "
                f"each total to its parts; got {type(structure).__name__}."
            )
        if len(structure) == 0:
            raise ValueError(
                f"structure must have at least one series; got none, an empty "
                f"{type(structure).__name__}. Pass each total with its parts, such as "
                f"{{'all': ['north', 'south']}}."
            )
        if not is_frame(structure):
            return cls._of_tree(structure)
        numeric = all(dtype.kind in "biuf" for dtype in structure.dtypes)
        return cls._of_matrix(structure) if numeric else cls.from_keys(structure)

    @classmethod
    def from_keys(
        cls,
        keys: pd.DataFrame,
        *,
        levels: Sequence[Sequence[Hashable]] | None = None,
        total: Hashable = "Total",
    ) -> Self:
        """Return the totals of the bottom series that have keys in common.

        Parameters
        ----------
        keys : DataFrame (m, keys)
            A row for each bottom series, whose name is the label of the row.
        levels : sequence of sequences of columns, optional
            By which columns to add. By default none, the first, the first two, and so on; a level
            whose groups are the bottom series themselves is left out. For crossed groups name each:
            ``[[], ["state"], ["purpose"], ["state", "purpose"]]``.
        total : label
            The name of the sum of all. Other totals are named by their keys, joined by ``"/"``.

        Returns
        -------
        Hierarchy

        Examples
        --------
        >>> keys = pd.DataFrame({"state": ["NSW", "NSW", "VIC"]}, ["Sydney", "Hunter", "Melbourne"])
        >>> Hierarchy.from_keys(keys).names
        ('Total', 'NSW', 'VIC', 'Sydney', 'Hunter', 'Melbourne')
        """
        if keys.isna().to_numpy().any() or not len(keys):
            raise ValueError(
                "keys must have a row for each bottom series and no missing value; fill those that "
                "are missing, for instance with keys.fillna('other')."
            )
        columns = list(keys.columns)
        nested = [columns[:k] for k in range(len(columns) + 1)]
        rows: list[FloatArray] = []
        names: list[Hashable] = []
        for level in nested if levels is None else levels:
            if isinstance(level, str) or not set(level) <= set(columns):
                raise ValueError(
                    f"levels must hold lists of columns of keys, {columns}; got {level!r}."
                )
            labels = [*zip(*(keys[column] for column in level), strict=True)] or [()] * len(keys)
            groups = list(dict.fromkeys(labels))
            if levels is None and len(groups) == len(keys):
                continue
            names += ["/".join(map(str, group)) if group else total for group in groups]
            rows += [np.array([float(label == group) for label in labels]) for group in groups]
        bottom = tuple(keys.index)
        matrix = np.vstack([*rows, np.eye(len(bottom))])
        return cls(_unique((*names, *bottom)), bottom, matrix)

    @classmethod
    def _of_matrix(cls, frame: pd.DataFrame) -> Self:
        """Read a sum matrix, and put the totals first."""
        bottom = tuple(_unique(tuple(frame.columns)))
        rows = _unique(tuple(frame.index))
        absent = [name for name in bottom if name not in set(rows)]
        if absent:
            raise ValueError(
                f"a sum matrix must have a row for each series and a column for each bottom "
                f"series; got shape {frame.shape}, and {counted(len(absent), 'column')} without a "
                f"row of the same name, the first {absent[0]!r}. If the columns are keys of the "
                f"series, convert them to text with .astype(str)."
            )
        totals = [name for name in rows if name not in set(bottom)]
        names = (*totals, *bottom)
        matrix = finite_array(frame.iloc[[*map(rows.index, names)]], "structure", ndim=2)
        own = (matrix[len(totals) :] == np.eye(len(bottom))).all(axis=1)
        right = np.append(matrix[: len(totals)].any(axis=1), own)
        if not right.all():
            raise ValueError(
                f"a sum matrix must have the weights of its parts in the row of a total, and in "
                f"that of a bottom series 1 in its own column and 0 elsewhere; check the row of "
                f"{names[int(right.argmin())]!r}."
            )
        return cls(names, bottom, matrix)

    @classmethod
    def _of_tree(cls, tree: Tree) -> Self:
        """Read a mapping from each total to its parts."""
        for name, parts in tree.items():
            if isinstance(parts, str) or len(parts) == 0:
                raise ValueError(f"the parts of {name!r} must be a list of names; got {parts!r}.")
        every = dict.fromkeys(part for parts in tree.values() for part in parts)
        bottom = tuple(name for name in every if name not in tree)
        rows = dict(zip(bottom, np.eye(len(bottom)), strict=True))

        def row(name: Hashable, above: tuple[Hashable, ...]) -> FloatArray:
            if name in above:
                circle = " of ".join(map(repr, (*above[above.index(name) :], name)))
                raise ValueError(f"no series can be a part of itself; got the total {circle}.")
            if name not in rows:
                rows[name] = np.sum([row(part, (*above, name)) for part in tree[name]], axis=0)
            return rows[name]

        for name in tree:
            twice = row(name, ()) > 1.0
            if twice.any():
                raise ValueError(
                    f"a total must count each series once; {name!r} counts "
                    f"{bottom[int(twice.argmax())]!r} more than once. Make the other sum "
                    f"another total, or pass a sum matrix."
                )
        names = (*tree, *bottom)
        return cls(names, bottom, np.array([rows[name] for name in names]))

    @property
    def n_totals(self) -> int:
        """How many series are sums of others."""
        return len(self.names) - len(self.bottom)

    @cached_property
    def constraints(self) -> FloatArray:
        """C = [I, -A] (totals, n), with C y = 0 for coherent values y, where S = [A; I]."""
        return np.hstack([np.eye(self.n_totals), -self.matrix[: self.n_totals]])

    @cached_property
    def levels(self) -> IntArray:
        """How many bottom series each series adds up, (n,)."""
        return np.asarray((self.matrix != 0.0).sum(axis=1), dtype=np.int64)

    def to_frame(self) -> pd.DataFrame:
        """Return the sum matrix, with names."""
        rows, columns = (pd.Index(x, tupleize_cols=False) for x in (self.names, self.bottom))
        return pd.DataFrame(self.matrix, rows, columns)

    def aggregate(
        self,
        frame: pd.DataFrame,
        *,
        id: Hashable = "unique_id",  # noqa: A002 - the word of the format
        time: Hashable = "ds",
        target: Hashable = "y",
    ) -> pd.DataFrame:
        """Return a table of all series from one of the bottom series.

        A total is of the parts that exist: one that begins later, or has ended, counts as 0 then,
        and a warning says from when. It is missing (NaN) where one of its parts is, between the
        first and the last value of that part.

        Parameters
        ----------
        frame : DataFrame
            One row for each bottom series and time: the columns `id`, `time` and `target`. Or a
            wide frame: times as its index, a column for each bottom series.
        id, time, target : label
            The names of the columns of a long table.

        Returns
        -------
        DataFrame
            In the form of `frame`, all series in the order of `names`. Of a long table each begins
            and ends with its first and last known value; a wide frame has the same times.

        Raises
        ------
        ValueError
            If a bottom series is not in the table, or holds a time twice.

        Examples
        --------
        >>> tree = Hierarchy.of({"all": ["north", "south"]})
        >>> tree.aggregate(pd.DataFrame({"south": [1.0, 2.0], "north": [3.0, 4.0]}))
           all  north  south
        0  4.0    3.0    1.0
        1  6.0    4.0    2.0
        """
        needed = (id, time, target)
        table, given = long_table(frame, needed, "frame")
        present = set(table[id])
        absent = [name for name in self.bottom if name not in present]
        if absent:
            raise ValueError(
                f"frame must hold all {len(self.bottom)} bottom series; it lacks {len(absent)}, "
                f"the first {absent[0]!r}."
            )
        bottom, names = (pd.Index(x, tupleize_cols=False) for x in (self.bottom, self.names))
        wide = in_columns(table[table[id].isin(bottom)], needed, "frame").reindex(columns=bottom)
        values = real_array(wide, str(target), ndim=2)
        exists, parts = spans(~np.isnan(values)), self.matrix.T != 0.0
        some = exists.astype(np.float64) @ parts > 0.0  # (t, n): a total of some parts
        absent = ~exists & (some.astype(np.float64) @ parts.T > 0.0)  # (t, m)
        sums = np.where(some, self.sums(np.where(exists, values, 0.0)), np.nan)
        if absent.any():
            warnings.warn(_incomplete(wide.index, bottom, exists, absent), stacklevel=2)
        found = pd.DataFrame(sums, wide.index, names)
        return in_form_of(given, found, needed, indexed=given is frame)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return values of all series (t, n) from those at the bottom, NaN where a part is."""
        lost = np.isnan(values).astype(np.float64) @ (self.matrix != 0.0).T > 0.0
        return np.where(lost, np.nan, np.nan_to_num(values) @ self.matrix.T)


def _incomplete(times: Index, names: Index, exists: BoolArray, absent: BoolArray) -> str:
    """Say when the parts begin and end that are absent (t, m) while others are there."""
    said = []
    for name, there, gone in zip(names, exists.T, absent.T, strict=True):
        known = np.flatnonzero(there)
        if gone.any() and not len(known):
            said.append(f"{name!r} has no value")
        elif gone.any():
            ends = {"from": (known[0], gone[: known[0]]), "to": (known[-1], gone[known[-1] :])}
            words = [f"{word} {times[k]}" for word, (k, beyond) in ends.items() if beyond.any()]
            said.append(f"{name!r} is known {' '.join(words)}".replace(" 00:00:00", ""))
    return (
        f"totals are of the parts that exist, and count as 0 those that do not: "
        f"{listed(said, _NAMED)}. Where such a value exists but is not known, fill it in first."
    )


def _unique(names: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """Return names, or say which of them comes twice."""
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ValueError(
            f"each series of a hierarchy must have a unique name; {twice[0]!r} comes twice. "
            f"Rename one of them."
        )
    return names
