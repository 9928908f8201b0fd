"""Forecasts of running totals, by their increments: no path ever falls."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.results.distribution import Distribution
from gpforecast.results.support import Support
from gpforecast.results.warped import Paths

_PATHS = 1000


def never_falling(source: Distribution, support: Support, last: FloatArray) -> Paths:
    """Return paths of a total, whose increments are censored at 0 and keep their moments.

    Parameters
    ----------
    source : Distribution
        Of a forecast that knows nothing of it, (b, h).
    support : Support
        Of a series that only rises, or only falls.
    last : ndarray (b,)
        The last value that each origin knows.

    Examples
    --------
    >>> from gpforecast.results.distribution import Gaussian
    >>> flat = Gaussian(np.full((1, 2), 9.1), np.eye(2)[None], np.ones((1, 2)))
    >>> paths = never_falling(flat, Support(rising=1), np.array([9.0])).paths
    >>> bool(np.diff(paths, axis=1).min() >= 0.0), bool(paths.min() >= 9.0)
    (True, True)
    """
    start, sign = last[:, None, None], support.rising
    drawn = source.sample(_PATHS, np.random.default_rng(0))  # (b, h, n)
    steps = sign * np.diff(drawn, axis=1, prepend=np.broadcast_to(start, drawn[:, :1].shape))
    least = Support(0.0, whole=support.whole, at_low=support.at_low)
    mean = steps.mean(axis=-1)
    moved, scale = least.uncensored(mean, steps.var(axis=-1))
    steps = least.nearest(moved[..., None] + scale[..., None] * (steps - mean[..., None]))
    return Paths.of(start + sign * np.cumsum(steps, axis=1), source.latent_var)
