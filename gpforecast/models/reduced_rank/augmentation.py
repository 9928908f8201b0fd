"""What a reduced-rank Gaussian process needs to add a weight at the input that is asked for."""

import numpy as np

from gpforecast.models.reduced_rank.objective import ReducedEvidence
from gpforecast.models.sparse.likelihood import SparseFactors
from gpforecast.models.sparse.predictives import posterior_of
from gpforecast.numerics.solving import solve_rows
from gpforecast.posteriors.augmented_reduced_rank import AugmentedReducedRank


def augmented(process: ReducedEvidence, found: SparseFactors) -> AugmentedReducedRank:
    """Return the process with a further weight at the input that is asked for, eq. (3.29).

    Parameters
    ----------
    process : ReducedEvidence
    found : SparseFactors
        Of its rows.

    Returns
    -------
    AugmentedReducedRank
        O(n m) memory, O(n m^2) time.
    """
    X, Z, noise_var = process.X, process.support, process.noise_var
    V = solve_rows(found.L, process.covariance(X, Z))  # (n, m), the rows of L^-1 k(x)
    misfit = process.y - V @ found.gamma
    chol_inner = np.sqrt(noise_var) * found.inner_chol  # of sigma^2 I + V'V
    return AugmentedReducedRank(
        base=posterior_of(process.first, found, Z.copy(), degenerate=True),
        covariance=process.covariance,
        X=X.copy(),
        chol=found.L,
        chol_inner=chol_inner,
        Q1=solve_rows(chol_inner, V),
        weights=found.gamma,
        pull=misfit / noise_var,
    )
