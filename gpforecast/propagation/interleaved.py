r"""Several series as one: their values interleaved, each column with its own model.

M series become one whose value M t + i is that of column i at time t. The model of column i gives
it from lagged values of all columns and from those of earlier columns at the same time,

.. math::

    y_i(t) = f_i(\text{lags of all}, y_1(t), \dots, y_{i-1}(t)) + \epsilon_i(t),

with independent noise. Of linear maps this is a vector autoregression whose noise is correlated
(by the Cholesky factor of its covariance); with other maps the correlation may depend on the state.
The recursion is that of a single series: the joint Gaussian of all nodes, Stein's lemma for their
covariances, one function for each column along a path. Only the model changes with the step.

Where values before the origin are missing, the recursion begins before the first of them, and all
nodes are conditioned on what was observed as they are reached (`gpforecast.propagation.missing`),
here on weighted sums of values: a level is a sum of differences.
"""

from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.layout import Columns, Layout, Start
from gpforecast.propagation.one_function import drawn_anew
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.recursion import GaussianNodes, follow, iterate, mixed_over_parts

_SURE = 1e-14  # of the variance of a sum: what is left beyond this is rounding


@dataclass(frozen=True, eq=False)
class Observed:
    """What was observed of the nodes that follow a start, from one origin.

    Attributes
    ----------
    weights : tuple of ndarray (k + 1,) or None
        Of the first k + 1 nodes, for the sum that is observed once node k is reached; None where
        nothing is.
    values : ndarray (n,)
        Of these sums.
    """

    weights: tuple[FloatArray | None, ...]
    values: FloatArray


def propagate_interleaved(
    models: Columns,
    method: Propagation,
    start: Start,
    horizon: int,
    observed: Observed | None = None,
) -> Propagated:
    """Forecast several columns together from every origin.

    Parameters
    ----------
    models : Columns
    method : Propagation
        Of Gaussians, or Monte Carlo.
    start : Start
        Its past (b, n) ends with the last column; it reaches back as far as any input does.
    horizon : int
        Times; each has a step for every column.
    observed : Observed, optional
        What was observed after the start of a single origin. The forecast follows the nodes that
        it is of, which come first in the result, and need not be observed themselves.

    Returns
    -------
    Propagated
        (b, n), all columns of a time together.

    Raises
    ------
    ValueError
        If the forecast runs away from every finite number.

    Notes
    -----
    O(n^2) memory for each origin with n steps in all, and O(n) time for each input of a step.
    """

    def run(one: Columns, own: Propagation) -> Propagated:
        begin, kept = start, 0
        if observed is not None:
            begin, kept = _filtered(one, drawn_anew(own), start, observed), len(observed.values)
        found = follow(one, own, begin, horizon * len(one.predictives), kept=kept)
        return replace(found, n_clipped=found.n_clipped + begin.n_clipped)

    return mixed_over_parts(models, method, run)


def _filtered(models: Columns, method: Propagation, start: Start, observed: Observed) -> Start:
    """Return what is known of all nodes up to an origin, given what was observed of them."""
    n = len(observed.values)
    nodes = GaussianNodes(models.predictives, method, Layout(models.inputs, start, n))

    def step(k: int) -> bool:
        finite, weights = nodes.step(k), observed.weights[k]
        if finite and weights is not None:
            _condition(nodes, weights, float(observed.values[k]))
        return finite

    iterate(step, n, lambda: None)
    past, rows = nodes.values.shape[1], nodes.Sigma.shape[1]
    covariance = np.zeros((1, past, past))
    covariance[:, past - rows :, past - rows :] = nodes.Sigma
    return Start(nodes.values, past_cov=covariance, n_clipped=nodes.n_clipped)


def _condition(nodes: GaussianNodes, weights: FloatArray, value: float) -> None:
    """Condition all nodes on a sum of the first predictions, with weights (k + 1,)."""
    first = nodes.layout.first_row
    random = nodes.values[:, nodes.layout.first - first :]
    own = slice(first, first + len(weights))
    for b, Sigma in enumerate(nodes.Sigma):
        c = Sigma[:, own] @ weights
        var, scale = float(weights @ c[own]), float(weights**2 @ np.diag(Sigma)[own])
        if var > _SURE * scale:
            random[b] += c * ((value - float(weights @ random[b, own])) / var)
            Sigma -= np.outer(c, c / var)
            diagonal = np.einsum("nn->n", Sigma)
            np.maximum(diagonal, 0.0, out=diagonal)  # rounding alone
