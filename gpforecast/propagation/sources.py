r"""Where the variance of a forecast comes from: a joint covariance as a sum over four sources.

Each step is a linear function of its uncertain inputs, with the expected gradient g, and a rest:

.. math:: \Sigma_{kj} = g_k' \Sigma_{lags(k), j} + q_{kj}, \qquad
          \Sigma_{kk} = g_k' \Sigma_{lags(k), lags(k)}\, g_k + r_k .

The linear part of a source follows from what it has of the inputs, by the same equations. The rest
is split: the noise of a step belongs to the noise; q, and the expected variance of the model in r,
to the map. What is left of r is how the mean bends over the spread of its inputs. It is
shared out in proportion to what each source has of this spread, measured in length-scales. So the
four add up to :math:`\Sigma` exactly.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.automatic import Automatic
from gpforecast.propagation.base import KeepsNodes, Propagation
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.layout import Columns, Layout, Start, selected
from gpforecast.propagation.recursion import GaussianNodes, iterate

SOURCES = ("noise", "past", "inputs", "map")
_NOISE, _PAST, _INPUTS, _MAP = range(4)


def sources(
    models: Columns, method: Propagation, start: Start, horizon: int, *, n_before: int = 0
) -> FloatArray:
    """Return what each source has of the joint covariance of a forecast from one origin.

    Parameters
    ----------
    models : Columns
        That of a single series.
    method : Propagation
        One that draws paths, mixes Gaussians or chooses is replaced by exact moments, or by
        cubature for models without them.
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
    if isinstance(method, Automatic | KeepsNodes):
        method = by_moments(*models.predictives)
    total, means, parts = np.zeros((4, horizon, horizon)), [], models.parts
    for weight, part in parts:
        nodes = GaussianNodes(method, Layout(part, start, horizon))
        total += weight * _followed(nodes, n_before)
        means.append(nodes.values[0, nodes.layout.first :])
    weights = np.array([weight for weight, _ in parts])
    off = np.array(means) - weights @ np.array(means)
    total[_MAP] += np.einsum("k,kh,kj->hj", weights, off, off)
    return total


def _followed(nodes: GaussianNodes, n_before: int) -> FloatArray:
    """Run a recursion of one origin from its beginning, and share out its covariance, (4, h, h)."""
    layout, first, model = nodes.layout, nodes.layout.first_row, nodes.model_at(0)
    with one_blas_thread():
        iterate(nodes.step, layout.horizon, lambda: None)
    Sigma, start = nodes.Sigma[0], layout.covariance()[0]
    parts, of_past = np.zeros((4, *Sigma.shape)), layout.unknown < layout.n_past
    # The past and the inputs do not depend on each other.
    parts[_PAST, :first, :first] = start * of_past
    parts[_INPUTS, :first, :first] = start * ~of_past
    for k in range(layout.horizon):
        new, rows = first + k, layout.row[k]
        known = rows >= 0
        g, at = nodes.slopes[0, k, known], rows[known]
        cross = np.einsum("d,sdj->sj", g, parts[:, at, :new])  # (4, new)
        linear = cross[:, at] @ g  # (4,)
        rest = Sigma[new, :new] - cross.sum(axis=0)
        own = Sigma[new, new] - linear.sum() - model.noise_var
        bent = _bent(nodes, k, model, own, rest[at] @ g)
        cross[_MAP] += rest
        spread = parts[:, at, at].clip(0.0) @ model.lengthscales[known] ** -2.0
        linear += bent * (spread / spread.sum() if spread.sum() > 0.0 else np.eye(4)[_MAP])
        linear[_MAP] += own - bent
        linear[_PAST if k < n_before else _NOISE] += model.noise_var
        parts[:, new, :new] = parts[:, :new, new] = cross
        parts[:, new, new] = linear
    return parts[:, first:, first:]


def _bent(nodes: GaussianNodes, k: int, model: Predictive, own: float, with_map: float) -> float:
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
