"""What a search climbs: the marginal likelihood and its kind, as functions with a gradient."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.covariances.combinations import Parts
from gpforecast.models.conditioning import GramFactors, Workspace, factorise

FAILED = 1e25  # stands for the evidence where the covariance cannot be factored
NOT_FACTORED = (
    "the covariance matrix of the values cannot be factored, whatever the hyperparameters: the "
    "values may hardly differ compared with the largest of them. Check the largest values of the "
    "series; mark as missing (NaN) what is a mistake, or take logarithms."
)


class Objective(ABC):
    """A negative log posterior of theta, mostly logarithms of hyperparameters, within bounds.

    A subclass evaluates the log likelihood in `_rise`, and in `_height` if the value alone is
    cheaper. Both may raise `numpy.linalg.LinAlgError`, which stands for the value `FAILED`.
    """

    @property
    @abstractmethod
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); what was given lies within."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""

    @property
    @abstractmethod
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta under its prior, infinite where it has none."""

    def value(self, theta: FloatArray) -> float:
        """Return the negative log posterior of theta."""
        try:
            return self._penalty(theta)[0] - self._height(theta)
        except np.linalg.LinAlgError:
            return FAILED

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient."""
        try:
            height, rise = self._rise(theta)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        penalty, slopes = self._penalty(theta)
        return penalty - height, slopes - rise

    @abstractmethod
    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the log likelihood and its gradient."""

    def _height(self, theta: FloatArray) -> float:
        return self._rise(theta)[0]

    def _penalty(self, theta: FloatArray) -> tuple[float, FloatArray]:
        middle, std = self.prior
        off = (theta - middle) / std
        return 0.5 * float(off @ off), off / std


def including(bounds: FloatArray, start: FloatArray) -> FloatArray:
    """Return bounds (p, 2), widened where a start (p,) lies outside."""
    return np.column_stack([np.minimum(bounds[:, 0], start), np.maximum(bounds[:, 1], start)])


def lbfgs(
    negative: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    bounds: FloatArray,
    *,
    on_iteration: Callable[[float], None] = lambda _: None,
    **options: int,
) -> "scipy.optimize.OptimizeResult":
    """Return SciPy's result of L-BFGS-B on a function with its gradient, within bounds (p, 2).

    `options` are SciPy's. `on_iteration` takes the value after each iteration; StopIteration from
    it ends the search.
    """

    def callback(intermediate_result: "scipy.optimize.OptimizeResult") -> None:
        on_iteration(float(intermediate_result.fun))

    given: Any = options
    return scipy.optimize.minimize(
        negative,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(*bounds.T),
        callback=callback,
        options=given,
    )


PRIOR_STD = 2.0  # of a hyperparameter's logarithm, under the weak prior


@dataclass(frozen=True, eq=False)
class Evidence(Objective):
    """The function that training maximises, of theta = (covariance's logarithms, log noise).

    An evaluation costs O(n^3) time and works in the two n x n matrices of `room`, which are made
    at the first one and kept.
    """

    X: FloatArray
    y: FloatArray
    covariance: Covariance
    noise_var: float
    scale: FloatArray
    y_var: float
    weak_prior: bool

    @classmethod
    def started(
        cls,
        X: FloatArray,
        y: FloatArray,
        covariance: Covariance | None,
        noise_var: float | None,
        *,
        y_var: float | None = None,
        weak_prior: bool = False,
        **others: object,
    ) -> Self:
        """Return the function to start from the values given and, for the others, from the data.

        `y_var` is the unit of the variances; None is the targets' mean square.
        """
        scale = column_spread(X)
        y_var = y_var or float(np.mean(y**2)) or 1.0
        started = (covariance or SquaredExponential()).started(scale, y_var)
        started.diag(X[:1])  # raises if what was given is for another number of inputs
        noise_var = 0.01 * y_var if noise_var is None else float(noise_var)
        return cls(X, y, started, noise_var, scale, y_var, weak_prior, **others)

    @property
    def start(self) -> FloatArray:
        """Theta of the covariance and noise it was made with; the noise is kept off zero."""
        floor = 1e-10 * self.y_var
        return np.append(self.covariance.log_parameters, np.log(max(self.noise_var, floor)))

    @property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); what was given lies within."""
        return including(self._bounds, self.start)

    @property
    def _bounds(self) -> FloatArray:
        noise = np.log([[1e-8 * self.y_var, 10.0 * self.y_var]])
        return np.concatenate([self.covariance.log_bounds(self.scale, self.y_var), noise])

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return (*self.covariance.parameter_names, "noise variance")

    @cached_property
    def workspace(self) -> Workspace:
        """The matrices that every evaluation writes anew."""
        return Workspace(self.X, keep_K=True)

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float]:
        """Return the covariance and the noise variance that theta stands for."""
        return self.covariance.with_log_parameters(theta[:-1]), float(np.exp(theta[-1]))

    def at(self, theta: FloatArray) -> Self:
        """Return the same function, to start from theta."""
        covariance, noise_var = self.unpack(theta)
        return replace(self, covariance=covariance, noise_var=noise_var)

    def on_few_rows(self, n_rows: int) -> Self:
        """Return the same function of theta for at most so many of the rows, evenly spaced."""
        if n_rows >= len(self.y):
            return self
        rows = evenly_spaced(len(self.y), n_rows)
        return replace(self, X=self.X[rows], y=self.y[rows])

    @property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta under the weak prior; infinite without it."""
        start = self.start
        return start, np.full(len(start), PRIOR_STD if self.weak_prior else np.inf)

    def _height(self, theta: FloatArray) -> float:
        """Return it at a third of the cost of `_rise`."""
        factors = factorise(*self.unpack(theta), self.X, self.workspace)
        return factors.log_evidence(self.y)[0]

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        return self._with_root(*self.unpack(theta))[:2]

    def _with_root(
        self, covariance: Covariance, noise_var: float, y: FloatArray | None = None
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return the log evidence and its slopes in theta; K_y^-1 takes the place of its factor.

        dL/dtheta = 1/2 tr((alpha alpha' - K^-1) dK/dtheta), Rasmussen and Williams eq. (5.9). Also
        returned is U, with U'U - K_y^-1 the matrix in front of dK/dtheta; its first row is alpha,
        the slope in -y. Targets may be others than those it has.
        """
        y = self.y if y is None else y
        factors = factorise(covariance, noise_var, self.X, self.workspace)
        log_evidence, alpha = factors.log_evidence(y)
        # With K_y^-1, U'U - K_y^-1 is the matrix alpha alpha' - (K_y + H H')^-1 of eq. (5.9).
        U = np.vstack([alpha, factors.G.T])
        trace = float(np.sum(U * U))
        if factors.chol is None:
            trace -= len(alpha) / factors.nugget
        else:
            scipy.linalg.lapack.dpotri(factors.chol.T, lower=0, overwrite_c=1)
            trace -= float(factors.chol.diagonal().sum())
        slopes = Parts.of(covariance, self.X.shape[1]).gram_slopes(
            self.X, self.workspace.K, U, self.workspace.A, factors.weight_slopes(y)
        )
        return log_evidence, np.append(slopes, 0.5 * noise_var * trace), U


def evidence_slopes(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    r"""Return log N(y | 0, Q), Q = K + noise_var I, with its slopes.

    All follow from :math:`G = \partial \log p / \partial Q = (\alpha\alpha' - Q^{-1}) / 2`,
    :math:`\alpha = Q^{-1} y`. It takes O(n^3 + n^2 d) time and n x n matrices.

    Parameters
    ----------
    covariance : Covariance
    noise_var : float
    X : ndarray (n, d)
    y : ndarray (n,)

    Returns
    -------
    value : float
    by_theta : ndarray (p + 1,)
        In the logarithms of the covariance's parameters and of the noise variance.
    by_inputs : ndarray (n, d)
    by_targets : ndarray (n,)

    Raises
    ------
    numpy.linalg.LinAlgError
        If Q is not positive definite.

    References
    ----------
    Quinonero-Candela (2004), eqs. (3.8), (4.34) and (4.35).
    """
    n = len(y)
    matrix = covariance.with_slopes(X, X)
    Q = matrix.K.copy()
    Q.flat[:: n + 1] += noise_var
    chol, info = scipy.linalg.lapack.dpotrf(Q, lower=1)
    if info:
        raise np.linalg.LinAlgError("the covariance matrix is not positive definite")
    alpha = scipy.linalg.lapack.dpotrs(chol, y, lower=1)[0]
    log_det = 2.0 * float(np.log(chol.diagonal()).sum())
    value = -0.5 * (float(y @ alpha) + log_det + n * float(np.log(2.0 * np.pi)))
    half, _ = scipy.linalg.lapack.dpotri(chol, lower=1)  # of the inverse: below its diagonal
    half.flat[:: n + 1] *= 0.5
    G = 0.5 * (np.outer(alpha, alpha) - half - half.T)
    by_theta = np.append(matrix.parameters(G), noise_var * np.trace(G))
    by_inputs = 2.0 * matrix.rows(G)  # row and column of each x: G is symmetric
    return value, by_theta, by_inputs, -alpha


def evenly_spaced(n: int, n_rows: int | None) -> IntArray:
    """Return the positions of `n_rows` of n rows, from the first to the last; None for all."""
    few = n if n_rows is None else min(n_rows, n)
    return np.unique(np.linspace(0, n - 1, few).astype(np.int64))


def column_spread(X: FloatArray) -> FloatArray:
    """Return the standard deviation of each column; 1 for a column that does not vary."""
    spread = X.std(axis=0)
    still = spread <= 1e-12 * (np.abs(X).max(axis=0) + np.finfo(float).tiny)
    return np.where(still, 1.0, spread)


def kernel_of(parts: Parts, model: str) -> Covariance:
    """Return the nonlinear part of the covariance, or raise: a `model` of few inputs needs one."""
    if parts.kernel is None:
        raise ValueError(
            f"{model} needs a covariance such as SquaredExponential besides linear and constant "
            f"terms; got {parts.whole!r}. GaussianProcess takes those alone, at any number of rows."
        )
    return parts.kernel


_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Evidence):
    r"""The log density of each target given the other rows, summed; a sibling of the evidence.

    With C the covariance of the targets, :math:`P = C^{-1}` and :math:`\alpha = P y`, a row that is
    left out has

    .. math::

        y_i - \mu_{-i} = \alpha_i / P_{ii}, \qquad s_{-i}^2 = 1 / P_{ii}, \qquad
        L = \sum_i \log N(y_i \mid \mu_{-i}, s_{-i}^2)

    (Rasmussen and Williams, eqs. (5.10) to (5.12)), noise included, so that no row is ever left
    out in fact. Eq. (5.13) for all hyperparameters at once:

    .. math::

        dL = \tfrac12 \sum_{ij} G_{ij} \, dC_{ij}, \qquad
        G = -2 P A P - P b \alpha' - \alpha (P b)', \qquad
        A_{ii} = \frac{1 + \alpha_i^2 / P_{ii}}{2 P_{ii}}, \quad b_i = -\frac{\alpha_i}{P_{ii}}.

    An evaluation costs O(n^3) time, about twice that of the evidence, and four n x n matrices.
    """

    def _height(self, theta: FloatArray) -> float:
        factors = factorise(*self.unpack(theta), self.X, self.workspace)
        alpha = factors.log_evidence(self.y)[1]
        return _log_density(alpha, _inverse(factors).diagonal())

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        covariance, noise_var = self.unpack(theta)
        factors = factorise(covariance, noise_var, self.X, self.workspace)
        alpha = factors.log_evidence(self.y)[1]
        P = _inverse(factors)
        p = P.diagonal()
        a, b = 0.5 * (1.0 + alpha**2 / p) / p, -alpha / p
        Pb = P @ b
        trace = -2.0 * float(a @ np.einsum("ij,ij->i", P, P) + Pb @ alpha)
        PH = factors.G @ factors.R.T  # without an n x n matrix, and without loss of digits
        by_prior = -(a @ PH**2) - (PH.T @ b) * (PH.T @ self.y)
        root = P * np.sqrt(2.0 * a)
        minus_G = root @ root.T
        for u, v in ((Pb, alpha), (alpha, Pb)):
            minus_G += np.outer(u, v)
        slopes = Parts.of(covariance, self.X.shape[1]).gram_slopes(
            self.X, self.workspace.K, np.zeros((0, len(alpha))), minus_G, by_prior
        )
        return _log_density(alpha, p), np.append(slopes, 0.5 * noise_var * trace)


def _inverse(factors: GramFactors) -> FloatArray:
    """Return P = K_y^-1 - G G' of what was factored, (n, n); the factor is overwritten."""
    if factors.chol is None:
        P = np.eye(len(factors.G)) / factors.nugget
    else:
        scipy.linalg.lapack.dpotri(factors.chol.T, lower=0, overwrite_c=1)
        P = np.tril(factors.chol)
        P += np.tril(P, -1).T
    P -= factors.G @ factors.G.T
    if P.diagonal().min() <= 0.0:
        raise np.linalg.LinAlgError("a row that is left out has no variance")
    return P


def _log_density(alpha: FloatArray, p: FloatArray) -> float:
    """Return the sum of the log densities at residuals alpha / p with variances 1 / p."""
    return 0.5 * float(np.sum(np.log(p) - alpha**2 / p) - len(p) * _LOG_2PI)
