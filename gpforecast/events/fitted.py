"""A series of classes, checked; what was learned from it, and its forecasts."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

from gpforecast.common.cached import cached_property
from gpforecast.common.kinds import is_labelled, is_series, is_word
from gpforecast.common.parameters import Check
from gpforecast.common.types import ExogLike, FloatArray, IntArray, SeriesLike, Values
from gpforecast.events.distributions import (
    enumerated,
    fed_back,
    most_pasts,
    sampled,
    with_indicators,
)
from gpforecast.models import OrdinalGP, RelevanceVectorClassifier
from gpforecast.models.base import fit_notes
from gpforecast.models.events.classes import Label, as_categorical, codes_of, known_classes
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.pipeline.predict import Ahead, clipped
from gpforecast.pipeline.rows import TrainingRows
from gpforecast.propagation import (
    Cubature,
    ExactMoments,
    MethodLike,
    MonteCarlo,
    Naive,
    Taylor,
    method_named,
)
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.layout import Columns, Inputs, Layout, Start
from gpforecast.results.event_forecast import ClassDistribution
from gpforecast.series import TimeAxis, checked
from gpforecast.series.checked import FEWEST, CheckedSeries, after_update, new_values_after
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.frames import one_column
from gpforecast.series.index_checks import reading
from gpforecast.storage import storable

_NAMES = ("auto", "enumerate", "exact", "taylor", "cubature", "naive", "monte_carlo")
_METHODS = (ExactMoments, Taylor, Cubature, Naive, MonteCarlo)
_MOST = 2**16  # pasts that are followed from an origin
_AT_ONCE = 2**12  # up to which "auto" follows them
_PARTS = 16  # origins that are forecast together

METHOD = Check(
    f"one of {', '.join(map(repr, _NAMES))}, or an instance such as "
    f"gf.propagation.MonteCarlo(n_paths=500, seed=0)",
    lambda v: is_word(v, *_NAMES) or isinstance(v, _METHODS),
)

OrderedModel: TypeAlias = OrdinalGP | RelevanceVectorClassifier
"""Models whose classes are intervals of f and noise, with their order."""


@dataclass(frozen=True, eq=False)
class States:
    """A series of classes on a regular index.

    Attributes
    ----------
    classes : tuple
        In their order.
    codes : ndarray (n,)
        The place of each value among them; NaN where it is missing.
    axis : TimeAxis
    name : hashable
    exog : DataFrame, Series, array-like or None
        Inputs on the same index.
    notes : tuple of str
        How many timestamps are missing, if any are.
    """

    classes: tuple[Label, ...]
    codes: FloatArray
    axis: TimeAxis
    name: Hashable
    exog: ExogLike
    notes: tuple[str, ...] = ()

    @staticmethod
    def of(series: SeriesLike, exog: ExogLike = None) -> "States":
        """Check a series of classes, or say what is wrong with it."""
        column = one_column(series, "series")
        classes, codes = known_classes(column, "series")
        places = _places(codes, column)
        found = checked(places, exog, open_days=True, by_clock=True, least=FEWEST)
        notes = found.notes if found.n_filled else found.of_steps
        if is_labelled(series):
            notes = (*reading(series.index), *notes)
        codes = _states(found, np.empty(0))
        return States(classes, codes, found.axis, found.name, found.exog, notes)

    def first(self, n: int) -> "States":
        """Return the first n values, inputs included."""
        exog = self.exog
        if exog is not None:
            exog = exog.iloc[:n] if is_labelled(exog) else np.asarray(exog)[:n]
        return replace(self, codes=self.codes[:n], axis=self.axis.part(0, n), exog=exog)


def _places(codes: FloatArray, column: SeriesLike) -> SeriesLike:
    """Return places of classes on the labels of a column, if it has any; NaN where missing."""
    places = np.where(codes < 0.0, np.nan, codes)
    return pd.Series(places, column.index, name=column.name) if is_series(column) else places


def _states(found: CheckedSeries, before: FloatArray) -> FloatArray:
    """Return the classes of a series and of those before; at a step that clocks skip, the last one.

    Of two that came at the same step, that in the middle.
    """
    codes = np.concatenate([before, np.floor(found.values)])
    skipped = len(before) + np.flatnonzero(~found.axis.exists)
    codes[skipped] = codes[np.maximum(skipped - 1, 0)]
    return codes


@storable
@dataclass(frozen=True, eq=False)
class FittedEvents:
    """A fitted model of classes, how a series becomes its rows, and the values that it knows.

    Attributes
    ----------
    classes : tuple
    codes : ndarray (n,)
        The series, as places of its classes; NaN where missing.
    axis : TimeAxis
        Its times.
    name : hashable
    exog : Exogenous
        Their past, and what is known of their future.
    embedding : LagEmbedding
    model : OrdinalGP or RelevanceVectorClassifier
        Of rows of indicators and standardised inputs.
    n_rows : int
        That it learned from.
    notes : tuple of str
    season : float or None
        The period of two further inputs, in steps.
    max_rows : int or None
        Of which an update keeps the newest; None for all.
    """

    classes: tuple[Label, ...]
    codes: FloatArray
    axis: TimeAxis
    name: Hashable
    exog: Exogenous
    embedding: LagEmbedding
    model: OrderedModel
    n_rows: int
    notes: tuple[str, ...] = ()
    season: float | None = None
    max_rows: int | None = None

    @cached_property
    def inputs(self) -> Inputs:
        """Where the inputs of a row come from; those of a season are the last."""
        plan, q = self.embedding.exog_plan(self.exog.columns), len(self.exog)
        season = () if self.season is None else ((q, 0), (q + 1, 0))
        return Inputs(self.embedding.lags_, (*plan, *season))

    @property
    def likelihood(self) -> Ordinal:
        """Of a class given f; that of both models."""
        return cast(Ordinal, self.model.likelihood_)

    def probabilities(self, raw: FloatArray) -> FloatArray:
        """Return the probability of each class at rows (r, d) of places of classes, (r, C)."""
        X = with_indicators(raw, len(self.inputs.lags), len(self.classes))
        at = self.model.posterior_.predict(X)
        return self.likelihood.probabilities(at.mean, at.var)

    @property
    def history(self) -> Values:
        """The series, as ordered categories."""
        states = as_categorical(self.classes, self.codes)
        return self.axis.labelled(pd.Series(states, self.axis.index, name=self.name))

    def first(self, n: int) -> "FittedEvents":
        """Return what was learned with the first n values as its series."""
        known = self.over(self.codes[:n], self.exog.past[:n])
        return replace(known, axis=self.axis.part(0, n))

    def over(self, codes: FloatArray, exog: FloatArray) -> "FittedEvents":
        """Return the same fit with other values from the same start, and inputs (n [+ h], q)."""
        return replace(self, codes=codes, exog=replace(self.exog, past=exog))

    def ending(self, exog: ExogLike, horizon: int) -> "FittedEvents":
        """Return it with the inputs after the end of its series.

        Raises
        ------
        ValueError
            If `exog` does not fit, or something is missing that a forecast starts from.
        """
        lags = [lag for column, lag in self.inputs.exog if column < len(self.exog)]
        if exog is None and min(lags, default=0) >= horizon:
            future = np.full((horizon, len(self.exog)), np.nan)  # none of them is used
        else:
            index = self.axis.extended(horizon).index[len(self.axis) :]
            future = self.exog.over(exog, index, "the forecast", missing=True)
        found = replace(self, exog=self.exog.extended(future))
        if not len(found.usable(np.array([len(self.codes)]), horizon)):
            lost = self.axis.index[np.isnan(self.codes)]
            where = f", the last at {lost[-1]}" if len(lost) else " in exog"
            raise ValueError(
                f"series must end with known values at each of the lags "
                f"{', '.join(map(str, self.inputs.lags))}, and exog must be known at each of its "
                f"lags; got a missing one{where}. Fill it, for instance with ffill(), or fit to "
                f"the series before it."
            )
        return found

    def layout(self, origins: IntArray, horizon: int) -> Layout:
        """Return what is known at origins, positions of the first values that are predicted."""
        inputs, known = self.inputs, self.exog.past
        back = origins[:, None] + np.arange(-inputs.n_past, 0)
        ahead = origins[:, None] + np.arange(-inputs.n_past_exog, horizon)
        n_later = max(int(origins.max()) + horizon - len(known), 0)
        every = np.concatenate([known, np.full((n_later, known.shape[1]), np.nan)])
        exog = np.hstack([self.exog.scaled(every), phases(self.season, len(every))])
        models = Columns.of(self.model.posterior_, inputs)
        return Layout(models, Start(self.codes[back], exog[ahead]), horizon)

    def usable(self, origins: IntArray, horizon: int) -> IntArray:
        """Return the origins at which all that a forecast starts from is known."""
        if not len(origins):
            return origins
        layout = self.layout(origins, horizon)
        used = np.unique(layout.place)
        known = ~np.isnan(layout.initial[:, used[used < layout.first]])
        return origins[known.all(axis=1)]

    def parts(self, origins: IntArray) -> Iterator[tuple[IntArray, "FittedEvents"]]:
        """Yield some origins at a time: each may have thousands of pasts in memory."""
        for places in np.split(np.arange(len(origins)), range(_PARTS, len(origins), _PARTS)):
            yield places, self

    def ahead(
        self, origins: IntArray, horizon: int, method: MethodLike
    ) -> Ahead[ClassDistribution]:
        """Forecast the classes after every origin.

        ``"auto"`` enumerates where there are few pasts, and else takes exact moments, or cubature
        where the covariance has none.

        Raises
        ------
        ValueError
            If there are too many pasts for ``"enumerate"``.
        """
        layout, automatic = self.layout(origins, horizon), method == "auto"
        n_pasts, prefix = most_pasts(layout, len(self.classes)), "auto: " * automatic
        if method == "enumerate" and n_pasts > _MOST:
            raise ValueError(
                f"propagation='enumerate' follows at most {_MOST} pasts; got {n_pasts:.3g}, from "
                f"{len(self.inputs.lags)} lags of {len(self.classes)} classes over "
                f"{layout.horizon} steps. Use 'exact' or 'monte_carlo', fewer lags or a shorter "
                f"horizon."
            )
        if method == "enumerate" or (automatic and n_pasts <= _AT_ONCE):
            found = enumerated(layout, len(self.classes), self.probabilities)
            return Ahead(found, f"{prefix}enumerate")
        posterior = self.model.posterior_
        chosen = by_moments(posterior) if automatic else method_named(method)
        given, name = (self.likelihood, len(self.inputs.lags), layout), chosen.name
        if isinstance(chosen, MonteCarlo):
            return Ahead(sampled(*given, chosen), name)
        fed = fed_back(*given, chosen)
        n = fed.n_clipped
        notes = (clipped(n, fed.mean.size, chosen, posterior),) if n else ()
        return Ahead(fed, f"{prefix}{name}", notes)

    def observe(self, values: SeriesLike, exog: ExogLike = None) -> "FittedEvents":
        """Return it conditioned on new values as well, as `EventForecaster.update` says."""
        column = one_column(values, "new_values")
        if np.size(column) == 0:
            return self
        places = _places(codes_of(self.classes, column, "new_values"), column)
        history = pd.Series(self.codes, self.axis.index, name=self.name)
        came = new_values_after(places, history, self.axis, exog)
        n = len(self.codes) - len(came.again)
        codes = _states(came, np.concatenate([self.codes[:n], np.floor(came.again)]))
        inputs = self.exog.over(came.exog, came.axis.index, "the new values", missing=True)
        axis = replace(self.axis.extended(len(came.values)), clock=came.axis.clock)
        longer = self.exog.extended(inputs)
        every, _ = rows_of(codes, longer, self.embedding, self.season)
        used = every.before(n).with_newer(every, n, self.max_rows)
        X = with_indicators(used.X, len(self.inputs.lags), len(self.classes))
        model = self.model.condition(X, pd.Series(as_categorical(self.classes, used.y)))
        notes = after_update(self.notes, came)
        added = (note for note in (*used.notes, *fit_notes(model)) if note not in notes)
        return replace(
            self, codes=codes, axis=axis, exog=longer, model=model, n_rows=len(used.y),
            notes=(*notes, *added),
        )  # fmt: skip


def phases(period: float | None, n: int) -> FloatArray:
    """Return sine and cosine of the season at the first n times of a series, (n, 2), or (n, 0)."""
    if period is None:
        return np.empty((n, 0))
    angle = 2.0 * np.pi * np.arange(n) / period
    return np.column_stack([np.sin(angle), np.cos(angle)])


def rows_of(
    codes: FloatArray, exog: Exogenous, embedding: LagEmbedding, season: float | None
) -> tuple[TrainingRows, int]:
    """Return the rows of lags, inputs and season without a missing value; how many have one."""
    n = len(codes)
    rows = embedding.embed(codes, pd.RangeIndex(n), exog.scaled(exog.past), exog.columns)
    places = rows.index.to_numpy()
    X = rows.X if season is None else np.hstack([rows.X, phases(season, n)[places]])
    return TrainingRows(X, rows.y, places), rows.n_dropped
