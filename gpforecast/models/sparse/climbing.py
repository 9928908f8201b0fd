"""The climb to the greatest evidence, of all that is free at once."""

from collections.abc import Callable

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import column_spread
from gpforecast.models.search import climb
from gpforecast.models.sparse.free_parameters import (
    Free,
    SparseObjective,
    free_hyperparameters,
    free_inducing,
    free_uncertainty,
)
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.plan import Plan
from gpforecast.models.sparse.row_parts import RowParts

_LEAST_GAIN = 2e-3  # nats in three iterations, below which a climb has converged
_GAIN_A_ROW = 1e-5  # the same for each row, whichever is more
_MOSTLY = 0.8  # of the targets' mean square


def train(
    rows: RowParts,
    plan: Plan,
    first: Parameters,
    X: FloatArray,
    on_evaluation: Callable[[], object],
) -> tuple[Parameters, FitReport]:
    """Climb to the greatest evidence of all rows.

    All that is free moves together. Hyperparameters that go first settle for what inducing inputs
    at the wrong places can do: a larger noise, under VFE at times nothing but noise.
    """
    y_var = float(np.mean(rows.y**2)) or 1.0
    free: list[Free] = []
    if plan.free_hyperparameters:
        free += free_hyperparameters(first, column_spread(X), y_var)
    if plan.free_inducing:
        free.append(free_inducing(first))
    if first.uncertainty is not None:
        free.append(free_uncertainty(first.uncertainty))
    if not free:
        return first, FitReport(True, "hyperparameters kept as given")
    problem = SparseObjective(rows, plan.approximation, first, free)
    gain = max(_LEAST_GAIN, _GAIN_A_ROW * len(rows.y))
    unit = np.ones_like(problem.start)
    run = climb(problem, problem.start, unit, plan.max_iter, gain, on_evaluation)
    last = problem.unpack(run.theta)
    low, high = problem.log_bounds.T
    at_bounds = (run.theta - low < 1e-6) | (high - run.theta < 1e-6)
    # Inducing inputs creep on for ever: the end of their iterations is no trouble, and reported.
    if not run.converged and not (plan.free_inducing and run.n_iterations >= plan.max_iter):
        warn_numerically(
            f"training stopped before it converged ({run.message}); raise max_iter, or scale the "
            f"data. See report_."
        )
    return last, FitReport(
        run.converged,
        run.message,
        run.n_iterations,
        run.n_evaluations,
        n_starts=1,
        at_bounds=tuple(dict.fromkeys(np.array(problem.names)[at_bounds].tolist())),
        remarks=_of_a_lost_signal(first, last, y_var),
    )


def _of_a_lost_signal(first: Parameters, last: Parameters, y_var: float) -> tuple[str, ...]:
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
