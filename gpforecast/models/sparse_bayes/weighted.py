"""From the posterior of weights to that of f."""

from dataclasses import replace

import numpy as np

from gpforecast.models.sparse_bayes.weights import Weights
from gpforecast.posteriors.extended_linear import Posterior


def posterior_of(machine: Posterior, weights: Weights, noise_var: float) -> Posterior:
    """Return a machine's basis functions with these weights, of which a bias is the last."""
    m, d = machine.centers.shape
    half = weights.half.T
    added = np.zeros((m + d + 1, len(weights.mean)))
    added[:m] = half[:m]
    added[m + d] = half[m:].sum(axis=0)  # the bias; no row, if there is none
    return replace(
        machine,
        weights=weights.mean[:m],
        constant=float(weights.mean[m:].sum()),
        noise_var=noise_var,
        added=added,
    )
