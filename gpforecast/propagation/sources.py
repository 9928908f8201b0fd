r"""Where the variance of a forecast comes from: a joint covariance as a sum over four sources.

Each step is a linear function of its uncertain inputs, with the expected gradient g, and a rest:

.. math:: \Sigma_{kj} = g_k' \Sigma_{lags(k), j} + q_{kj}, \qquad
          \Sigma_{kk} = g_k' \Sigma_{lags(k), lags(k)}\, g_k + r_k .

The linear part of a source follows from what it has of the inputs, by the same equations. The rest
belongs to sources of its own: the noise of a step to the noise; q, and the expected variance of the
model in r, to the map. What is left of r is how the mean bends over the spread of its inputs. It is
shared out in proportion to what each source has of this spread, measured in length-scales. So the
four add up to :math:`\Sigma` exactly.
"""

from collections.abc import Sequence

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.automatic import Automatic
from gpforecast.propagation.base import KeepsNodes, Propagation
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.direct import DirectNodes
from gpforecast.propagation.layout import Inputs, Layout, Start, selected
from gpforecast.propagation.recursion import GaussianNodes, iterate

SOURCES = ("noise", "past", "inputs", "map")
_NOISE, _PAST, _INPUTS, _MAP = range(4)


def sources(
    predictive: Predictive,
    method: Propagation,
    inputs: Inputs,
    start: Start,
    horizon: int,
    *,
    n_before: int = 0,
) -> FloatArray:
    """Return what each source has of the joint covariance of a forecast from one origin.

    Parameters
    ----------
    predictive : Predictive
    method : Propagation
        One that draws paths, mixes Gaussians or chooses is replaced by exact moments, or by
        cubature for models without them.
    inputs : Inputs
    start : Start
        Of one origin.
    horizon : int
    n_before : int
        Number of first steps that precede the origin: their noise counts as past.

    Returns
    -------
    ndarray (4, horizon, horizon)
        In the order of `SOURCES`: of the noise of the steps; of what is not known of the past; of
        inputs that are not known; and of the map, which a model knows only so well. Of several
        posteriors in one, the spread of their means belongs to the map.
    """
    method = _by_gaussians(method, predictive)
    parts, weights = parts_of(predictive)
    total, means = np.zeros((4, horizon, horizon)), []
    for part, weight in zip(parts, weights, strict=True):
        nodes = GaussianNodes((part,), method, Layout((inputs,), start, horizon))
        total += weight * _followed(nodes, n_before, direct_from=horizon)
        means.append(nodes.values[0, nodes.layout.first :])
    off = np.array(means) - weights @ np.array(means)
    total[_MAP] += np.einsum("k,kh,kj->hj", weights, off, off)
    return total


def sources_of_direct(
    leads: Sequence[Predictive],
    correlation: FloatArray,
    method: Propagation,
    inputs: Inputs,
    start: Start,
    horizon: int,
    *,
    n_before: int = 0,
) -> FloatArray:
    """Return the same as `sources` for a direct forecast.

    Errors of two leads are correlated as a whole, noise and map together. Their covariance is
    shared out by the average of what the noise has of their variances.

    Parameters
    ----------
    leads : sequence of Predictive
    correlation : ndarray (leads, leads)
        As for `gpforecast.propagation.direct.propagate_directly`.
    method, inputs, start, horizon, n_before
        As for `sources`.
    """
    method = _by_gaussians(method, leads[0])
    nodes = DirectNodes(leads, correlation, method, Layout((inputs,), start, horizon, n_before))
    return _followed(nodes, n_before, direct_from=n_before)


def _by_gaussians(method: Propagation, predictive: Predictive) -> Propagation:
    return by_moments(predictive) if isinstance(method, Automatic | KeepsNodes) else method


def _followed(nodes: GaussianNodes, n_before: int, *, direct_from: int) -> FloatArray:
    """Run a recursion, and share out its covariance, (4, h, h).

    Parameters
    ----------
    nodes : GaussianNodes
        At their beginning, of one origin.
    n_before : int
    direct_from : int
        From which step on errors of the steps are correlated as a whole, noise and map together.
    """
    layout, first = nodes.layout, nodes.layout.first_row
    with one_blas_thread():
        iterate(nodes.step, layout.horizon, lambda: None)
    models = [nodes.model_at(k) for k in range(layout.horizon)]
    noise = [model.noise_var for model in models]
    Sigma, start = nodes.Sigma[0], layout.start
    parts = np.zeros((4, *Sigma.shape))
    if start.past_cov is not None:
        parts[_PAST, : layout.n_past, : layout.n_past] = start.past_cov[0]
    if start.exog_cov is not None:
        future = slice(first - len(start.exog_cov), first)
        parts[_INPUTS, future, future] = start.exog_cov
    of_noise = np.zeros(layout.horizon)  # share of the noise in errors that are correlated
    for k, model in enumerate(models):
        new, rows = first + k, layout.row[k]
        known = rows >= 0
        g, at = nodes.slopes[0, k, known], rows[known]
        cross = np.einsum("d,sdj->sj", g, parts[:, at, :new])  # (4, new)
        linear = cross[:, at] @ g  # (4,)
        rest = Sigma[new, :new] - cross.sum(axis=0)
        own = Sigma[new, new] - linear.sum() - noise[k]
        bent = _bent(nodes, k, model, own, rest[at] @ g)
        share = np.zeros(new)
        if k >= direct_from:
            error = own - bent + noise[k]
            of_noise[k] = noise[k] / error if error > 0.0 else 0.0
            share[first:] = 0.5 * (of_noise[k] + of_noise[:k])
        cross[_NOISE] += share * rest
        cross[_MAP] += (1.0 - share) * rest
        spread = parts[:, at, at].clip(0.0) @ model.lengthscales[known] ** -2.0
        linear += bent * (spread / spread.sum() if spread.sum() > 0.0 else np.eye(4)[_MAP])
        linear[_MAP] += own - bent
        linear[_PAST if k < n_before else _NOISE] += noise[k]
        parts[:, new, :new] = parts[:, :new, new] = cross
        parts[:, new, new] = linear
    return parts[:, first:, first:]


def _bent(
    nodes: GaussianNodes,
    k: int,
    model: Predictive,
    own: float,
    with_map: float,
) -> float:
    """Return what the bending of the mean over the spread of its inputs adds to a variance.

    Of the variance `own` of step k that is neither noise nor linear in the inputs, twice `with_map`
    is covariance of the inputs with the map.
    """
    layout = nodes.layout
    if not (layout.row[k] >= 0).any():
        return 0.0
    if nodes.shared is not None:
        expected = float(nodes.expected_var[0, k])
    else:  # sigma^2 at the mean of the input stands in for its expectation
        u, _ = selected(nodes.values, nodes.Sigma, *layout.inputs_of(k))
        expected = float(model.predict(u).var[0])
    return max(own - 2.0 * with_map - expected, 0.0)
