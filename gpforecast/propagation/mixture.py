"""A forecast as a mixture of Gaussians, which follows a map where it folds.

The nodes of a forecast are mixtures of joint Gaussians, split and merged from step to step.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gpforecast.common.parameters import number
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import how_many, per_cent
from gpforecast.numerics.gaussian_sums import LEFT, OFFSETS, SHARES, groups, merged
from gpforecast.posteriors.base import Batch
from gpforecast.propagation.cubature import ByMoments
from gpforecast.propagation.curvature import Curvature, curvature
from gpforecast.propagation.joint_covariance import joint_of
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.naive import mean_of
from gpforecast.propagation.propagated import Propagated
from gpforecast.storage import storable

_ROUNDS = 6  # of splitting at one step
_NEGLIGIBLE = 1e-4  # of the largest weight of an origin: a part with less is left out
_BEYOND = 0.25  # of half the range of the training rows: how far beyond it a part may lie
_MUCH = 0.05  # of the probability: if more was left out, it is noted


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
        number("a number between 0 and 1", lambda v: 0.0 < v < 1.0)(self.tolerance, "tolerance")

    def nodes(self, layout: Layout) -> "MixtureNodes":
        """Return what keeps the values of a forecast by this method, of a single model."""
        return MixtureNodes(self, layout)

    def size(self, horizon: int) -> int:
        """Return how many doubles are kept for each origin."""
        return self.n_components * horizon**2


@dataclass(frozen=True)
class Components(Batch):
    """Joint Gaussians of all nodes that are not known, several for each of b origins.

    Attributes
    ----------
    origin : ndarray (n,)
        Whose they are.
    weight : ndarray (n,)
        Those of an origin have the sum 1.
    mean : ndarray (n, m)
    covariance : ndarray (n, m, m)
    """

    origin: IntArray
    weight: FloatArray
    mean: FloatArray
    covariance: FloatArray
    n_clipped: int = 0

    def sums(self, values: FloatArray) -> FloatArray:
        """Return for each origin the weighted sum of one value of each component, (b,)."""
        return np.bincount(self.origin, self.weight * values).astype(np.float64)

    def of_each(self) -> list[IntArray]:
        """Return the places of the components of each origin."""
        return [np.flatnonzero(self.origin == i) for i in range(self.origin.max() + 1)]

    def kept(self, which: BoolArray) -> "Components":
        """Return some of them, at least one for each origin, with weights of sum 1 again."""
        some = self.rows(np.flatnonzero(which))
        total = some.sums(np.ones(len(some.weight)))
        return replace(some, weight=some.weight / total[some.origin])

    def split(self, rows: IntArray, direction: FloatArray) -> "Components":
        """Return each of them in three, cut across a'x.

        Parameters
        ----------
        rows : ndarray (d,)
            Of the nodes x.
        direction : ndarray (n, d)
            The a of each, with a'x of variance 1.
        """
        c = np.einsum("nmd,nd->nm", self.covariance[:, :, rows], direction)  # cov(nodes, a'x)
        narrow = self.covariance - (1.0 - LEFT) * c[:, :, None] * c[:, None, :]
        one = replace(self, covariance=narrow)
        thirds = [
            replace(one, weight=share * self.weight, mean=self.mean + offset * c)
            for offset, share in zip(OFFSETS, SHARES, strict=True)
        ]
        return self.joined(thirds)

    def appended(
        self, rows: IntArray, slope: FloatArray, mean: FloatArray, var: FloatArray
    ) -> "Components":
        """Return them with a further node: y with E[dy/dx] = slope (n, d), mean and var (n,)."""
        cross = np.einsum("nd,ndm->nm", slope, self.covariance[:, rows])
        n, m = cross.shape
        covariance = np.empty((n, m + 1, m + 1))
        covariance[:, :m, :m] = self.covariance
        covariance[:, m, :m] = covariance[:, :m, m] = cross
        covariance[:, m, m] = var
        return replace(self, mean=np.column_stack([self.mean, mean]), covariance=covariance)

    def merged(self, places: FloatArray, n: int) -> "Components":
        """Return at most n for each origin, those at near places (n, d) merged."""
        found = []
        for own in self.of_each():
            found += [own[group] for group in groups(places[own], self.weight[own], n)]
        weight = np.array([self.weight[group].sum() for group in found])
        moments = [
            merged(self.mean[group], self.covariance[group], self.weight[group] / total)
            for group, total in zip(found, weight, strict=True)
        ]
        mean, covariance = (np.array(values) for values in zip(*moments, strict=True))
        origin = np.array([self.origin[group[0]] for group in found])
        return Components(origin, weight, mean, covariance, self.n_clipped)


class MixtureNodes:
    """Mixtures of joint Gaussians of all nodes that are not known, one for each origin.

    Parameters
    ----------
    method : GaussianMixture
        By whose moments each component takes a step.
    layout : Layout
    """

    def __init__(self, method: GaussianMixture, layout: Layout) -> None:
        self.method, self.layout = method, layout
        (self.predictive,) = layout.models.predictives
        self.level = mean_of(self.predictive)
        b, mean = len(layout.initial), layout.initial[:, layout.unknown]
        self.parts = Components(np.arange(b), np.ones(b), mean, layout.covariance())
        self.n_clipped, self.remaining = 0, np.ones(b)

    def step(self, k: int) -> bool:
        """Split components, append the moments of f at the inputs of step k to each, and merge."""
        random = self.layout.row[k] >= 0
        rows = self.layout.row[k][random]
        if random.any():
            self._split(k, random)
        f = self.method.moments(self.predictive, *self._inputs(self.parts, k))
        self.n_clipped += f.n_clipped
        var = f.var + self.predictive.noise_var
        self.parts = self.parts.appended(rows, f.gradient[:, random], f.mean, var)
        self._merge(k)
        return bool(np.isfinite(f.mean).all() and np.isfinite(var).all())

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, preceded by the last `kept` unknown values before them."""
        parts, first = self.parts, self.layout.first_row - kept
        mixed = Propagated.joined([self._mixture(parts.rows(i), first) for i in parts.of_each()])
        return replace(mixed, n_clipped=self.n_clipped, remarks=self._remarks())

    def _mixture(self, parts: Components, first: int) -> Propagated:
        """Return the components of one origin as joint Gaussians of the nodes from `first` on."""
        mean, covariance = parts.mean[:, None, first:], parts.covariance[:, None, first:, first:]
        var = np.einsum("nbhh->nbh", covariance)
        # The noise of a step is the same share of its variance in all of them.
        within = np.einsum("n,nbh->bh", parts.weight, var)
        known = np.maximum(within - self.predictive.noise_var, 0.0)
        share = np.divide(known, within, out=np.zeros_like(within), where=within > 0.0)
        found = list(map(Propagated, mean, map(joint_of, covariance), var * share))
        return Propagated.mixture(found, parts.weight[None]) if len(found) > 1 else found[0]

    def _inputs(self, parts: Components, k: int) -> tuple[FloatArray, FloatArray]:
        """Return mean (n, d) and covariance (n, d, d) of the inputs of step k."""
        row, place = self.layout.row[k], self.layout.place[k]
        random = np.flatnonzero(row >= 0)
        u = self.layout.initial[parts.origin[:, None], place]
        u[:, random] = parts.mean[:, row[random]]
        S = np.zeros((*u.shape, u.shape[1]))
        S[:, random[:, None], random] = parts.covariance[:, row[random, None], row[random]]
        return u, S

    def _split(self, k: int, random: BoolArray) -> None:
        """Split components over whose spread f is curved; see `GaussianMixture`."""
        parts, rows = self.parts, self.layout.row[k][random]
        bent, level = self._curvature(parts, k)
        for _ in range(_ROUNDS):
            off = level - parts.sums(level)[parts.origin]
            var = parts.sums(off**2 + bent.linear_var + bent.std**2) + self.predictive.noise_var
            share = bent.std / np.sqrt(var)[parts.origin]
            urgency = parts.weight * np.minimum(share, 1.0)
            urgency[share <= self.method.tolerance] = 0.0
            room = (self.method.n_components - np.bincount(parts.origin)) // (len(SHARES) - 1)
            chosen = _most_urgent(urgency, parts.origin, room)
            if not chosen.any():
                break
            here = np.flatnonzero(chosen)
            new = parts.rows(here).split(rows, bent.direction[here][:, random])
            bent_new, level_new = self._curvature(new, k)
            parts = Components.joined([parts.rows(np.flatnonzero(~chosen)), new])
            bent = Curvature.joined([bent.rows(np.flatnonzero(~chosen)), bent_new])
            level = np.concatenate([level[~chosen], level_new])
        self.parts = self._within_reach(parts, k)

    def _curvature(self, parts: Components, k: int) -> tuple[Curvature, FloatArray]:
        """Return the curvature over the inputs of step k, and f at their means."""
        u, S = self._inputs(parts, k)
        return curvature(self.predictive, u, S), self.level(u)

    def _within_reach(self, parts: Components, k: int) -> Components:
        """Leave out components without weight, and those far beyond the training rows."""
        heaviest = np.zeros(len(self.layout.initial))
        np.maximum.at(heaviest, parts.origin, parts.weight)
        kept = parts.weight >= _NEGLIGIBLE * heaviest[parts.origin]
        input_range = self.layout.start.input_range
        if input_range is not None:
            low, high = input_range
            margin = 0.5 * _BEYOND * (high - low)
            u, _ = self._inputs(parts, k)
            inside = ((u >= low - margin) & (u <= high + margin)).all(axis=1)
            share = parts.sums(inside.astype(float))
            kept &= inside | (share < 0.5)[parts.origin]  # it goes there as a whole
            self.remaining *= parts.sums(kept.astype(float))
        return parts if kept.all() else parts.kept(kept)

    def _merge(self, k: int) -> None:
        """Merge components that are close together in what later steps depend on."""
        parts = self.parts
        later = self.layout.row[k + 1 :]
        used = (later >= 0) & (later < parts.mean.shape[1])
        scales = np.full(parts.mean.shape[1], np.inf)
        ell = np.broadcast_to(self.predictive.lengthscales, later.shape)
        np.minimum.at(scales, later[used], ell[used])
        live = np.isfinite(scales)
        half = self.method.n_components // 2
        if live.any() and np.bincount(parts.origin).max() > half:
            self.parts = parts.merged(parts.mean[:, live] / scales[live], half)

    def _remarks(self) -> tuple[str, ...]:
        most = 1.0 - float(self.remaining.min(initial=1.0))
        note = (
            f"up to {per_cent(most)} of the probability left the range of the values that the "
            f"model learned from, and is left out of the forecast"
        )
        return (note,) if most > _MUCH else ()


def _most_urgent(urgency: FloatArray, origin: IntArray, room: IntArray) -> BoolArray:
    """Return which of the components (n,) are split: for each origin as many as it has room for."""
    order = np.lexsort((-urgency, origin))
    counts = np.bincount(origin)
    rank = np.empty(len(origin), dtype=np.int64)
    rank[order] = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray((urgency > 0.0) & (rank < room[origin]))
