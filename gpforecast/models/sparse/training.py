"""The climb to the greatest evidence, of all that is free at once."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.models.evidence import column_spread
from gpforecast.models.search import climb
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.problem import SparseProblem, State
from gpforecast.models.sparse.streaming import Rows

_LEAST_GAIN = 2e-3  # nats in three iterations, below which a climb has converged
_GAIN_A_ROW = 1e-5  # the same for each row, whichever is more
_MOSTLY = 0.8  # of the targets' mean square


@dataclass(frozen=True, eq=False)
class Trained:
    """Where training ended, and what `FitReport` says of it."""

    state: State
    report: dict[str, Any]


def train(
    rows: Rows,
    approximation: Approximation,
    first: State,
    *,
    X: FloatArray,
    free_hyperparameters: bool,
    free_inducing: bool,
    max_iter: int,
    on_evaluation: Callable[[], object],
) -> Trained:
    """Climb to the greatest evidence of all rows.

    All that is free moves together. Hyperparameters that go first settle for what inducing inputs
    at the wrong places can do: a larger noise, under VFE at times nothing but noise.
    """
    problem = SparseProblem(
        rows,
        approximation,
        first,
        column_spread(X),
        float(np.mean(rows.y**2)) or 1.0,
        free_hyperparameters,
        free_inducing,
        on_evaluation,
    )
    if len(problem.start) == 0:
        return Trained(first, _kept())
    gain = max(_LEAST_GAIN, _GAIN_A_ROW * len(rows.y))
    run = climb(problem, problem.start, np.ones_like(problem.start), max_iter, gain)
    bounds = problem.log_bounds
    at = (run.theta - bounds[:, 0] < 1e-6) | (bounds[:, 1] - run.theta < 1e-6)
    report: dict[str, Any] = {
        "converged": run.converged,
        "message": run.message,
        "n_iterations": run.n_iterations,
        "n_evaluations": run.n_evaluations,
        "n_starts": 1,
        "at_bounds": tuple(
            dict.fromkeys(n for n, hit in zip(problem.names, at, strict=True) if hit)
        ),
    }
    state = problem.unpack(run.theta)
    report["remarks"] = _of_a_lost_signal(first, state, problem.y_var)
    # Inducing inputs creep on for ever: the end of their iterations is no trouble, and reported.
    if not run.converged and not (free_inducing and run.n_iterations >= max_iter):
        warnings.warn(
            f"training stopped before it converged ({run.message}); raise max_iter, or scale the "
            f"data. See report_.",
            NumericalWarning,
            stacklevel=4,
        )
    return Trained(state, report)


def _of_a_lost_signal(first: State, last: State, y_var: float) -> tuple[str, ...]:
    """Return what to say if all was explained as noise though few rows showed a signal."""
    if not first.noise_var < _MOSTLY * y_var <= last.noise_var:
        return ()
    remark = (
        f"nearly all of the targets' variance was taken for noise ({last.noise_var:.3g} of "
        f"{y_var:.3g}), though few rows alone showed a signal: {len(last.inducing)} inducing "
        f"inputs at these places cannot follow it; raise n_inducing, or pass "
        f"optimise_inducing=True or approximation='fitc'"
    )
    return (remark,)


def _kept() -> dict[str, Any]:
    return {
        "converged": True,
        "message": "hyperparameters kept as given",
        "n_iterations": 0,
        "n_evaluations": 0,
        "n_starts": 0,
    }
