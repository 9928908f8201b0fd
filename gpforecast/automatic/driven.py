"""Processes that inputs drive: candidates whose model has lags of the inputs.

As a voltage drives a motor, with delays and curves. Each is fitted to the first part of a series,
and simulates what follows with the inputs known. One whose simulations run away has a large error,
and is not selected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import Candidate, Moments
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import bridged, calendar_periods, n_newest
from gpforecast.automatic.grid import evenly, on_grid
from gpforecast.automatic.judge import judge
from gpforecast.automatic.model import default_model
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.wording import named_lags
from gpforecast.covariances import Linear
from gpforecast.models import BayesianAR, GaussianProcess, LinearAR
from gpforecast.models.base import OneStepModel
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.scaling import ROUNDING
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Compose

Lags = tuple[int, ...]

LINEAR, CURVE, BOTH = "linear ARX", "Gaussian process", "Gaussian process plus linear"

#: The last lags of the inputs and of the series that each kind of driven process is tried with,
#: from the simplest. Effects are tried at lag 0, and at as many of these lags of the inputs as the
#: values can judge.
TABLE: Mapping[str, tuple[tuple[int, int], ...]] = {
    LINEAR: ((0, 2), (3, 2), (3, 3), (8, 8), (20, 4), (20, 20)),
    CURVE: ((0, 2), (3, 2), (8, 8), (20, 2), (20, 8)),
    BOTH: ((3, 2), (8, 8), (20, 8)),
}


@dataclass(frozen=True, eq=False)
class Past:
    """The newest values of a series, and its inputs.

    Attributes
    ----------
    y : ndarray (n,)
        The values, divided by `size`; the first is known.
    size : float
    axis : TimeAxis
        Their times.
    exog : Exogenous
    exog_lags
        That a user gave.
    """

    y: FloatArray
    size: float
    axis: TimeAxis
    exog: Exogenous
    exog_lags: ExogLags

    @staticmethod
    def of(y: "pd.Series[float]", exog: Exogenous, exog_lags: ExogLags) -> "Past":
        """Return the past of a series."""
        values = values_of(y)
        known = np.flatnonzero(~np.isnan(values))
        first = int(known[known > known[-1] - n_newest(calendar_periods(y.index))][0])
        newest, axis = values[first : known[-1] + 1], TimeAxis(y.index).part(first, known[-1] + 1)
        size = float(np.nanmax(np.abs(newest))) or 1.0
        return Past(newest / size, size, axis, exog, exog_lags)

    @property
    def inputs(self) -> FloatArray:
        """The inputs, standardised, (n, q); NaN where missing."""
        return self.exog.scaled(self.exog.past)[self.axis.first :][: len(self.y)]

    def lags_up_to(self, last: int) -> Lags | None:
        """Return lags of the inputs that the user passes; None where the user gave them.

        Dates have an effect at once.
        """
        if self.exog_lags is not None:
            return None
        return tuple(range(last + 1 if self.exog.n_given else 1))

    def terms(self, lags: Lags | None) -> tuple[tuple[int, int], ...]:
        """Return column and lag of each input, at these lags or those that the user gave."""
        exog, given = self.exog, self.exog_lags if lags is None else lags
        return LagEmbedding(1, exog_lags=exog.lags(given)).exog_plan(exog.columns)

    @property
    def origins(self) -> IntArray:
        """From where simulations start, in decreasing order."""
        return len(self.y) * np.array([9, 7, 5]) // 10

    def simulated(self, tried: Sequence[Candidate], steps: int) -> tuple[FloatArray, FloatArray]:
        """Return how each candidate simulates what follows the origins.

        Parameters
        ----------
        tried : sequence of Candidate
        steps : int
            Of a simulation, at most.

        Returns
        -------
        scores : ndarray (c,)
            Mean CRPS in the units of the series; inf where a simulation runs away.
        z : ndarray (c, n)
            Standardised errors, of several at one time those of the longest simulation.
        """
        n, y, found = len(self.y), bridged(self.y), []
        truth = np.where(np.isnan(self.inputs).any(axis=1), np.nan, self.y)
        z = np.full((len(tried), n), np.nan)
        for origin in self.origins.tolist():
            ahead = slice(origin, min(origin + steps, n))
            horizon, known = ahead.stop - origin, ~np.isnan(truth[ahead])
            trial = judge(tried, y, np.array([origin]), horizon, truth=truth, ahead=0)
            z[:, ahead] = trial.z[:, 0]
            if known.any():
                found.append(trial.crps[:, 0, known].mean(axis=1))
        scores = self.size * np.mean(found or [np.full(len(tried), np.inf)], axis=0)
        return np.where(np.isfinite(scores), scores, np.inf), z


@dataclass(frozen=True)
class Driven:
    """A process that inputs drive: they enter its model with its lags.

    Attributes
    ----------
    kind : str
    inputs : tuple of int or None
        Lags of the inputs that the user passes; None where the user gave the lags.
    lags : tuple of int
        Of the series.
    past : Past
    follow : tuple of int or None
        Where the inputs of the model are that follow the series within one step; None where none
        follows it.
    """

    kind: str
    inputs: Lags | None
    lags: Lags
    past: Past = field(compare=False, repr=False)
    follow: Lags | None = None
    warp: ClassVar[None] = None

    def __str__(self) -> str:
        """Name it, with its lags."""
        kind = self.kind + " of a controlled process" * (self.follow is not None)
        return f"{kind}, {named_lags(self.lags)} of the series{at_lags(self.inputs)}"

    @property
    def name(self) -> str:
        """The same."""
        return str(self)

    @property
    def is_linear(self) -> bool:
        """Whether its model is."""
        return self.kind == LINEAR

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """Column and lag of each input."""
        return () if self.inputs == () else self.past.terms(self.inputs)

    def lags_after(self, chain: Chain, n: int) -> Decision[Lags]:  # noqa: ARG002
        """Return its lags."""
        why = f"{named_lags(self.lags)}: as the candidate that was selected has them"
        return Decision(self.lags, why)

    def model_for(
        self,
        lags: Lags,
        chain: Chain,  # noqa: ARG002
        n: int,  # noqa: ARG002
        n_rows: int,
    ) -> Decision[OneStepModel]:
        """Return the model of the whole series with these lags, not fitted."""
        if self.follow is not None:
            line = BayesianAR(strengths=(1.0,), set_by_target=self.follow or None)
            return Decision(line, f"{self.kind}: inputs follow the series")
        why = f"{self.kind}: simulations by it had the smallest error"
        if self.is_linear:
            return Decision(LinearAR(), why)
        rows = replace(self, lags=lags).rows(len(self.past.y))
        found = default_model(n_rows, rows[0].shape[1], judged=self._process(*rows))
        return replace(found, reason=why)

    def rows(self, end: int) -> tuple[FloatArray, FloatArray]:
        """Return inputs (m, d) and targets (m,) of the model up to a position, complete."""
        y, axis = self.past.y[:end], self.past.axis.part(0, end)
        z = Compose().fit_at(y, axis).levels(y, axis)[-1]
        at = np.arange(max(self.lags[-1], *(lag for _, lag in self.terms), 0), end)[:, None]
        columns, lags = np.array(self.terms, dtype=int).reshape(-1, 2).T
        X = np.hstack([z[at - np.array(self.lags)], self.past.inputs[at - lags, columns]])
        complete = ~np.isnan(z[at[:, 0]] + X.sum(axis=1))
        if complete.sum() < 2 * X.shape[1] + 2:
            raise ValueError("too few rows for so many inputs")
        some = np.flatnonzero(complete)
        if not self.is_linear:
            some = some[evenly(0, len(some) - 1, th.GRID_ROWS)]
        return X[some], z[at[some, 0]]

    def _process(self, X: FloatArray, y: FloatArray) -> GaussianProcess:
        """Return the process, not fitted, with the hyperparameters that rows suggest.

        It has one length-scale. Those of the sum are of what is left of a line whose slopes have
        the prior variance 1.
        """
        slopes = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ y)
        curve = on_grid(X, y if self.kind == CURVE else y - X @ slopes).model
        assert curve.covariance is not None
        if self.kind == CURVE:
            return curve
        return replace(curve, covariance=curve.covariance + Linear(1.0))

    def forecast(self, y: FloatArray, origins: IntArray, horizon: int) -> Moments:
        """Simulate y (n,), without gaps, from each origin by the values before it.

        Raises
        ------
        ValueError
            If there are too few values before an origin, or a simulation runs away.
        """
        axis, U = self.past.axis, np.nan_to_num(self.past.inputs)
        inputs, mean, var = Inputs(self.lags, self.terms), [], []
        for origin in origins.tolist():
            X, targets = self.rows(origin)
            model: OneStepModel = LinearAR()
            if not self.is_linear:
                model = self._process(X, targets)
            chain = Compose().fit_at(self.past.y[:origin], axis.part(0, origin))
            levels, first = chain.levels(y, axis), origin - inputs.n_past_exog
            past = levels[-1][None, origin - inputs.n_past : origin]
            start = Start(past, U[None, first : origin + horizon])
            f = Columns.of(predictive_of(model.fit(X, targets)), inputs)
            path = propagate(f, ExactMoments(), start, horizon)
            path = chain.undo(path, levels, np.array([origin]), axis)
            mean.append(path.mean[0])
            var.append(path.var[0])
        rounding = ROUNDING * np.abs(mean).max()  # of an input that is the series
        return np.stack(mean), np.maximum(var, rounding**2)


def at_lags(inputs: Lags | None) -> str:
    """Return lags of inputs in words; "" where the user gave them, or there are none."""
    return f", inputs at {named_lags(inputs)}" if inputs else ""


def widening(errors: FloatArray, var: FloatArray) -> FloatArray:
    r"""Return factors (h,) of the standard deviations of a simulation, for 95 % intervals.

    Errors depend on each other: n with autocorrelations rho are worth
    :math:`m = n / (1 + 2 \sum_k \rho_k)`, the sum up to the first that is negative (Geyer 1992).
    With a prior worth :math:`\nu` errors of the size expected, and :math:`r^2` the mean square of
    standardised ones, an error is the scale :math:`s^2 = (\nu + m r^2) / (\nu + m)` times one of
    Student's t with :math:`\nu + m` degrees of freedom (Gelman et al. 2013, "Bayesian data
    analysis", section 2.6).
    The error of a single step is known from all rows: it keeps its size, and a step in between is
    widened as far as its variance has grown.

    Parameters
    ----------
    errors : ndarray (h,)
        Over standard deviations; NaN where values or inputs are not known.
    var : ndarray (h,)
        Variances.
    """
    z = errors[~np.isnan(errors)]
    total, worth = max(float(z @ z), 1e-300), 1.0
    for k in range(1, len(z)):
        if (rho := float(z[k:] @ z[:-k]) / total) <= 0.0:
            break
        worth += 2.0 * rho
    m = len(z) / worth
    freedom = th.INPUT_PRIOR_ERRORS + m
    scale = np.sqrt((th.INPUT_PRIOR_ERRORS + total / worth) / freedom)
    factor = scale * scipy.special.stdtrit(freedom, 0.975) / scipy.special.ndtri(0.975)
    grown = np.maximum.accumulate(var - var[0])
    widened: FloatArray = np.sqrt(1.0 + grown / max(grown[-1], 1e-300) * (factor**2 - 1.0))
    return widened
