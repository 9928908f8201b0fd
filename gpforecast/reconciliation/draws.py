"""Draws of forecasts that are no Gaussians, made coherent one by one."""

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.numerics.solving import square_root
from gpforecast.reconciliation.projection import Projection
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import Paths


def drawn(
    base: list[Forecast], W: FloatArray, rng: np.random.Generator, n: int
) -> FloatArray:  # (series, h, n)
    """Draw n joint futures: of each forecast its own, in the order of draws of N(0, W).

    At each step, the draws of a forecast get the ranks of those of the Gaussian, and with them its
    correlations over series and steps (a Gaussian copula).

    References
    ----------
    Clark, Gangopadhyay, Hay, Rajagopalan and Wilby (2004), "The Schaake shuffle", Journal of
    Hydrometeorology 5.
    """
    z = square_root(W) @ rng.standard_normal((len(W), n))
    ranks = z.reshape(len(base), -1, n).argsort(axis=-1).argsort(axis=-1)
    own = np.array([forecast.distribution.sample(n, rng) for forecast in base])
    return np.take_along_axis(np.sort(own, axis=-1), ranks, axis=-1)


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
