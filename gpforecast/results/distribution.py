"""What every distribution over a horizon answers, whatever it is made of."""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from gpforecast.common.types import FloatArray, IntArray

if TYPE_CHECKING:
    from gpforecast.results.gaussian import Gaussian


class Distribution(Protocol):
    """What is believed of h future values, from one origin or from each of a batch of them.

    Batch axes come first: `mean` is ``(h,)`` for one origin and ``(b, h)`` for b of them, and so
    is a `truth` that is scored. Values are in the units of the series.
    """

    if TYPE_CHECKING:  # fields of some kinds, computed by others

        @property
        def moments(self) -> Gaussian:
            """A Gaussian with the same mean, covariance and latent variance."""

        @property
        def paths(self) -> FloatArray | None:
            """Sample paths, (..., h, n), of a distribution that is known by them, or None."""

        @property
        def gaussian(self) -> Gaussian:
            """The Gaussian it is the image of by a warp, or that has its moments: often itself."""

    @property
    def mean(self) -> FloatArray:
        """Expected observations, (..., h)."""
        return self.moments.mean

    @property
    def covariance(self) -> FloatArray:
        """Joint covariance of the observations, noise included, (..., h, h)."""
        return self.moments.covariance

    @property
    def var(self) -> FloatArray:
        """Variance of each observation, (..., h)."""
        return self.moments.var

    @property
    def latent_var(self) -> FloatArray:
        """Variance of each value without its own noise, (..., h)."""
        return self.moments.latent_var

    @property
    def n_clipped(self) -> int:
        """How many variances came out negative on the way here and were set to their floor."""
        return self.moments.n_clipped

    def quantile(self, levels: npt.ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, jointly over the steps, (..., h, n)."""

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, in nats, (..., h)."""

    def pit(self, truth: FloatArray) -> FloatArray:
        """Return the probability integral transform of each step, the cdf at the truth."""
        return self.cdf(truth)

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...)."""

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations, (..., h), in the units of a warp if it has one.

        Where a standard deviation is 0 they are infinite or NaN.
        """
        return self.moments.standardised(truth)

    def at(self, origin: int) -> "Distribution":
        """Return one of a batch."""

    def over(self, steps: IntArray) -> "Distribution":
        """Return the marginal distribution of k of the steps, in the order they are given."""

    def linear(self, A: npt.ArrayLike) -> "Distribution":
        """Return the distribution of A y, for A (k, h). Mean and covariance are exact."""

    def heavy_tail(self, shown: "Distribution | None" = None) -> str:  # noqa: ARG002
        """Say where the tail of a warp puts the mean above the 95 % interval; empty if nowhere.

        Parameters
        ----------
        shown : Distribution, optional
            The one whose numbers a user sees, if it is not this one.
        """
        return ""

    def remarks(self, shown: "Distribution | None" = None) -> tuple[str, ...]:  # noqa: ARG002
        """Say what a user should know of the numbers, those of `shown` if it is given."""
        return ()
