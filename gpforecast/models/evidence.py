"""The marginal likelihood as a function of the hyperparameters, and the search for its maximum."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, minimize

from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.models.conditioning import factorise, log_marginal_likelihood
from gpforecast.typing import FloatArray, IntArray, Seed
from gpforecast.warnings import NumericalWarning

_SUBSET = 256  # rows on which starting values are compared
FAILED = 1e25  # stands for the evidence where the covariance cannot be factored


@dataclass(frozen=True)
class Search:
    """How to search: which starting values are free, how often, for how long."""

    free_lengthscales: bool
    free_noise: bool
    n_restarts: int
    seed: Seed
    max_iter: int


@dataclass(frozen=True, eq=False)
class Evidence:
    """The function that training maximises, of theta = (covariance's logarithms, log noise)."""

    X: FloatArray
    y: FloatArray
    covariance: Covariance
    noise_var: float
    scale: FloatArray
    y_var: float
    weak_prior: bool

    @property
    def start(self) -> FloatArray:
        """Theta of the covariance and noise it was made with; the noise is kept off zero."""
        floor = 1e-10 * self.y_var
        return np.append(self.covariance.log_parameters, np.log(max(self.noise_var, floor)))

    @property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); what was given lies within."""
        noise = np.log([[1e-8 * self.y_var, 10.0 * self.y_var]])
        bounds = np.concatenate([self.covariance.log_bounds(self.scale, self.y_var), noise])
        return np.column_stack(
            [np.minimum(bounds[:, 0], self.start), np.maximum(bounds[:, 1], self.start)]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return (*self.covariance.parameter_names, "noise variance")

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float]:
        """Return the covariance and the noise variance that theta stands for."""
        return self.covariance.with_log_parameters(theta[:-1]), float(np.exp(theta[-1]))

    def subset(self, rows: IntArray) -> "Evidence":
        """Return the same function of theta for some of the rows only."""
        return Evidence(
            self.X[rows],
            self.y[rows],
            self.covariance,
            self.noise_var,
            self.scale,
            self.y_var,
            self.weak_prior,
        )

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient.

        dL/dtheta = 1/2 tr((alpha alpha' - K^-1) dK/dtheta), Rasmussen and Williams eq. (5.9).
        """
        covariance, noise_var = self.unpack(theta)
        terms = [(term, *term.with_gradient(self.X)) for term in covariance.terms]
        K_bumps = [K for term, K, _ in terms if isinstance(term, SquaredExponential)]
        try:
            factors = factorise(covariance, noise_var, self.X, *K_bumps)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        value, alpha = factors.log_evidence(self.y)
        M = np.outer(alpha, alpha)
        M -= factors.inverse()
        slopes = [pullback(M) for _, _, pullback in terms]
        gradient = 0.5 * np.concatenate([*slopes, [noise_var * np.trace(M)]])
        if self.weak_prior:
            off = (theta - self.start) / 2.0
            value -= 0.5 * float(off @ off)
            gradient -= off / 2.0
        return -value, -gradient


def optimise(problem: Evidence, search: Search) -> tuple[Covariance, float, dict[str, Any]]:
    """Return the best hyperparameters found, and what `FitReport` says of the search."""
    bounds = problem.log_bounds
    rng = np.random.default_rng(search.seed)
    first, n_compared = _best_start(problem, search)
    starts = [first]
    middle = np.clip(problem.start, bounds[:, 0], bounds[:, 1])
    for _ in range(search.n_restarts):
        starts.append(np.clip(middle + 1.5 * rng.standard_normal(len(middle)), *bounds.T))
    runs = [_climb(problem, start, search.max_iter) for start in starts]
    best = min(runs, key=lambda run: float(run.fun))
    theta = np.asarray(best.x)
    tolerance = 1e-6
    at = (theta - bounds[:, 0] < tolerance) | (bounds[:, 1] - theta < tolerance)
    covariance, noise_var = problem.unpack(theta)
    report = {
        "converged": bool(best.success),
        "message": str(best.message),
        "n_iterations": int(sum(run.nit for run in runs)),
        "n_evaluations": n_compared + int(sum(run.nfev for run in runs)),
        "n_starts": len(runs),
        "log_marginal_likelihood": log_marginal_likelihood(
            covariance, noise_var, problem.X, problem.y
        ),
        "at_bounds": tuple(name for name, hit in zip(problem.names, at, strict=True) if hit),
    }
    if not best.success:
        warnings.warn(
            f"the search for hyperparameters stopped before it converged ({best.message}); "
            f"raise max_iter, scale the data, or try n_restarts. See report_.",
            NumericalWarning,
            stacklevel=3,
        )
    return covariance, noise_var, report


def _climb(problem: Evidence, start: FloatArray, max_iter: int) -> Any:
    """Run L-BFGS-B from one start, and again where rounding stopped its line search.

    On noise-free data the evidence has only so many digits, and near its maximum a line search
    can find no descent ("ABNORMAL"). A fresh start from there tells whether there was any left.
    """
    bounds = Bounds(*problem.log_bounds.T)
    options: Any = {"maxiter": max_iter}
    run: Any = minimize(
        problem.negative, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    if float(run.fun) >= FAILED:
        run.success = False
        run.message = "THE COVARIANCE MATRIX COULD NOT BE FACTORED"
    if run.success or not str(run.message).startswith("ABNORMAL"):
        return run
    again: Any = minimize(
        problem.negative, run.x, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    again.nit, again.nfev = run.nit + again.nit, run.nfev + again.nfev
    gain = float(run.fun) - float(again.fun)
    # A search that began at the maximum has moved nowhere; there only the slope can tell.
    slope = np.clip(again.x - again.jac, bounds.lb, bounds.ub) - again.x
    arrived = run.nit > 0 or float(np.abs(slope).max()) < 1e-2  # nats for a unit of a logarithm
    if not again.success and arrived and gain < 1e-4 * max(1.0, abs(float(run.fun))):
        again.success = True
        again.message = "CONVERGENCE: TO THE PRECISION OF THE EVIDENCE"
    return again


def _best_start(problem: Evidence, search: Search) -> tuple[FloatArray, int]:
    """Return the best of a small grid of smoothness and noise, and how many were compared.

    They are compared on a few rows, evenly spaced. What the user gave is kept; a model without
    free starting values has a grid of one.
    """
    bounds = problem.log_bounds
    base = problem.start
    ell = np.array([name.startswith("lengthscale") for name in problem.names])
    widths = np.log([0.5, 1.0, 2.0, 4.0]) if search.free_lengthscales else [0.0]
    noises = np.log([10.0, 1.0, 0.1]) if search.free_noise else [0.0]
    grid = []
    for width in widths:
        for noise in noises:
            theta = base + np.where(ell, width, 0.0)
            theta[-1] += noise
            grid.append(np.clip(theta, bounds[:, 0], bounds[:, 1]))
    if len(grid) == 1:
        return grid[0], 0
    n = len(problem.y)
    rows = np.unique(np.linspace(0, n - 1, min(n, _SUBSET)).astype(np.int64))
    few = problem.subset(rows)
    values = [few.negative(theta)[0] for theta in grid]
    return grid[int(np.argmin(values))], len(grid)


def as_given(problem: Evidence) -> tuple[Covariance, float, dict[str, Any]]:
    """Return the hyperparameters as the user gave them, and what `FitReport` says of that."""
    value = log_marginal_likelihood(problem.covariance, problem.noise_var, problem.X, problem.y)
    return (
        problem.covariance,
        problem.noise_var,
        {
            "converged": True,
            "message": "hyperparameters kept as given",
            "n_iterations": 0,
            "n_evaluations": 0,
            "n_starts": 0,
            "log_marginal_likelihood": value,
        },
    )


def column_spread(X: FloatArray) -> FloatArray:
    """Return the standard deviation of each column; 1 for a column that does not vary."""
    spread = X.std(axis=0)
    still = spread <= 1e-12 * (np.abs(X).max(axis=0) + np.finfo(float).tiny)
    return np.where(still, 1.0, spread)
