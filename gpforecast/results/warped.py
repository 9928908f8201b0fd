"""Images of a Gaussian horizon by a warp, exact or by sample paths."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from gpforecast import scores
from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, FloatArray, IntArray
from gpforecast.common.validation import per_cent
from gpforecast.propagation.joint_covariance import Computed, Origin, of_paths
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.distribution import (
    Distribution,
    Gaussian,
    NoClosedFormError,
    Shift,
    Steps,
    probabilities,
)
from gpforecast.results.mixture import Mixture
from gpforecast.results.quadrature import warped_covariance, warped_crps, warped_mean_var
from gpforecast.results.step_warps import picked
from gpforecast.transforms.base import Warp
from gpforecast.transforms.warps import Identity

_FEW = 0.01  # share of paths: beyond fewer, the tail is that of the density
_DRAWN = 6.0  # standard deviations: what is drawn lies within
_N_IMAGES = 10_000  # samples of which the quantiles of a linear image are taken


class ByPaths(Distribution):
    """A distribution whose linear images are known by paths, and by their exact moments."""

    def linear(self, A: ArrayLike, shift: ArrayLike = 0.0) -> "Paths":
        """Return paths of A y + shift, for A (k, h)."""
        moments, paths = self.moments.linear(A, shift), self.paths
        if paths is None:
            paths = self.sample(_N_IMAGES, np.random.default_rng(0))
        image = np.asarray(A) @ paths + np.asarray(shift, dtype=np.float64)[..., None]
        return Paths(image, moments, moments)


@dataclass(frozen=True, eq=False)
class Warped(ByPaths):
    """The distribution of y = w^-1(z), for a Gaussian z and a strictly increasing w.

    Quantiles, samples and densities are the images of those of z, exactly; mean and covariance are
    those of y, so that all of them agree.

    Attributes
    ----------
    gaussian : Gaussian
        The distribution of z, in the units of the warp.
    warp : Warp
        w, such as a logarithm or a power; a `CalibrationWarp`, which reshapes each step; or a
        `Stepwise`, which has a warp for each.
    """

    gaussian: Gaussian
    warp: Warp

    paths: ClassVar[None] = None

    @cached_property
    def moments(self) -> Gaussian:
        """The Gaussian with the mean and the covariance of y, which is computed when needed."""
        z = self.gaussian
        mean, var = warped_mean_var(self.warp, z.mean, z.var)
        _, latent_var = warped_mean_var(self.warp, z.mean, z.latent_var)
        var = np.where(np.isnan(var), np.inf, var)
        latent_var = np.minimum(latent_var, var)  # above by the rounding of either quadrature
        return Gaussian(mean, Computed(var, self._covariance), latent_var, z.n_clipped)

    def _covariance(self) -> FloatArray:
        return warped_covariance(self.warp, self.gaussian.mean, self.gaussian.covariance)

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        return self.warp.backward(self.gaussian.quantile(levels))

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""
        return self.gaussian.cdf(self._warped(y))

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each."""
        return self.gaussian.tails(self._warped(truth))

    def _warped(self, y: FloatArray) -> FloatArray:
        """Return values in the units of the warp; those that are infinite stay so."""
        return np.where(np.isinf(y), y, self.warp.forward(y))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, jointly over the steps, (..., h, n)."""
        return self.warp.backward(self.gaussian.sample(n, rng))

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        return warped_crps(self.warp, truth, self.gaussian.mean, self.gaussian.var)

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return -log p(y) = 1/2 log(2 pi v) + (w(y) - m)^2 / (2 v) - log w'(y), (..., h).

        inf below the edge of the warp. On the edge itself, of which all that lies below is taken,
        -log P(z <= edge). NaN at a step without variance, which has no density.
        """
        warp, z = self.warp, self.gaussian
        inside = np.isfinite(warp.forward(truth)) & (truth > warp.lowest)
        y = np.where(inside, truth, np.nan)
        density = z.nlpd(warp.forward(y))
        at_edge = -scipy.special.log_ndtr(z.standardised(np.asarray(warp.lowest_warped)))
        on_edge = np.isfinite(warp.lowest_warped) & (truth == warp.lowest)
        outside = np.where(on_edge, at_edge, np.inf)
        value = np.where(inside, density - warp.log_gradient(y), outside)
        return np.where(np.isnan(truth), np.nan, value)

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...); -inf below the edge."""
        jacobian: FloatArray = self.warp.log_gradient(truth).sum(axis=-1)
        z = self.warp.forward(truth)
        inside = np.isfinite(jacobian)
        z = np.where(inside[..., None], z, self.gaussian.mean)
        return np.where(inside, self.gaussian.logpdf(z) + jacobian, jacobian)

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations in the units of the warp, (..., h)."""
        return self.gaussian.standardised(self._warped(truth))

    def picked(  # type: ignore[override]
        self, origin: Origin, steps: Steps
    ) -> "Warped | Gaussian":
        """Return the marginal distribution of some of the steps, of one of a batch or of all."""
        gaussian, warp = self.gaussian.picked(origin, steps), picked(self.warp, origin, steps)
        return gaussian if warp == Identity() else Warped(gaussian, warp)

    def given(self, B: FloatArray, c: FloatArray) -> tuple["Warped", float]:
        """Return the distribution given values of single steps, and the log density of these."""
        warp = picked(self.warp, ..., single_steps(B))
        z, slope = warp.forward(c), warp.log_gradient(c)
        if not (np.isfinite(z).all() and np.isfinite(slope).all()):
            raise ValueError(
                f"a value that is given, {c.min():g}, is not possible: this forecast undoes a "
                f"transform, such as a logarithm, whose values are above {warp.lowest:g}; pass a "
                f"larger one."
            )
        gaussian, log = self.gaussian.given(B, z)
        return Warped(gaussian, self.warp), log + float(slope.sum())

    @property
    def warped(self) -> "tuple[Warped]":
        """The forecast itself, which is the only part."""
        return (self,)

    def below_edge(self) -> tuple[str, ...]:
        """Say how much lies below the edge of the warp, if it is noticeable."""
        _, above = self.gaussian.tails(np.asarray(self.warp.lowest_warped))
        beyond = float((1.0 - above).max(initial=0.0))
        if beyond <= 1e-3:
            return ()
        note = (
            f"up to {per_cent(beyond)} of the probability of a step lies below the lowest "
            f"value that the transform allows, {self.warp.lowest:g}, and counts at that"
        )
        return (note,)


@dataclass(frozen=True, eq=False)
class Paths(ByPaths):
    """Sample paths: quantiles, probabilities, CRPS and samples are theirs.

    A density they do not have. `nlpd` and `logpdf` are those of the Gaussian with the paths'
    moments, in the units of the warp if there is one.

    Attributes
    ----------
    paths : ndarray (..., h, n)
        Of observations.
    moments : Gaussian
        With the mean, covariance and latent variance that count as theirs.
    density : Distribution
        What `nlpd` and `logpdf` are of.
    """

    paths: FloatArray
    moments: Gaussian
    density: Distribution

    @staticmethod
    def of(paths: FloatArray, latent_var: FloatArray, density: Warped | None = None) -> "Paths":
        """Return paths that count by their sample moments.

        Parameters
        ----------
        paths : ndarray (..., h, n)
            At least two.
        latent_var : ndarray (..., h)
            Variance of each value without its own noise.
        density : Warped, optional
            What `nlpd` and `logpdf` are of, if not of a Gaussian with these moments.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # of paths that run away
            mean, joint = paths.mean(axis=-1), of_paths(paths)
        latent_var = np.minimum(latent_var, joint.var)  # by chance above
        moments = Gaussian(mean, joint, latent_var, density.n_clipped if density else 0)
        return Paths(paths, moments, density or moments)

    @property
    def gaussian(self) -> Gaussian:
        """The Gaussian with the paths' moments, in the units of the warp if there is one."""
        return self.density.gaussian

    @property
    def warped(self) -> tuple[Warped, ...]:
        """That of the density, if it has one."""
        return self.density.warped

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        values = np.quantile(self.paths, probabilities(levels), axis=-1)
        return np.moveaxis(values, 0, -1)

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the fraction of paths at no more than y at each step, (..., h)."""
        y = np.asarray(y)
        if y.ndim == self.paths.ndim:  # one after the other: all at once take much memory
            return np.stack([self.cdf(each) for each in np.moveaxis(y, -1, 0)], axis=-1)
        fraction = (self.paths <= y[..., None]).mean(axis=-1)
        return np.where(np.isnan(y), np.nan, fraction)

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each.

        They are fractions of the paths, and those of the density where less than 1 % lie beyond.
        """
        y = np.asarray(truth)[..., None]
        shares = (self.paths <= y).mean(axis=-1), (self.paths >= y).mean(axis=-1)
        low, high = (
            np.where(share < _FEW, np.minimum(beyond, _FEW), share)
            for share, beyond in zip(shares, self.density.tails(truth), strict=True)
        )
        return low, high

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n of the paths, without repetition while they last, (..., h, n)."""
        have = self.paths.shape[-1]
        return self.paths[..., rng.choice(have, size=n, replace=n > have)]

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        return np.asarray(scores.crps_samples(truth, self.paths, axis=()))

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step by a Gaussian, in nats, (..., h)."""
        return self.density.nlpd(truth)

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps by a Gaussian, in nats, (...)."""
        h, n = self.paths.shape[-2:]
        if n <= h:
            raise ValueError(
                f"the covariance of {n} paths has no density over {h} steps; take more paths than "
                f"steps, MonteCarlo(n_paths=...)."
            )
        return self.density.logpdf(truth)

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over the density's standard deviations, (..., h)."""
        return self.density.standardised(truth)

    def picked(self, origin: Origin, steps: Steps) -> "Paths":
        """Return the marginal distribution of some of the steps, of one of a batch or of all."""
        paths, moments = self.paths[origin][..., steps, :], self.moments.picked(origin, steps)
        return Paths(paths, moments, self.density.picked(origin, steps))

    def given(self, B: FloatArray, c: FloatArray) -> tuple["Paths", float]:
        r"""Return the paths moved onto B y = c by regression (Matheron's rule), and a log density.

        .. math:: y + S B' (B S B')^{-1} (c - B y)

        with the paths' covariance S, in the units of a warp if there is one. It is exact for paths
        of a Gaussian. The log density is that of `density`.
        """
        density, log = self.density.given(B, c)  # checks the conditions, too
        warp = self.warped[0].warp if self.warped else Identity()
        z, target = warp.forward(self.paths), picked(warp, ..., B.argmax(axis=1)).forward(c)
        S = np.atleast_2d(np.cov(z))
        moved = z + S @ B.T @ np.linalg.solve(B @ S @ B.T, target[:, None] - B @ z)
        moved, single = warp.backward(moved), (B != 0.0).sum(axis=1) == 1
        moved[B[single].argmax(axis=1)] = (c[single] / B[single].sum(axis=1))[:, None]
        found = Paths.of(moved, density.latent_var)
        return Paths(moved, found.moments, density), log

    def moved(self, to: Shift) -> "Paths":
        """Return paths with other means and standard deviations, unless a warp shapes them."""
        if self.density.warped:
            return self
        mean, scale = to(self.mean, self.var)
        moments = self.moments.moved(to)
        off = self.paths - self.mean[..., None]
        return Paths(mean[..., None] + scale[..., None] * off, moments, moments)


def single_steps(B: FloatArray) -> IntArray:
    """Return the steps (m,) that are fixed, or raise if a condition fixes a sum of steps."""
    if not ((B != 0.0).sum(axis=1) == 1).all():
        raise NoClosedFormError("a total of several steps has no closed form; give a narrow range.")
    return np.asarray(B.argmax(axis=1))


def distribution_of(p: Propagated, warp: Warp | None) -> Distribution:
    """Return the distribution of w^-1(z) from that of z.

    Parameters
    ----------
    p : Propagated
        The distribution of z, in the units of the warp.
    warp : Warp or None
        w; ``None`` for the identity.

    Returns
    -------
    Gaussian, Paths, Warped or Mixture
    """
    if p.parts and p.weights is not None:
        return Mixture(p.weights, tuple(distribution_of(part, warp) for part in p.parts))
    gaussian = Gaussian(p.mean, p.joint, p.latent_var, p.n_clipped)
    if warp is None:
        return gaussian if p.paths is None else Paths(p.paths, gaussian, gaussian)
    warped = Warped(gaussian, warp)
    if p.paths is None:
        return warped
    return Paths.of(warp.backward(p.paths), warped.latent_var, warped)


def check_range(z: Propagated, warp: Warp | None, *, calibrated: bool = False) -> None:
    """Refuse a forecast of values whose squares, as of all steps together, overflow.

    Raises
    ------
    ValueError
        With the first such step.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        off = _DRAWN * np.sqrt(z.var)
        ends = [z.mean - off, z.mean + off]
        if warp is not None:
            ends = [warp.backward(end) for end in ends]
        squares = np.square(z.mean.shape[-1] * np.array(ends))
    beyond = ~np.isfinite(squares).all(axis=(0, 1))
    if not beyond.any():
        return
    why = (
        "errors of earlier forecasts, by which calibrate= corrects intervals, were very large. "
        "Pass calibrate=None, or set extreme values to NaN."
        if calibrated
        else "the one-step model runs away from the values it learned from, or the series itself "
        "grows so fast. Forecast fewer steps, the logarithm of the series, or its values in larger "
        "units."
    )
    raise ValueError(
        f"the forecast leaves the range of numbers whose squares a computer can hold at step "
        f"{int(np.argmax(beyond)) + 1}: {why}"
    )
