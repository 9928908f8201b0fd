"""What a recursion returns: the joint distribution of the whole horizon."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.propagation.joint_covariance import HasJoint, of_mixture, of_paths, of_root, stacked


@dataclass(frozen=True)
class Propagated(HasJoint):
    """The horizon of b origins, as a joint Gaussian, a mixture of such, or paths.

    Attributes
    ----------
    mean : ndarray (b, h)
    joint : JointCovariance or ndarray (b, h, h)
        Covariance of observations: the noise is on its diagonal.
    latent_var : ndarray (b, h)
        Variance of f at each step, without that step's own noise.
    paths : ndarray (b, h, n) or None
        Paths of observations; mean and covariance are then their sample moments.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    parts : tuple of Propagated
        The joint Gaussians of a mixture, over the same origins; mean and covariance are then those
        of the mixture. Empty otherwise.
    weights : ndarray (b, k) or None
        The weights of the mixture's parts, for each origin.
    remarks : tuple of str
        What the user should know of the forecast.
    chosen : frozenset of str
        Names of the methods, if `gpforecast.propagation.Automatic` chose them.
    """

    paths: FloatArray | None = None
    n_clipped: int = 0
    parts: "tuple[Propagated, ...]" = ()
    weights: FloatArray | None = None
    remarks: tuple[str, ...] = ()
    chosen: frozenset[str] = frozenset()

    @staticmethod
    def certain(mean: FloatArray) -> "Propagated":
        """Return values (b, h) that are taken for facts."""
        return Propagated(mean, of_root(np.zeros((*mean.shape, 0))), np.zeros(mean.shape))

    @staticmethod
    def of_paths(paths: FloatArray, latent_var: FloatArray, n_clipped: int) -> "Propagated":
        """Return paths (b, h, n) with their sample moments."""
        joint = of_paths(paths)
        # The sample of the noise may be correlated with that of f, a little.
        least = np.minimum(latent_var, joint.var)
        return Propagated(paths.mean(axis=-1), joint, least, paths, n_clipped)

    @staticmethod
    def mixed(parts: Sequence["Propagated"], weights: FloatArray) -> "Propagated":
        """Return the mixture of distributions at the same origins, with weights (k,).

        Of Gaussians it is the Gaussian with the moments of the mixture. Paths are taken together:
        their numbers are the weights. Mixtures remain mixtures.
        """
        each = np.broadcast_to(weights, (len(parts[0].mean), len(weights)))
        mixture = Propagated.mixture(parts, each)
        if any(part.parts for part in parts):
            whole = [part.components() for part in parts]
            shares = [w * share for w, (_, share) in zip(weights, whole, strict=True)]
            flat = tuple(one for several, _ in whole for one in several)
            return replace(mixture, parts=flat, weights=np.hstack(shares))
        mixture = replace(mixture, parts=(), weights=None)
        paths = [part.paths for part in parts if part.paths is not None]
        if paths:
            drawn = np.concatenate(paths, axis=-1)
            return Propagated.of_paths(drawn, mixture.latent_var, mixture.n_clipped)
        return mixture

    @staticmethod
    def mixture(parts: Sequence["Propagated"], weights: FloatArray) -> "Propagated":
        """Return the mixture of Gaussians with weights (b, k): the law of total covariance."""
        means = np.array([part.mean for part in parts])
        mean = np.einsum("bk,kbh->bh", weights, means)
        off = np.moveaxis(means - mean, 0, -1)  # (b, h, k)
        latent = np.stack([part.latent_var for part in parts], axis=-1) + off**2
        return Propagated(
            mean,
            of_mixture(weights, [part.joint for part in parts], off),
            (latent * weights[:, None]).sum(axis=-1),
            n_clipped=sum(part.n_clipped for part in parts),
            parts=tuple(parts),
            weights=weights,
            remarks=tuple(dict.fromkeys(note for part in parts for note in part.remarks)),
        )

    def components(self) -> "tuple[tuple[Propagated, ...], FloatArray]":
        """Return the joint Gaussians that it is a mixture of, and their weights (b, k)."""
        if self.parts and self.weights is not None:
            return self.parts, self.weights
        return (self,), np.ones((len(self.mean), 1))

    @classmethod
    def joined(cls, parts: "Sequence[Propagated]") -> Self:
        """Return the origins of all, one after the other.

        If some are known by paths, the others get as many, drawn from Gaussians with their moments.
        """
        n = max((part.paths.shape[-1] for part in parts if part.paths is not None), default=0)
        if n:
            parts = [part if part.paths is not None else part.drawn(n) for part in parts]
        remarks = tuple(dict.fromkeys(note for part in parts for note in part.remarks))
        chosen = frozenset[str]().union(*(part.chosen for part in parts))
        whole = replace(cls._stacked(parts), remarks=remarks, chosen=chosen)
        if not any(part.parts for part in parts):
            return whole
        each = [part.components() for part in parts]
        most = max(len(several) for several, _ in each)
        # Fewer components than elsewhere: the first one is repeated, without weight.
        filled = [(*several, *several[:1] * (most - len(several))) for several, _ in each]
        shares = [np.pad(w, ((0, 0), (0, most - w.shape[1]))) for _, w in each]
        together = tuple(cls._stacked(column) for column in zip(*filled, strict=True))
        return replace(whole, parts=together, weights=np.concatenate(shares))

    @classmethod
    def _stacked(cls, parts: "Sequence[Propagated]") -> Self:
        """Return the origins of all as Gaussians or paths."""
        drawn = [part.paths for part in parts if part.paths is not None]
        return cls(
            np.concatenate([part.mean for part in parts]),
            stacked([part.joint for part in parts]),
            np.concatenate([part.latent_var for part in parts]),
            np.concatenate(drawn) if drawn else None,
            sum(part.n_clipped for part in parts),
        )

    def made_by(self, name: str) -> "Propagated":
        """Return it with the name of the method that was chosen for it."""
        return replace(self, chosen=frozenset({name}))

    def drawn(self, n: int) -> "Propagated":
        """Return it with n paths in addition to its moments, the same ones on every call."""
        z = np.random.default_rng(n).standard_normal((*self.mean.shape, n))
        paths = self.mean[:, :, None] + square_root(self.covariance) @ z
        return replace(self, paths=paths, parts=(), weights=None)

    def _each(self, change: "Callable[[Propagated], Propagated]") -> "tuple[Propagated, ...]":
        return tuple(change(part) for part in self.parts)

    def scaled(self, factor: FloatArray | float, offset: FloatArray | float) -> "Propagated":
        """Return the horizon of y = factor z + offset, step by step: (h,), (b, h) or numbers."""
        f, b = np.atleast_1d(factor), np.asarray(offset)
        return replace(
            self,
            mean=self.mean * f + b,
            joint=self.joint.scaled(f),
            latent_var=self.latent_var * f**2,
            paths=None if self.paths is None else self.paths * f[..., None] + b[..., None],
            parts=self._each(lambda part: part.scaled(factor, offset)),
        )

    def widened(self, factor: FloatArray | float) -> "Propagated":
        """Return it with standard deviations that are so many times as large, around its mean.

        One number, or one for each step, (h,).
        """
        return self.scaled(factor, (1.0 - factor) * self.mean)

    def summed(
        self, sums: Callable[[FloatArray, int], FloatArray], offset: FloatArray
    ) -> "Propagated":
        """Return the horizon of y = A z + offset, for a lower-triangular A of ones on the diagonal.

        Parameters
        ----------
        sums : callable
            Takes an array and one of its axes, and returns A times it along that axis.
        offset : ndarray (b, h)
        """
        found = self._summed(sums, offset)
        # Errors of direct leads, noise included, may cancel. Parts stay as they are: what is
        # below 0 in one is made up for by how far their means are apart.
        return replace(found, latent_var=np.maximum(found.latent_var, 0.0))

    def _summed(
        self, sums: Callable[[FloatArray, int], FloatArray], offset: FloatArray
    ) -> "Propagated":
        joint = self.joint.summed(sums)
        return replace(
            self,
            mean=sums(self.mean, 1) + offset,
            joint=joint,
            latent_var=joint.var - (self.var - self.latent_var),  # a step keeps its own noise
            paths=None if self.paths is None else sums(self.paths, 1) + offset[:, :, None],
            parts=self._each(lambda part: part._summed(sums, offset)),
        )

    def measured(self, noise_var: float, seed: int) -> "Propagated":
        """Return the horizon as it will be measured: with independent noise at every step.

        The latent variance stays that of f.
        """
        paths = self.paths
        if paths is not None:
            rng = np.random.default_rng([seed, paths.shape[-1]])
            paths = paths + np.sqrt(noise_var) * rng.standard_normal(paths.shape)
        joint = self.joint.measured(noise_var)
        parts = self._each(lambda part: part.measured(noise_var, seed))
        return replace(self, joint=joint, paths=paths, parts=parts)

    def plus_noise(self, root: FloatArray, seed: int) -> "Propagated":
        """Return the horizon of z + R e with independent e ~ N(0, I), the same at every step.

        Parameters
        ----------
        root : ndarray (b, h, r)
            R.
        seed : int
            Of the draws for the paths: not the numbers that the paths were made with.
        """
        paths = self.paths
        if paths is not None:
            rng = np.random.default_rng([seed, paths.shape[-1]])
            e = rng.standard_normal((root.shape[-1], paths.shape[-1]))
            if paths.shape[-1] > 1:
                e -= e.mean(axis=1, keepdims=True)  # their mean stays that of the moments
            paths = paths + root @ e
        return replace(
            self,
            joint=self.joint.plus(root),
            latent_var=self.latent_var + (root**2).sum(axis=-1),
            paths=paths,
            parts=self._each(lambda part: part.plus_noise(root, seed)),
        )

    def ahead(self, places: IntArray | slice, first: int = 0) -> "Propagated":
        """Return some of the origins, from one step of their horizons on."""
        return replace(
            self,
            mean=self.mean[places, first:],
            joint=self.joint.picked(places, slice(first, None)),
            latent_var=self.latent_var[places, first:],
            paths=None if self.paths is None else self.paths[places, first:],
            parts=self._each(lambda part: part.ahead(places, first)),
            weights=None if self.weights is None else self.weights[places],
        )
