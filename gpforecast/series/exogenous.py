"""Exogenous inputs of a forecaster: their columns, their past, their uncertain future."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import covariance_matrix, finite_array
from gpforecast.series.embedding import exog_array
from gpforecast.series.indexes import counts_rows_of
from gpforecast.series.regularity import Index
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
        Whether the columns came with names, by which a later frame is told from another.
    """

    columns: tuple[Any, ...]
    past: FloatArray  # (n, q)
    location: FloatArray  # (q,)
    scale: FloatArray  # (q,)
    named: bool = True

    @staticmethod
    def fit(exog: Any, index: Index) -> "Exogenous":
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
        named = isinstance(exog, pd.DataFrame) or getattr(exog, "name", None) is not None
        return Exogenous(columns, values.copy(), location, scale, named)  # shared with nobody

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

    def labelled(self) -> pd.DataFrame | None:
        """Return the scaled past under its names, by which exog_lags may ask for it."""
        if not self.columns:
            return None
        return pd.DataFrame(self.scaled(self.past), columns=list(self.columns))

    def over(self, exog: Any, index: Index, where: str, *, missing: bool = False) -> FloatArray:
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
            names = ", ".join(repr(c) for c in self.columns)
            raise ValueError(
                f"the model was fitted with exogenous inputs ({names}); pass exog=... with their "
                f"values over {where}."
            )
        labelled = isinstance(exog, (pd.DataFrame, pd.Series))
        if labelled and len(exog) == len(index) and counts_rows_of(exog.index, index):
            exog = exog.set_axis(index)
        shape = np.shape(exog)
        if shape and shape[0] != len(index):
            turned = shape == (len(self), len(index)) and len(self) != len(index)
            hint = " Transpose it." if turned else ""
            raise ValueError(
                f"exog must have one row for each of {where} ({len(index)}); got {shape[0]}.{hint}"
            )
        columns, values = exog_array(exog, index)
        named = isinstance(exog, pd.DataFrame)
        values = self._ordered(columns if named else None, values)
        lost = np.isnan(values)
        if lost.any() and not missing:
            row, column = np.argwhere(lost)[0]
            raise ValueError(
                f"exog must be known at each of {where}; got {int(lost.sum())} missing, the first "
                f"in {self.columns[column]!r} at {index[row]}. Forecast it first, and pass how "
                f"uncertain that is as exog_cov."
            )
        return values

    def covariance(self, exog_cov: Any, horizon: int) -> FloatArray | None:
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

    def _ordered(self, columns: tuple[Any, ...] | None, values: FloatArray) -> FloatArray:
        """Put the columns in the order of the fit; without names they are in it already."""
        if values.shape[1] != len(self):
            raise ValueError(
                f"exog must have the {len(self)} columns of the fit "
                f"({', '.join(map(repr, self.columns))}); got {values.shape[1]}."
            )
        if columns is None:
            return values
        if set(columns) != set(self.columns):
            if not self.named:
                return values
            raise ValueError(
                f"exog must have the columns of the fit, {list(self.columns)}; got {list(columns)}."
            )
        return values[:, [columns.index(c) for c in self.columns]]
