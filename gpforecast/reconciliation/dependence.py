"""How the errors of series depend on each other, from those of the past."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.kinds import is_frame
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import array_without_infinities, counted
from gpforecast.panel.frames import in_columns, long_table
from gpforecast.pipeline.direct import shrunk

_FEWEST = 8  # errors in common: fewer say nothing about correlations
_INDEPENDENT = "are taken as independent"
_NARROW = "where they err together, the intervals are too narrow"


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
        note = f"the errors of different series {_INDEPENDENT}, because {why}; {_NARROW}"
        return Dependence(np.eye(n), 1.0, (note,))

    @staticmethod
    def of(errors: FloatArray) -> "Dependence":
        """Estimate it, shrunk towards independence.

        Correlations r are those of the errors z (around 0, over their root mean square), each over
        the t times that both series have, shrunk as those of leads are
        (`gpforecast.pipeline.direct.shrunk`); with fewer than 8 times it is 0, and not in the sums.
        Where correlations over different times contradict each other, the eigenvalues of R below 1
        / (t + 1), for the largest t, are raised to that, and its diagonal is scaled to 1 again.

        Parameters
        ----------
        errors : ndarray (t, n)
            NaN where missing.
        """
        n = errors.shape[1]
        known = (~np.isnan(errors)).astype(np.float64)
        Z, times = np.nan_to_num(errors), known.T @ known  # (t, n), (n, n)
        apart = ~np.eye(n, dtype=bool)
        used = apart & (times >= _FEWEST)
        t = int(times[apart].max(initial=0.0))
        if n > 1 and not used.any():
            why = f"their past errors have {counted(t, 'time')} in common, fewer than {_FEWEST}"
            return Dependence.independent(n, why)
        r, var = _correlations(Z, known, times)
        R, shrinkage = shrunk(r, var, used, t)
        least, notes = 1.0 / (t + 1), []
        if few := int((apart & ~used).sum()) // 2:
            notes.append(
                f"the errors of {few} of {n * (n - 1) // 2} pairs of series {_INDEPENDENT}, "
                f"because they have fewer than {_FEWEST} times in common; {_NARROW}"
            )
        values, vectors = np.linalg.eigh(R)
        if values[0] < 0.5 * least:  # of complete errors, none is below `least`
            R = (vectors * np.maximum(values, least)) @ vectors.T
            R /= np.sqrt(np.outer(np.diagonal(R), np.diagonal(R)))
            notes.append(
                "correlations of errors over different times contradict each other; they were "
                "made smaller until they do not"
            )
        return Dependence(R, shrinkage, tuple(notes))


def _correlations(
    Z: FloatArray, known: FloatArray, times: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return those of each two columns over their common times, and their variances, (n, n).

    Missing errors are 0 in Z (t, n) and in `known` (t, n).
    """
    largest = abs(Z).max(axis=0, initial=0.0)
    Z = Z / np.where(largest > 0.0, largest, 1.0)  # so that fourth powers do not overflow
    squares = (Z**2).T @ known  # of a series, over the times that it has in common with another
    size = squares * squares.T
    sized, t = size > 0.0, np.maximum(times, 2.0)
    r = np.divide(Z.T @ Z, np.sqrt(size), out=np.zeros_like(size), where=sized)
    # var(r) = t / (t - 1)^3 sum (w - mean w)^2 for products w of errors of variance 1.
    fourth = np.divide((Z**2).T @ (Z**2), size, out=np.zeros_like(size), where=sized)
    return r, t / (t - 1.0) ** 3 * (fourth * t**2 - t * r**2)


def errors_of(
    residuals: "pd.DataFrame | Mapping[Hashable, pd.Series[float]]",
    names: tuple[Hashable, ...],
    labels: tuple[str, str] = ("unique_id", "ds"),
) -> FloatArray:
    """Return past errors (t, n) in the order of the names, by their times.

    The labels are those of the columns of series and times in a long table.

    Raises
    ------
    TypeError, ValueError
        If they are not those of all series.
    """
    wide = {*names} <= {*residuals}
    if not wide and is_frame(residuals) and labels[0] in {*residuals, *residuals.index.names}:
        others = [column for column in residuals.columns if column not in labels]
        needed = (*labels, others[0] if len(others) == 1 else "residual")
        residuals = in_columns(long_table(residuals, needed, "residuals")[0], needed, "residuals")
    columns = list(residuals)
    absent = [name for name in names if name not in columns]
    if absent:
        raise ValueError(
            f"residuals must have those of all {len(names)} series; they lack {len(absent)}, "
            f"the first {absent[0]!r}."
        )
    frame = pd.DataFrame({k: residuals[name] for k, name in enumerate(names)})
    return array_without_infinities(frame, "residuals", ndim=2)
