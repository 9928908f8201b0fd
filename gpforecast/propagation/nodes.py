"""The values that a forecast takes its inputs from: which there are, and what is known of them."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Inputs:
    """Where the inputs of a one-step model come from.

    Attributes
    ----------
    lags : tuple of int
        Lags of the series itself, in the order of the model's first inputs; all at least 1.
    exog : tuple of (int, int)
        Column and lag (0 is the time of the target) of each exogenous input, in order.
    """

    lags: tuple[int, ...]
    exog: tuple[tuple[int, int], ...] = ()

    @property
    def n_past(self) -> int:
        """How many observed values of the series a forecast starts from."""
        return max(self.lags, default=0)

    @property
    def n_past_exog(self) -> int:
        """How many observed values of the exogenous columns it starts from."""
        return max((lag for _, lag in self.exog), default=0)


@dataclass(frozen=True)
class Start:
    """What is known at each of b origins.

    Attributes
    ----------
    past : ndarray (b, n_past)
        The last values, oldest first: observed ones, and expected ones where they are missing.
    exog : ndarray (b, n_past_exog + horizon, q) or None
        Exogenous columns: their last observed values and those at the times to be predicted.
    exog_cov : ndarray (horizon * q, horizon * q) or None
        Covariance of the future exogenous values, step by step, the columns of a step together.
    past_cov : ndarray (b, n_past + n_past_exog * q, n_past + n_past_exog * q) or None
        Covariance of what is not known of the past: the series' values, then the exogenous ones
        time by time. `gpforecast.propagation.missing` finds it where values are missing.
    """

    past: FloatArray
    exog: FloatArray | None = None
    exog_cov: FloatArray | None = None
    past_cov: FloatArray | None = None

    def part(self, a: int, b: int) -> "Start":
        """Return the origins from a up to b."""
        exog = None if self.exog is None else self.exog[a:b]
        past_cov = None if self.past_cov is None else self.past_cov[a:b]
        return Start(self.past[a:b], exog, self.exog_cov, past_cov)


@dataclass(frozen=True, eq=False)
class Layout:
    """All values that the inputs of a forecast are taken from, its nodes, in a row.

    First the series' past; then the exogenous columns, time by time, from their past to the end of
    the horizon; then the predictions.

    Attributes
    ----------
    initial : ndarray (b, n)
        Their values at each origin, zero for the predictions.
    place : ndarray (horizon, d)
        The node of each input of each step.
    row : ndarray (horizon, d)
        Its row in the joint covariance of the nodes that are not known; -1 where it is known.
    n_past : int
        How many nodes are of the past, those that `Start.past_cov` is of.
    first : int
        The node of the first prediction.
    first_row : int
        The row of the first prediction.
    """

    initial: FloatArray
    place: IntArray
    row: IntArray
    n_past: int
    first: int
    first_row: int

    @staticmethod
    def of(inputs: Inputs, start: Start, horizon: int) -> "Layout":
        """Return the layout of a forecast."""
        b, n_lags = start.past.shape
        exog = np.zeros((b, 0, 0)) if start.exog is None else start.exog
        q = exog.shape[2]
        initial = np.concatenate([start.past, exog.reshape(b, -1), np.zeros((b, horizon))], axis=1)
        n_past = n_lags + inputs.n_past_exog * q
        first = n_past + horizon * q
        unknown = np.ones(first + horizon, dtype=bool)
        unknown[:n_past] = start.past_cov is not None
        unknown[n_past:first] = start.exog_cov is not None

        step = np.arange(horizon)[:, None]
        back = step - np.array(inputs.lags, dtype=np.int64)  # negative in the past
        column, lag = np.array(inputs.exog, dtype=np.int64).reshape(-1, 2).T
        place = np.concatenate(
            [
                np.where(back < 0, n_lags, first) + back,
                n_lags + (inputs.n_past_exog + step - lag) * q + column,
            ],
            axis=1,
        )
        row = np.where(unknown, np.cumsum(unknown) - 1, -1)
        return Layout(initial, place, row[place], n_past, first, int(unknown[:first].sum()))
