"""A forecast as a mixture of Gaussians, which follows a map where it folds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gpforecast.common.validation import how_many, is_number
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.cubature import ByMoments
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.mixture_nodes import MixtureNodes
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class GaussianMixture(ByMoments):
    r"""A mixture of joint Gaussians of the whole horizon, by splitting and merging.

    Before each step, a part over whose spread the model is too curved is split along the direction
    of most curvature, a'x: the joint Gaussian of all values becomes three, with a'x less wide and
    centred at different places. Each part then takes the step by exact moments, or by cubature
    where these are not offered. Parts that lie close together, in length-scales over the last
    values that the model needs, are merged into one of the same mean and covariance.

    It follows a map that folds the distribution of its input, such as those of chaotic systems,
    where one Gaussian is wrong after few steps. It is deterministic. f is drawn anew at each step:
    if the model is straight over the spread of its inputs, no part is split and it is
    ``ExactMoments(function="step")``.

    Parameters
    ----------
    n_components : int
        Parts at most for each origin, at least 3. Half of them remain when a step is done.
    tolerance : float
        A part is split if the curved part of f over its spread has more than this share of the
        standard deviation of the step.

    Notes
    -----
    Merging preserves the joint mean and covariance, and the shape of the values that later steps
    need, but not that of earlier ones: a long forecast has the shape of its last steps. For the
    shape at one step, forecast just so far.

    A step costs the moments of all parts, O(n_components m^2 r) for m training rows and r uncertain
    lags; the result holds O(n_components horizon^2) values for each origin. Splitting preserves
    moments up to the fifth along a'x, merging those up to the second.

    Parts whose mean lies further from the range of the training rows than a quarter of its
    half-width are left out while others with more weight do not: a Gaussian has tails that a folded
    distribution does not have, and a model may carry them to infinity. How much was left out is
    noted if it is much.

    References
    ----------
    DeMars, Bishop and Jah (2013), "Entropy-based approach for uncertainty propagation of nonlinear
    dynamical systems", Journal of Guidance, Control, and Dynamics 36 (splitting while
    propagating); Runnalls (2007), "Kullback-Leibler approach to Gaussian mixture reduction", IEEE
    Transactions on Aerospace and Electronic Systems 43, eqs. 2 to 4 (merging by moments).

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.GaussianMixture()
    GaussianMixture(n_components=32, tolerance=0.05)
    """

    n_components: int = 32
    tolerance: float = 0.05

    name: ClassVar[str] = "mixture"

    def __post_init__(self) -> None:
        how_many(self.n_components, "n_components", least=3)
        if not (is_number(self.tolerance) and 0.0 < self.tolerance < 1.0):
            raise ValueError(f"tolerance must lie between 0 and 1; got {self.tolerance!r}.")

    def nodes(self, predictives: Sequence[Predictive], layout: Layout) -> MixtureNodes:
        """Return what keeps the values of a forecast by this method, of a single model."""
        (predictive,) = predictives
        return MixtureNodes(predictive, self, self.n_components, self.tolerance, layout)

    def size(self, horizon: int) -> int:
        """Return how many doubles are kept for each origin."""
        return self.n_components * horizon**2
