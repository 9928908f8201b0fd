"""A posterior of a few projections of the inputs."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.shapes import check_matrix, check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Draw, Moments, Prediction, ReadOnly
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.joint import Joint
from gpforecast.storage import storable


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
