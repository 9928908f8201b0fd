"""The joint distribution of all columns over a horizon, from the models of a fitted frame."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.numerics.solving import square_root
from gpforecast.propagation import Automatic, ExactMoments, Method, MethodLike, Naive, method_named
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.interleaved import propagate_interleaved
from gpforecast.propagation.layout import Start
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.mixture import Mixture
from gpforecast.results.stepwise import Stepwise
from gpforecast.results.warped import distribution_of
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms.base import Warp
from gpforecast.vector.fitted import FittedVector
from gpforecast.vector.levels import Levels, linear_image, observed, stretch, to_levels

_LEAST_WEIGHT = 1e-9  # of a component of a mixture


@dataclass(frozen=True, eq=False)
class Origin:
    """The end of the known values of all columns, and the steps after it.

    Attributes
    ----------
    fitted : FittedVector
    values : ndarray (n, M)
        All columns, NaN where missing.
    times : TimeAxis
        Of the values and the steps ahead.
    horizon : int
    """

    fitted: FittedVector
    values: FloatArray
    times: TimeAxis
    horizon: int

    def ahead(self, method: Method) -> Propagated:
        """Return the joint distribution of the horizon in the units of the warps, (1, h M)."""
        fitted, end, models = self.fitted, len(self.values), self.fitted.column_models
        past = self.times.part(0, end)
        z = fitted.transformed(self.values, past)
        chains = [one.chain for one in fitted.columns]
        begin = stretch(chains, self.values, z, end, models.n_times)
        level = np.column_stack(
            [chain.forward(y) for chain, y in zip(chains, self.values.T, strict=True)]
        )
        maps = [
            Levels.of(chain, y, chain.axis.locate(self.times), begin, end, self.horizon)
            for chain, y in zip(chains, level.T, strict=True)
        ]
        window = z[begin - models.n_times : begin].reshape(1, -1)
        missing = np.isnan(window[0])
        start = Start(np.nan_to_num(window))
        if missing.any():  # taken to be N(0, 1), as the transformed columns are
            start = replace(start, past_cov=np.diag(missing.astype(float))[None])
        known = observed(maps, level, begin)
        return to_levels(propagate_interleaved(models, method, start, self.horizon, known), maps)


@dataclass(frozen=True, eq=False)
class ObservedVector:
    """A fitted frame, and the values of its columns that are known.

    Attributes
    ----------
    fitted : FittedVector
    values : ndarray (n, M)
        NaN where missing.
    axis : TimeAxis
        Their times.
    """

    fitted: FittedVector
    values: FloatArray
    axis: TimeAxis

    def at(self, end: int, horizon: int) -> Origin:
        """Return the origin after the first values."""
        times = self.axis.extended(horizon).part(0, end + horizon)
        return Origin(self.fitted, self.values[:end], times, horizon)

    def ahead(
        self, origins: IntArray, horizon: int, method: MethodLike
    ) -> tuple[Distribution, str, tuple[str, ...]]:
        """Return the distribution after a single origin, what made it, and notes."""
        (end,) = origins.tolist()
        return forecast_from(self.at(end, horizon), method_named(method))


def forecast_from(origin: Origin, method: Method) -> tuple[Distribution, str, tuple[str, ...]]:
    """Return the distribution of all columns, what made it, and notes.

    Values of a time stand together, in the order of the columns: (h M,).
    """
    fitted, auto = origin.fitted, isinstance(method, Automatic)
    used = by_moments(*fitted.column_models.predictives) if auto else method
    found = origin.ahead(used)
    notes = []
    if found.n_clipped:
        notes.append(
            f"{found.n_clipped} of the variances by the {used.name} method came out negative, by "
            f"rounding or approximation, and were set to the smallest that is possible"
        )
        warn_numerically(f"{notes[0]}.")
    ensembles, late = _ensembles(origin)
    if auto and late:
        names = ", ".join(map(repr, late))
        notes.append(
            f"structural models (of level, slope and season) do not count in columns that end "
            f"before others, which they know nothing of: {names}"
        )
    linear = fitted.linear if auto else None
    if linear is not None and not linear.takes(origin.values):
        linear, origin = None, replace(origin, fitted=replace(fitted, linear=None))
        notes.append(
            "the linear model of all columns is left out: it takes logarithms, and a value of 0 "
            "or less has none"
        )
    if linear is not None or (auto and any(ensembles)):
        joint = _mixture(found, origin, ensembles)
    else:
        joint = _undone(found, [one.chain.warp for one in fitted.columns], origin)
    name = f"auto: {used.name}" if auto else used.name
    return joint, name, (*notes, *joint.remarks())


def _ensembles(origin: Origin) -> "tuple[list[Ensemble | None], list[str]]":
    """Return the structural models of each column, and the columns where they are left out.

    Those are columns that end before others and are connected with them: no structural model knows
    what the others tell of the missing values.
    """
    known, sources = ~np.isnan(origin.values), origin.fitted.sources
    last = np.where(known, np.arange(len(known))[:, None], -1).max(axis=0)
    pairs = {(i, j) for i, inputs in enumerate(sources) for j, _ in inputs if i != j}
    tied = {i for pair in pairs for i in pair}
    every: list[Ensemble | None] = []
    late = []
    for i, one in enumerate(origin.fitted.columns):
        ends_early = one.ensemble is not None and i in tied and last[i] < last.max()
        every.append(None if ends_early else one.ensemble)
        if ends_early:
            late.append(str(one.history.name))
    return every, late


def trajectory_from(origin: Origin) -> FloatArray:
    """Return the plug-in paths of all columns, (h, M); NaN if one runs away."""
    m = len(origin.fitted.columns)
    try:
        level = origin.ahead(Naive()).mean.reshape(-1, m)
    except ValueError:
        return np.full((origin.horizon, m), np.nan)
    chains = [one.chain for one in origin.fitted.columns]
    return np.column_stack([c.backward(y) for c, y in zip(chains, level.T, strict=True)])


def _undone(found: Propagated, warps: "list[Warp | None]", origin: Origin) -> Distribution:
    """Return the distribution of a single origin, the warp of each column undone."""
    one = replace(
        found,
        mean=found.mean[0],
        covariance=found.covariance[0],
        latent_var=found.latent_var[0],
        paths=None if found.paths is None else found.paths[0],
    )
    warp = Stepwise(tuple(warps) * origin.horizon) if any(warps) else None
    return distribution_of(one, warp)


@dataclass(frozen=True, eq=False)
class _Component:
    """One of the distributions that a column's forecast is a mixture of.

    Attributes
    ----------
    weight : float
    ahead : Propagated or None
        Of the column alone, (1, h), in the units of the warp; None is that of the vector itself.
    warp : Warp or None
    linear : bool
        Whether it is the linear vector's.
    widening : float
    """

    weight: float
    ahead: Propagated | None
    warp: Warp | None
    linear: bool = False
    widening: float = 1.0


def _components(
    column: int, origin: Origin, ensemble: Ensemble | None, linear: _Component | None
) -> list[_Component]:
    one = origin.fitted.columns[column]
    weights = np.ones(1) if ensemble is None else ensemble.weights
    left = 1.0 if linear is None else 1.0 - linear.weight
    usual = [] if linear is None else [linear]
    usual.append(_Component(left * float(weights[0]), None, one.chain.warp))
    if ensemble is None:
        return usual
    end, y = np.array([len(origin.values)]), origin.values[:, column]
    for weight, member in zip(weights[1:], ensemble.members, strict=True):
        ahead = member.ahead(y, end, origin.horizon)
        usual.append(_Component(left * float(weight), ahead, member.warp))
    surprise = ensemble.surprise
    if not surprise:
        return usual
    wide = [replace(c, weight=surprise * c.weight, widening=ensemble.widening) for c in usual]
    return [*(replace(c, weight=(1.0 - surprise) * c.weight) for c in usual), *wide]


def _mixture(found: Propagated, origin: Origin, ensembles: "list[Ensemble | None]") -> Distribution:
    """Return the mixture with the linear vector and with structural models of single columns.

    Each column is a mixture of the vector's forecast, that of the linear vector and those of its
    structural models. Across columns, components that stand at the same shares of their mixtures
    go together. Where they are the linear vector's in all columns, the joint distribution is its
    own. Elsewhere each keeps the correlations with other columns that the vector's forecast has:
    the same standardised errors, step by step.
    """
    fitted, m = origin.fitted, len(ensembles)
    linear: list[_Component | None] = [None] * m
    joint = None
    if fitted.linear is not None:
        joint = replace(origin, fitted=fitted.linear).ahead(ExactMoments())
        for i, (share, one) in enumerate(zip(fitted.shares, fitted.linear.columns, strict=True)):
            own = np.arange(i, origin.horizon * m, m)
            linear[i] = _Component(float(share), _of_steps(joint, own), one.chain.warp, True)
    every = [
        _components(i, origin, *pair) for i, pair in enumerate(zip(ensembles, linear, strict=True))
    ]
    shares = [np.cumsum([c.weight for c in several]) for several in every]
    edges = np.unique(np.concatenate([[0.0], *shares]).round(12))
    weights, parts = [], []
    for low, high in pairwise(edges[edges <= 1.0].tolist()):
        places = [np.searchsorted(share[:-1], 0.5 * (low + high)) for share in shares]
        if high - low > _LEAST_WEIGHT:
            chosen = [several[place] for several, place in zip(every, places, strict=True)]
            if joint is not None and all(c.linear for c in chosen):
                moved = _widened(joint, chosen, origin.horizon)
            else:
                moved = _moved(found, chosen, origin.horizon)
            parts.append(_undone(moved, [c.warp for c in chosen], origin))
            weights.append(high - low)
    return Mixture(np.array(weights) / sum(weights), tuple(parts))


def _of_steps(found: Propagated, steps: IntArray) -> Propagated:
    """Return the distribution of some steps."""
    return replace(
        found,
        mean=found.mean[:, steps],
        covariance=found.covariance[:, steps[:, None], steps],
        latent_var=found.latent_var[:, steps],
        paths=None,
    )


def _widened(found: Propagated, chosen: list[_Component], horizon: int) -> Propagated:
    """Return a forecast with some columns widened."""
    wide = np.tile([c.widening for c in chosen], horizon)
    moved = linear_image(found, np.diag(wide), found.mean[0] * (1.0 - wide))
    return replace(moved, latent_var=wide**2 * found.latent_var)


def _moved(found: Propagated, chosen: list[_Component], horizon: int) -> Propagated:
    """Return the vector's forecast with the distributions of some columns replaced."""
    m = len(chosen)
    T, mean = np.eye(horizon * m), found.mean[0].copy()
    latent = found.latent_var[0].copy()
    for i, one in enumerate(chosen):
        own = slice(i, None, m)
        if one.ahead is None:
            T[own, own] *= one.widening
            latent[own] *= one.widening**2
        else:
            S, C = found.covariance[0, own, own], one.ahead.covariance[0]
            T[own, own] = one.widening * _root(C) @ np.linalg.pinv(_root(S))
            mean[own] = one.ahead.mean[0]
            latent[own] = one.widening**2 * one.ahead.latent_var[0]
    moved = linear_image(found, T, mean - T @ found.mean[0])
    return replace(moved, latent_var=latent[None])


def _root(S: FloatArray) -> FloatArray:
    """Return the lower triangular root of a covariance, or another one if it is singular."""
    try:
        return np.asarray(np.linalg.cholesky(S), dtype=np.float64)
    except np.linalg.LinAlgError:
        return square_root(S)
