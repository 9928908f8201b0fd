"""From a frame of series to the fitted models of its columns, by settings for each column."""

import logging
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace

import numpy as np
import pandas as pd

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.prior import shipped, worth
from gpforecast.automatic.seasons import SeasonLength
from gpforecast.automatic.settings import Settings
from gpforecast.common.kinds import is_auto, is_frame
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray, Values
from gpforecast.common.validation import check_distinct_columns, counted
from gpforecast.common.wording import missing_in_words
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.pipeline.fit import put_together, selected
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import ForecasterBase, Options
from gpforecast.propagation import GaussianMixture, Method, MethodLike, method_named
from gpforecast.series.checked import FEWEST, CheckedSeries, checked, values_of, without
from gpforecast.series.coarser import on_coarser_steps
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.frames import as_pandas
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms.words import TransformsLike
from gpforecast.vector.choice import Sources, choose_sources, rows_of, with_inputs
from gpforecast.vector.fitted import FittedVector
from gpforecast.vector.levels import transformed
from gpforecast.vector.linear import linear_columns, linear_share

logger = logging.getLogger(__name__)

_BETTER = "the model of this column counts more than by its trials, which had no lags of others"


@dataclass(eq=False, repr=False)
class VectorOptions(ForecasterBase):
    """The settings of a `gpforecast.VectorForecaster`, as it documents them."""

    lags: int | Sequence[int] | str = "auto"
    _: KW_ONLY
    transforms: TransformsLike | Mapping[Hashable, TransformsLike] = "auto"
    model: OneStepModel | None = None
    propagation: MethodLike = "auto"
    combine: str | None = "auto"
    max_rows: int | str | None = "auto"
    seed: int = 0
    season_length: SeasonLength = "auto"
    label: str | None = None

    def __post_init__(self) -> None:
        for name in [None] if self.by_column is None else self.by_column:
            self.of_column(name)
        self.method(None)

    @property
    def by_column(self) -> Mapping[Hashable, TransformsLike] | None:
        """Return the transforms of the columns that have their own, if some do."""
        return self.transforms if isinstance(self.transforms, Mapping) else None

    def of_column(self, name: Hashable = None) -> Options:
        """Return the settings of a column, checked."""
        own = {f.name: vars(self)[f.name] for f in fields(VectorOptions) if f.init}
        if self.by_column is not None:
            own["transforms"] = self.by_column.get(name, "auto")
        return Options(**own, support=None)

    def method(self, instead: MethodLike | None) -> Method:
        """Return the propagation method of a call, refused if it cannot follow several series."""
        method = method_named(self.propagation if instead is None else instead)
        if method.name == GaussianMixture.name:
            raise ValueError(
                "propagation='mixture' follows a single series; use 'auto', 'exact', 'taylor', "
                "'cubature', 'naive' or 'monte_carlo' for several."
            )
        return method

    @property
    def automatic(self) -> bool:
        """Whether nothing was chosen by the user, so that forecasts may be mixed."""
        chosen = self.model is None and self.of_column().given.combine
        return chosen and is_auto(self.lags) and is_auto(self.transforms)


def columns_of(frame: object) -> list[CheckedSeries]:
    """Return the columns of a user's frame on one regular index, or say what is wrong with it."""
    frame = as_pandas(frame, "frame")
    if not is_frame(frame):
        raise TypeError(
            f"frame must be a DataFrame with a column for each series; got "
            f"{type(frame).__name__}. For one series use gf.Forecaster."
        )
    if frame.shape[1] < 2:
        raise ValueError(
            f"frame must have at least 2 columns; got {frame.shape[1]}. For one series use "
            f"gf.Forecaster."
        )
    check_distinct_columns(frame, "frame")
    frame, _, _ = on_coarser_steps(frame, None)
    every = ((c, f"column {c!r} of frame") for c in frame.columns)
    read = ((c, checked(frame[c], name=name, by_clock=True, least=FEWEST)) for c, name in every)
    return [replace(one, name=c) for c, one in read]


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
    axis = TimeAxis(series[0].index, label=options.label)
    of_column = [options.of_column(name) for name in names]
    none = Exogenous.fit(None, axis)
    every = [selected(y, none, own) for y, own in zip(series, of_column, strict=True)]
    both = zip(series, every, strict=True)
    usual = [values_of(without(y, one.outliers.value)) for y, (one, _) in both]
    z = transformed([one.chain for one, _ in every], np.column_stack(usual), axis)
    columns, sources, clock = [], [], found[0].axis.clock
    with bar("fitting columns", total=len(series), unit="columns") as shown:
        for i, (own, one) in enumerate(zip(of_column, every, strict=True)):
            fitted, chosen = _column(z, i, series, one, own)
            columns.append(replace(fitted, clock=clock))
            sources.append(chosen)
            shown.update()
    limit = options.of_column().row_limit
    whole = FittedVector(tuple(columns), tuple(sources), max_rows=limit)
    equations = linear_columns(columns) if options.automatic else None
    if equations is None:
        return whole
    linear = FittedVector(*equations)
    shares = np.array([linear_share(*pair) for pair in zip(columns, linear.columns, strict=True)])
    logger.info("shares of the linear vector: %s", shares.round(3))
    return replace(whole, linear=linear, shares=shares) if shares.any() else whole


def _column(
    z: FloatArray,
    column: int,
    series: list[Values],
    found: tuple[Settings, list[str]],
    options: Options,
) -> tuple[Fitted, Sources]:
    """Return a column with its model fitted, and its inputs: selected, or the given lags of all."""
    (settings, of_settings), gain, reasons, y = found, 0.0, list[str](), series[column]
    if is_auto(options.lags):
        names = [one.name for one in series]
        sources, model, gain, reasons = choose_sources(z, column, settings, names)
    else:
        order = [column, *(j for j in range(z.shape[1]) if j != column)]
        lagged = [(j, lag) for j in order for lag in settings.lags.value]
        sources = (*lagged, *((j, 0) for j in range(column)))
        model = with_inputs(z, column, sources, settings, "")
    model = model if options.model is None else settings.model
    model = replace(model, reason="\n".join(filter(None, (model.reason, *reasons))))
    settings = replace(settings, ensemble=_favouring(settings.ensemble, gain, len(z)))
    rows = rows_of(z, column, sources)
    if len(rows.y) < 2:
        raise ValueError(
            f"column {y.name!r} has {counted(len(rows.y), 'time')} at which it is known together "
            f"with all its inputs, and at least 2 are needed to learn from; fill the gaps of the "
            f"frame, pass longer series or fewer lags."
        )
    rows = rows.at_most(options.row_limit, options.seed)
    model = replace(model, value=rows.taught(model.value, options.seed))
    n_missing = int(y.isna().sum())
    notes = [missing_in_words(n_missing, len(y))] if n_missing else []
    notes += [*settings.outliers.reasons, *of_settings, *rows.notes, *fit_notes(model.value)]
    logger.info("column %s: inputs %s", y.name, sources)
    return put_together(y, settings, rows, model, notes), sources


def _favouring(mixed: Decision[Ensemble | None], gain: float, n: int) -> Decision[Ensemble | None]:
    """Return the mixture of one-step model and structural ones of a column, better than on trial.

    Its n rows are more likely by so many nats each with lags of other columns: errors are smaller
    by that factor, and count as those of trial forecasts do.
    """
    if mixed.value is None:
        return mixed
    one = mixed.value.structural
    if gain <= 0.0:
        return replace(mixed, value=one)
    odds = one.weights * np.exp(shipped().kappa * worth(n) * gain * np.eye(len(one.weights))[0])
    found = replace(one, weights=odds / odds.sum())
    return Decision(found, "\n".join(filter(None, (mixed.reason, _BETTER))))
