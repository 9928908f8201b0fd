"""Posteriors made of others: of several at once, and of one at a few projections of the inputs.

Several stand for what is believed of f when its hyperparameters are uncertain too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.shapes import check_matrix, check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Draw, Moments, Prediction, ReadOnly
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.joint import Joint
from gpforecast.storage import storable

_M = TypeVar("_M")


@storable
@dataclass(frozen=True, eq=False)
class AveragedPosterior:
    r"""A weighted mixture of posteriors of one function.

    Its moments are those of the mixture, by the law of total variance,

    .. math::

        m = \sum_k \pi_k m_k, \qquad v = \sum_k \pi_k (v_k + (m_k - m)^2),

    exact where those of its parts are. A forecast of many steps follows each part on its own and
    mixes the horizons at the end, because hyperparameters do not change from step to step.

    Time and memory are those of one posterior times the number of parts.

    Attributes
    ----------
    parts : tuple of Posterior
        Over the same inputs.
    weights : ndarray (k,)
        Positive, summing to 1.
    """

    parts: tuple[Posterior, ...]
    weights: FloatArray

    def __post_init__(self) -> None:
        check_shapes(self, weights=(len(self.parts),))
        if len({part.n_inputs for part in self.parts}) != 1:
            raise ValueError("parts of AveragedPosterior must have the same inputs")

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return self.parts[0].n_inputs

    @property
    def centers(self) -> FloatArray:
        """Where the basis functions of the first part sit: (m, d)."""
        return self.parts[0].centers

    @property
    def noise_var(self) -> float:
        """Variance of an observation around f, averaged over the parts."""
        return float(self.weights @ [part.noise_var for part in self.parts])

    @cached_property
    def lengthscales(self) -> FloatArray:
        """Geometric mean of the parts' length-scales: (d,)."""
        logs = np.log([part.lengthscales for part in self.parts])
        return np.asarray(np.exp(self.weights @ logs))

    @property
    def supports(self) -> frozenset[str]:
        """Which propagation methods all parts allow."""
        return frozenset.intersection(*(part.supports for part in self.parts))

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (n, d), (n,)."""
        return np.asarray(self.weights @ np.array([part.mean(X) for part in self.parts]))

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        return Prediction(*self._mixed([part.predict(X) for part in self.parts]))

    def joint(self, X: FloatArray) -> Joint:
        """Return the mixture of the parts' joint distributions of f at known inputs X (n, d)."""
        return Joint.mixture(tuple(part.joint(X) for part in self.parts), self.weights)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""
        slopes = np.array([part.gradient(X) for part in self.parts])
        return np.asarray(np.tensordot(self.weights, slopes, axes=1))

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the exact moments at inputs x ~ N(u, S), u (b, d), S (b, d, d)."""
        return self._mixed_moments([part.moments(u, S) for part in self.parts])

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the mixture of the parts' Taylor moments, u (b, d), S (b, d, d)."""
        return self._mixed_moments([part.taylor_moments(u, S) for part in self.parts])

    def _mixed_moments(self, at: list[Moments]) -> Moments:
        mean, var, n_clipped = self._mixed(at)
        # E[grad f] of the mixture, so Stein's lemma holds for it as for each part.
        gradient = np.tensordot(self.weights, np.array([p.gradient for p in at]), axes=1)
        return Moments(mean, var, gradient, n_clipped)

    def _mixed(self, at: Sequence[Prediction | Moments]) -> tuple[FloatArray, FloatArray, int]:
        """Return mean, variance and how many variances were clipped, over all parts."""
        m = np.array([p.mean for p in at])
        mean: FloatArray = self.weights @ m
        var: FloatArray = self.weights @ (np.array([p.var for p in at]) + (m - mean) ** 2)
        return mean, var, sum(p.n_clipped for p in at)


def parts_of(predictive: _M) -> tuple[Sequence[_M | Posterior], FloatArray]:
    """Return the parts of a mixture and their weights; another model is its own only part."""
    if isinstance(predictive, AveragedPosterior):
        return predictive.parts, predictive.weights
    return (predictive,), np.ones(1)


@storable
@dataclass(frozen=True, eq=False)
class ProjectedPosterior(ReadOnly):
    r"""f(x) = h(P x) with h a `Posterior` of few inputs; Snelson (2007), section 4.1.

    If :math:`x \sim N(u, S)`, then :math:`P x \sim N(P u, P S P')`: the moments of f are those of
    h there, exactly, and :math:`E[\nabla f] = P' E[\nabla h]`. A step of a forecast costs what it
    costs in the few dimensions.

    Attributes
    ----------
    inner : Posterior
        h, of g inputs.
    projection : ndarray (g, d)
        P.
    """

    inner: Posterior
    projection: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        d = check_matrix(self, "projection")[1]
        check_shapes(self, projection=(self.inner.n_inputs, d))

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return int(self.projection.shape[1])

    @property
    def noise_var(self) -> float:
        """Variance of an observation around f."""
        return self.inner.noise_var

    @property
    def lengthscales(self) -> FloatArray:
        """The distance along each input that is one length-scale of h: (d,)."""
        moved = np.linalg.norm(self.projection / self.inner.lengthscales[:, None], axis=0)
        return np.asarray(1.0 / np.maximum(moved, np.finfo(float).tiny))

    @property
    def supports(self) -> frozenset[str]:
        """Which propagation methods h allows."""
        return self.inner.supports

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (n, d), (n,)."""
        return self.inner.mean(X @ self.projection.T)

    def draw(self, n: int, rng: np.random.Generator, *, n_features: int = 256) -> Draw:
        """Draw n functions, each to be evaluated at its own inputs."""
        drawn = self.inner.draw(n, rng, n_features=n_features)
        return lambda x: drawn(x @ self.projection.T)

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        return self.inner.predict(X @ self.projection.T)

    def joint(self, X: FloatArray) -> Joint:
        """Return mean and covariance of f at known inputs X (n, d) jointly."""
        return self.inner.joint(X @ self.projection.T)

    @property
    def prior_var(self) -> float:
        """The variance of f away from all data that is not of a finite sum of features."""
        return self.inner.prior_var

    @property
    def signs(self) -> FloatArray:
        """The sign of each of the `factors`."""
        return self.inner.signs

    def factors(self, X: FloatArray) -> FloatArray:
        """Return what the covariance of f at two inputs is made of, (n, r)."""
        return self.inner.factors(X @ self.projection.T)

    def prior_pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Return c k(x_i, z_i), (n,)."""
        return self.inner.prior_pairs(X @ self.projection.T, Z @ self.projection.T)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""
        return self.inner.gradient(X @ self.projection.T) @ self.projection

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the exact moments of f at inputs x ~ N(u, S), u (b, d), S (b, d, d)."""
        return self._mapped(self.inner.moments(*self._inside(u, S)))

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return moments from the mean to first and the variance to second order around u."""
        return self._mapped(self.inner.taylor_moments(*self._inside(u, S)))

    def _inside(self, u: FloatArray, S: FloatArray) -> tuple[FloatArray, FloatArray]:
        P = self.projection
        return u @ P.T, P @ S @ P.T

    def _mapped(self, h: Moments) -> Moments:
        return Moments(h.mean, h.var, h.gradient @ self.projection, h.n_clipped)
