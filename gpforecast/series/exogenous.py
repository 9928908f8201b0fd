"""Exogenous inputs of a series: their columns, their past, their uncertain future."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, Index
from gpforecast.common.validation import (
    array_without_infinities,
    check_size,
    counted,
    covariance_matrix,
    finite_array,
    is_labelled,
    is_series,
)
from gpforecast.series.labels import counts_from_zero
from gpforecast.series.scaling import location_and_scale
from gpforecast.storage import storable


@storable
@dataclass(frozen=True, eq=False)
class Exogenous:
    """Columns that drive a series, as a forecaster was fitted to them; there may be none.

    Attributes
    ----------
    columns : tuple
        Their names, or positions for an array.
    past : ndarray (n, q)
        Their values over the history of the series, in their own units; NaN where missing.
    location, scale : ndarray (q,)
        Of each column, by which it is standardised.
    named : bool
        Whether the columns came with names, by which later frames are matched.
    """

    columns: tuple[Hashable, ...]
    past: FloatArray  # (n, q)
    location: FloatArray  # (q,)
    scale: FloatArray  # (q,)
    named: bool = True

    @staticmethod
    def fit(exog: ExogLike, index: Index) -> "Exogenous":
        """Check the columns against the series' index and learn their scales."""
        if exog is None:
            return Exogenous((), np.empty((len(index), 0)), np.empty(0), np.empty(0))
        columns, values = exog_array(exog, index)
        for name, column in zip(columns, values.T, strict=True):
            if len(column) and np.isnan(column).all():
                raise ValueError(
                    f"exog must hold at least one value in every column; all of {name!r} are "
                    f"missing. Leave it out."
                )
        known = [location_and_scale(column[~np.isnan(column)]) for column in values.T]
        location, scale = (np.array(each) for each in zip(*known, strict=True))
        named = exog.name is not None if is_series(exog) else is_labelled(exog)
        return Exogenous(columns, values.copy(), location, scale, named)  # own copy

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def extended(self, future: FloatArray) -> "Exogenous":
        """Return the same columns with more of their past."""
        return replace(self, past=np.concatenate([self.past, future]))

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return values (n, q) standardised column by column."""
        scaled: FloatArray = (values - self.location) / self.scale
        return scaled

    def over(
        self, exog: ExogLike, index: Index, where: str, *, missing: bool = False
    ) -> FloatArray:
        """Return the values a user gives for the times `index`, in the order of the fit.

        Parameters
        ----------
        exog : DataFrame, Series, array or None
            A frame that only counts its rows (`counts_rows_of`) is taken row by row.
        index : Index
            The n times.
        where : str
            What the times are, for a message.
        missing : bool
            Whether values may be missing (NaN).

        Returns
        -------
        ndarray (n, q)

        Raises
        ------
        TypeError, ValueError
            If they are missing, not wanted, or do not fit in shape, time or columns.
        """
        if not self.columns:
            if exog is not None:
                raise ValueError("exog is given but the model was fitted without any.")
            return np.empty((len(index), 0))
        if exog is None:
            raise ValueError(
                f"the model was fitted with exogenous inputs, {[*self.columns]}; pass exog=... "
                f"with their values over {where}."
            )
        columns, values = exog_array(exog, index, where, by_row=True)
        is_frame = isinstance(exog, pd.DataFrame)
        same = set(columns) == set(self.columns)
        if len(columns) != len(self) or (is_frame and self.named and not same):
            raise ValueError(
                f"exog must have the {counted(len(self), 'column')} of the fit, "
                f"{[*self.columns]}; got {len(columns)}, {[*columns]}."
            )
        if is_frame and same:
            values = values[:, [columns.index(c) for c in self.columns]]
        lost = np.isnan(values)
        if lost.any() and not missing:
            row, column = np.argwhere(lost)[0]
            raise ValueError(
                f"exog must be known at each of {where}; got {int(lost.sum())} missing, the first "
                f"in {self.columns[column]!r} at {index[row]}. Forecast it first, and pass how "
                f"uncertain that is as exog_cov."
            )
        return values

    def covariance(self, exog_cov: ArrayLike | None, horizon: int) -> FloatArray | None:
        """Return the joint covariance of the scaled future inputs, (h q, h q).

        Parameters
        ----------
        exog_cov : array-like or None
            Variances (h, q), or a joint covariance (h q, h q) ordered step by step.
        horizon : int
        """
        if exog_cov is None:
            return None
        q = len(self)
        if q == 0:
            raise ValueError("exog_cov is given but the model was fitted without exog.")
        S = finite_array(exog_cov, "exog_cov")
        S = S[:, None] if S.ndim == 1 and q == 1 else S
        full = (horizon * q, horizon * q)
        if S.shape == (horizon, q) and S.shape != full:
            if (S < 0).any():
                raise ValueError("exog_cov holds variances; they must not be negative.")
            S = np.diag(S.ravel())
        elif S.shape != full:
            raise ValueError(
                f"exog_cov must hold variances, shape ({horizon}, {q}), or a joint covariance, "
                f"shape {full}; got {S.shape}."
            )
        S = covariance_matrix(S, "exog_cov")
        scale = np.tile(self.scale, horizon)
        return np.asarray(S / scale[:, None] / scale, dtype=np.float64)


def exog_array(
    exog: ExogLike, index: Index, where: str = "the series", *, by_row: bool = False
) -> tuple[tuple[Hashable, ...], FloatArray]:
    """Check exogenous inputs against the index of their series.

    Parameters
    ----------
    exog : DataFrame, Series or array-like, shape (n,) or (n, columns)
        The inputs; NaN is let through.
    index : pandas.Index
        The n times at which they must be given.
    where : str
        What the times are, for a message.
    by_row : bool
        Whether labels that only count the rows (`counts_rows_of`) are let through.

    Returns
    -------
    columns : tuple
        The names of the columns; positions from 0 where there are no names.
    values : ndarray, shape (n, columns)
        The inputs, in their own units.

    Raises
    ------
    TypeError
        If the values are not real numbers.
    ValueError
        If the shape or the index does not fit, a column name occurs twice, or a value is infinite.

    Examples
    --------
    >>> exog_array([5, 6], pd.RangeIndex(2))
    ((0,), array([[5.],
           [6.]]))
    """
    n = len(index)
    values = array_without_infinities(exog, "exog")
    if values.ndim not in (1, 2) or 0 in values.shape[1:]:
        raise ValueError(
            f"exog must be a DataFrame, Series or array of 1 or more columns; got an array of "
            f"shape {values.shape}."
        )
    for column in values.reshape(len(values), -1).T:
        check_size(column, "exog")
    if len(values) != n:
        turned = values.ndim == 2 and values.shape[1] == n
        raise ValueError(
            f"exog must have one row for each of the {n} values of {where}; got shape "
            f"{values.shape}. {'Transpose it.' if turned else 'Give both the same times.'}"
        )
    columns: tuple[Hashable, ...] = tuple(range(values[:1].size))
    if is_labelled(exog):
        columns = tuple(pd.DataFrame(exog).columns)
        if not (by_row and counts_from_zero(exog.index)):
            _check_same_times(exog.index, index)
    twice = [c for i, c in enumerate(columns) if c in columns[:i]]
    if twice:
        raise ValueError(f"exog must have distinct column names; got {twice[0]!r} twice.")
    return columns, values.reshape(n, -1)


def _check_same_times(given: Index, expected: Index) -> None:
    """Refuse an index of the same length but other timestamps."""
    if given.equals(expected):
        return
    for i, (a, b) in enumerate(zip(given, expected, strict=True)):
        if type(a) is not type(b) or a != b:
            raise ValueError(
                f"exog must have the index of the series; at position {i} it has {a} where the "
                f"series has {b}. Align it first, for instance with exog.reindex(series.index)."
            )
