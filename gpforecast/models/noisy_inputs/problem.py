"""The evidence as a function of the inputs too, and the posterior of inputs seen through noise."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.evidence import FAILED, Evidence, column_spread
from gpforecast.models.hamiltonian import Negative
from gpforecast.posteriors.extended_linear import Posterior

_INPUT_NOISE = (1e-6, 1.0)  # bounds of its variance, as a fraction of the input's


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


def climbed_down(
    negative: Negative, start: FloatArray, bounds: FloatArray, max_iter: int
) -> "scipy.optimize.OptimizeResult":
    """Return the result of L-BFGS-B within bounds, (p, 2)."""
    return scipy.optimize.minimize(
        negative,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(*bounds.T),
        options={"maxiter": max_iter},
    )


@dataclass(frozen=True, eq=False)
class NoisyInputs:
    r"""The joint density of targets and inputs, of theta and of standardised input noise z.

    The inputs are :math:`x_{nd} = u_{nd} + \sqrt{s_d}\, z_{nd}` with z ~ N(0, 1), so that the
    density of z does not change with s, and s is learned like any hyperparameter.

    Attributes
    ----------
    U : ndarray (n, d)
        The inputs as measured.
    y : ndarray (n,)
    start : ndarray (p,)
        The first theta: logarithms of the covariance's parameters, of the noise variance, and of
        s, (d,), where it is learned.
    bounds : ndarray (p, 2)
    covariance : Covariance
        Its form, with any values.
    given : ndarray (d,) or None
        s, where it is not learned.
    """

    U: FloatArray
    y: FloatArray
    start: FloatArray
    bounds: FloatArray
    covariance: Covariance
    given: FloatArray | None

    @classmethod
    def started(
        cls, problem: Evidence, posterior: Posterior, given: FloatArray | None
    ) -> "NoisyInputs":
        """Return the density to start from a Gaussian process that takes the inputs as exact.

        Where s is learned it starts where it explains the output noise, shared by the inputs:
        noise_var = sum_d s_d E[(df/dx_d)^2].
        """
        start, bounds, U = problem.start, problem.log_bounds, problem.X
        if given is None:
            low, high = np.outer(_INPUT_NOISE, column_spread(U) ** 2)
            steep = U.shape[1] * np.mean(posterior.gradient(U) ** 2, axis=0)
            s = np.clip(problem.noise_var / np.maximum(steep, 1e-300), low, high)
            start = np.append(start, np.log(s))
            bounds = np.vstack([bounds, np.log(np.column_stack([low, high]))])
        return cls(U, problem.y, start, bounds, problem.covariance, given)

    @classmethod
    def held(
        cls, U: FloatArray, y: FloatArray, covariance: Covariance, noise_var: float, s: FloatArray
    ) -> "NoisyInputs":
        """Return the density at hyperparameters that stay."""
        theta = np.append(covariance.log_parameters, np.log(noise_var))
        return cls(U, y, theta, np.column_stack([theta, theta]), covariance, s)

    @property
    def mean_square(self) -> float:
        """Of the targets: the noise variance at which they say nothing on the inputs."""
        return float(np.mean(self.y**2)) or 1.0

    @property
    def at_noise(self) -> int:
        """Where the noise variance is in theta."""
        return len(self.covariance.log_parameters)

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float, FloatArray]:
        """Return the covariance, the noise variance and s, (d,)."""
        k = self.at_noise
        s = np.exp(theta[k + 1 :]) if self.given is None else self.given
        return self.covariance.with_log_parameters(theta[:k]), float(np.exp(theta[k])), s

    def inputs(self, theta: FloatArray, z: FloatArray) -> FloatArray:
        """Return the inputs that standardised noise z, (..., n d), stands for: (..., n, d)."""
        scaled = z.reshape(*z.shape[:-1], *self.U.shape) * np.sqrt(self.unpack(theta)[2])
        return np.asarray(self.U + scaled)

    def given_theta(self, theta: FloatArray) -> Negative:
        """Return the negative log density of z at this theta, as a sampler takes it."""
        values = self.unpack(theta)

        def negative(z: FloatArray) -> tuple[float, FloatArray]:
            value, _, by_z = self._at(*values, z)
            return value, by_z

        return negative

    def negative(self, theta: FloatArray, z: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return -log p(y | x, theta) + z'z / 2, and its slopes in theta and in z, (n d,)."""
        value, by_theta, by_z = self._at(*self.unpack(theta), z)
        return value, by_theta[: len(theta)], by_z

    def _at(
        self, covariance: Covariance, noise_var: float, s: FloatArray, z: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return the same; the slopes in log s come last, whether it is learned or not."""
        root, z = np.sqrt(s), z.reshape(self.U.shape)
        try:
            value, by_theta, by_inputs, _ = evidence_slopes(
                covariance, noise_var, self.U + root * z, self.y
            )
        except np.linalg.LinAlgError:
            return FAILED, np.zeros(len(self.start) + len(s)), np.zeros(z.size)
        by_z = root * by_inputs
        by_theta = np.append(by_theta, 0.5 * (by_z * z).sum(axis=0))
        return 0.5 * float(np.sum(z * z)) - value, -by_theta, (z - by_z).ravel()
