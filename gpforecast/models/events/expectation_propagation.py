r"""Expectation propagation: a Gaussian site for each row stands for its likelihood.

.. math:: p(f \mid y) \approx q(f) \propto N(f \mid 0, K) \prod_i \exp(\nu_i f_i -
    \tfrac12 \tau_i f_i^2)

The site of a row is the one for which q has the mean and variance that it would have with the
row's likelihood in the site's place. With :math:`B = I + T^{1/2} K T^{1/2}`, T = diag(tau), the
covariance of q is :math:`\Sigma = K - K W K`, :math:`W = T^{1/2} B^{-1} T^{1/2}` (Rasmussen and
Williams 2006, section 3.6). All sites are found anew in each sweep, at the cost of one
factorisation of B and the inverse of its factor.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.combinations import Parts
from gpforecast.models.conditioning import conditioned, linear_posterior
from gpforecast.models.events.likelihoods import Likelihood, Tilted
from gpforecast.models.measured import MeasuredWeights
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_TOLERANCE = 1e-6  # of a site's change, in units of the posterior at its row
_SWEEPS = 200
_STEPS = (0.05, 1.0)  # the shortest and the longest step towards the new sites
_CANCELLED = 1e-5  # of 1 - (B^-1)_ii: where fewer digits are left, the variance is summed
_FLAT = 1e-10  # times 1 / k(x, x): the precision that stands for one of zero
_NONE = np.finfo(float).eps  # k(x, x) of an x where f, whose unit is 1, is zero


@storable
@dataclass(frozen=True, eq=False)
class Sites:
    """Gaussian factors exp(shift f - precision f^2 / 2) of n rows.

    Attributes
    ----------
    precision : ndarray (n,)
        tau, 0 or more.
    shift : ndarray (n,)
        nu, the precision times the mean.
    """

    precision: FloatArray
    shift: FloatArray

    @staticmethod
    def flat(n: int) -> "Sites":
        """Return sites that say nothing of f."""
        return Sites(np.zeros(n), np.zeros(n))

    def towards(self, other: "Sites", step: float) -> "Sites":
        """Return sites between these and others."""
        return Sites(
            self.precision + step * (other.precision - self.precision),
            self.shift + step * (other.shift - self.shift),
        )

    @staticmethod
    def matched(tilted: Tilted, mean: FloatArray, var: FloatArray) -> "Sites":
        r"""Return the sites that turn N(mean, var) into a Gaussian with the tilted moments.

        .. math:: \tau = -b / (1 + b v), \qquad \nu = \tau \mu + (1 + \tau v) a

        Where the likelihood widens f (b > 0) the precision is 0, the best that a site can do that
        does not widen it, and the mean alone agrees.
        """
        b = np.minimum(tilted.curvature, 0.0)
        tau = -b / (1.0 + b * var)
        return Sites(tau, tau * mean + (1.0 + tau * var) * tilted.slope)

    def posterior(self, covariance: Covariance, X: FloatArray, noise_var: float) -> Posterior:
        r"""Return the posterior of a GP given these sites at X (n, d).

        It is that of regression on the targets :math:`\nu_i / \tau_i` with the noise variances
        :math:`1 / \tau_i`; the noise of an observation is `noise_var`.
        """
        (n, d), parts = X.shape, Parts.of(covariance, X.shape[1])
        nuggets = 1.0 / np.maximum(self.precision, _FLAT / np.maximum(covariance.diag(X), _NONE))
        targets = self.shift * nuggets
        if parts.kernel is None:  # slopes and level alone
            root = np.sqrt(parts.prior)
            H = np.column_stack([X, np.ones(n)]) * root
            weights = MeasuredWeights.of(H, targets, nuggets[None], flat=False)
            b = root * weights.mean
            return linear_posterior(b[:d], float(b[d]), noise_var, root[:, None] * weights.root)
        found = conditioned(covariance, 0.0, X, targets, np.diag(nuggets))
        return replace(found.posterior, noise_var=noise_var, nugget=nuggets + found.jitter)


@dataclass(frozen=True, eq=False)
class Approximation:
    """The Gaussian q of given sites, with what evidence and predictions need of it.

    Attributes
    ----------
    K : ndarray (n, n)
        Prior covariance of f at the rows.
    sites : Sites
    """

    K: FloatArray
    sites: Sites

    @cached_property
    def root(self) -> FloatArray:
        """The square roots of the sites' precisions."""
        return np.sqrt(self.sites.precision)

    @cached_property
    def chol(self) -> FloatArray:
        """The lower Cholesky factor of B; zero above the diagonal."""
        B = self.K * self.root
        B *= self.root[:, None]
        B.flat[:: len(B) + 1] += 1.0
        factor, info = scipy.linalg.lapack.dpotrf(B.T, lower=1, clean=1, overwrite_a=1)
        if info:
            raise np.linalg.LinAlgError("the covariance matrix of f is not positive semi-definite")
        return np.asarray(factor)

    @cached_property
    def inverse_chol(self) -> FloatArray:
        """The inverse of `chol`."""
        inverse, _ = scipy.linalg.lapack.dtrtri(self.chol, lower=1)
        return np.asarray(inverse)

    @cached_property
    def pull(self) -> FloatArray:
        """K^-1 times the mean of q, (n,)."""
        nu, L = self.sites.shift, self.inverse_chol
        return np.asarray(nu - self.root * (L.T @ (L @ (self.root * (self.K @ nu)))))

    @cached_property
    def mean(self) -> FloatArray:
        """Of q at the rows, (n,)."""
        return np.asarray(self.K @ self.pull)

    @cached_property
    def left(self) -> FloatArray:
        """The diagonal of B^-1, (n,): 1 - tau times the variance of q."""
        return np.asarray(np.einsum("ij,ij->j", self.inverse_chol, self.inverse_chol))

    @cached_property
    def var(self) -> FloatArray:
        """Of q at the rows, (n,)."""
        explained, tau = 1.0 - self.left, self.sites.precision
        var = explained / np.where(tau > 0.0, tau, 1.0)
        few = np.flatnonzero(explained < _CANCELLED)
        if len(few):
            V = self.inverse_chol @ (self.root[:, None] * self.K[:, few])
            var[few] = self.K.diagonal()[few] - np.einsum("ij,ij->j", V, V)
        return np.asarray(var)

    @cached_property
    def cavity(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of q without the row's own site, (n,) each."""
        left = np.where(self.sites.precision > 0.0, self.left, 1.0)
        return (self.mean - self.var * self.sites.shift) / left, self.var / left

    def log_evidence(self, tilted: Tilted) -> float:
        """Return the log evidence of EP, given the tilted moments at the cavities.

        Rasmussen and Williams (2006), eq. (3.65), with the sites in natural parameters.
        """
        mean, var = self.cavity
        tau, nu = self.sites.precision, self.sites.shift
        grown = 1.0 + tau * var
        own = (2.0 * mean * nu + var * nu**2 - tau * mean**2) / grown - np.log(grown)
        log_det = np.log(self.chol.diagonal()).sum()
        both = tilted.log_z.sum() - 0.5 * own.sum() - log_det + 0.5 * nu @ self.mean
        return float(both)

    def explained(self) -> FloatArray:
        """Return W, (n, n)."""
        # a third of a product's flops
        lower, _ = scipy.linalg.lapack.dlauum(self.inverse_chol, lower=1)
        lower *= np.outer(self.root, self.root)
        return np.asarray(np.tril(lower) + np.tril(lower, -1).T)

    def slopes(self, covariance: Covariance, X: FloatArray) -> FloatArray:
        """Return the slopes of the log evidence in the covariance's logarithms, sites held.

        1/2 tr((K^-1 m m' K^-1 - W) dK / d theta), Rasmussen and Williams (2006), eself. (5.27).
        """
        parts, lower, H = _in_parts(covariance, X)
        W = self.explained()
        by_prior = 0.5 * ((H.T @ self.pull) ** 2 - np.einsum("nd,nd->d", H, W @ H))
        return parts.gram_slopes(X, lower, self.pull[None], W, by_prior)


@dataclass(frozen=True, eq=False)
class Converged:
    """Where expectation propagation ended.

    Attributes
    ----------
    q : Approximation
    tilted : Tilted
        At the cavities of q.
    n_sweeps : int
    converged : bool
    """

    q: Approximation
    tilted: Tilted
    n_sweeps: int
    converged: bool

    @cached_property
    def log_evidence(self) -> float:
        """In nats."""
        return self.q.log_evidence(self.tilted)


def propagate_expectations(
    K: FloatArray,
    likelihood: Likelihood,
    y: IntArray,
    start: Sites | None = None,
    *,
    tolerance: float = _TOLERANCE,
) -> Converged:
    """Return the Gaussian whose sites agree with the likelihoods, and the evidence there.

    Parameters
    ----------
    K : ndarray (n, n)
        Prior covariance of f at the rows.
    likelihood : Likelihood
    y : ndarray (n,) of int
        Classes.
    start : Sites, optional
        From which to start; by default such that say nothing.
    tolerance : float
        A change of the sites that moves no mean by more than so many standard deviations, and no
        variance by more than this part of it, was the last.

    Notes
    -----
    A sweep costs 2/3 n^3 flops. The step shrinks where changes grow.
    """
    q = Approximation(K, Sites.flat(len(y)) if start is None else start)
    step, before = _STEPS[1], np.inf
    for sweep in range(1, _SWEEPS + 1):
        tilted = likelihood.tilted(y, *q.cavity)
        new = Sites.matched(tilted, *q.cavity)
        std = np.sqrt(q.var)
        by_shift = (new.shift - q.sites.shift - (new.precision - q.sites.precision) * q.mean) * std
        by_precision = (new.precision - q.sites.precision) * q.var
        change = float(max(np.abs(by_shift).max(), np.abs(by_precision).max()))
        if change < tolerance:
            return Converged(q, tilted, sweep, True)
        step = max(0.5 * step, _STEPS[0]) if change > before else min(1.1 * step, _STEPS[1])
        before = change
        q = Approximation(K, q.sites.towards(new, step))
    return Converged(q, likelihood.tilted(y, *q.cavity), _SWEEPS, False)


def gram(covariance: Covariance, X: FloatArray) -> FloatArray:
    """Return the covariance matrix of f at X (n, d), compiled where the kernel is."""
    _, lower, H = _in_parts(covariance, X)
    lower = np.tril(lower)
    return lower + np.tril(lower, -1).T + H @ H.T


def _in_parts(covariance: Covariance, X: FloatArray) -> tuple[Parts, FloatArray, FloatArray]:
    """Return the kernel's matrix, below the diagonal, and H of the linear functions, K + H H'."""
    parts, lower = Parts.of(covariance, X.shape[1]), np.zeros((len(X), len(X)))
    if parts.kernel is not None:
        parts.kernel.fill_gram(X, 0.0, lower)
    return parts, lower, np.column_stack([X, np.ones(len(X))]) * np.sqrt(parts.prior)
