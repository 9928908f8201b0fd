"""Which model makes every step of a forecast, where its inputs come from, and what is known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import getitem

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import Predictive
from gpforecast.storage import storable

_NONE = 1e-9  # of the weight: a part that is due to rounding


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

    def used(self, horizon: int) -> IntArray:
        """Return how many steps before an origin the values are that are an input of a step.

        Examples
        --------
        >>> Inputs((1, 12)).used(horizon=3)
        array([ 1, 10, 11, 12])
        """
        back = np.subtract.outer(np.array(self.lags, dtype=int), np.arange(horizon))
        return np.unique(back[back > 0])

    @property
    def n_past_exog(self) -> int:
        """How many observed values of the exogenous columns it starts from."""
        return max((lag for _, lag in self.exog), default=0)


@dataclass(frozen=True, eq=False)
class Columns:
    r"""The one-step models of a series, or of several whose values are interleaved.

    M series become one whose value M t + i is that of column i at time t. The model of column i
    gives it from lagged values of all columns and from those of earlier columns at the same time,

    .. math::

        y_i(t) = f_i(\text{lags of all}, y_1(t), \dots, y_{i-1}(t)) + \epsilon_i(t),

    with independent noise. Of linear maps this is a vector autoregression whose noise is correlated
    (by the Cholesky factor of its covariance); with other maps the correlation may depend on the
    state.

    Attributes
    ----------
    predictives : tuple of Predictive
        One for each column.
    inputs : tuple of Inputs
        Of each, with lags in the interleaved series (`interleaved_inputs`).
    """

    predictives: tuple[Predictive, ...]
    inputs: tuple[Inputs, ...]

    @classmethod
    def of(cls, predictive: Predictive, inputs: Inputs) -> "Columns":
        """Return the model of a single series."""
        return cls((predictive,), (inputs,))

    @property
    def n_times(self) -> int:
        """How many times of the past the inputs need."""
        return -(-max(one.n_past for one in self.inputs) // len(self.inputs))

    @property
    def parts(self) -> "list[tuple[float, Columns]]":
        """The single models that averaged ones are a mixture of, with their weights.

        Each column has the shares of its own parts. Of several columns, parts that stand at the
        same shares go together.
        """
        parts, weights = zip(*map(parts_of, self.predictives), strict=True)
        return [
            (weight, replace(self, predictives=tuple(map(getitem, parts, places))))
            for weight, places in shared_parts(weights)
        ]


def shared_parts(weights: Sequence[Sequence[float] | FloatArray]) -> list[tuple[float, list[int]]]:
    """Return the parts of several mixtures that stand at the same shares of them, with weights.

    Parameters
    ----------
    weights : sequence of (k,)
        Those of each mixture, with the sum 1.

    Examples
    --------
    >>> shared_parts([[0.5, 0.5], [0.25, 0.75]])
    [(0.25, [0, 0]), (0.25, [0, 1]), (0.5, [1, 1])]
    """
    shares = [np.cumsum(own) for own in weights]
    edges = np.unique(np.concatenate([[0.0], *shares]).round(12))
    edges = edges[edges <= 1.0]
    edges[-1] = 1.0
    return [
        (high - low, [int(np.searchsorted(s[:-1], 0.5 * (low + high))) for s in shares])
        for low, high in pairwise(edges.tolist())
        if high - low > _NONE
    ]


def interleaved_inputs(column: int, sources: Sequence[tuple[int, int]], n_columns: int) -> Inputs:
    """Return the inputs of a column's model as lags in the interleaved series.

    Parameters
    ----------
    column : int
    sources : sequence of (int, int)
        Column and lag of each input; lag 0 only of earlier columns.
    n_columns : int

    Examples
    --------
    >>> interleaved_inputs(1, [(1, 1), (0, 2), (0, 0)], 2).lags
    (2, 5, 1)
    """
    return Inputs(tuple(lag * n_columns + column - other for other, lag in sources))


@dataclass(frozen=True, eq=False)
class Observed:
    """What was observed of the nodes that follow a start, from one origin.

    Attributes
    ----------
    weights : tuple of ndarray (k + 1,) or None
        Of the first k + 1 nodes, for the sum that is observed once node k is reached; None where
        nothing is.
    values : ndarray (n,)
        Of these sums.
    """

    weights: tuple[FloatArray | None, ...]
    values: FloatArray


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
    n_clipped : int
        Variances that came out negative while it was found, and were set to their floor.
    input_range : ndarray (2, d) or None
        The least and the largest value of each input among the rows that the model learned from.
    ahead : ndarray (b, horizon) or None
        Values of the horizon that are known beforehand, such as those of closed times; NaN where
        they are not. A forecast goes on from them, not from what the model predicts there.
    observed : Observed or None
        What was observed after a single origin, where values before it are missing: the recursion
        begins before the first of them, at a `past` of all columns that ends with the last one. The
        forecast follows the nodes that it is of, which come first in the result.
    """

    past: FloatArray
    exog: FloatArray | None = None
    exog_cov: FloatArray | None = None
    past_cov: FloatArray | None = None
    n_clipped: int = 0
    input_range: FloatArray | None = None
    ahead: FloatArray | None = None
    observed: Observed | None = None

    def rows(self, which: IntArray | slice) -> "Start":
        """Return some of the origins."""
        each = {name: vars(self)[name] for name in ("past", "exog", "past_cov", "ahead")}
        return replace(self, **{name: v[which] for name, v in each.items() if v is not None})

    def alike(self) -> list[IntArray]:
        """Return the origins in groups that know values of the same steps ahead."""
        if self.ahead is None:
            return [np.arange(len(self.past))]
        _, group = np.unique(np.isnan(self.ahead), axis=0, return_inverse=True)
        return [np.flatnonzero(group == i) for i in range(int(group.max()) + 1)]

    def with_ahead_first(self) -> "Start":
        """Return it with what is known ahead as values before the past."""
        if self.ahead is None:
            return self
        past, past_cov = np.hstack([np.nan_to_num(self.ahead), self.past]), self.past_cov
        if past_cov is not None:
            more = self.ahead.shape[1]
            past_cov = np.pad(past_cov, ((0, 0), (more, 0), (more, 0)))
        return replace(self, past=past, past_cov=past_cov)


class Layout:
    """All values that the inputs of a forecast are taken from, its nodes, in a row.

    First what of the horizon is known beforehand; then the series' past; then the exogenous
    columns, time by time, from their past to the end of the horizon; then the predictions.

    Parameters
    ----------
    models : Columns
        Step k is of model k modulo their number. With several models there are no exogenous
        columns.
    start, horizon, origin
        As the attributes.

    Attributes
    ----------
    models : Columns
    start : Start
    horizon : int
    initial : ndarray (b, n)
        Their values at each origin, zero for the predictions.
    n_past : int
        How many nodes are of the past, those that `Start.past_cov` is of.
    first : int
        The node of the first prediction.
    unknown : ndarray (m,)
        The nodes before it that are not known.
    first_row : int
        Its row in the joint covariance of the nodes that are not known.
    widths : list of int
        How many inputs each model has; d is the largest number.
    place : ndarray (horizon, d)
        The node of each input of each step.
    row : ndarray (horizon, d)
        The row of each input of each step; -1 where it is known, and beyond the model's inputs.
    origin : int
        The step from which on lags of the series are counted back from this step, as those of
        direct forecasts are; the horizon if they are always counted from their own target.
    """

    def __init__(
        self, models: Columns, start: Start, horizon: int, origin: int | None = None
    ) -> None:
        start, inputs = start.with_ahead_first(), models.inputs
        self.models, self.start, self.horizon = models, start, horizon
        self.origin = horizon if origin is None else origin
        b, n_lags = start.past.shape
        exog = np.zeros((b, 0, 0)) if start.exog is None else start.exog
        q = exog.shape[2]
        self.initial = np.hstack([start.past, exog.reshape(b, -1), np.zeros((b, horizon))])
        n_past_exog = max(one.n_past_exog for one in inputs)
        self.n_past = n_lags + n_past_exog * q
        self.first = self.n_past + horizon * q

        unknown = np.ones(self.first + horizon, dtype=bool)
        unknown[: self.n_past] = start.past_cov is not None
        unknown[self.n_past : self.first] = start.exog_cov is not None
        self.unknown = np.flatnonzero(unknown[: self.first])
        self.first_row = len(self.unknown)

        rows, m = np.where(unknown, np.cumsum(unknown) - 1, -1), len(inputs)
        self.widths = [len(one.lags) + len(one.exog) for one in inputs]
        self.place = np.zeros((horizon, max(self.widths)), dtype=np.int64)
        self.row = np.full(self.place.shape, -1)
        for i, one in enumerate(inputs):
            step = np.arange(i, horizon, m)[:, None]
            back = np.minimum(step, self.origin) - np.array(one.lags, dtype=np.int64)
            column, lag = np.array(one.exog, dtype=np.int64).reshape(-1, 2).T
            # Negative places back are in the past.
            of_series = np.where(back < 0, n_lags, self.first) + back
            if start.ahead is not None:
                sure = ~np.isnan(start.ahead[0])
                of_series = np.where((back >= 0) & sure[np.maximum(back, 0)], back, of_series)
            of_exog = n_lags + (n_past_exog + step - lag) * q + column
            place, own = np.hstack([of_series, of_exog]), (slice(i, None, m), slice(self.widths[i]))
            self.place[own], self.row[own] = place, rows[place]

    @property
    def reach(self) -> int:
        """How many steps back from any step its inputs among the predictions are, at most."""
        back = np.arange(self.horizon)[:, None] - (self.row - self.first_row)
        return int(back[self.row >= self.first_row].max(initial=1))

    def inputs_of(self, k: int) -> tuple[IntArray, IntArray]:
        """Return the node and the row of each input of step k, (d,)."""
        d = self.widths[k % len(self.widths)]
        return self.place[k, :d], self.row[k, :d]

    def covariance(self) -> FloatArray:
        """Return the covariance of what is not known before the first prediction, (b, m, m)."""
        start, m = self.start, self.first_row
        S = np.zeros((len(self.initial), m, m))
        if start.past_cov is not None:
            S[:, : self.n_past, : self.n_past] = start.past_cov
        if start.exog_cov is not None:
            future = slice(m - len(start.exog_cov), m)
            S[:, future, future] = start.exog_cov
        return S


def selected(
    values: FloatArray, Sigma: FloatArray, place: IntArray, row: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean (b, d) and covariance (b, d, d) of some nodes.

    Parameters
    ----------
    values : ndarray (b, n_nodes)
    Sigma : ndarray (b, n, n)
        Covariance of those that are not known.
    place : ndarray (d,)
        Which nodes.
    row : ndarray (d,)
        Their rows of Sigma; -1 where a node is known.
    """
    at = (row >= 0).nonzero()[0]
    S = np.zeros((len(values), len(row), len(row)))
    S[:, at[:, None], at] = Sigma[:, row[at, None], row[at]]
    return values.take(place, axis=1), S
