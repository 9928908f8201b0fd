"""Forecasts of classes from many origins of a series, scored step by step."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.backtesting.plan import chosen_origins, forecasts, n_first
from gpforecast.backtesting.scored import by_step
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import counted
from gpforecast.events.fitted import FittedEvents, States
from gpforecast.events.methods import ObservedEvents
from gpforecast.models.events.classes import Label
from gpforecast.propagation import MethodLike

_AT_ONCE = 16  # origins; each may have thousands of pasts in memory


@dataclass(frozen=True, eq=False)
class EventBacktest:
    """Probabilities of classes from many origins, and the observed classes.

    Attributes
    ----------
    origins : ndarray (b,)
        Positions of the first values that are forecast; the last observed one is at the position
        before.
    truth : ndarray (b, h)
        Places of the observed classes, NaN where missing.
    probabilities : ndarray (b, h, C)
    classes : tuple
        In their order.
    propagation : str
    """

    origins: IntArray
    truth: FloatArray
    probabilities: FloatArray
    classes: tuple[Label, ...]
    propagation: str

    @property
    def losses(self) -> dict[str, FloatArray]:
        """Every loss of every forecast, (b, h) each; NaN without a truth (`gpforecast.scores`)."""
        given = self.truth, self.probabilities
        return {
            "log_score": scores.log_score(*given, axis=()),
            "brier": scores.brier(*given, axis=()),
            "ranked_probability": scores.ranked_probability(*given, axis=()),
        }

    @property
    def scores(self) -> pd.DataFrame:
        """Average over origins, a row a step: log_score (nats), brier, ranked_probability."""
        return by_step(self.losses)

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard error of each average in `scores`, as if the origins were independent."""
        return by_step(self.losses, "sem")

    def __repr__(self) -> str:
        """Show the scores by step."""
        b, h = self.truth.shape
        of = f"{counted(h, 'step')} from {counted(b, 'origin')}"
        return f"Backtest of {of} ({self.propagation})\n{self.scores}"


def backtest(
    states: States,
    fit: Callable[[States], FittedEvents],
    method: MethodLike,
    horizon: int,
    *,
    origins: int | ArrayLike,
    train_fraction: float,
    refit: int | None,
    seed: Seed,
) -> EventBacktest:
    """Train on the first part of a series, and forecast from origins after it.

    `fit` learns from the part of the series that it is given; for the other arguments see
    `EventForecaster.backtest`.
    """
    codes = states.codes
    n_known, last = n_first(train_fraction, len(codes)), len(codes) - horizon
    first = fit(states.first(n_known))
    exog = first.exog.over(states.exog, states.axis.index, "the whole series", missing=True)

    def known(fitted: FittedEvents) -> ObservedEvents:
        return ObservedEvents(fitted, codes, fitted.standardised(exog))

    usable = known(first).usable(np.arange(n_known, last + 1), horizon)
    where = chosen_origins(usable, origins, seed, n_known, last)
    lost = where[~np.isin(where, usable)]
    if len(lost):
        raise ValueError(
            f"origins must have a known class, and known inputs, at each of the lags; got "
            f"{lost[0]}, which has not. Leave it out."
        )
    found = np.empty((len(where), horizon, len(states.classes)))
    for part, classes, name in forecasts(
        known(first),
        lambda n: known(fit(states.first(n))),
        where,
        n_known,
        horizon=horizon,
        method=method,
        refit=refit,
        at_once=_AT_ONCE,
    ):
        found[part], made_by = classes.probabilities, name
    truth = codes[where[:, None] + np.arange(horizon)]
    return EventBacktest(where, truth, found, states.classes, made_by)
