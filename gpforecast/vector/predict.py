"""The joint distribution of all columns over a horizon, from the models of a fitted frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.pipeline.plausible import runaway
from gpforecast.pipeline.predict import Ahead, clipped
from gpforecast.propagation import (
    Automatic,
    ExactMoments,
    Method,
    MethodLike,
    Naive,
    Propagation,
    method_named,
)
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.interleaved import propagate_interleaved
from gpforecast.propagation.layout import Start, shared_parts
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.mixture import Mixture
from gpforecast.results.step_warps import Stepwise
from gpforecast.results.warped import distribution_of
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms.base import Warp
from gpforecast.transforms.warps import Identity
from gpforecast.vector.fitted import FittedVector, update_vector
from gpforecast.vector.levels import Levels, linear_image, observed, stretch, to_levels

_ALONE = Ensemble((), np.ones(1))


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

    def followed(self, method: Propagation) -> Propagated:
        """Return the joint distribution of the horizon in the units of the warps, (1, h M)."""
        fitted, end, models = self.fitted, len(self.values), self.fitted.column_models
        past = self.times.part(0, end)
        z = fitted.transformed(self.values, past)
        chains = [one.chain for one in fitted.columns]
        begin = stretch(chains, self.times, self.values, z, end, models.n_times)
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
    max_rows : int or None
        Of which an update keeps the newest; None for all.
    """

    fitted: FittedVector
    values: FloatArray
    axis: TimeAxis
    max_rows: int | None = None

    @staticmethod
    def at_end(fitted: FittedVector, max_rows: int | None) -> "ObservedVector":
        """Return the columns of the fit."""
        return ObservedVector(fitted, fitted.known, fitted.axis, max_rows)

    def over(self, values: FloatArray, axis: TimeAxis) -> "ObservedVector":
        """Return the same fit with other values (n, M) from the same start."""
        return replace(self, values=self.fitted.known_among(values), axis=axis)

    def observe(self, values: object) -> "ObservedVector":
        """Return the fitted columns, conditioned on new values of all of them."""
        return self.at_end(update_vector(self.fitted, values, self.max_rows), self.max_rows)

    def usable(self, origins: IntArray, horizon: int) -> IntArray:  # noqa: ARG002
        """Return the origins that have as many values before them as a forecast needs."""
        return origins[origins >= self.fitted.n_past]

    def parts(self, origins: IntArray) -> Iterator[tuple[IntArray, "ObservedVector"]]:
        """Yield each origin: memory is that of one joint distribution."""
        for place in range(len(origins)):
            yield np.array([place]), self

    def at(self, end: int, horizon: int) -> Origin:
        """Return the origin after the first values."""
        times = self.axis.extended(horizon).part(0, end + horizon)
        return Origin(self.fitted, self.values[:end], times, horizon)

    def ahead(self, origins: IntArray, horizon: int, method: MethodLike) -> Ahead[Distribution]:
        """Forecast from a single origin.

        Values of a time stand together, in the order of the columns: (h M,).
        """
        (end,) = origins.tolist()
        return _forecast(self.at(end, horizon), method_named(method))

    def trajectory(self, end: int, horizon: int) -> FloatArray:
        """Return the plug-in paths of all columns, (h, M); NaN if one runs away."""
        chains = [one.chain for one in self.fitted.columns]
        try:
            level = self.at(end, horizon).followed(Naive()).mean.reshape(horizon, -1)
        except ValueError:
            return np.full((horizon, len(chains)), np.nan)
        return np.column_stack([c.backward(y) for c, y in zip(chains, level.T, strict=True)])


def _forecast(origin: Origin, method: Method) -> Ahead[Distribution]:
    """Return the distribution of all columns, what made it, and notes."""
    fitted = origin.fitted
    warps = [one.chain.warp for one in fitted.columns]
    if not isinstance(method, Automatic):
        found, notes = _by(origin, method)
        joint = _undone(found, warps)
        return Ahead(joint, method.name, _with_remarks(notes, joint, origin))
    used = by_moments(*fitted.column_models.predictives)
    found, notes = _by(origin, used)
    structural = [one.ensemble or _ALONE for one in fitted.columns]
    late = _late(origin)
    if late:
        names = ", ".join(repr(str(fitted.names[i])) for i in late)
        structural = [_ALONE if i in late else one for i, one in enumerate(structural)]
        notes.append(
            f"structural models (of level, slope and season) do not count in columns that end "
            f"before others, which they know nothing of: {names}"
        )
    linear = fitted.linear
    if linear is not None and not linear.takes(origin.values):
        linear = None  # it takes logarithms, and a value of 0 or less has none
    if linear is None and not any(one.members for one in structural):
        joint = _undone(found, warps)
    else:
        joint = _mixture(origin, found, structural, linear)
    remarks = _with_remarks(notes, joint, origin)
    return Ahead(joint, f"{method.name}: {used.name}", remarks, frozenset({used.name}))


def _with_remarks(notes: list[str], joint: Distribution, origin: Origin) -> tuple[str, ...]:
    """Return notes and what a joint distribution adds, such as that it runs away."""
    said = runaway(joint, origin.values, origin.fitted.names)
    return (*notes, *joint.remarks(), *filter(None, [said]))


def _by(origin: Origin, method: Propagation) -> tuple[Propagated, list[str]]:
    """Return what a method forecasts, and a note where variances were clipped."""
    found, models = origin.followed(method), origin.fitted.column_models.predictives
    n, total = found.n_clipped, found.mean.size
    return found, [clipped(n, total, method, *models)] if n else []


def _late(origin: Origin) -> list[int]:
    """Return the columns with structural models that end before others they are connected with.

    No structural model knows what the others tell of the missing values.
    """
    known, fitted = ~np.isnan(origin.values), origin.fitted
    last = np.where(known, np.arange(len(known))[:, None], -1).max(axis=0)
    pairs = [(i, j) for i, inputs in enumerate(fitted.sources) for j, _ in inputs if i != j]
    tied = {i for pair in pairs for i in pair if last[i] < last.max()}
    return sorted(i for i in tied if fitted.columns[i].ensemble is not None)


def _undone(found: Propagated, warps: "Sequence[Warp | None]") -> Distribution:
    """Return the distribution of a single origin, the warp of each column undone."""
    one = found.ahead(np.array(0))
    horizon = len(one.mean) // len(warps)
    same = Identity()
    each = tuple(same if warp is None else warp for warp in warps)
    return distribution_of(one, Stepwise(each * horizon) if any(warps) else None)


@dataclass(frozen=True, eq=False)
class _Component:
    """One of the distributions that a column's forecast is a mixture of.

    Attributes
    ----------
    weight : float
    warp : Warp or None
    ahead : Distribution or None
        Of the column alone, (h,), in the units of the warp; None is that of the vector itself.
    linear : bool
        Whether it is the linear vector's.
    widening : ndarray (h,) or float
        Factor of the standard deviations.
    """

    weight: float
    warp: Warp | None
    ahead: Distribution | None = None
    linear: bool = False
    widening: FloatArray | float = 1.0


def _mixture(
    origin: Origin,
    found: Propagated,
    structural: Sequence[Ensemble],
    linear: FittedVector | None,
) -> Distribution:
    """Return the mixture with the linear vector and with structural models of single columns.

    Each column is a mixture of the vector's forecast, that of the linear vector and those of its
    structural models. Across columns, components that stand at the same shares of their mixtures
    go together. Where they are the linear vector's in all columns, the joint distribution is its
    own. Elsewhere each keeps the correlations with other columns that the vector's forecast has:
    the same standardised errors, step by step.
    """
    joint = None
    if linear is not None:
        joint = replace(origin, fitted=linear).followed(ExactMoments())
    every = [_components(i, origin, one, linear, joint) for i, one in enumerate(structural)]
    weights, parts = [], []
    for weight, places in shared_parts([[c.weight for c in several] for several in every]):
        chosen = [several[place] for several, place in zip(every, places, strict=True)]
        if joint is not None and all(c.linear for c in chosen):
            moved = _moved(joint, [replace(c, ahead=None) for c in chosen])
        else:
            moved = _moved(found, chosen)
        parts.append(_undone(moved, [c.warp for c in chosen]))
        weights.append(weight)
    return Mixture(np.array(weights) / sum(weights), tuple(parts))


def _components(
    column: int,
    origin: Origin,
    structural: Ensemble,
    linear: FittedVector | None,
    joint: Propagated | None,
) -> list[_Component]:
    """Return what a column's forecast is a mixture of; `joint` is the linear vector's forecast."""
    fitted, usual, share = origin.fitted, [], 0.0
    if linear is not None and joint is not None:
        share, m = float(fitted.shares[column]), len(fitted.columns)
        own = _undone(joint, [None]).over(np.arange(column, origin.horizon * m, m))
        usual.append(_Component(share, linear.columns[column].chain.warp, own, linear=True))
    rest = (1.0 - share) * structural.weights
    usual.append(_Component(float(rest[0]), fitted.columns[column].chain.warp))
    end, y = np.array([len(origin.values)]), origin.values[:, column]
    for weight, member in zip(rest[1:], structural.members, strict=True):
        ahead = _undone(member.ahead(y, end, origin.horizon), [None])
        usual.append(_Component(float(weight), member.warp, ahead))
    widening = structural.factors(origin.horizon)
    return [replace(c, widening=widening) for c in usual]


def _moved(found: Propagated, chosen: list[_Component]) -> Propagated:
    """Return a joint forecast with the distributions of some columns replaced or widened."""
    m, n = len(chosen), found.mean.shape[1]
    T, mean, latent = np.eye(n), found.mean[0].copy(), found.latent_var[0].copy()
    for i, one in enumerate(chosen):
        own = slice(i, None, m)
        if one.ahead is None:
            T[own, own] *= one.widening  # of each column of a diagonal
        else:
            S, C = found.covariance[0, own, own], one.ahead.covariance
            T[own, own] = _root(C) @ np.linalg.pinv(_root(S)) * np.reshape(one.widening, (-1, 1))
            mean[own], latent[own] = one.ahead.mean, one.ahead.latent_var
        latent[own] *= one.widening**2
    moved = linear_image(found, T, mean - T @ found.mean[0])
    return replace(moved, latent_var=latent[None])


def _root(S: FloatArray) -> FloatArray:
    """Return the lower triangular root of a covariance, or another one if it is singular."""
    try:
        return np.asarray(np.linalg.cholesky(S), dtype=np.float64)
    except np.linalg.LinAlgError:
        return square_root(S)
