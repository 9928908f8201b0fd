"""What a trained state predicts: one posterior, a projected one, or one for each block."""

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.evidence import NUGGET, Factors, Parameters, residual_of
from gpforecast.models.sparse.spaces import Scaled, bumps
from gpforecast.models.sparse.streaming import Rows
from gpforecast.numerics.solving import solve_rows
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.piecewise import PiecewisePosterior
from gpforecast.posteriors.projected import ProjectedPosterior


def posterior_of_factors(
    p: Parameters, rows: Rows, approximation: Approximation, f: Factors
) -> Posterior | ProjectedPosterior:
    r"""Write the prediction as an extended linear model on the inducing inputs.

    With v = [L^-1 k(x); the linear features], the mean is :math:`v'\gamma` and the variance
    :math:`k_{**} - |L^{-1}k|^2 + |L_A^{-1} v|^2` (Snelson 2007, eq. 2.25); SR lacks the first two
    terms.
    """
    M, root, c = len(f.L), p.root, p.variance
    inside = p.inducing.shape[1]
    added = np.zeros((M + inside + 1, len(f.gamma)))
    added[:M, :M] = c * solve_triangular(f.L, np.eye(M), lower=True, trans=1)
    slopes = np.zeros(inside + 1)
    if len(root):
        added[M:, M:] = np.diag(root)
        slopes = root * f.gamma[M:]
    nugget: float | FloatArray = NUGGET * c + f.jitter
    if p.uncertainty.any():
        nugget = nugget + c * p.uncertainty
    scaled = isinstance(p.space, Scaled)
    posterior = Posterior(
        centers=p.inducing + (rows.middle if scaled else rows.middle @ p.space.matrix.T),  # type: ignore[union-attr]
        lengthscales=p.space.lengthscales.copy()
        if isinstance(p.space, Scaled)
        else np.ones(inside),
        weights=c * f.weights,
        linear=slopes[:inside],
        constant=float(slopes[inside]),
        noise_var=p.noise_var,
        prior_var=0.0 if approximation.degenerate else c,
        chol=None if approximation.degenerate else f.L / c,
        nugget=nugget,
        added=solve_rows(f.inner_chol, added),
    )
    return (
        posterior if isinstance(p.space, Scaled) else ProjectedPosterior(posterior, p.space.matrix)
    )


def piecewise_of_factors(
    p: Parameters,
    rows: Rows,
    approximation: Approximation,
    f: Factors,
    centers: FloatArray,
    model: str,
) -> PiecewisePosterior:
    """Keep what PIC and local GPs need of every block: O(n (B + M)) in one more pass."""
    space = p.space
    if not isinstance(space, Scaled):
        raise TypeError("blocks have no projection")
    at_z, root = space.inducing(p.inducing), p.root
    alpha, factors = np.empty(len(rows.y)), []
    for part in rows.parts:
        at = space.rows(rows.X[part])
        V = solve_rows(f.L, bumps(at, at_z, p.variance))
        residual = residual_of(approximation, p, V, at)
        V_all = np.concatenate([V, rows.linear(part, root)], axis=1) if len(root) else V
        alpha[part] = residual.solve((rows.y[part] - V_all @ f.gamma)[:, None])[:, 0]
        factors.append(residual.chol)  # type: ignore[union-attr]
    return PiecewisePosterior(
        model=model,
        block_centers=centers,
        X=rows.X + rows.middle,
        alpha=alpha,
        starts=np.array([0, *(part.stop for part in rows.parts)], dtype=np.int64),
        factors=tuple(factors),
        inducing=p.inducing + rows.middle,
        L=f.L,
        inner_chol=f.inner_chol,
        gamma=f.gamma,
        root=root,
        lengthscales=space.lengthscales.copy(),
        prior_var=p.variance,
        noise_var=p.noise_var,
    )
