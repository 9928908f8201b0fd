"""From a frame of series to the fitted models of its columns, and on with new values."""

import logging
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.prior import shipped
from gpforecast.automatic.settings import Settings
from gpforecast.common.cached import cached_property
from gpforecast.common.kinds import is_auto, is_frame
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import check_distinct_columns, counted
from gpforecast.common.wording import missing_in_words
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.pipeline.fit import put_together, selected
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.rows import TrainingRows
from gpforecast.propagation.layout import Columns, interleaved_inputs
from gpforecast.series.checked import (
    FEWEST,
    CheckedSeries,
    after_update,
    checked,
    new_values_after,
    values_of,
    without,
)
from gpforecast.series.coarser import coarser_note, on_coarser_steps
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.frames import as_pandas
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.structural import Ensemble
from gpforecast.vector.choice import Sources, choose_sources, inputs_of, with_inputs
from gpforecast.vector.linear import linear_columns, linear_share
from gpforecast.vector.options import VectorOptions

logger = logging.getLogger(__name__)

_BETTER = "the model of this column counts more than by its trials, which had no lags of others"


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
    """

    columns: tuple[Fitted, ...]
    sources: tuple[Sources, ...]
    linear: "FittedVector | None" = None
    shares: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The columns, in their order."""
        return tuple(one.history.name for one in self.columns)

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
        return self.column_models.n_times + max(one.chain.n_lost for one in self.columns)

    def transformed(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return columns (n, M) after their transforms, NaN where missing."""
        return np.column_stack(
            [
                one.chain.levels(column, one.chain.axis.locate(times))[-1]
                for one, column in zip(self.columns, values.T, strict=True)
            ]
        )

    def known_among(self, values: FloatArray) -> FloatArray:
        """Return values (n, M) from the same start, outliers of the fit as NaN."""
        known = values.copy()
        for column, one in zip(known.T, self.columns, strict=True):
            column[list(one.set_aside)] = np.nan
        return known

    def takes(self, values: FloatArray) -> bool:
        """Whether the transforms can take all values of columns (n, M): not a logarithm of 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            each = zip(self.columns, values.T, strict=True)
            return not any(one.chain.refused(column).any() for one, column in each)


def columns_of(frame: object, name: str = "frame") -> list[CheckedSeries]:
    """Return the columns of a user's frame on one regular index, or say what is wrong with it."""
    frame = as_pandas(frame, name)
    if not is_frame(frame):
        raise TypeError(
            f"{name} must be a DataFrame with a column for each series; got "
            f"{type(frame).__name__}. For one series use gf.Forecaster."
        )
    if frame.shape[1] < 2:
        raise ValueError(
            f"{name} must have at least 2 columns; got {frame.shape[1]}. For one series use "
            f"gf.Forecaster."
        )
    check_distinct_columns(frame, name)
    frame, _, _ = on_coarser_steps(frame, None)
    named = ((c, f"column {c!r} of {name}") for c in frame.columns)
    each = [checked(frame[c], name=called, by_clock=True, least=FEWEST) for c, called in named]
    return [replace(one, name=c) for c, one in zip(frame.columns, each, strict=True)]


def fit_vector(frame: pd.DataFrame, options: VectorOptions) -> FittedVector:
    """Learn the one-step models of all columns.

    Parameters
    ----------
    frame : DataFrame (n, M)
        NaN where missing.
    options : VectorOptions

    Raises
    ------
    TypeError, ValueError
        With a sentence that says what is wrong and what to do.
    """
    found = columns_of(frame)
    series = [one.series for one in found]
    names = [y.name for y in series]
    for name in options.by_column or ():
        if name not in names:
            raise ValueError(
                f"transforms must name columns of the frame, {sorted(map(str, names))}; got "
                f"{name!r}."
            )
    axis = TimeAxis(series[0].index)
    of_column = [options.of_column(name) for name in names]
    every = [
        selected(y, Exogenous.fit(None, axis), own)
        for y, own in zip(series, of_column, strict=True)
    ]
    z = np.column_stack(
        [
            one.chain.levels(values_of(without(y, one.outliers.value)), axis)[-1]
            for y, (one, _) in zip(series, every, strict=True)
        ]
    )
    columns, sources = [], []
    with bar("fitting columns", total=len(series), unit="columns") as shown:
        for i, (y, own, one) in enumerate(zip(series, of_column, every, strict=True)):
            chosen, model, gain = _sources(z, i, one[0], own, names)
            settings = replace(one[0], ensemble=_favouring(one[0].ensemble, gain))
            columns.append(_fitted(z, i, y, (settings, one[1]), chosen, model, own))
            sources.append(chosen)
            shown.update()
    clock = found[0].axis.clock
    fitted = FittedVector(tuple(replace(one, clock=clock) for one in columns), tuple(sources))
    return _with_linear(fitted) if options.automatic else fitted


def _with_linear(fitted: FittedVector) -> FittedVector:
    """Return it with a linear vector autoregression, if that counts in any column."""
    equations = linear_columns(fitted.columns)
    if equations is None:
        return fitted
    linear = FittedVector(*equations)
    each = zip(fitted.columns, linear.columns, strict=True)
    shares = np.array([linear_share(*pair) for pair in each])
    logger.info("shares of the linear vector: %s", shares.round(3))
    return replace(fitted, linear=linear, shares=shares) if shares.any() else fitted


def _sources(
    z: FloatArray, column: int, settings: Settings, options: Options, names: Sequence[Hashable]
) -> tuple[Sources, Decision[OneStepModel], float]:
    """Return the inputs of a column: selected, or the given lags of all columns; model and gain."""
    reasons, gain = list[str](), 0.0
    if is_auto(options.lags):
        chosen, model, gain, reasons = choose_sources(z, column, settings, names)
    else:
        order = [column, *(j for j in range(z.shape[1]) if j != column)]
        lagged = [(j, lag) for j in order for lag in settings.lags.value]
        chosen = (*lagged, *((j, 0) for j in range(column)))
        model = with_inputs(z, column, chosen, settings, "")
    model = model if options.model is None else settings.model
    return chosen, replace(model, reason="\n".join(filter(None, (model.reason, *reasons)))), gain


def _favouring(mixed: Decision[Ensemble | None], gain: float) -> Decision[Ensemble | None]:
    """Return the mixture of a column whose own model is better than on trial.

    Its rows are more likely by so many nats each with lags of other columns: errors are smaller by
    that factor, and count as those of trial forecasts do.
    """
    if mixed.value is None or gain <= 0.0:
        return mixed
    one = mixed.value.structural
    odds = one.weights * np.exp(shipped().kappa * gain * np.eye(len(one.weights))[0])
    found = replace(one, weights=odds / odds.sum())
    return Decision(found, "\n".join(filter(None, (mixed.reason, _BETTER))))


def _fitted(
    z: FloatArray,
    column: int,
    y: "pd.Series[float]",
    found: tuple[Settings, list[str]],
    sources: Sources,
    model: Decision[OneStepModel],
    options: Options,
) -> Fitted:
    """Return a column with its model fitted."""
    rows = _rows(z, column, sources)
    if len(rows.y) < 2:
        raise ValueError(
            f"column {y.name!r} has {counted(len(rows.y), 'time')} at which it is known together "
            f"with all its inputs, and at least 2 are needed to learn from; fill the gaps of the "
            f"frame, pass longer series or fewer lags."
        )
    rows = rows.at_most(options.row_limit, options.seed)
    model = replace(model, value=rows.taught(model.value, options.seed))
    (settings, of_settings), n_missing = found, int(y.isna().sum())
    notes = [missing_in_words(n_missing, len(y))] if n_missing else []
    notes += [*settings.outliers.reasons, *of_settings, *rows.notes, *fit_notes(model.value)]
    logger.info("column %s: inputs %s", y.name, sources)
    exog = Exogenous.fit(None, TimeAxis(y.index, label=options.label))
    given = exog, rows, model, notes, settings.outliers.value
    fitted = put_together(y, settings, *given)
    return replace(fitted, ensemble=fitted.ensemble and fitted.ensemble.structural)


def _rows(z: FloatArray, column: int, sources: Sources) -> TrainingRows:
    """Return the rows of all targets of a column that are known with their inputs."""
    X, times = inputs_of(z, column, sources)
    return TrainingRows(X, z[times, column], places=times)


def update_vector(fitted: FittedVector, frame: object, max_rows: int | None) -> FittedVector:
    """Return it conditioned on new values of all columns; NaN where a value is missing."""
    names, frame = list(fitted.names), as_pandas(frame, "new_values")
    if not is_frame(frame) or set(frame.columns) != set(names):
        got = list(frame.columns) if is_frame(frame) else type(frame).__name__
        raise ValueError(
            f"new_values must be a DataFrame with the columns {names}, NaN where a value is "
            f"missing; got {got}."
        )
    check_distinct_columns(frame, "new_values")
    if frame.empty:
        return fitted
    both = zip(names, fitted.columns, strict=True)
    every = [new_values_after(frame[name], one.history, one.axis) for name, one in both]
    linear, fitted = fitted.linear, fitted.first(len(fitted.axis) - len(every[0].again))
    longer = []
    for name, one, came in zip(names, fitted.columns, every, strict=True):
        new = np.concatenate([came.again, came.values])
        one.chain.check(new, f"column {name!r} of new_values")
        index = one.axis.extended(len(new)).index
        values = np.concatenate([values_of(one.history), new])
        history, notes = pd.Series(values, index=index, name=name), after_update(one.notes, came)
        longer.append(replace(one, history=history, notes=notes, clock=came.axis.clock))
    found = replace(fitted, columns=tuple(longer))
    z = found.transformed(found.known, found.axis)
    columns = []
    for i, (one, sources) in enumerate(zip(longer, fitted.sources, strict=True)):
        later = _rows(z, i, sources).new_from(len(fitted.axis), one.rows)
        rows = one.rows.followed_by(later, max_rows)
        model = rows.conditioned(one.model)
        updated = replace(one, rows=rows, model=model)
        columns.append(updated.noting(*rows.notes, *fit_notes(model)))
    if linear is not None:  # it learned from all rows, which are few numbers each
        takes = linear.takes(found.history.to_numpy(dtype=np.float64))
        linear = update_vector(linear, frame, None) if takes else None
    return replace(found, columns=tuple(columns), linear=linear)
