"""The climb to the greatest evidence, of all that is free at once: one vector theta."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import Evidence, Objective, including
from gpforecast.models.search import Climber, warn_of_early_end
from gpforecast.models.sparse.approximations import Approximation, Parameters, RowParts
from gpforecast.models.sparse.likelihood import factorise
from gpforecast.models.sparse.plan import Plan
from gpforecast.models.sparse.slopes import Slopes

# Of the logarithm of h / k(z, z) (Snelson 2007, section 4.2): a weak prior, and one that holds the
# covariance near what a Gaussian process found. Without them the evidence of few rows is greatest
# where it follows single rows closely (section 4.3.4).
_LOG_H = (float(np.log(0.1)), 2.0)
_HELD_STD = 0.5
_H_BOUNDS = (float(np.log(1e-6)), float(np.log(1e4)))

_LEAST_GAIN = 2e-3  # nats; a climb that gains less in three iterations has converged
_GAIN_A_ROW = 1e-5  # the same per row; the larger of the two counts
_MOSTLY = 0.8  # of the targets' mean square; a noise above it has taken the signal


@dataclass(frozen=True, eq=False)
class Free:
    """Numbers that training moves: one stretch of theta.

    Attributes
    ----------
    names : tuple of str
    start : ndarray (k,)
    bounds : ndarray (k, 2) or (2,)
        The start need not lie within.
    put : callable
        From parameters and such numbers to parameters that have them.
    slopes : callable
        From the slopes of the evidence to those in these numbers, (k,).
    prior : (mean, standard deviation) or None
        A Gaussian prior of each.
    """

    names: tuple[str, ...]
    start: FloatArray
    bounds: FloatArray | tuple[float, float]
    put: Callable[[Parameters, FloatArray], Parameters]
    slopes: Callable[[Slopes], FloatArray]
    prior: tuple[FloatArray | float, FloatArray | float] = (0.0, np.inf)


def free_hyperparameters(first: Parameters, full: Evidence) -> list[Free]:
    """Return the logarithms of covariance and noise, and the projection if there is one.

    A projection has the length-scales in it; those of the covariance stay.

    Parameters
    ----------
    first : Parameters
        Where training starts.
    full : Evidence
        That of a full process: it knows the spread of the data, and the bounds.
    """
    P, scale = first.projection, full.scale
    here = replace(full, covariance=first.covariance, noise_var=first.noise_var)
    start = np.append(first.covariance.log_parameters, np.log(first.noise_var))
    names, moved = np.array(here.names), np.ones(len(start), dtype=bool)
    if P is not None:
        moved = ~np.char.startswith(names, "lengthscale")
    held = np.where(names == names[-1], np.inf, _HELD_STD)  # all but the noise

    def put(p: Parameters, theta: FloatArray) -> Parameters:
        whole = start.copy()
        whole[moved] = theta
        covariance, noise_var = here.unpack(whole)
        return replace(p, covariance=covariance, noise_var=noise_var)

    def slopes(by: Slopes) -> FloatArray:
        by_covariance = by.f.p.parts.assembled(by.by_kernel, by.by_prior)
        return np.append(by_covariance, by.log_noise)[moved]

    near = first.uncertainty is not None and P is None
    prior = (start, held) if near else (0.0, np.inf)
    free = [
        Free(tuple(names[moved].tolist()), start[moved], here.log_bounds[moved], put, slopes, prior)
    ]
    if P is not None:
        shape = P.shape
        free.append(
            Free(
                ("projection",) * P.size,
                (P * scale).ravel(),
                (-1e3, 1e3),
                lambda p, theta: replace(p, projection=theta.reshape(shape) / scale),
                lambda by: (by.projection / scale).ravel(),
            )
        )
    return free


def free_inducing(first: Parameters) -> Free:
    """Return the inducing inputs, in units of the first length-scales."""
    Z, unit = first.inducing, first.scales
    return Free(
        ("inducing inputs",) * Z.size,
        (Z / unit).ravel(),
        (-np.inf, np.inf),
        lambda p, theta: replace(p, inducing=theta.reshape(Z.shape) * unit),
        lambda by: by.inducing.ravel(),
    )


def free_uncertainty(h: FloatArray) -> Free:
    """Return the logarithms of the uncertainties of the inducing variables."""
    return Free(
        tuple(f"uncertainty {m}" for m in range(len(h))),
        np.log(h),
        _H_BOUNDS,
        lambda p, theta: replace(p, uncertainty=np.exp(theta)),
        lambda by: by.log_uncertainty,
        _LOG_H,
    )


@dataclass(frozen=True, eq=False)
class SparseObjective(Objective):
    """The function that training maximises, of what is free of a sparse Gaussian process.

    Attributes
    ----------
    rows : RowParts
    approximation : Approximation
    first : Parameters
        Where it starts.
    free : sequence of Free
        What theta holds, in order.
    """

    rows: RowParts
    approximation: Approximation
    first: Parameters
    free: list[Free]

    @cached_property
    def start(self) -> FloatArray:
        """Theta of the first parameters."""
        return np.concatenate([f.start for f in self.free])

    @cached_property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); the start lies within."""
        bounds = [np.broadcast_to(f.bounds, (len(f.start), 2)) for f in self.free]
        return including(np.concatenate(bounds), self.start)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return tuple(name for f in self.free for name in f.names)

    def unpack(self, theta: FloatArray) -> Parameters:
        """Return the parameters that theta stands for."""
        p = self.first
        for f, stretch in self._stretches(theta):
            p = f.put(p, stretch)
        return p

    @property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta under its prior, infinite where it has none."""
        both = [np.broadcast_arrays(*f.prior, f.start)[:2] for f in self.free]
        middle, std = (np.concatenate(each) for each in zip(*both, strict=True))
        return middle, std

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        found = factorise(self.unpack(theta), self.rows, self.approximation, keep=True)
        by = Slopes(found, self.first.scales)
        return found.log_evidence, np.concatenate([f.slopes(by) for f in self.free])

    def _stretches(self, theta: FloatArray) -> Iterator[tuple[Free, FloatArray]]:
        ends = np.cumsum([len(f.start) for f in self.free])
        return zip(self.free, np.split(theta, ends[:-1]), strict=True)


def train(
    rows: RowParts, plan: Plan, first: Parameters, on_evaluation: Callable[[], object]
) -> tuple[Parameters, FitReport]:
    """Climb to the greatest evidence of all rows.

    All that is free moves together. Hyperparameters that go first settle for what inducing inputs
    at the wrong places can do: a larger noise, under VFE at times nothing but noise.
    """
    full, learned = plan.full, plan.model.optimizer is not None
    free = free_hyperparameters(first, full) if learned else []
    if plan.free_inducing:
        free.append(free_inducing(first))
    if first.uncertainty is not None:
        free.append(free_uncertainty(first.uncertainty))
    if not free:
        return first, FitReport(True, "hyperparameters kept as given")
    problem = SparseObjective(rows, plan.approximation, first, free)
    gain, max_iter = max(_LEAST_GAIN, _GAIN_A_ROW * len(rows.y)), int(plan.model.max_iter)
    run = Climber(problem, max_iter, gain, on_evaluation).climb(problem.start)
    last, report = problem.unpack(run.theta), run.report
    # Inducing inputs never stop moving: max_iter is their usual end, and the report says so.
    if not report.converged and not (plan.free_inducing and report.n_iterations >= max_iter):
        warn_of_early_end(report)
    return last, replace(report, n_starts=1, remarks=_of_a_lost_signal(first, last, full.y_var))


def _of_a_lost_signal(first: Parameters, last: Parameters, y_var: float) -> tuple[str, ...]:
    """Return what to say if all was explained as noise though few rows showed a signal."""
    if not first.noise_var < _MOSTLY * y_var <= last.noise_var:
        return ()
    remark = (
        f"nearly all of the variance was taken for noise ({last.noise_var:.3g} of {y_var:.3g}), "
        f"though few rows alone showed a signal: the {len(last.inducing)} points that stand for "
        f"all rows (inducing inputs) cannot follow it; raise n_inducing, or pass "
        f"optimise_inducing=True or approximation='fitc'"
    )
    return (remark,)
