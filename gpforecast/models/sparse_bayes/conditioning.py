"""Given bumps and precisions, the posterior of the weights as an extended linear model."""

from dataclasses import replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse_bayes.evidence import infer
from gpforecast.posteriors.extended_linear import Posterior


def conditioned(
    bumps: Posterior,
    alpha: FloatArray,
    alpha_bias: float | None,
    noise_var: float,
    X: FloatArray,
    y: FloatArray,
) -> tuple[Posterior, float]:
    """Return the posterior of the weights of given bumps on data, and the log evidence."""
    m, d = bumps.centers.shape
    Phi = bumps.features(X)
    if alpha_bias is not None:
        Phi = np.column_stack([Phi, np.ones(len(y))])
        alpha = np.append(alpha, alpha_bias)
    weights = infer(Phi, Phi.T @ Phi, y, alpha, noise_var)
    added = np.zeros((m + d + 1, len(alpha)))
    half = (weights.root / np.sqrt(alpha)).T  # half half' = Sigma
    added[:m] = half[:m]
    added[m + d] = half[m:].sum(axis=0)  # the bias; no row, if there is none
    posterior = replace(
        bumps,
        weights=weights.mean[:m],
        constant=float(weights.mean[m:].sum()),
        noise_var=noise_var,
        added=added,
    )
    return posterior, weights.log_evidence
