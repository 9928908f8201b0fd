r"""Functions with their slopes and their Laplacian at one input, carried through arithmetic.

A jet of f at u, along r directions :math:`v_1 \dots v_r`, holds in the rows of its second last
axis what a second-order expansion of a variance needs of f, and no more:

    f(u),    sum_r d^2 f / dv_r^2,    df/dv_1, ..., df/dv_r                        (..., r + 2, p)

The last axis runs over functions. A linear map of functions is a product from the right; the
rest is the product and the quotient rule. With v_r the eigenvectors of an input covariance, each
times the root of its eigenvalue, the second row is tr(S Hess f). A jet of one row is a value alone.
"""

import math

import numpy as np

from gpforecast.common.types import FloatArray


def plus(jet: FloatArray, level: float | FloatArray) -> FloatArray:
    """Add a constant to the functions."""
    moved = jet.copy()
    moved[..., 0, :] += level
    return moved


def through(jet: FloatArray, matrix: FloatArray) -> FloatArray:
    """Map the functions linearly, by a matrix (p, q) or a vector (p,), in one product for all."""
    *rows, p = jet.shape
    mapped: FloatArray = jet.reshape(math.prod(rows), p) @ matrix
    return mapped.reshape(*rows, *(matrix.shape[1:] or (1,)))


def times(f: FloatArray, g: FloatArray) -> FloatArray:
    """Multiply: (fg)' = f g' + g f', Lap(fg) = f Lap g + g Lap f + 2 f'.g'."""
    product: FloatArray = f[..., :1, :] * g + g[..., :1, :] * f
    product[..., 0, :] = f[..., 0, :] * g[..., 0, :]
    product[..., 1:2, :] += 2.0 * (f[..., 2:, :] * g[..., 2:, :]).sum(axis=-2, keepdims=True)
    return product


def over(f: FloatArray, g: FloatArray) -> FloatArray:
    """Divide: with h = f / g, h' = (f' - h g') / g, Lap h = (Lap f - h Lap g - 2 h'.g') / g."""
    h = f[..., :1, :] / g[..., :1, :]
    quotient: FloatArray = (f - h * g) / g[..., :1, :]
    quotient[..., :1, :] = h
    cross = (quotient[..., 2:, :] * g[..., 2:, :]).sum(axis=-2, keepdims=True)
    quotient[..., 1:2, :] -= 2.0 * cross / g[..., :1, :]
    return quotient


def sum_of_squares(f: FloatArray) -> FloatArray:
    """Sum the squares of all functions, as `times` has them: (..., r + 2, 1)."""
    total: FloatArray = 2.0 * (f @ f[..., 0, :, None])
    total[..., 0, :] /= 2.0
    slopes = f[..., 2:, :]
    total[..., 1:2, :] += 2.0 * np.einsum("...rp,...rp->...", slopes, slopes)[..., None, None]
    return total


def composed(f: FloatArray, value: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Apply a function h, given h, h' and h'' at f's values (..., p).

    Its slopes are h' f', and Lap h(f) = h' Lap f + h'' f'.f'.
    """
    found: FloatArray = first[..., None, :] * f
    found[..., 0, :] = value
    found[..., 1, :] += second * (f[..., 2:, :] ** 2).sum(axis=-2)
    return found
