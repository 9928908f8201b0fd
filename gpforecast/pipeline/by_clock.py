"""Inputs to steps of the clock, and forecasts of them at the moments of a time zone."""

from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.kinds import is_labelled
from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, IntArray
from gpforecast.results.explained import Explains
from gpforecast.results.forecast import Forecast
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


def at_moments(found: Forecast, moments: Moments) -> Forecast:
    """Return a forecast of steps of the clock at their moments; its history has its own already."""
    steps, times = moments.steps, moments.times
    path, explanation = found.trajectory, found.explanation
    return replace(
        found,
        distribution=found.distribution.over(steps),
        index=times,
        trajectory=None if path is None else path.iloc[steps].set_axis(times),
        explanation=None if explanation is None else _AtSteps(explanation, steps),
    )


@dataclass(frozen=True, eq=False)
class _AtSteps:
    """How the distribution over some of the steps came about, in any order."""

    explanation: Explains
    steps: IntArray

    def components(self) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
        """Return the components of the mean, and their standard deviations, (h,) each."""
        mean, std = self.explanation.components()
        return self._of(mean), self._of(std)

    def variance_parts(self) -> dict[str, FloatArray]:
        """Return the parts of the variance, (h,) each."""
        return self._of(self.explanation.variance_parts())

    def _of(self, table: dict[str, FloatArray]) -> dict[str, FloatArray]:
        return {name: values[self.steps] for name, values in table.items()}
