"""What a trained sparse Gaussian process predicts with: one posterior, or one for each block."""

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse.likelihood import SparseFactors, block_of
from gpforecast.numerics.solving import solve_rows
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.piecewise import PiecewisePosterior


def posterior_of(f: SparseFactors, centers: FloatArray) -> Posterior:
    r"""Write the prediction as an extended linear model on the inducing inputs.

    With v = [L^-1 k(x); the linear features], the mean is :math:`v'\gamma` and the variance
    :math:`k_{**} - |L^{-1}k|^2 + |L_A^{-1} v|^2` (Snelson 2007, eq. 2.25); a degenerate process
    lacks the first two terms.

    Parameters
    ----------
    f : SparseFactors
    centers : ndarray (M, g)
        The inducing inputs, whatever the origin.

    Returns
    -------
    Posterior
        Of projected inputs, if there is a projection. O(M^2) memory, O(M^3) time.
    """
    p, root, (M, g), degenerate = f.p, f.p.root, centers.shape, f.approximation.degenerate
    c, unit = p.kernel.unit()
    added = np.zeros((M + g + 1, len(f.gamma)))
    added[:M, :M] = c * solve_triangular(f.L, np.eye(M), lower=True, trans=1)
    slopes = np.zeros(g + 1)
    if len(root):
        added[M:, M:] = np.diag(root)
        slopes = root * f.gamma[M:]
    return Posterior(
        centers=centers,
        lengthscales=p.scales,
        weights=c * f.weights,
        linear=slopes[:g],
        constant=float(slopes[g]),
        noise_var=p.noise_var,
        prior_var=0.0 if degenerate else c,
        chol=None if degenerate else f.L / c,
        nugget=p.kernel.diag(p.inducing) * f.added,
        added=solve_rows(f.inner_chol, added),
        covariance=unit,
    )


def piecewise_of(f: SparseFactors, centers: FloatArray) -> PiecewisePosterior:
    """Keep what PIC and local GPs need of every block: O(n (B + M)) in one more pass."""
    p, rows = f.p, f.rows
    alpha, factors = np.empty(len(rows.y)), []
    for part in rows.parts:
        at = rows.X[part]
        V = solve_rows(f.L, p.kernel.cross_slopes(at, p.inducing).K)
        block = block_of(p, V, at)
        misfit = rows.y[part] - rows.with_linear(V, part, p.root) @ f.gamma
        alpha[part] = block.solve(misfit[:, None])[:, 0]
        factors.append(block.chol)
    c, unit = p.kernel.unit()
    return PiecewisePosterior(
        model=f"SparseGaussianProcess with approximation {f.approximation.name!r}",
        block_centers=centers,
        X=rows.X + rows.origin,
        alpha=alpha,
        starts=np.array([0, *(part.stop for part in rows.parts)], dtype=np.int64),
        factors=tuple(factors),
        inducing=p.inducing + rows.origin,
        L=f.L,
        inner_chol=f.inner_chol,
        gamma=f.gamma,
        root=p.root,
        lengthscales=p.scales,
        prior_var=c,
        noise_var=p.noise_var,
        covariance=unit,
    )
