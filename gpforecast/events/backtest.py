"""Forecasts of classes from many origins of a series, scored step by step."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.backtesting.plan import Plan, n_first
from gpforecast.backtesting.scored import by_step
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.events.fitted import FittedEvents, States
from gpforecast.models.events.classes import Label
from gpforecast.propagation import MethodLike


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
    states: States, fit: Callable[[States], FittedEvents], method: MethodLike, plan: Plan
) -> EventBacktest:
    """Train on the first part of a series, and forecast from origins after it.

    `fit` learns from the part of the series that it is given.
    """
    codes, index = states.codes, states.axis.index

    def known(n: int, _: FittedEvents | None = None) -> FittedEvents:
        first = fit(states.first(n))
        exog = first.exog.over(states.exog, index, "the whole series", missing=True)
        return first.over(codes, exog)

    n_known = n_first(plan.train_fraction, len(codes))
    first = known(n_known)
    origins = plan.where(first, n_known, states.axis)
    found = np.empty((len(origins), plan.horizon, len(states.classes)))
    for places, _, _, ahead in plan.forecasts(origins, first, n_known, known, method):
        found[places], made_by = ahead.distribution.probabilities, ahead.name
    truth = codes[origins[:, None] + np.arange(plan.horizon)]
    return EventBacktest(origins, truth, found, states.classes, made_by)
