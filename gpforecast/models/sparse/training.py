r"""The climb to the greatest evidence, of all that is free at once, by slopes of a second pass.

With :math:`R = \alpha\alpha' - C^{-1}`, :math:`C = V'V + \Lambda`, :math:`\alpha = C^{-1}y`,
:math:`P = K_{MM}^{-1} K_{MN}` and D the part of R that the residual passes on (its diagonal, its
blocks, :math:`-I/\sigma^2` for the penalty of VFE, or 0), the evidence has the slopes

.. math::

    \frac{\partial}{\partial K_{MN}} = P (R - D), \qquad
    \frac{\partial}{\partial K_{MM}} = -\tfrac12 P (R - D) P'

(Snelson 2007, appendix C, derived anew for matrices). Nothing n x n appears, because
:math:`P\alpha = w`, the weights of the mean, and :math:`V C^{-1} = A^{-1} V \Lambda^{-1}`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import MatrixSlopes
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import Evidence, Objective, including
from gpforecast.models.search import GAIN, KEPT, Climber, warn_of_early_end
from gpforecast.models.sparse.approximations import Approximation, Parameters, RowParts
from gpforecast.models.sparse.likelihood import SparseFactors, factorise, residual_of
from gpforecast.models.sparse.options import SparseOptions
from gpforecast.numerics.linear_algebra import solve_rows

# Of the logarithm of h / k(z, z) (Snelson 2007, section 4.2): a weak prior, and one that holds the
# covariance near what a Gaussian process found. Without them the evidence of few rows is greatest
# where it follows single rows closely (section 4.3.4).
_LOG_H = (float(np.log(0.1)), 2.0)
_HELD_STD = 0.5
_H_BOUNDS = (float(np.log(1e-6)), float(np.log(1e4)))

_GAIN_A_ROW = 1e-5  # nats; a climb that gains less, or less than `GAIN`, has converged
_MOSTLY = 0.8  # of the targets' mean square; a noise above it has taken the signal


@dataclass(eq=False)
class Slopes:
    """The slopes of ``f.log_evidence``, in O(n M^2) time.

    Parameters
    ----------
    f : SparseFactors
    unit : ndarray (g,)
        Of the inducing inputs.

    Attributes
    ----------
    by_kernel : ndarray (p,)
        In the logarithms of the kernel's parameters.
    by_prior : ndarray (d + 1,)
        In the logarithms of the prior variances of slopes and level.
    log_noise : float
    inducing : ndarray (M, g)
        In the inducing inputs over their unit.
    projection : ndarray (g, d)
        Zeros without one.
    log_uncertainty : ndarray (M,)
    """

    f: SparseFactors
    unit: FloatArray

    def __post_init__(self) -> None:
        f, p = self.f, self.f.p
        M, g = p.inducing.shape
        self.by_kernel = np.zeros(len(p.kernel.log_parameters))
        self.inducing = np.zeros((M, g))
        self.projection = np.zeros((g, f.rows.X.shape[1]))
        size = len(f.gamma)
        self._A_inv = (
            scipy.linalg.cho_solve((f.inner_chol, True), np.eye(size)) if size else f.inner_chol
        )
        with_residual = f.approximation.residual != "none"
        trace, VDV = self._with_residual() if with_residual else self._without_residual()
        self.log_uncertainty = self._through_inducing(VDV) if M else np.zeros(0)
        self.log_noise = 0.5 * p.noise_var * trace
        if f.approximation.penalised:
            self.log_noise += 0.5 * f.excess / p.noise_var
        # V_j C^-1 V_j' = (I - A^-1)_jj for the linear features, which no residual knows of.
        by_prior = 0.5 * (f.gamma**2 - np.diag(f.explained))[M:]
        self.by_prior = by_prior if len(p.root) else np.zeros(len(p.parts.prior))
        self.inducing *= self.unit

    def _without_residual(self) -> tuple[float, FloatArray]:
        """Pass over the rows for SR, DTC and VFE: one product of matrices a part, and no V.

        Returns tr R and V D V'.
        """
        f, p, rows, M, s2 = self.f, self.f.p, self.f.rows, len(self.f.L), self.f.p.noise_var
        penalised = f.approximation.penalised
        inner = f.explained[:M, :M] if penalised else -self._A_inv[:M, :M]
        on_features = solve_rows(f.L, np.array(inner, order="C"), transposed=True)  # of K = V' L'
        by_kernel = (on_features if p.precise else _solve_both(f.L, inner)) / s2
        weights = f.gamma[:M] if p.precise else f.weights
        by_linear = -solve_rows(f.L, self._A_inv[M:, :M].copy(), transposed=True) / s2
        squares = 0.0
        for part, at, cross in self._parts():
            K = solve_rows(f.L, cross.K.copy()) if p.precise else cross.K
            misfit, G = rows.y[part] - K @ weights, K @ by_kernel
            if len(p.root):
                linear = rows.linear(part, p.root)
                misfit -= linear @ f.gamma[M:]
                G += linear @ by_linear
            alpha = misfit / s2
            squares += float(alpha @ alpha)
            G += alpha[:, None] * f.weights
            self._add(part, cross, G)
            if penalised:
                self.by_kernel += p.kernel.diag_slopes(at, np.full(len(at), -0.5)) / s2
        trace = squares - (len(rows.y) - float(np.trace(f.explained))) / s2
        return trace, -f.S[:M, :M] if penalised else np.zeros((M, M))

    def _with_residual(self) -> tuple[float, FloatArray]:
        """Pass over the rows for FITC, PITC and what has blocks; return tr R and V D V'."""
        f, p, rows, M = self.f, self.f.p, self.f.rows, len(self.f.L)
        trace, VDV = 0.0, np.zeros((M, M))
        for part, at, cross in self._parts():
            V = solve_rows(f.L, cross.K.copy())
            residual = residual_of(f.approximation, p, V, at)
            W = residual.solve(rows.with_linear(V, part, p.root))
            alpha = residual.solve(rows.y[part, None])[:, 0] - W @ f.gamma
            Y = W @ self._A_inv
            by_residual, DV, own_trace = residual.passed_on(alpha, Y, W, V)
            self.by_kernel += by_residual
            trace += own_trace
            VDV += V.T @ DV
            DV += Y[:, :M]
            by_rows = solve_rows(f.L, DV, transposed=True)
            self._add(part, cross, alpha[:, None] * f.weights - by_rows)
        return trace, VDV

    def _parts(self) -> Iterator[tuple[slice, FloatArray, MatrixSlopes]]:
        """Yield every part, its rows where the kernel takes them, and its cross matrix (b, M)."""
        f, p = self.f, self.f.p
        for part in f.rows.parts:
            at = p.at(f.rows.X[part])
            yield part, at, p.cross(at)

    def _add(self, part: slice, cross: MatrixSlopes, G: FloatArray) -> None:
        """Add what follows from G = dF / dK of a cross matrix, (b, M)."""
        if self.f.p.projection is not None:
            self.projection += cross.rows(G).T @ self.f.rows.X[part]
        self.by_kernel += cross.parameters(G)
        self.inducing += cross.columns(G)

    def _through_inducing(self, VDV: FloatArray) -> FloatArray:
        """Add what passes through K_MM; return the slopes in the logarithms of h, (M,)."""
        f, p, M = self.f, self.f.p, len(VDV)
        # dF/dK_MM = -1/2 [w w' - L'^-1 (I - A^-1 + V D V') L^-1]
        inner = _solve_both(f.L, f.explained[:M, :M] + VDV)
        G = -0.5 * (np.outer(f.weights, f.weights) - inner)
        by_kernel, by_inputs = slopes_among(p.kernel, p.inducing, G, f.added)
        self.by_kernel += by_kernel
        self.inducing += by_inputs
        return np.diag(G) * p.kernel.diag(p.inducing) * p.h


def slopes_among(
    k: Covariance, Z: FloatArray, G: FloatArray, added: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return slopes in the covariance's logarithms (p,) and in inputs Z, (m, d), by G = dF / dK.

    K is the matrix of k among the inputs, with (1 + added_i) k(z_i, z_i) on its diagonal; G (m, m)
    is symmetric.
    """
    m, d = Z.shape
    g = np.diag(G) * (1.0 + added)
    apart, own = G - np.diag(np.diag(G)), k.with_slopes(Z, Z)
    along = k.diag_jets(Z, np.broadcast_to(np.eye(d), (m, d, d)))[:, 2:, 0]
    by_kernel = own.parameters(apart) + k.diag_slopes(Z, g)
    return by_kernel, 2.0 * own.rows(apart) + g[:, None] * along


def _solve_both(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L'^-1 B L^-1."""
    half = solve_rows(L, np.array(B, order="C"), transposed=True)
    both = solve_rows(L, np.ascontiguousarray(half.T), transposed=True)
    return both.T


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
        by_covariance = by.f.p.assembled(by.by_kernel, by.by_prior)
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

    @property
    def first_factors(self) -> SparseFactors:
        """What one pass over the rows leaves of the first parameters."""
        return factorise(self.first, self.rows, self.approximation)

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
        p, ends = self.first, np.cumsum([len(f.start) for f in self.free])
        for f, stretch in zip(self.free, np.split(theta, ends[:-1]), strict=True):
            p = f.put(p, stretch)
        return p

    @property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta under its prior, infinite where it has none."""
        both = [np.broadcast_arrays(*f.prior, f.start)[:2] for f in self.free]
        middle, std = (np.concatenate(each) for each in zip(*both, strict=True))
        return middle, std

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        found = factorise(self.unpack(theta), self.rows, self.approximation)
        by = Slopes(found, self.first.scales)
        return found.log_evidence, np.concatenate([f.slopes(by) for f in self.free])


def train(
    rows: RowParts,
    model: SparseOptions,
    full: Evidence,
    first: Parameters,
    on_evaluation: Callable[[], object],
) -> tuple[Parameters, FitReport]:
    """Climb to the greatest evidence of all rows.

    All that is free moves together. Hyperparameters that go first settle for what inducing inputs
    at the wrong places can do: a larger noise, under VFE at times nothing but noise.
    """
    moved, max_iter = model._moves_inducing, model.max_iter
    free = free_hyperparameters(first, full) if model.optimizer else []
    if moved:
        free.append(free_inducing(first))
    if first.uncertainty is not None:
        free.append(free_uncertainty(first.uncertainty))
    if not free:
        return first, KEPT
    problem = SparseObjective(rows, model._kind, first, free)
    gain = max(GAIN, _GAIN_A_ROW * len(rows.y))
    run = Climber(problem, max_iter, gain, on_evaluation).climb(problem.start)
    last, report = problem.unpack(run.theta), run.report
    # Inducing inputs never stop moving: max_iter is their usual end, and the report says so.
    if not report.converged and not (moved and report.n_iterations >= max_iter):
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
