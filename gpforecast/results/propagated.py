"""From the result of a propagation to a distribution in the units of the series."""

from gpforecast.propagation.recursion import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.gaussian import Gaussian
from gpforecast.results.paths import Paths
from gpforecast.results.warped import Warped
from gpforecast.transforms.base import Warp


def distribution_of(p: Propagated, warp: Warp | None) -> Distribution:
    """Return the distribution of w^-1(z) from that of z.

    Parameters
    ----------
    p : Propagated
        What is believed of z, in the units of the warp.
    warp : Warp or None
        w; ``None`` for the identity.

    Returns
    -------
    Gaussian, Paths or Warped
    """
    gaussian = Gaussian(p.mean, p.covariance, p.latent_var, p.n_clipped)
    if warp is None:
        return gaussian if p.paths is None else Paths(p.paths, gaussian, gaussian)
    warped = Warped(gaussian, warp)
    if p.paths is None:
        return warped
    return Paths.of(warp.backward(p.paths), warped.latent_var, warped)
