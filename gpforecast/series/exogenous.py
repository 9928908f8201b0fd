"""Exogenous inputs of a series: their columns, their past, their uncertain future."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.kinds import is_frame, is_labelled, is_series
from gpforecast.common.shapes import check_finite, check_shapes, covariance_matrix
from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, Index
from gpforecast.common.validation import (
    array_without_infinities,
    check_distinct_columns,
    check_size,
    counted,
    finite_array,
    shown,
)
from gpforecast.common.wording import meant
from gpforecast.series.calendars import Calendar, column_labels, columns_of
from gpforecast.series.categories import Categories
from gpforecast.series.frames import as_table
from gpforecast.series.labels import (
    check_same_times,
    counts_from_zero,
    rows_needed,
    time_at,
    times_of,
)
from gpforecast.series.scaling import location_and_scale
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable

ExogLags: TypeAlias = Sequence[int] | Mapping[Any, Sequence[int]] | None
"""Lags of exogenous columns: one list for all, or one for each by name."""
_FORECAST_THEM = 'exog="forecast" in predict to have them forecast too'


@storable
@dataclass(frozen=True, eq=False)
class Exogenous:
    """Columns that drive a series, as a forecaster was fitted to them; there may be none.

    Attributes
    ----------
    columns : tuple
        Their names, or positions for an array; those of categories and calendars written out.
    past : ndarray (n, q)
        Their values over the history of the series, in their own units; NaN where missing.
    location, scale : ndarray (q,)
        Of each column, by which it is standardised.
    named : bool
        Whether the columns came with names, by which later frames are matched.
    given : tuple
        The names of the columns that the user passes.
    categories : Categories
        Which of these hold categories.
    calendars : tuple of (Calendar, tuple of str)
        Calendars and the names by which they know their columns, which are the last ones.
    in_model : bool
        Whether the columns are inputs of the one-step model; otherwise a transform takes them.
    axis : TimeAxis
        The first times of the fitted series.
    """

    columns: tuple[Hashable, ...]
    past: FloatArray  # (n, q)
    location: FloatArray  # (q,)
    scale: FloatArray  # (q,)
    named: bool = True
    given: tuple[Hashable, ...] = ()
    categories: Categories = field(default_factory=lambda: Categories({}))
    calendars: tuple[tuple[Calendar, tuple[str, ...]], ...] = ()
    in_model: bool = True
    axis: TimeAxis = field(default_factory=lambda: TimeAxis.rows(0))

    def __post_init__(self) -> None:
        q = len(self.columns)
        check_shapes(self, past=(len(self.past), q), location=(q,), scale=(q,))
        check_finite(self, "location", "scale")

    @staticmethod
    def fit(
        exog: ExogLike,
        axis: TimeAxis,
        calendars: Sequence[Calendar] = (),
        detected: Sequence[tuple[Calendar, tuple[str, ...]]] = (),
    ) -> "Exogenous":
        """Check the columns against the series' times and learn their scales.

        Of calendars that were detected, only some columns are taken.
        """
        given: tuple[Hashable, ...] = ()
        columns, values, named = given, np.empty((len(axis), 0)), True
        exog = rows_needed(exog, axis.index)
        categories = Categories.of(exog)
        if exog is not None:
            columns, values = exog_array(categories.encoded(exog), axis.index)
            named = exog.name is not None if is_series(exog) else is_labelled(exog)
            given = tuple(pd.DataFrame(exog).columns) if is_labelled(exog) else columns
        dates = axis.dated()
        named_calendars = (*((one, one.names(dates)) for one in calendars), *detected)
        columns = (*columns, *column_labels(named_calendars))
        known = (columns_of(calendar, dates, names) for calendar, names in named_calendars)
        values = np.column_stack([values, *known])
        twice = [c for i, c in enumerate(columns) if c in columns[:i]]
        if twice:
            raise ValueError(
                f"exog and calendar must have distinct column names; got {twice[0]!r} twice."
            )
        for name, column in zip(columns, values.T, strict=True):
            if len(column) and np.isnan(column).all():
                raise ValueError(
                    f"exog must hold at least one value in every column; all of {name!r} are "
                    f"missing. Leave it out."
                )
        scales = [location_and_scale(column[~np.isnan(column)]) for column in values.T]
        location, scale = np.array(scales).reshape(-1, 2).T.copy()
        return Exogenous(
            columns, values, location, scale, named, given, categories, named_calendars,
            axis=axis.head,
        )  # fmt: skip

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    @property
    def n_given(self) -> int:
        """How many of the columns come from the user, not from a calendar."""
        return len(self) - sum(len(names) for _, names in self.calendars)

    @property
    def sources(self) -> tuple[str, ...]:
        """What messages call each column: by the user's name where it is a category written out."""
        return tuple(
            repr(name if name in self.given else str(name).partition("=")[0])
            for name in self.columns
        )

    @property
    def model_columns(self) -> tuple[Hashable, ...]:
        """The names of the columns that are inputs of the one-step model."""
        return self.columns if self.in_model else ()

    def extended(self, future: FloatArray) -> "Exogenous":
        """Return the same columns with more of their past."""
        return replace(self, past=np.concatenate([self.past, future]))

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return the inputs of the model, of values (n, q), standardised column by column."""
        scaled: FloatArray = (values - self.location) / self.scale
        return scaled if self.in_model else scaled[:, :0]

    def lags(self, exog_lags: ExogLags) -> ExogLags:
        """Return the lags of every column, from what the user says of those that they pass."""
        written_out = self.n_given == len(self.given)
        if exog_lags is None or (written_out and not self.calendars):
            return exog_lags
        if not isinstance(exog_lags, Mapping):
            exog_lags = dict.fromkeys(self.given, exog_lags)
        unknown = [c for c in exog_lags if c not in self.given]
        if unknown or len(exog_lags) < len(self.given):
            return exog_lags  # `LagEmbedding.exog_plan` says what is wrong
        each: dict[Hashable, Sequence[int]] = {
            name: lags for c, lags in exog_lags.items() for name in self.categories.named(c)
        }
        return {c: each.get(c, (0,)) for c in self.columns}

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
            What the times are of, for a message.
        missing : bool
            Whether values may be missing (NaN).

        Returns
        -------
        ndarray (n, q)
            The columns of calendars are the last.

        Raises
        ------
        TypeError, ValueError
            If they are missing, given without need, or do not fit in shape, time or columns.
        """
        if not len(index):
            return np.empty((0, len(self)))
        values = self._given_over(exog, index, where, missing=missing)
        dates = self.axis.dated(index)
        known = (columns_of(calendar, dates, names) for calendar, names in self.calendars)
        return np.column_stack([values, *known])

    def _given_over(self, exog: ExogLike, index: Index, where: str, *, missing: bool) -> FloatArray:
        """Return the columns that come from the user."""
        n_given, given = self.n_given, [*self.given]
        if not n_given:
            if exog is not None:
                raise ValueError(
                    "exog is given but the model was fitted without any; leave it out, or fit "
                    "again with inputs over the series: fit(series, exog=...)."
                )
            return np.empty((len(index), 0))
        if exog is None:
            otherwise = " (NaN where unknown)" if missing else f", or {_FORECAST_THEM}"
            raise ValueError(
                f"the model was fitted with exogenous inputs, {given}; pass exog=... with their "
                f"values at the {times_of(index, where)}{otherwise}."
            )
        exog = rows_needed(exog, index)
        if is_frame(exog) and self.named and {*given} <= {*exog.columns}:
            exog = exog[given]
        columns, values = exog_array(self.categories.encoded(exog), index, where, by_row=True)
        expected = self.columns[:n_given]
        if len(columns) != n_given or (is_frame(exog) and self.named and columns != expected):
            got = [*exog.columns] if is_frame(exog) else [*columns]
            wrong, lacking = ([*map(str, a)] for a in (set(got) - {*given}, set(given) - {*got}))
            raise ValueError(
                f"exog must have the {counted(len(given), 'column')} of the fit, {given}; got "
                f"{len(got)}, {got}.{''.join(meant(name, lacking) for name in sorted(wrong)[:1])}"
            )
        lost = np.isnan(values)
        if lost.any() and not missing:
            row, column = map(int, np.argwhere(lost)[0])
            raise ValueError(
                f"exog must be known at each of the {times_of(index, where)}; got "
                f"{counted(int(lost.sum()), 'missing value')}, the first in {expected[column]!r} "
                f"at {time_at(index, row)}. Forecast it first, and pass how uncertain that is as "
                f'exog_cov; exog="forecast" in predict does both.'
            )
        return values

    def covariance(self, exog_cov: ArrayLike | None, horizon: int) -> FloatArray | None:
        """Return the joint covariance of the future inputs, (h q, h q), in their own units.

        Parameters
        ----------
        exog_cov : array-like or None
            Variances (h, given columns), or a joint covariance ordered step by step.
        horizon : int
        """
        if exog_cov is None:
            return None
        q = self.n_given
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
        known = ((0, 0), (0, len(self) - q))  # the columns of calendars have no variance
        whole = np.pad(covariance_matrix(S, "exog_cov").reshape(horizon, q, horizon, q), known * 2)
        return whole.reshape(horizon * len(self), horizon * len(self))

    def scaled_covariance(self, S: FloatArray | None) -> FloatArray | None:
        """Return a covariance of future inputs in standardised units; None for none in the model.

        Parameters
        ----------
        S : ndarray (h q, h q) or None
        """
        if S is None or not self.in_model:
            return None
        scale = np.tile(self.scale, len(S) // len(self))
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
        What the times are of, for a message.
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
    n, table = len(index), as_table(exog)
    for name, column in () if table is None else table.select_dtypes(exclude="number").items():
        array_without_infinities(column, f"exog column {name!r}")
    if table is None and np.asarray(exog).dtype.kind == "U":
        raise TypeError(
            f"exog must hold the values of the inputs, a row for each time; got {shown(exog)}. "
            f"Pass the columns themselves, such as frame[['promo']], or categories as a Series."
        )
    values = array_without_infinities(exog, "exog")
    if values.ndim not in (1, 2) or 0 in values.shape[1:]:
        raise ValueError(
            f"exog must be a DataFrame, Series or array of 1 or more columns; got an array of "
            f"shape {values.shape}."
        )
    values = values[:, None] if values.ndim == 1 else values
    for column in values.T:
        check_size(column, "exog")
    columns: tuple[Hashable, ...] = tuple(range(values.shape[1]))
    if table is not None:
        check_distinct_columns(table, "exog")
        columns = tuple(table.columns)
        if not (by_row and counts_from_zero(table.index)):
            check_same_times(table.index, index, where)
    if len(values) != n:
        turned = values.shape[1] == n > 1
        raise ValueError(
            f"exog must have one row for each of the {times_of(index, where)}; got "
            f"{counted(len(values), 'row')}.{' Transpose it.' if turned else ''}"
        )
    return columns, values
