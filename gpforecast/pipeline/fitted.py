"""What a fit learned from, and what it learned: all that a forecast or an update needs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.cached import cached_property
from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import FloatArray, Index, IntArray, Values
from gpforecast.common.validation import positive_integer
from gpforecast.covariances.base import Covariance
from gpforecast.models.base import OneStepModel
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.rows import TrainingRows, rows_of
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Columns, Inputs
from gpforecast.results.support import Support
from gpforecast.series.checked import values_of, without
from gpforecast.series.clock import Clock, Moments
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.horizon import Horizon, check_steps, steps_of
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.structural import Ensemble
from gpforecast.transforms.compose import Chain


@storable
@dataclass(frozen=True, eq=False)
class Measurement:
    """The noise of the measurements of a series.

    Attributes
    ----------
    variance : float
        In squared transformed units: of every value if it was found in training; the mean over the
        fitted series if it was known. Future values are measured with it.
    known : Series or None
        Variances known beforehand, in squared units of the series, on its index. Values at other
        times have their mean.
    """

    variance: float
    known: Values | None = None

    def variances(self, chain: Chain, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the variance of each of some values (n,), in squared transformed units.

        Parameters
        ----------
        chain : Chain
        values : ndarray (n,)
            In the units of the series, NaN where missing. A known variance is carried through a
            warp by the slope there.
        times : TimeAxis
            Of the values, and of later ones.
        """
        n, scale = len(values), self.variance if self.known is None else 1.0
        found = scale * in_transformed_units(self.known, chain, values, times.index[:n])
        return np.where(chain.uninformative(times)[:n], 0.0, found)


def in_transformed_units(
    known: "pd.Series[float] | None", chain: Chain, values: FloatArray, index: Index
) -> FloatArray:
    """Return known variances for some values, in squared transformed units; 1 for unknown ones."""
    if known is None:
        return np.ones(len(values))
    here = known.reindex(index).fillna(known.mean()).to_numpy(dtype=np.float64)
    found: FloatArray = np.asarray(here / chain.unit**2)
    if chain.warp is not None:
        slope = np.exp(chain.warp.log_gradient(values))
        slope[~np.isfinite(slope)] = np.nanmean(slope[np.isfinite(slope)])
        found = np.asarray(found * slope**2)
    return found


@storable
@dataclass(frozen=True, eq=False)
class FurtherLeads:
    """The models of leads 2, 3, ... of a direct forecast; that of lead 1 is the one-step model.

    Attributes
    ----------
    models : tuple of one-step models
    rows : tuple of TrainingRows
        What each of them learned from.
    correlation : ndarray (leads, leads)
        Of the errors of forecasts from the same origin, lead 1 included.
    """

    models: tuple[OneStepModel, ...]
    rows: tuple[TrainingRows, ...]
    correlation: FloatArray

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.models):
            raise ValueError("rows of FurtherLeads must be one for each of its models")
        check_shapes(self, correlation=(self.max_horizon, self.max_horizon))

    @property
    def max_horizon(self) -> int:
        """The largest lead."""
        return len(self.models) + 1

    def before(self, end: int) -> "FurtherLeads":
        """Return them with the rows of targets before a position."""
        return replace(self, rows=tuple(one.before(end) for one in self.rows))

    @cached_property
    def predictives(self) -> tuple[Predictive, ...]:
        """What the models predict with."""
        return tuple(map(predictive_of, self.models))


@storable
@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted one-step model, with the maps from the series to its inputs and back.

    The functions of `gpforecast.pipeline` take one, and those that change something return
    another.

    Attributes
    ----------
    history : Series (n,)
        The observations a forecast continues, on a regular index; NaN where missing.
    chain : Chain
        The fitted transforms, with the reasons if they were chosen automatically.
    embedding : LagEmbedding
        Which lags of the series and of exogenous columns the model takes.
    exog : Exogenous
        The exogenous columns: names, scales, and past values at the times of `history`.
    rows : TrainingRows
        What the model learned from.
    model : one-step model
    calibration : Calibration or None
        What corrects the spread.
    measurement : Measurement or None
        The noise of the measurements; None if all noise is of the process.
    notes : tuple of str
        What the user should know of the fit.
    lags_reason : str
        Why these lags; empty if the user chose them.
    model_reasons : tuple of str
        Why this model; empty if the user chose it.
    noise_reasons : tuple of str
        Why this kind of noise; empty if the user chose it.
    support : Support or None
        Which values the series can have; None for all.
    support_reason : str
        Why this support was detected or, for values of which none is negative, why none was; empty
        if the user declared it.
    ensemble : Ensemble or None
        The structural models in an ensemble with the model, where all was automatic.
    ensemble_reasons : tuple of str
        Why these count as they do.
    set_aside : tuple of int
        Positions of outliers in `history`, which count as missing.
    leads : FurtherLeads or None
        The models of further leads, where forecasts are direct.
    n_fitted : int
        How many of the values the fit knew; updates brought the others.
    others : tuple of Fitted
        Further one-step models of the ensemble, of the same history.
    candidates : tuple of (str, float, float)
        Those of the automatic choice, their weights and mean CRPS in trial forecasts.
    clock : Clock or None
        Of a series with a time zone, whose `history` is on what the clocks show.
    """

    history: Values
    chain: Chain
    embedding: LagEmbedding
    exog: Exogenous
    rows: TrainingRows
    model: OneStepModel
    calibration: Calibration | None = None
    notes: tuple[str, ...] = ()
    lags_reason: str = ""
    model_reasons: tuple[str, ...] = ()
    measurement: Measurement | None = None
    noise_reasons: tuple[str, ...] = ()
    support: Support | None = None
    support_reason: str = ""
    ensemble: Ensemble | None = None
    ensemble_reasons: tuple[str, ...] = ()
    set_aside: tuple[int, ...] = ()
    leads: FurtherLeads | None = None
    n_fitted: int = 0
    others: "tuple[Fitted, ...]" = ()
    candidates: tuple[tuple[str, float, float], ...] = ()
    clock: Clock | None = None

    def __post_init__(self) -> None:
        if len(self.exog):
            check_shapes(self.exog, past=(len(self.history), len(self.exog)))
        d, inputs = self.rows.X.shape[1], predictive_of(self.model).n_inputs
        if d != inputs:
            raise ValueError(f"rows of Fitted must have the {inputs} inputs of its model; got {d}")
        one, several = (getattr(self.model, f"covariance{end}_", ()) for end in ("", "s"))
        for covariance in (one, *several):
            if isinstance(covariance, Covariance):
                covariance(np.zeros((1, d)))  # which refuses inputs of another number

    @cached_property
    def predictive(self) -> Predictive:
        """What the model predicts with."""
        return predictive_of(self.model)

    @cached_property
    def inputs(self) -> Inputs:
        """Where the inputs of the model come from."""
        return Inputs(self.embedding.lags_, self.embedding.exog_plan(self.exog.model_columns))

    @property
    def models(self) -> Columns:
        """The model with its inputs."""
        return Columns.of(self.predictive, self.inputs)

    @property
    def known(self) -> FloatArray:
        """The values of `history` (n,) that forecasts start from: outliers are NaN."""
        return values_of(without(self.history, self.set_aside))

    def known_among(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return values (n,) at times of the fitted series, those set aside as NaN."""
        if not self.set_aside:
            return values
        history, places = values_of(self.history), np.array(self.set_aside)
        at = places - times.first
        here = (at >= 0) & (at < len(values))
        at, same = at[here], values[at[here]] == history[places[here]]
        values = values.copy()
        values[at[same]] = np.nan
        return values

    @cached_property
    def axis(self) -> TimeAxis:
        """The times of `history`."""
        return TimeAxis(self.history.index, clock=self.clock, label=self.exog.axis.label)

    @property
    def observations(self) -> Values:
        """The history at the times of the user."""
        return self.axis.labelled(self.history)

    def first(self, n: int) -> "Fitted":
        """Return what was learned with the first n observations as its history."""
        if n == len(self.history):
            return self
        return replace(
            self,
            history=self.history.iloc[:n],
            rows=self.rows.before(n),
            leads=self.leads and self.leads.before(n),
            clock=self.clock and replace(self.clock, pending=0),
            exog=replace(self.exog, past=self.exog.past[:n]),
            set_aside=tuple(at for at in self.set_aside if at < n),
            others=tuple(one.first(n) for one in self.others),
        )

    def every_row(self, lead: int = 1) -> TrainingRows:
        """Return all rows of the history, of a lead; values that were set aside are missing."""
        known, embedding = without(self.history, self.set_aside), replace(self.embedding, lead=lead)
        return rows_of(embedding, self.chain, known, self.exog)

    @property
    def n_back(self) -> int:
        """How many values of the series before an origin a forecast is made from."""
        return self.chain.n_lost + self.inputs.n_past

    @property
    def n_past(self) -> int:
        """How many values, of the series or of its inputs, must come before an origin."""
        own = max(self.n_back, self.inputs.n_past_exog)
        return max([own, *(one.n_past for one in self.others)])

    def sources(self, horizon: int, times: TimeAxis) -> IntArray:
        """Return the offsets, before an origin, of the past values that a forecast depends on."""
        touched, back = self.chain.touched(times), self.inputs.used(horizon)
        ahead = np.subtract.outer(touched, np.arange(horizon))  # of undoing differences
        return np.unique(np.concatenate([np.add.outer(back, touched).ravel(), ahead[ahead > 0]]))

    def reopened(self, values: FloatArray, times: TimeAxis) -> "Fitted":
        """Return the same without closed times at which values (m,) are others."""
        chain = self.chain.reopened(values, times)
        if chain is self.chain:
            return self
        others = tuple(one.reopened(values, times) for one in self.others)
        return replace(self, chain=chain, others=others)

    @property
    def settled(self) -> "Fitted":
        """The same up to the last step that does not come again, by steps alone."""
        return replace(self.first(len(self.history) - self.axis.pending), clock=None)

    def moments_ahead(self, horizon: Horizon) -> Moments:
        """Return when the steps of a horizon come, refused if it makes no sense."""
        return self.axis.ahead(self.checked_horizon(steps_of(horizon, self.axis)))

    def checked_horizon(self, horizon: object) -> int:
        """Return a horizon that was checked: direct forecasts end with the largest lead."""
        return checked_horizon(horizon, None if self.leads is None else self.leads.max_horizon)

    def noting(self, *notes: str, instead_of: str = "") -> "Fitted":
        """Return the same with further notes, each once; not those with some words, if named.

        An empty note is none.
        """
        kept = (note for note in self.notes if not instead_of or instead_of not in note)
        return replace(self, notes=tuple(dict.fromkeys(filter(None, [*kept, *notes]))))

    def given(self, inputs: FloatArray, first: int, cov: FloatArray | None = None) -> "Fitted":
        """Return the same, its transforms with inputs (n, q) over other steps, from `first` on.

        `cov` is the covariance of the last of them.
        """
        others = tuple(one.given(inputs, first, cov) for one in self.others)
        return replace(self, chain=self.chain.given(inputs, first, cov), others=others)


def checked_horizon(horizon: object, max_horizon: int | None) -> int:
    """Return a horizon that was checked; `max_horizon` is that of direct forecasts.

    Raises
    ------
    ValueError
        If it is not a positive integer, above 22,360, or longer than the largest lead.
    """
    horizon = positive_integer(horizon, "horizon")
    check_steps(horizon)
    if max_horizon is not None and horizon > max_horizon:
        raise ValueError(
            f"horizon must be at most {max_horizon}, the max_horizon of this direct forecaster, "
            f"which has a model for each lead up to that; got {horizon}. Fit one with "
            f'max_horizon={horizon}, or with strategy="iterated", which has no limit.'
        )
    return horizon


F = TypeVar("F")


class NotFittedError(RuntimeError, AttributeError):
    """A forecaster was used before it was fitted."""


def required(fitted: F | None, name: str = "Forecaster") -> F:
    """Return what a forecaster of some name has learned; refused if that is nothing yet."""
    if fitted is None:
        raise NotFittedError(f"this {name} is not fitted yet; call fit(series) first.")
    return fitted


def learned(read: Callable[[Any], object]) -> property:
    """Return an attribute of a forecaster that `fit` sets."""
    return property(lambda one: read(required(one.fitted_, type(one).__name__)))
