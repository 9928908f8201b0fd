r"""How far a model is from a straight line over the spread of a Gaussian input."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.base import Batch, Predictive

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
