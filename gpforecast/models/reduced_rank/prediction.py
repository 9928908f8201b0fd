"""What a reduced-rank Gaussian process predicts: degenerate, as a posterior, or augmented."""

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.reduced_rank.factors import SupportFactors, kernel_of
from gpforecast.posteriors.augmented_reduced_rank import AugmentedReducedRank
from gpforecast.posteriors.extended_linear import Posterior


def degenerate(
    covariance: Covariance, noise_var: float, support: FloatArray, found: SupportFactors
) -> Posterior:
    r"""Return the process without a further weight, eqs. (3.26) and (3.27), as a posterior.

    :math:`k(x, x_i) = c\,b_i(x) + x' \Lambda x_i + v` makes bumps, slopes and a constant of the
    weights :math:`\mu` and of a factor of their covariance,
    :math:`F = \sigma L^{-\top} C_B^{-\top}` with :math:`F F' = \Sigma`.

    Parameters
    ----------
    covariance : Covariance
    noise_var : float
    support : ndarray (m, d)
    found : Factors

    Returns
    -------
    Posterior
        O(m^2) memory, O(m^3) time.
    """
    m, d = support.shape
    c, unit = kernel_of(covariance, d).unit()
    prior = Parts.of(covariance, d).prior
    root = solve_triangular(found.chol_inner, np.eye(m), lower=True)
    both = np.column_stack([found.weights, np.sqrt(noise_var) * root.T])
    both = solve_triangular(found.chol, both, lower=True, trans=1)  # mu and F
    slopes, level = (support * prior[:d]).T, np.full((1, m), prior[d])
    features = np.concatenate([c * both, slopes @ both, level @ both])
    return Posterior(
        centers=support.copy(),
        lengthscales=scales_of(unit, np.ones(d)),
        weights=features[:m, 0].copy(),
        linear=features[m : m + d, 0].copy(),
        constant=float(features[m + d, 0]),
        noise_var=float(noise_var),
        added=features[:, 1:].copy(),
        covariance=unit,
    )


def augmented(
    covariance: Covariance,
    noise_var: float,
    X: FloatArray,
    support: FloatArray,
    found: SupportFactors,
) -> AugmentedReducedRank:
    """Return the process with a further weight at the input that is asked for, eq. (3.29).

    Parameters
    ----------
    covariance : Covariance
    noise_var : float
    X : ndarray (n, d)
    support : ndarray (m, d)
    found : Factors

    Returns
    -------
    AugmentedReducedRank
        O(n m) memory, O(n m^2) time.
    """
    return AugmentedReducedRank(
        base=degenerate(covariance, noise_var, support, found),
        covariance=covariance,
        X=X.copy(),
        chol=found.chol,
        chol_inner=found.chol_inner,
        Q1=solve_triangular(found.chol_inner, found.V, lower=True, check_finite=False).T,
        weights=found.weights,
        pull=found.residual / noise_var,
    )
