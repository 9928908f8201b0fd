"""What every distribution over a horizon answers, and the Gaussian, by whose moments many do."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TypeAlias

import numpy as np
import scipy

from gpforecast import scores
from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, FloatArray, IntArray
from gpforecast.common.validation import finite_array, real_array, shown
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.propagation.joint_covariance import AnyJoint, HasJoint, Origin, joint_of

if TYPE_CHECKING:
    from gpforecast.results.warped import Warped

Shift: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
Steps: TypeAlias = IntArray | slice

_ROUNDING = 1e-14  # of the largest variance that a sum could have
_REPEATED = 1e-12  # smallest eigenvalue of the correlations of conditions that say different things


class NoClosedFormError(ValueError):
    """A distribution has no closed form given these conditions."""


class Distribution(Protocol):
    """The distribution of h future values, from one origin or from each of a batch of them.

    Batch axes come first: `mean` is ``(h,)`` for one origin and ``(b, h)`` for b of them, and so
    is a `truth` that is scored. Values are in the units of the series.
    """

    if TYPE_CHECKING:  # fields of some kinds, computed by others

        @property
        def moments(self) -> "Gaussian":
            """A Gaussian with the same mean, covariance and latent variance."""

        @property
        def paths(self) -> FloatArray | None:
            """Sample paths, (..., h, n), of a distribution that is known by them, or None."""

        @property
        def gaussian(self) -> "Gaussian":
            """The Gaussian it is the image of by a warp, or that has its moments: often itself."""

    @cached_property  # which a field of a Gaussian may override, as no property lets it
    def mean(self) -> FloatArray:
        """Expected observations, (..., h)."""
        return self.moments.mean

    @cached_property
    def latent_var(self) -> FloatArray:
        """Variance of each value without its own noise, (..., h)."""
        return self.moments.latent_var

    @property
    def n_clipped(self) -> int:
        """How many variances came out negative on the way here and were set to their floor."""
        return self.moments.n_clipped

    @property
    def covariance(self) -> FloatArray:
        """Joint covariance of the observations, noise included, (..., h, h)."""
        return self.moments.covariance

    @property
    def var(self) -> FloatArray:
        """Variance of each observation, (..., h)."""
        return self.moments.var

    @property
    def warped(self) -> "tuple[Warped, ...]":
        """The images by a warp that it consists of."""
        return ()

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q).

        One number is one probability, q = 1.

        Raises
        ------
        TypeError, ValueError
            If a level is no number from 0 to 1.
        """

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h).

        For n values a step, (..., h, n), as many probabilities.
        """

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, jointly over the steps, (..., h, n)."""

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, in nats, (..., h).

        NaN at a step without variance, which has no density.
        """

    def pit(self, truth: FloatArray) -> FloatArray:
        """Return the probability integral transform of each step, the cdf at the truth."""
        return self.cdf(truth)

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each.

        Small ones keep their digits, which 1 - `cdf` does not. A value with a positive probability,
        such as a count, counts in both.
        """

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...)."""

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations, (..., h), in the units of a warp if it has one.

        Where a standard deviation is 0 they are infinite or NaN.
        """
        return self.moments.standardised(truth)

    def picked(self, origin: Origin, steps: Steps) -> Self:
        """Return the marginal distribution of some of the steps, of one of a batch or of all."""

    def at(self, origin: int) -> Self:
        """Return one of a batch."""
        return self.picked(origin, slice(None))

    def over(self, steps: IntArray) -> Self:
        """Return the marginal distribution of k of the steps, in the order they are given."""
        return self.picked(..., steps)

    def linear(self, A: ArrayLike, shift: ArrayLike = 0.0) -> "Distribution":
        """Return the distribution of A y + shift, for A (k, h). Mean and covariance are exact."""

    def given(self, B: FloatArray, c: FloatArray) -> "tuple[Distribution, float]":
        """Return the distribution of one origin given B y = c, and the log density of that.

        Parameters
        ----------
        B : ndarray (m, h)
            Of independent rows.
        c : ndarray (m,)

        Raises
        ------
        NoClosedFormError
            If it has none.
        ValueError
            If the conditions contradict or repeat each other, or are impossible.
        """

    def knots(self, levels: FloatArray) -> FloatArray:
        """Return values between which `cdf` is smooth, (..., n): quantiles, of each component."""
        return self.quantile(levels)

    def moved(self, to: Shift) -> "Distribution":  # noqa: ARG002
        """Return it with other moments, if these define it, and as it is if not.

        Parameters
        ----------
        to : callable
            From means and variances (..., h) to other means, and to the factors of the standard
            deviations.
        """
        return self

    def remarks(self) -> tuple[str, ...]:
        """Return what a user should know about the numbers."""
        if not self.warped:
            return ()
        notes = [note for part in self.warped for note in part.below_edge()]
        bounds = self.quantile([0.025, 0.5, 0.975])
        low, median, upper = np.moveaxis(bounds, -1, 0)
        # If almost all of a distribution is at the edge of the warp, any mean lies above it.
        heavy = (self.mean > upper) & (upper > low)
        if heavy.any():
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                most = float(np.max((self.mean / median)[heavy]))
            notes.append(
                f"the mean lies above the 95 % interval at {int(heavy.sum())} of {heavy.size} "
                f"steps, up to {most:.2g} times the median: the transform stretches large values "
                f"so far; the median and the trajectory show what to expect"
            )
        if not np.isfinite(self.var).all():
            left = "medians and" if np.isfinite(bounds).all() else "some"
            notes.append(
                f"the transform makes the mean or variance of some step infinite; {left} "
                f"quantiles are finite"
            )
        return tuple(dict.fromkeys(notes))


@dataclass(frozen=True, eq=False)
class Gaussian(HasJoint, Distribution):
    """The normal distribution N(mean, covariance).

    Attributes
    ----------
    mean : ndarray (..., h)
    joint : JointCovariance or ndarray (..., h, h)
        Covariance of observations, noise included.
    latent_var : ndarray (..., h)
        Variance of each value without its own noise.
    n_clipped : int
        Variances that came out negative on the way here and were set to their floor.

    Examples
    --------
    >>> total = Gaussian(np.zeros(2), np.eye(2), np.ones(2)).linear([[1.0, 1.0]])
    >>> total.var
    array([2.])
    """

    n_clipped: int = 0

    if TYPE_CHECKING:

        def __init__(
            self, mean: FloatArray, joint: AnyJoint, latent_var: FloatArray, n_clipped: int = 0
        ) -> None: ...

    paths: ClassVar[None] = None

    @property
    def std(self) -> FloatArray:
        """Standard deviation of each observation, (..., h)."""
        return np.asarray(np.sqrt(self.var))

    @property
    def moments(self) -> Self:
        """Itself."""
        return self

    gaussian = moments

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        x = scipy.special.ndtri(probabilities(levels))
        return np.asarray(self.mean[..., None] + self.std[..., None] * x)

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""
        return self._tail(y, 1.0)

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each."""
        return self._tail(truth, 1.0), self._tail(truth, -1.0)

    def _tail(self, y: FloatArray, sign: float) -> FloatArray:
        mean, std = self._for(y)
        given = (std == 0.0) & (y == mean)
        return np.where(given, 1.0, scipy.special.ndtr(sign * self.standardised(y)))

    def _for(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means and standard deviations, to be broadcast with one or many values a step."""
        many = np.ndim(y) > self.mean.ndim
        return (self.mean[..., None], self.std[..., None]) if many else (self.mean, self.std)

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, jointly over the steps, (..., h, n)."""
        z = rng.standard_normal((*self.mean.shape, n))
        return np.asarray(self.mean[..., None] + square_root(self.covariance) @ z)

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        var = np.where(self.var > 0.0, self.var, np.nan)
        found = np.asarray(scores.crps(truth, self.mean, var, axis=()))
        return np.where(self.var == 0.0, abs(truth - self.mean), found)

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, in nats, (..., h); NaN without variance."""
        var = np.where(self.var > 0.0, self.var, np.nan)
        return np.asarray(scores.nlpd(truth, self.mean, var, axis=()))

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...)."""
        try:
            chol = np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError:
            raise ValueError(
                "the joint covariance is singular to working precision, so it has no density; a "
                "larger noise_var of the model fixes it."
            ) from None
        z = np.linalg.solve(chol, (truth - self.mean)[..., None])[..., 0]
        roots = np.einsum("...hh->...h", chol)
        each = 0.5 * z**2 + np.log(roots) + 0.5 * np.log(2.0 * np.pi)
        return -np.asarray(each.sum(axis=-1))

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations, (..., h)."""
        mean, std = self._for(truth)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray((truth - mean) / std)

    def picked(self, origin: Origin, steps: Steps) -> Self:
        """Return the marginal distribution of some of the steps, of one of a batch or of all."""
        mean, latent_var = (a[origin][..., steps] for a in (self.mean, self.latent_var))
        joint = self.joint.picked(origin, steps)
        return replace(self, mean=mean, joint=joint, latent_var=latent_var)

    def linear(self, A: ArrayLike, shift: ArrayLike = 0.0) -> "Gaussian":
        """Return N(A m + shift, A S A'), for A (k, h) and a shift of k numbers or one.

        The latent variance is the variance less the noise of the values that are added up, or 0
        where they undo each other's noise.
        """
        matrix, h = finite_array(A, "A", ndim=2), self.mean.shape[-1]
        if matrix.shape[1] != h:
            raise ValueError(f"A must have one column a step, {h}; got shape {matrix.shape}.")
        with np.errstate(invalid="ignore"):  # of moments that a warp has made infinite
            covariance = matrix @ self.covariance @ matrix.T
            var = np.einsum("...hh->...h", covariance)
            largest = (self.std @ abs(matrix).T) ** 2
            sure = var <= _ROUNDING * largest  # the rest of a total that is given
            if sure.any():
                covariance = np.where(sure[..., None] | sure[..., None, :], 0.0, covariance)
            noise = (self.var - self.latent_var) @ (matrix**2).T
            latent_var = np.maximum(np.where(sure, 0.0, var) - noise, 0.0)
        mean = self.mean @ matrix.T + np.asarray(shift, dtype=np.float64)
        return replace(self, mean=mean, joint=joint_of(covariance), latent_var=latent_var)

    def given(self, B: FloatArray, c: FloatArray) -> "tuple[Gaussian, float]":
        r"""Return the Gaussian given B y = c, and the log density of that.

        .. math:: m + S B' (B S B')^{-1} (c - B m), \qquad S - S B' (B S B')^{-1} B S
        """
        known = self.linear(B)
        spread = np.sqrt(known.var)
        scaled = known.covariance / np.where(spread > 0.0, spread * spread[:, None], 1.0)
        if (spread == 0.0).any() or np.linalg.eigvalsh(scaled).min() < _REPEATED:
            raise ValueError(
                "the conditions contradict or repeat each other, or are certain already; leave out "
                "values and totals that follow from the others."
            )
        gain = np.linalg.solve(known.covariance, B @ self.covariance).T  # (h, m)
        mean = self.mean + gain @ (c - known.mean)
        left = np.eye(len(self.mean)) - gain @ B
        covariance = left @ self.covariance @ left.T  # symmetric, and never negative
        single = (B != 0.0).sum(axis=1) == 1
        steps = B[single].argmax(axis=1)
        mean[steps] = c[single] / B[single, steps]
        covariance[steps], covariance[:, steps] = 0.0, 0.0
        var, k = np.einsum("hh->h", covariance), np.arange(len(mean))
        # Steps after the conditions keep their own noise; before them, this is a bound.
        later = np.maximum(var - (self.var - self.latent_var), 0.0)
        after = k > np.flatnonzero(B.any(axis=0)).max()
        latent_var = np.where(after, later, np.minimum(self.latent_var, var))
        found = replace(self, mean=mean, joint=joint_of(covariance), latent_var=latent_var)
        return found, float(known.logpdf(c))

    def moved(self, to: Shift) -> "Gaussian":
        """Return one with other means and standard deviations, and the same correlations."""
        mean, scale = to(self.mean, self.var)
        joint, latent_var = self.joint.scaled(scale), self.latent_var * scale**2
        return replace(self, mean=mean, joint=joint, latent_var=latent_var)


def probabilities(levels: ArrayLike) -> FloatArray:
    """Return the levels (q,) of quantiles; one number is one level.

    Raises
    ------
    TypeError, ValueError
        If one is no number from 0 to 1.

    Examples
    --------
    >>> probabilities(0.5), probabilities([0.1, 0.9])
    (array([0.5]), array([0.1, 0.9]))
    """
    found = np.atleast_1d(real_array(levels, "levels"))
    if found.ndim > 1 or not ((found >= 0.0) & (found <= 1.0)).all():
        raise ValueError(
            f"levels must be one probability from 0 to 1 or a list of them; got {shown(levels)}."
        )
    return found
