"""The Gaussian of EP's sites as an extended linear model, which knows its exact moments."""

from dataclasses import replace

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.conditioning import conditioned
from gpforecast.models.events.expectation_propagation import Sites
from gpforecast.posteriors.extended_linear import Posterior

_FLAT = 1e-10  # times 1 / k(x, x): the precision that stands for one of zero


def site_posterior(
    covariance: Covariance, X: FloatArray, sites: Sites, noise_var: float
) -> Posterior:
    r"""Return the posterior of a GP given Gaussian sites at X (n, d).

    It is that of regression on the targets :math:`\nu_i / \tau_i` with the noise variances
    :math:`1 / \tau_i`; of the noise of an observation it is told `noise_var`.
    """
    parts = Parts.of(covariance, X.shape[1])
    if parts.kernel is None:
        return _linear(parts.prior, X, sites, noise_var)
    tau = np.maximum(sites.precision, _FLAT / covariance.diag(X))
    nuggets = 1.0 / tau
    found = conditioned(covariance, 0.0, X, sites.shift * nuggets, np.diag(nuggets))
    nugget = nuggets + found.jitter
    return replace(found.posterior, noise_var=noise_var, nugget=nugget)


def _linear(prior: FloatArray, X: FloatArray, sites: Sites, noise_var: float) -> Posterior:
    """Return the posterior of slopes and level alone: with H = [X, 1] P^1/2, I + H'TH = L L'."""
    n, d = X.shape
    root = np.sqrt(prior)
    H = np.column_stack([X, np.ones(n)]) * root
    inner = np.linalg.cholesky(np.eye(d + 1) + H.T @ (sites.precision[:, None] * H))
    half = root[:, None] * scipy.linalg.solve_triangular(inner, np.eye(d + 1), lower=True).T
    b = half @ (half.T @ (np.column_stack([X, np.ones(n)]).T @ sites.shift))
    return Posterior(
        centers=np.zeros((0, d)),
        lengthscales=np.ones(d),
        weights=np.zeros(0),
        linear=b[:d],
        constant=float(b[d]),
        noise_var=noise_var,
        added=half,
    )
