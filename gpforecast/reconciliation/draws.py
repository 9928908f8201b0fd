"""Draws of forecasts that are no Gaussians, made coherent one by one."""

import numpy as np
from scipy.special import ndtr

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.numerics.solving import square_root
from gpforecast.reconciliation.projection import Projection
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import Paths

_SCORES = np.linspace(-5.0, 5.0, 101)  # normal scores between which quantiles are interpolated


def drawn(
    base: list[Forecast], W: FloatArray, rng: np.random.Generator, n: int
) -> FloatArray:  # (series, h, n)
    """Draw n joint futures with the quantiles of each forecast and the correlations of W.

    The normal scores of all steps and series are those of N(0, W) (a Gaussian copula).
    """
    h = base[0].horizon
    std = np.sqrt(np.diagonal(W))
    root = square_root(W) / np.where(std > 0.0, std, 1.0)[:, None]
    z = (root @ rng.standard_normal((len(root), n))).reshape(len(base), h, n)
    values = np.empty_like(z)
    for forecast, scores, into in zip(base, z, values, strict=True):
        quantiles = forecast.distribution.quantile(ndtr(_SCORES))
        for k in range(h):
            into[k] = np.interp(scores[k], _SCORES, quantiles[k])
    return values


def projected_draws(
    draws: FloatArray, projection: Projection, moments: Gaussian, positive: BoolArray
) -> tuple[Distribution, float]:
    """Return the bottom series of draws (series, h, n), coherent, and the largest share set to 0.

    Parameters
    ----------
    draws : ndarray (series, h, n)
    projection : Projection
    moments : Gaussian
        The moments that they count by, of the m bottom series and h steps, (m h,).
    positive : ndarray (m,)
        Which bottom series are never below 0: draws that are count as 0, and moments as those of
        the draws.
    """
    n = draws.shape[-1]
    paths = projection.G @ draws.reshape(-1, n)
    paths += (moments.mean - paths.mean(axis=1))[:, None]
    below = (paths < 0.0) & np.repeat(positive, len(paths) // len(positive))[:, None]
    if not below.any():
        return Paths(paths, moments, moments), 0.0
    inside = np.where(below, 0.0, paths)
    shrunk = inside.var(axis=1) / np.maximum(paths.var(axis=1), np.finfo(float).tiny)
    found = Paths.of(inside, moments.latent_var * np.minimum(shrunk, 1.0))
    return found, float(below.mean(axis=1).max())
