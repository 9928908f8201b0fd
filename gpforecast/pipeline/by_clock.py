"""From inputs at the moments of a time zone to those at steps of the clock."""

import numpy as np

from gpforecast.common.kinds import is_labelled
from gpforecast.common.types import ArrayLike, ExogLike
from gpforecast.series.clock import Moments
from gpforecast.series.labels import check_same_times, counts_rows_of, rows_needed


def inputs_by_step(exog: ExogLike, moments: Moments, where: str) -> ExogLike:
    """Return inputs at some moments (m, q) as an array by step: those of its first moment.

    A step that the clocks skip has those of the step before.
    """
    exog = rows_needed(exog, moments.times)
    if is_labelled(exog) and not counts_rows_of(exog.index, moments.times):
        check_same_times(exog.index, moments.times, where)
    if exog is None or np.shape(exog)[:1] != (len(moments.times),):
        return exog  # refused later, with what is needed
    if is_labelled(exog):
        return exog.iloc[moments.rows].reset_index(drop=True)
    return np.asarray(exog)[moments.rows]


def covariance_by_step(exog_cov: ArrayLike | None, moments: Moments, q: int) -> ArrayLike | None:
    """Return the variances (m, q), or joint covariance (m q, m q), of q inputs by step."""
    if exog_cov is None:
        return None
    given, m, rows = np.asarray(exog_cov), len(moments.times), moments.rows
    if given.shape == (m * q, m * q):
        each = given.reshape(m, q, m, q)[rows][:, :, rows]
        return np.asarray(each.reshape(len(rows) * q, len(rows) * q))
    return given[rows] if given.shape[:1] == (m,) else exog_cov
