"""A series of classes, checked; and what was learned from it."""

import copy
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

from gpforecast.automatic.known_seasons import check_length
from gpforecast.common.kinds import is_auto, is_labelled, is_series
from gpforecast.common.types import ExogLike, FloatArray, SeriesLike, Values
from gpforecast.common.validation import counted
from gpforecast.common.wording import times_as_likely
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.events.inputs import WORTH, period_of, phases, with_indicators
from gpforecast.models import OrdinalGP, RelevanceVectorClassifier
from gpforecast.models.base import fit_notes
from gpforecast.models.events.classes import Label, as_categorical, codes_of, known_classes
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.pipeline.rows import TrainingRows
from gpforecast.propagation.layout import Inputs
from gpforecast.series import TimeAxis, checked
from gpforecast.series.checked import FEWEST, CheckedSeries, after_update, new_values_after
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.frames import one_column
from gpforecast.series.keys import reading
from gpforecast.storage import storable

# Of the default model. Indicators: a row at half the correlation or less differs in three of them.
_WIDTH = 2.0
_TOGETHER, _ALONE = 0.3, 0.7  # prior variances of f by lags together, and by each for itself
_PRIOR = 1.4  # standard deviation of the logarithms of these three under their prior

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
        codes = np.where(codes < 0.0, np.nan, codes)
        labelled = pd.Series(codes, column.index, name=column.name) if is_series(column) else codes
        found = checked(labelled, exog, open_days=True, by_clock=True, least=FEWEST)
        notes = found.notes if found.n_filled else found.of_steps
        if is_labelled(series):
            notes = (*reading(series.index), *notes)
        return States(classes, _states(found), found.axis, found.name, found.exog, notes)

    def first(self, n: int) -> "States":
        """Return the first n values, inputs included."""
        exog = self.exog
        if exog is not None:
            exog = exog.iloc[:n] if is_labelled(exog) else np.asarray(exog)[:n]
        return replace(self, codes=self.codes[:n], axis=self.axis.part(0, n), exog=exog)


def _states(found: CheckedSeries, before: FloatArray | None = None) -> FloatArray:
    """Return the classes of a series and of those before; at a step that clocks skip, the last one.

    Of two that came at the same step, that in the middle.
    """
    before = np.empty(0) if before is None else before
    codes = np.concatenate([before, np.floor(found.values)])
    skipped = len(before) + np.flatnonzero(~found.axis.exists)
    codes[skipped] = codes[np.maximum(skipped - 1, 0)]
    return codes


@storable
@dataclass(frozen=True, eq=False)
class FittedEvents:
    """A fitted model of classes, and how a series becomes its rows.

    Attributes
    ----------
    classes : tuple
    codes : ndarray (n,)
        The series, as places of its classes; NaN where missing.
    axis : TimeAxis
        Its times.
    name : hashable
    exog : Exogenous
    inputs : Inputs
    model : OrdinalGP or RelevanceVectorClassifier
        Of rows of indicators and standardised inputs.
    n_rows : int
        That it learned from.
    notes : tuple of str
    season : float or None
        The period of two further inputs, in steps.
    """

    classes: tuple[Label, ...]
    codes: FloatArray
    axis: TimeAxis
    name: Hashable
    exog: Exogenous
    inputs: Inputs
    model: OrderedModel
    n_rows: int
    notes: tuple[str, ...] = ()
    season: float | None = None

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
        exog = replace(self.exog, past=self.exog.past[:n])
        return replace(self, codes=self.codes[:n], axis=self.axis.part(0, n), exog=exog)

    def standardised(self, exog: FloatArray) -> FloatArray:
        """Return exogenous values from the first time on, (n, q), followed by the season."""
        return np.hstack([self.exog.scaled(exog), phases(self.season, len(exog))])


def default_model(n_inputs: int) -> OrdinalGP:
    """Return the model of rows with so many inputs.

    The prior variance of f by all inputs together does not grow with their number: with one
    variance for every weight, many lags of few rows make the probabilities too sure.
    These numbers have the best log scores on events of monthly series of M1 and M3.
    """
    k = SquaredExponential(_WIDTH, _TOGETHER) + Linear(_ALONE / n_inputs)
    return OrdinalGP(k, prior=_PRIOR)


def fit_events(
    states: States,
    embedding: LagEmbedding,
    model: OrderedModel | None,
    max_rows: int | None,
    season_length: float | str | None = None,
) -> FittedEvents:
    """Learn the classes of a series from rows of its lags, with a season or without.

    ``"auto"`` and None take the season of the index if that raises the log evidence by a nat.

    Raises
    ------
    TypeError, ValueError
        If the inputs do not fit the series, or there are too few rows, or none of a class, or the
        season does not fit into the series twice.
    """
    fitted, n = partial(_fitted, states, embedding, model, max_rows), len(states.codes)
    if season_length is not None and not is_auto(season_length):
        check_length((season_length,), n)
        return fitted(season_length if season_length > 1 else None)
    plain, period = fitted(None), period_of(states.axis.index)
    if period is None or n < 2 * period:
        return plain
    seasonal = fitted(period)
    gain = seasonal.model.log_marginal_likelihood_ - plain.model.log_marginal_likelihood_
    if not gain > WORTH:
        return plain
    note = (
        f"the place in a season of {period:g} steps is an input, because the values are "
        f"{times_as_likely(gain)} with it; season_length=1 leaves it out"
    )
    return replace(seasonal, notes=(note, *seasonal.notes))


def _fitted(
    states: States,
    embedding: LagEmbedding,
    model: OrderedModel | None,
    max_rows: int | None,
    season: float | None,
) -> FittedEvents:
    """Learn from rows of lags; those with missing values are left out.

    Of more than `max_rows` rows so many are chosen at random.

    Raises
    ------
    TypeError, ValueError
        If the inputs do not fit the series, or there are too few rows, or none of a class.
    """
    exog = Exogenous.fit(states.exog, states.axis)
    if not exog and embedding.exog_lags is not None:
        raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")
    plan = embedding.exog_plan(exog.columns)
    if season is not None:
        plan = (*plan, (len(exog), 0), (len(exog) + 1, 0))
    every, n_dropped = _rows(states.codes, exog, embedding, season)
    used = every.at_most(max_rows, seed=0)
    for place, label in enumerate(states.classes):
        if not (used.y == place).any():
            raise ValueError(
                f"series has the class {label!r} in none of the {len(used.y)} rows to learn from, "
                f"which need a known class at each of the {len(embedding.lags_)} lags; pass a "
                f"longer series, or fewer lags."
            )
    X = with_indicators(used.X, len(embedding.lags_), len(states.classes))
    model = default_model(X.shape[1]) if model is None else copy.deepcopy(model)
    model.fit(X, pd.Series(as_categorical(states.classes, used.y)))
    dropped = f"not learned from: {counted(n_dropped, 'row')} with missing values"
    notes = (*([dropped] if n_dropped else []), *used.notes, *fit_notes(model))
    inputs = Inputs(embedding.lags_, plan)
    return FittedEvents(
        states.classes, states.codes, states.axis, states.name, exog, inputs, model, len(used.y),
        (*states.notes, *notes), season,
    )  # fmt: skip


def _rows(
    codes: FloatArray, exog: Exogenous, embedding: LagEmbedding, season: float | None
) -> tuple[TrainingRows, int]:
    """Return the rows of lags, inputs and season without a missing value; how many have one."""
    n = len(codes)
    rows = embedding.embed(codes, pd.RangeIndex(n), exog.scaled(exog.past), exog.columns)
    places = rows.index.to_numpy()
    X = rows.X if season is None else np.hstack([rows.X, phases(season, n)[places]])
    return TrainingRows(X, rows.y, places), rows.n_dropped


def update_events(
    fitted: FittedEvents,
    embedding: LagEmbedding,
    max_rows: int | None,
    new_values: SeriesLike,
    exog: ExogLike = None,
) -> FittedEvents:
    """Return it conditioned on new values as well, as `EventForecaster.update` says."""
    column = one_column(new_values, "new_values")
    if np.size(column) == 0:
        return fitted
    codes = codes_of(fitted.classes, column, "new_values")
    codes = np.where(codes < 0.0, np.nan, codes)
    labelled = pd.Series(codes, column.index) if is_series(column) else codes
    history = pd.Series(fitted.codes, fitted.axis.index, name=fitted.name)
    came = new_values_after(labelled, history, fitted.axis, exog)
    n = len(fitted.codes) - len(came.again)
    codes = _states(came, np.concatenate([fitted.codes[:n], np.floor(came.again)]))
    inputs = fitted.exog.over(came.exog, came.axis.index, "the new values", missing=True)
    longer = fitted.exog.extended(inputs)
    every, _ = _rows(codes, longer, embedding, fitted.season)
    old, new = (every.part(np.flatnonzero(part)) for part in (every.places < n, every.places >= n))
    used = old.followed_by(new, max_rows)
    X = with_indicators(used.X, len(embedding.lags_), len(fitted.classes))
    model = fitted.model.condition(X, pd.Series(as_categorical(fitted.classes, used.y)))
    axis = replace(fitted.axis.extended(len(came.values)), clock=came.axis.clock)
    notes = after_update(fitted.notes, came)
    added = (note for note in (*used.notes, *fit_notes(model)) if note not in notes)
    return replace(
        fitted, codes=codes, axis=axis, exog=longer, model=model, n_rows=len(used.y),
        notes=(*notes, *added),
    )  # fmt: skip
