"""The search for hyperparameters, and the coordinates that it moves in."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self, TypeVar

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.warnings import warn_numerically
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import FAILED, NOT_FACTORED, Evidence, Objective, lbfgs

_NEVER_LINEAR = np.log(80.0)  # below the upper bound; with most covariances, 12 spreads of an input


@dataclass(frozen=True, eq=False)
class Coordinates:
    r"""Coordinates z of the logarithms theta of hyperparameters, each entry on its own.

    .. math::

        u = u(\text{start}) + \text{unit}\, z, \qquad e^{-2 u} = e^{-2 \theta} + e^{-2 \theta_0}

    A length-scale matters through :math:`w = \ell^{-2} = e^{-2 \theta}`. An input that a long step
    has switched off (w = 0, nearly) stays off in the logarithm, whose slope is
    :math:`-2 w\, dL / dw`, though the evidence L may rise with w by much. Beyond theta_0, u is
    linear in w; well below, it is theta.

    Attributes
    ----------
    start : ndarray (p,)
        A theta; there z is 0.
    unit : ndarray (p,)
        About how far each u should go at first.
    far : ndarray (p,)
        theta_0; infinite for an entry whose u is theta.
    """

    start: FloatArray
    unit: FloatArray
    far: FloatArray

    @classmethod
    def around(cls, run: "Climb", names: Sequence[str], log_bounds: FloatArray) -> Self:
        """Return those that make the most of the slopes where a run ended, to go on from there.

        As far as they tell, a length-scale that grows from theta_0 on costs or gains one nat. Those
        up to an 80th of the upper one of the bounds (p, 2) are beyond no theta_0.
        """
        ell = np.array([name.startswith("lengthscale") for name in names])
        with np.errstate(divide="ignore"):
            # where e^(-2 theta_0) dL/dw = 1
            one_nat = run.theta + 0.5 * np.log(0.5 * np.abs(run.slopes))
        far = np.where(ell, np.maximum(one_nat, log_bounds[:, 1] - _NEVER_LINEAR), np.inf)
        # From theta_0 on there is log(2) / 2 of u.
        unit = np.where(run.theta > far, 0.3, np.clip(run.unit / 2.0, 0.03, 1.0))
        return cls(run.theta, unit, far)

    def theta(self, z: FloatArray) -> FloatArray:
        """Return theta (p,) of z (p,); infinite where u is theta_0 or more."""
        u = self._first + self.unit * z
        with np.errstate(divide="ignore"):
            bend = np.log1p(-np.exp(np.minimum(2.0 * (u - self.far), 0.0)))
        return np.asarray(u - 0.5 * bend)

    def z(self, theta: FloatArray) -> FloatArray:
        """Return z (p,) of theta (p,)."""
        return np.asarray((self._u(theta) - self._first) / self.unit)

    def stretch(self, theta: FloatArray) -> FloatArray:
        """Return d theta / dz (p,) at theta (p,)."""
        return np.asarray(self.unit * (1.0 + np.exp(2.0 * (theta - self.far))))

    @cached_property
    def _first(self) -> FloatArray:
        return self._u(self.start)

    def _u(self, theta: FloatArray) -> FloatArray:
        return np.asarray(-0.5 * np.logaddexp(-2.0 * theta, -2.0 * self.far))


E = TypeVar("E", bound=Evidence)
logger = logging.getLogger(__name__)

_COMPARED = 256  # rows on which starting values are compared
_MANY = 512  # rows from which a climb on a quarter of them comes first
_PATIENCE = 3  # iterations; a climb has converged once they gain less than
GAIN = 2e-3  # nats on all rows
_EARLY_GAIN = 0.1  # nats on a part of them, and where coordinates change
_PROMISED = 0.05  # nats that the slope may promise where rounding ends a search
_MEMORY = 30  # steps
_TRIES = 10  # evaluations along one line; near rounding, more find nothing
KEPT = FitReport(True, "hyperparameters kept as given")
STUCK = "rounding leaves it no better step"
_FEW = 500  # parameters up to which the matrix of their deviations is formed


@dataclass(frozen=True)
class Search:
    """How to search: from what the user gave, how often, for how long."""

    covariance: Covariance | None
    noise_var: float | None
    max_iter: int
    n_restarts: int = 0
    seed: Seed = None

    @property
    def free(self) -> tuple[str, ...]:
        """What the user left open; several values of it are compared before the first climb."""
        noise = ("noise_var",) if self.noise_var is None else ()
        return (*(self.covariance or SquaredExponential()).unset, *noise)


@dataclass(frozen=True)
class Climb:
    """Where one climb ended, and how it went."""

    theta: FloatArray
    negative: float
    slopes: FloatArray  # of the negative log posterior
    unit: FloatArray  # about one standard deviation of every entry of theta
    report: FitReport


def optimise(problem: E, search: Search | None) -> tuple[E, FitReport]:
    """Return the problem at the best hyperparameters found, and how the search went.

    Without a search the hyperparameters stay as they were given.
    """
    if search is None:
        return problem, KEPT
    rng = np.random.default_rng(search.seed)
    first, n_compared = _best_start(problem, search)
    low, high = problem.log_bounds.T
    middle = np.clip(problem.start, low, high)
    starts = [
        np.clip(middle + 1.5 * rng.standard_normal(len(middle)), low, high)
        for _ in range(search.n_restarts)
    ]
    runs = [_climb_in_stages(problem, start, search) for start in (first, *starts)]
    best = min(runs, key=lambda run: run.negative)
    report = best.report.after(run.report for run in runs if run is not best)
    n_evaluations = n_compared + report.n_evaluations
    report = replace(report, n_evaluations=n_evaluations, n_starts=len(runs))
    check_end(best.negative, report)
    return problem.at(best.theta), report


def check_end(negative: float, report: FitReport) -> None:
    """Refuse where nothing was found, and warn where the search ended without convergence."""
    if negative >= FAILED:
        raise np.linalg.LinAlgError(NOT_FACTORED)
    if not report.converged:
        warn_of_early_end(report)


def warn_of_early_end(report: FitReport) -> None:
    """Warn that a search ended without convergence."""
    warn_numerically(
        f"the search for the hyperparameters of the model stopped before it converged "
        f"({report.message}): the best that it had found are used, and forecasts may be somewhat "
        f"worse for it. A larger max_iter or n_restarts of the model, or data in other units, may "
        f"help."
    )


def _climb_in_stages(problem: Evidence, start: FloatArray, search: Search) -> Climb:
    """Climb on a quarter of the rows, or a sixteenth before that, and then on all of them.

    The weak prior keeps what few rows cannot tell near the start. Without it they switch inputs
    off that matter, and there the evidence of all rows is too flat to switch them on again.
    """
    stages = [problem]
    while search.free and len(stages[0].y) >= _MANY:
        few = stages[0].on_few_rows(len(stages[0].y) // 4).at(start)
        stages.insert(0, replace(few, weak_prior=True))
    runs: list[Climb] = []
    theta, unit = start, np.ones_like(start)
    for stage in stages:
        n, gain = len(stage.y), GAIN if stage is problem else _EARLY_GAIN
        with bar(f"training on {n} rows", unit="evaluations") as shown:
            run = Climber(stage, search.max_iter, gain, shown.update).climb(theta, unit)
        logger.debug(
            "climb on %d rows to a log posterior of %.6g in %d evaluations (%s)",
            n, -run.negative, run.report.n_evaluations, run.report.message,
        )  # fmt: skip
        theta, unit = run.theta, np.clip(run.unit / 2.0, 0.03, 1.0)  # more rows, half as uncertain
        runs.append(run)
    return replace(run, report=run.report.after(earlier.report for earlier in runs[:-1]))


@dataclass(frozen=True, eq=False)
class Climber:
    """L-BFGS-B on one objective.

    Attributes
    ----------
    problem : Objective
    max_iter : int
        Of all iterations of one climb.
    gain : float
        In nats; a climb that gains less in three iterations has converged.
    on_evaluation : callable
        Called after every evaluation.
    """

    problem: Objective
    max_iter: int
    gain: float
    on_evaluation: Callable[[], object] = SILENT.update

    def climb(self, start: FloatArray, unit: FloatArray | None = None) -> Climb:
        """Run L-BFGS-B from one start; the unit is about how far theta should go at first.

        On the logarithms for as long as that gains much. By then there may be inputs that long
        steps have switched off and that matter after all; `Coordinates` switch them on again.
        """
        unit = np.ones_like(start) if unit is None else unit
        names, by = self.problem.names, Coordinates(start, unit, np.full_like(start, np.inf))
        if not any(name.startswith("lengthscale") for name in names):
            return self._to_the_end(by, self.max_iter)
        first = self._once(by, max(self.gain, _EARLY_GAIN), self.max_iter)
        left = self.max_iter - first.report.n_iterations
        if first.negative >= FAILED or left <= 0:
            return first
        run = self._to_the_end(Coordinates.around(first, names, self.problem.log_bounds), left)
        return replace(run, report=run.report.after([first.report]))

    def _to_the_end(self, by: Coordinates, max_iter: int) -> Climb:
        """Run L-BFGS-B until nothing is gained, and again where rounding stopped its line search.

        On noise-free data the evidence has only so many digits, and near its maximum a line search
        can find no descent. A fresh start from there tells whether there was any left.
        """
        run = self._once(by, self.gain, max_iter)
        if run.report.converged or run.report.message != STUCK:
            return run
        again = self._once(replace(by, start=run.theta), self.gain, max_iter)
        gained = run.negative - again.negative
        # A search that began at the maximum has moved nowhere; there only the slope can tell. Where
        # the curvature is 1 or more, a slope s promises s^2/2 nats.
        slope = self.problem.negative(again.theta)[1]
        step = np.clip(again.theta - slope, *self.problem.log_bounds.T) - again.theta
        arrived = run.report.n_iterations > 0 or 0.5 * float(step @ step) < _PROMISED
        report = again.report.after([run.report])
        report = replace(report, n_evaluations=report.n_evaluations + 1)
        if not report.converged and arrived and gained < 1e-4 * max(1.0, abs(run.negative)):
            message = "CONVERGENCE: TO THE PRECISION OF THE EVIDENCE"
            report = replace(report, converged=True, message=message)
        return replace(again, report=report)

    def _once(self, by: Coordinates, gain: float, max_iter: int) -> Climb:
        """Run L-BFGS-B once, until three iterations gain less."""
        low, high = self.problem.log_bounds.T
        values: list[float] = []

        def theta_of(z: FloatArray) -> FloatArray:
            return np.clip(by.theta(z), low, high)

        def negative(z: FloatArray) -> tuple[float, FloatArray]:
            theta = theta_of(z)
            value, slopes = self.problem.negative(theta)
            self.on_evaluation()
            return value, by.stretch(theta) * slopes

        def stalled() -> bool:
            return len(values) > _PATIENCE and values[-1 - _PATIENCE] - values[-1] < gain

        def on_iteration(value: float) -> None:
            values.append(value)
            if stalled():
                raise StopIteration

        run: Any = lbfgs(
            negative, np.zeros_like(by.start), np.column_stack([by.z(low), by.z(high)]),
            maxiter=max_iter, maxcor=_MEMORY, maxls=_TRIES, on_iteration=on_iteration,
        )  # fmt: skip
        converged, message = bool(run.success) or stalled(), str(run.message)
        if stalled():
            message = f"CONVERGENCE: {_PATIENCE} ITERATIONS GAINED LESS THAN {gain} NATS"
        if not converged:
            message = f"max_iter={max_iter} iterations were made" if run.nit >= max_iter else STUCK
        if run.fun >= FAILED:
            converged, message = False, "the covariance matrix could not be factored"
        few = len(by.start) <= _FEW
        variances = np.diag(run.hess_inv.todense()) if few else np.ones_like(by.start)
        known = np.isfinite(variances) & (variances > 0.0)
        theta = theta_of(run.x)
        hit = (theta - low < 1e-6) | (high - theta < 1e-6)
        at_bounds = tuple(dict.fromkeys(np.array(self.problem.names)[hit].tolist()))
        report = FitReport(converged, message, int(run.nit), int(run.nfev), at_bounds=at_bounds)
        unit = by.unit * np.sqrt(np.where(known, variances, 1.0))
        return Climb(theta, float(run.fun), run.jac / by.stretch(theta), unit, report)


def _best_start(problem: Evidence, search: Search) -> tuple[FloatArray, int]:
    """Return the best of a small grid of smoothness and noise, and how many were compared.

    They are compared on a few rows, evenly spaced. What the user gave is kept; a model without
    free starting values has a grid of one.
    """
    base = problem.start
    ell = np.array([name.startswith("lengthscale") for name in problem.names])
    widths = np.log([0.5, 1.0, 2.0, 4.0]) if "lengthscales" in search.free else [0.0]
    noises = np.log([10.0, 1.0, 0.1]) if "noise_var" in search.free else [0.0]
    grid = []
    for width, noise in product(widths, noises):
        theta = base + np.where(ell, width, 0.0)
        theta[-1] += noise
        grid.append(np.clip(theta, *problem.log_bounds.T))
    if len(grid) == 1:
        return grid[0], 0
    few = problem.on_few_rows(min(len(problem.y), _COMPARED))
    values = [few.value(theta) for theta in grid]
    return grid[int(np.argmin(values))], len(grid)
