"""How the errors of series depend on each other, from those of the past."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import array_without_infinities, counted

_FEWEST = 8  # errors in common: fewer say nothing about correlations


@dataclass(frozen=True, eq=False)
class Dependence:
    """Correlations of the one-step errors of n series.

    Attributes
    ----------
    R : ndarray (n, n)
    shrinkage : float
        The weight of independence in it, from 0 to 1.
    notes : tuple of str
    """

    R: FloatArray
    shrinkage: float
    notes: tuple[str, ...] = ()

    @staticmethod
    def independent(n: int, why: str) -> "Dependence":
        """Return that of independent errors, with a note on why."""
        note = (
            f"the errors of different series are taken as independent, because {why}; where they "
            f"err together, the intervals are too narrow"
        )
        return Dependence(np.eye(n), 1.0, (note,))

    @staticmethod
    def of(errors: FloatArray) -> "Dependence":
        r"""Estimate it, shrunk towards independence.

        With r the correlations of the errors z (around 0, over their root mean square),

        .. math::

            R = (1 - \lambda) r + \lambda I, \qquad
            \lambda = \frac{\sum_{i \ne j} \operatorname{var}(r_{ij})}{\sum_{i \ne j} r_{ij}^2},

        between 1 / (t + 1) and 1. Missing errors count as 0, which keeps R a correlation matrix.

        Parameters
        ----------
        errors : ndarray (t, n)
            NaN where missing.

        References
        ----------
        Schaefer and Strimmer (2005), "A shrinkage approach to large-scale covariance matrix
        estimation", Statistical Applications in Genetics and Molecular Biology 4, table 1, target D
        for correlations.
        """
        n = errors.shape[1]
        known = errors[~np.isnan(errors).any(axis=1)]
        t = len(known)
        if t < _FEWEST:
            why = f"their past errors have {counted(t, 'time')} in common, fewer than {_FEWEST}"
            return Dependence.independent(n, why)
        rows = np.nan_to_num(errors[~np.isnan(errors).all(axis=1)])
        size = np.sqrt((rows**2).sum(axis=0))
        Z = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0.0)
        r, t = Z.T @ Z, len(rows)
        # var(r) = t / (t - 1)^3 sum (w - mean w)^2 for products w of errors of variance 1.
        products = (Z**2).T @ (Z**2) * t**2 - t * r**2
        var = t / (t - 1.0) ** 3 * products
        apart = ~np.eye(n, dtype=bool)
        squares = float((r**2)[apart].sum())
        shrinkage = float(var[apart].sum()) / squares if squares > 0.0 else 1.0
        shrinkage = float(np.clip(shrinkage, 1.0 / (t + 1), 1.0))
        return Dependence(np.where(apart, (1.0 - shrinkage) * r, 1.0), shrinkage)


def errors_of(
    residuals: "pd.DataFrame | Mapping[Hashable, pd.Series[float]]", names: tuple[Hashable, ...]
) -> FloatArray:
    """Return past errors (t, n) in the order of the names, by their times.

    Raises
    ------
    TypeError, ValueError
        If they are not those of all series.
    """
    if not isinstance(residuals, Mapping | pd.DataFrame):
        raise TypeError(
            f"residuals must be a DataFrame with a column for each series, or a mapping from names "
            f"to Series; got {type(residuals).__name__}."
        )
    columns = list(residuals)
    absent = [name for name in names if name not in columns]
    if absent:
        raise ValueError(
            f"residuals must have those of all {len(names)} series; {len(absent)} are missing, the "
            f"first {absent[0]!r}."
        )
    frame = pd.DataFrame({name: residuals[name] for name in names})
    return array_without_infinities(frame, "residuals", ndim=2)
