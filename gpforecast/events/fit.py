"""A model of classes, learned from rows of their lags, with a season or without."""

import copy
from dataclasses import replace
from functools import partial

import pandas as pd

from gpforecast.automatic.features import calendar_periods
from gpforecast.automatic.seasons import check_length
from gpforecast.common.kinds import is_auto
from gpforecast.common.types import Index
from gpforecast.common.validation import counted
from gpforecast.common.wording import times_as_likely
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.events.distributions import with_indicators
from gpforecast.events.fitted import FittedEvents, OrderedModel, States, rows_of
from gpforecast.models import OrdinalGP
from gpforecast.models.base import fit_notes
from gpforecast.models.events.classes import as_categorical
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous

# Of the default model. Indicators: a row at half the correlation or less differs in three of them.
_WIDTH = 2.0
_TOGETHER, _ALONE = 0.3, 0.7  # prior variances of f by lags together, and by each for itself
_PRIOR = 1.4  # standard deviation of the logarithms of these three under their prior
_WORTH = 1.0  # nats of log evidence, from which on "auto" keeps a season


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
    if not gain > _WORTH:
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
    every, n_dropped = rows_of(states.codes, exog, embedding, season)
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
    return FittedEvents(
        states.classes, states.codes, states.axis, states.name, exog, embedding, model, len(used.y),
        (*states.notes, *notes), season, max_rows,
    )  # fmt: skip


def period_of(index: Index) -> float | None:
    """Return the steps of the usual season of an index: 12 of months, 7 of days; None without one.

    Examples
    --------
    >>> import pandas as pd
    >>> period_of(pd.period_range("2024-01", periods=3, freq="M"))
    12
    >>> period_of(pd.RangeIndex(3)) is None
    True
    """
    found = min(calendar_periods(index), default=None)
    return 52.1775 if found == 52 else found
