"""The fitted models of several columns, and the joint distribution of what they forecast."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from gpforecast.common.cached import cached_property
from gpforecast.common.kinds import is_frame
from gpforecast.common.types import FloatArray, Index, IntArray
from gpforecast.common.validation import check_distinct_columns
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.plausible import runaway
from gpforecast.pipeline.predict import Ahead, clipped
from gpforecast.propagation import (
    Automatic,
    ExactMoments,
    Method,
    MethodLike,
    Propagation,
    method_named,
)
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.layout import Columns, interleaved_inputs, shared_parts
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.mixture import Mixture
from gpforecast.results.step_warps import Stepwise
from gpforecast.results.warped import distribution_of
from gpforecast.series.checked import after_update, new_values_after, values_of
from gpforecast.series.coarser import coarser_note
from gpforecast.series.frames import as_pandas
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.structural import Ensemble
from gpforecast.transforms.base import Warp
from gpforecast.transforms.compose import Chain
from gpforecast.transforms.warps import Identity
from gpforecast.vector.choice import Sources, rows_of
from gpforecast.vector.levels import followed, linear_image, transformed

_ALONE = Ensemble((), np.ones(1))


@storable
@dataclass(frozen=True, eq=False)
class FittedVector:
    """The fitted models of several columns.

    Attributes
    ----------
    columns : tuple of Fitted
        Each as a series by itself: history, transforms, model, structural models. The lags of its
        embedding are its own.
    sources : tuple of tuple of (int, int)
        Column and lag of each input of each model.
    linear : FittedVector or None
        The linear vector autoregression in a mixture with the models, where all was automatic.
    shares : ndarray (M,)
        How much it counts in each column, from 0 to 1.
    max_rows : int or None
        Of each model, of which an update keeps the newest; None for all.
    """

    columns: tuple[Fitted, ...]
    sources: tuple[Sources, ...]
    linear: "FittedVector | None" = None
    shares: FloatArray = field(default_factory=lambda: np.zeros(0))
    max_rows: int | None = None

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The columns, in their order."""
        return tuple(one.history.name for one in self.columns)

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The fitted transforms of each column."""
        return tuple(one.chain for one in self.columns)

    @property
    def models(self) -> dict[Hashable, OneStepModel]:
        """The model of each column."""
        return {one.history.name: one.model for one in self.columns}

    @property
    def inputs(self) -> dict[Hashable, tuple[tuple[Hashable, int], ...]]:
        """The inputs of each column's model: column and lag."""
        names = self.names
        return {
            name: tuple((names[other], lag) for other, lag in sources)
            for name, sources in zip(names, self.sources, strict=True)
        }

    @property
    def history(self) -> pd.DataFrame:
        """The observations that a forecast continues, (n, M)."""
        frame = pd.concat([one.history for one in self.columns], axis=1)
        return frame.set_axis(pd.Index(self.names, tupleize_cols=False), axis=1)

    @property
    def observations(self) -> pd.DataFrame:
        """The history at the times of the user."""
        return self.axis.labelled(self.history)

    def first(self, n: int) -> "FittedVector":
        """Return what was learned with the first n observations as its history."""
        linear = None if self.linear is None else self.linear.first(n)
        return replace(self, columns=tuple(one.first(n) for one in self.columns), linear=linear)

    @property
    def known(self) -> FloatArray:
        """The values that forecasts start from, (n, M): outliers are NaN."""
        return np.column_stack([one.known for one in self.columns])

    @property
    def axis(self) -> TimeAxis:
        """The times of the history."""
        return self.columns[0].axis

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of the fit, by column."""
        each = (f"{one.history.name}: {note}" for one in self.columns for note in one.notes)
        return (*coarser_note(self.axis.index), *each)

    @cached_property
    def column_models(self) -> Columns:
        """The one-step models, interleaved."""
        m = len(self.columns)
        inputs = (interleaved_inputs(i, sources, m) for i, sources in enumerate(self.sources))
        return Columns(tuple(one.predictive for one in self.columns), tuple(inputs))

    @property
    def n_past(self) -> int:
        """How many values must come before an origin."""
        return self.column_models.n_times + max(chain.n_lost for chain in self.chains)

    def over(self, values: FloatArray, index: Index) -> "FittedVector":
        """Return the same fit with other values (n, M) from the same start as its history."""
        columns = [
            replace(one, history=pd.Series(column, index, name=one.history.name), clock=None)
            for one, column in zip(self.columns, values.T, strict=True)
        ]
        linear = None if self.linear is None else self.linear.over(values, index)
        return replace(self, columns=tuple(columns), linear=linear)

    def takes(self, values: FloatArray) -> bool:
        """Whether the transforms can take all values of columns (n, M): not a logarithm of 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            each = zip(self.chains, values.T, strict=True)
            return not any(chain.refused(column).any() for chain, column in each)

    def usable(self, origins: IntArray, horizon: int) -> IntArray:  # noqa: ARG002
        """Return the origins that have as many values before them as a forecast needs."""
        return origins[origins >= self.n_past]

    def parts(self, origins: IntArray) -> Iterator[tuple[IntArray, "FittedVector"]]:
        """Yield each origin: memory is that of one joint distribution."""
        for place in range(len(origins)):
            yield np.array([place]), self

    def ahead(self, origins: IntArray, horizon: int, method: MethodLike) -> Ahead[Distribution]:
        """Forecast from a single origin.

        Values of a time stand together, in the order of the columns: (h M,).
        """
        (end,) = origins.tolist()
        return _forecast(self.first(end), horizon, method_named(method))

    def trajectory(self, horizon: int) -> FloatArray:
        """Return the plug-in paths of all columns, (h, M); NaN if one runs away."""
        try:
            level = self.followed(horizon, PlugIn()).mean.reshape(horizon, -1)
        except ValueError:
            return np.full((horizon, len(self.columns)), np.nan)
        each = zip(self.chains, level.T, strict=True)
        return np.column_stack([chain.backward(y) for chain, y in each])

    def followed(self, horizon: int, method: Propagation) -> Propagated:
        """Return the joint distribution of the horizon in the units of the warps, (1, h M)."""
        times = self.axis.extended(horizon)
        return followed(self.chains, self.column_models, self.known, times, method)

    def observe(self, values: object) -> "FittedVector":
        """Return it conditioned on new values of all columns; NaN where a value is missing."""
        names, frame = list(self.names), as_pandas(values, "new_values")
        if not is_frame(frame) or set(frame.columns) != set(names):
            got = list(frame.columns) if is_frame(frame) else type(frame).__name__
            raise ValueError(
                f"new_values must be a DataFrame with the columns {names}, NaN where a value is "
                f"missing; got {got}."
            )
        check_distinct_columns(frame, "new_values")
        if frame.empty:
            return self
        both = zip(names, self.columns, strict=True)
        every = [new_values_after(frame[name], one.history, one.axis) for name, one in both]
        known = self.first(len(self.axis) - len(every[0].again))
        longer = []
        for name, one, came in zip(names, known.columns, every, strict=True):
            new = np.concatenate([came.again, came.values])
            one.chain.check(new, f"column {name!r} of new_values")
            values = np.concatenate([values_of(one.history), new])
            history = pd.Series(values, one.axis.extended(len(new)).index, name=name)
            notes = after_update(one.notes, came)
            longer.append(replace(one, history=history, notes=notes, clock=came.axis.clock))
        found = replace(known, columns=tuple(longer))
        z = transformed(found.chains, found.known, found.axis)
        columns = []
        for i, (one, sources) in enumerate(zip(longer, self.sources, strict=True)):
            rows = one.rows.with_newer(rows_of(z, i, sources), len(known.axis), self.max_rows)
            model = rows.conditioned(one.model)
            updated = replace(one, rows=rows, model=model)
            columns.append(updated.noting(*rows.notes, *fit_notes(model)))
        linear = self.linear
        if linear is not None:
            takes = linear.takes(found.history.to_numpy(dtype=np.float64))
            linear = linear.observe(frame) if takes else None
        return replace(found, columns=tuple(columns), linear=linear)


def _forecast(fitted: FittedVector, horizon: int, method: Method) -> Ahead[Distribution]:
    """Return the distribution of all columns, what made it, and notes."""
    models, columns, notes = fitted.column_models.predictives, fitted.columns, list[str]()
    used = by_moments(*models) if isinstance(method, Automatic) else method
    found = fitted.followed(horizon, used)
    if found.n_clipped:
        notes.append(clipped(found.n_clipped, found.mean.size, used, *models))
    structural, linear = [_ALONE] * len(columns), None
    if used is not method:
        late = _late(fitted)
        structural = [
            _ALONE if one.ensemble is None or i in late else one.ensemble
            for i, one in enumerate(columns)
        ]
        if late:
            notes.append(
                f"structural models (of level, slope and season) do not count in columns that end "
                f"before others, which they know nothing of: "
                f"{', '.join(repr(str(fitted.names[i])) for i in late)}"
            )
        # It may take logarithms, and a value of 0 or less has none.
        linear = fitted.linear if fitted.linear and fitted.linear.takes(fitted.known) else None
    joint = _undone(found, [chain.warp for chain in fitted.chains])
    if linear is not None or any(one.members for one in structural):
        joint = _mixture(fitted, found, structural, linear)
    notes += [*joint.remarks(), *filter(None, [runaway(joint, fitted.known, fitted.names)])]
    if used is method:
        return Ahead(joint, method.name, tuple(notes))
    return Ahead(joint, f"{method.name}: {used.name}", tuple(notes), frozenset({used.name}))


def _late(fitted: FittedVector) -> list[int]:
    """Return the columns with structural models that end before others they are connected with.

    No structural model knows what the others tell of the missing values.
    """
    known = ~np.isnan(fitted.known)
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
    fitted: FittedVector,
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
    joint, horizon = None, found.mean.shape[1] // len(structural)
    if linear is not None:
        joint = linear.followed(horizon, ExactMoments())
    every = [_components(i, fitted, one, horizon, joint) for i, one in enumerate(structural)]
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
    column: int, fitted: FittedVector, structural: Ensemble, horizon: int, joint: Propagated | None
) -> list[_Component]:
    """Return what a column's forecast is a mixture of; `joint` is the linear vector's forecast."""
    usual, share, y = [], 0.0, fitted.columns[column].known
    if fitted.linear is not None and joint is not None:
        share, linear, m = float(fitted.shares[column]), fitted.linear, len(fitted.columns)
        own = _undone(joint, [None]).over(np.arange(column, horizon * m, m))
        usual.append(_Component(share, linear.columns[column].chain.warp, own, linear=True))
    rest = (1.0 - share) * structural.weights
    usual.append(_Component(float(rest[0]), fitted.columns[column].chain.warp))
    for weight, member in zip(rest[1:], structural.members, strict=True):
        ahead = _undone(member.ahead(y, np.array([len(y)]), horizon), [None])
        usual.append(_Component(float(weight), member.warp, ahead))
    widening = structural.factors(horizon)
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
