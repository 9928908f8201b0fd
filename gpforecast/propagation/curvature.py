r"""Curvature of a model over a Gaussian input, and where it makes a forecast non-Gaussian.

A Gaussian that goes through a map stays one where the map is straight over its spread. What is
curved of the map adds a part to the standard deviation of the step (`Curvature`); where that part
is most of it, the distribution is folded, and every later step starts from the wrong shape.

On strongly curved maps the tails of the Gaussian, which the values themselves do not have, lie
where the model has no data, and the next variance is larger still. The standard deviation then
leaves that of the values that the model learned from.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.base import Batch, Predictive, in_blocks, supported
from gpforecast.propagation.layout import Columns, Layout, Start
from gpforecast.propagation.propagated import Propagated

FOLDED = 0.8
"""Share of the standard deviation of a step. One Gaussian is not trusted where the
curvature of the model over the spread of its inputs makes more. Set by folded.py."""

WIDE = 1.5
"""Standard deviations of the values that a model learned from. One Gaussian is not trusted where
that of a step is more, unless the model is straight. Set by folded.py."""

STRAIGHT = 0.05
"""Share of the standard deviation of a step. Where what is curved makes no more at any step, a
growing spread is that of the model, not of its Gaussian. Set by folded.py."""

_STEPS = 24  # of a horizon that are looked at
_BLOCK = 64  # inputs at a time
_DIRECTIONS = 4  # in which an input is spread out most, in length-scales


@dataclass(frozen=True)
class Curvature(Batch):
    r"""What is curved of the mean of f at Gaussian inputs.

    Along the leading principal axes :math:`r_q` of an input, each as long as its standard
    deviation, let :math:`M_{pq} = \tfrac12 r_p' [\nabla\mu(u + r_q) - \nabla\mu(u - r_q)]`,
    symmetrised: of a quadratic f the matrix of second derivatives, in standard deviations. Its
    part of the variance of f is :math:`\tfrac12 \operatorname{tr} M^2`, and the eigenvector with
    the largest eigenvalue is the direction in which f is curved most.

    Attributes
    ----------
    std : ndarray (b,)
        The root of that part of the variance of f.
    linear_var : ndarray (b,)
        g'Sg with the average slope g, from the same axes.
    direction : ndarray (b, d)
        The a with a'x of variance 1 along which f is curved most.
    """

    std: FloatArray
    linear_var: FloatArray
    direction: FloatArray
    n_clipped: int = 0


def curvature(predictive: Predictive, u: FloatArray, S: FloatArray) -> Curvature:
    """Return the curvature at inputs N(u, S), u (b, d) and S (b, d, d).

    It costs eight gradients of the mean at most for each input, O(m d) each.
    """
    ell = predictive.lengthscales
    s, V = eigenbasis(S, ell)
    s, V = s[:, -_DIRECTIONS:], V[:, :, -_DIRECTIONS:]  # (b, r) and (b, d, r)
    b, r = s.shape
    if r == 0:
        return Curvature(np.zeros(b), np.zeros(b), np.zeros_like(u))
    roots = np.sqrt(s)
    axes = np.swapaxes(V * ell[:, None] * roots[:, None], 1, 2)  # (b, r, d)
    x = u[:, None, None] + np.stack([axes, -axes], axis=1)  # (b, 2, r, d)
    slopes = predictive.gradient(x.reshape(-1, x.shape[-1])).reshape(x.shape)
    M = 0.5 * (slopes[:, 0] - slopes[:, 1]) @ np.swapaxes(axes, 1, 2)
    values, vectors = np.linalg.eigh(0.5 * (M + np.swapaxes(M, 1, 2)))
    most = np.abs(values).argmax(axis=1)
    along = np.take_along_axis(vectors, most[:, None, None], axis=2)[:, :, 0]  # (b, r)
    inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0.0)
    direction = np.einsum("bdr,br->bd", V, along * inverse) / ell
    g = slopes.mean(axis=(1, 2))
    linear_var = (np.einsum("brd,bd->br", axes, g) ** 2).sum(axis=1)
    return Curvature(np.sqrt(0.5 * (values**2).sum(axis=1)), linear_var, direction)


def curved_share(models: Columns, start: Start, found: Propagated) -> tuple[IntArray, FloatArray]:
    """Return the share of the curved part of f in the standard deviations of some of the steps.

    What is not known of the past or of exogenous inputs counts as known here. It costs eight
    gradients of the mean at each of these steps, O(m d) each.

    Parameters
    ----------
    models : Columns
        That of a single series.
    start : Start
    found : Propagated
        The forecast from there, a joint Gaussian from b origins.

    Returns
    -------
    steps : ndarray (n,)
        At most 24 of the steps of the horizon, counted from 0.
    share : ndarray (b, n)
    """
    (b, h), (predictive,) = found.mean.shape, models.predictives
    steps = np.unique(np.linspace(0, h - 1, min(h, _STEPS)).round().astype(np.int64))
    if "straight" in supported(predictive):
        return steps, np.zeros((b, len(steps)))
    layout = Layout(models, start, h)
    values = layout.initial
    values[:, layout.first :] = found.mean
    # The rows of the predictions alone; -1 for what is known, or counts as known here.
    row = np.where(layout.place >= layout.first, layout.place - layout.first, -1)[steps]  # (n, d)
    random = row >= 0
    u = values[:, layout.place[steps]]  # (b, n, d)
    S = found.joint.blocks(row)  # (b, n, d, d)
    S = np.where(random[:, :, None] & random[:, None, :], S, 0.0)
    d = row.shape[1]
    at = u.reshape(-1, d), S.reshape(-1, d, d)
    bent = in_blocks(partial(curvature, predictive), _BLOCK, *at)
    std = np.sqrt(found.var[:, steps])
    curved = bent.std.reshape(b, -1)
    return steps, np.divide(curved, std, out=np.zeros_like(std), where=std > 0.0)


@np.errstate(over="ignore", invalid="ignore")  # what leaves all numbers is refused afterwards
def non_gaussian(
    models: Columns, start: Start, found: Propagated, spread: float = 1.0
) -> tuple[BoolArray, str]:
    """Return at which origins one Gaussian is not the forecast, and why.

    Parameters
    ----------
    models, start, found
        As for `curved_share`.
    spread : float
        Standard deviation of the values that the model learned from; 1 where they are standardised.

    Returns
    -------
    where : ndarray (b,)
    why : str
        Empty if it is at no origin.
    """
    steps, share = curved_share(models, start, found)
    std = np.sqrt(found.var)
    folded = share > FOLDED
    wide: BoolArray = (std > WIDE * spread) & (share > STRAIGHT).any(axis=1, keepdims=True)
    where = np.asarray(folded.any(axis=1) | wide.any(axis=1))
    if not where.any():
        return where, ""
    first, why = [], []
    if folded.any():
        first.append(int(steps[np.argmax(folded.any(axis=0))]) + 1)
        why.append("the model is strongly curved over that range")
    if wide.any():
        first.append(int(np.argmax(wide.any(axis=0))) + 1)
        if spread > 0.0:
            size = f"grows to {std[wide].max() / spread:.2g} times that of the known values"
        else:
            size = "grows, while that of the values which the model learned from is 0"
        why.append(f"its standard deviation {size}")
    return where, (
        f"from step {min(first)} on the forecast is no bell curve (a Gaussian): {' and '.join(why)}"
    )


def non_gaussian_note(models: Columns, start: Start, found: Propagated, spread: float) -> str:
    """Say where one Gaussian is not the forecast of some origin, and what to use; empty if nowhere.

    Arguments are those of `non_gaussian`. Paths and mixtures need no note.
    """
    if found.paths is not None or found.parts or not found.var.any():
        return ""
    _, why = non_gaussian(models, start, found, spread)
    instead = 'propagation="monte_carlo" or "mixture" has other shapes'
    return f"{why}; its intervals may be wrong, and {instead}" if why else ""
