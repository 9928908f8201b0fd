r"""Several series as one: their values interleaved, each column with its own model.

M series become one whose value M t + i is that of column i at time t. The model of column i gives
it from lagged values of all columns and from those of earlier columns at the same time,

.. math::

    y_i(t) = f_i(\text{lags of all}, y_1(t), \dots, y_{i-1}(t)) + \epsilon_i(t),

with independent noise. Of linear maps this is a vector autoregression whose noise is correlated
(by the Cholesky factor of its covariance); with other maps the correlation may depend on the state.
The recursion is that of a single series: the joint Gaussian of all nodes, Stein's lemma for their
covariances, one function for each column along a path. Only the model changes with the step.

Where values before the origin are missing, the recursion begins before the first of them, and all
nodes are conditioned on what was observed as they are reached (`gpforecast.propagation.missing`),
here on weighted sums of values: a level is a sum of differences.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import getitem

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import Draw, Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.layout import Inputs, Layout, Start
from gpforecast.propagation.monte_carlo import MonteCarlo, PathNodes, n_clipped, share
from gpforecast.propagation.one_function import OneFunction, Shared, drawn_anew, of_f
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.recursion import GaussianNodes, iterate

_NONE = 1e-9  # of the weight: a part that is due to rounding
_SURE = 1e-14  # of the variance of a sum: what is left beyond this is rounding


@dataclass(frozen=True, eq=False)
class ColumnModels:
    """One-step models of interleaved columns.

    Attributes
    ----------
    predictives : tuple of Predictive
        One for each column.
    inputs : tuple of Inputs
        Of each, with lags in the interleaved series (`interleaved_inputs`).
    """

    predictives: tuple[Predictive, ...]
    inputs: tuple[Inputs, ...]

    @property
    def n_times(self) -> int:
        """How many times of the past the inputs need."""
        return -(-max(one.n_past for one in self.inputs) // len(self.inputs))

    @property
    def parts(self) -> "list[tuple[float, ColumnModels]]":
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


class InterleavedLayout(Layout):
    """Inputs of each step are those of its column, with -1 to fill up the rows."""

    def __init__(self, models: ColumnModels, start: Start, horizon: int) -> None:
        super().__init__(Inputs((1,)), start, horizon)
        self.widths = [len(one.lags) for one in models.inputs]
        lags = np.ones((len(models.inputs), max(self.widths)), dtype=np.int64)
        for own, one in zip(lags, models.inputs, strict=True):
            own[: len(one.lags)] = one.lags
        step, m = np.arange(horizon), len(lags)
        # The past ends with the last column of its last time.
        self.place = self.first + step[:, None] - lags[step % m]
        self.row = np.maximum(self.place - (self.first - self.first_row), -1)
        if start.past_cov is None:
            self.row[self.place < self.first] = -1
        self.row[np.arange(max(self.widths)) >= np.array(self.widths)[step % m, None]] = -1


class _OneEach(Shared):
    """One function for each column: what is not known of different ones is independent."""

    def __init__(self, models: ColumnModels, f: OneFunction, nodes: GaussianNodes) -> None:
        m, layout = len(models.predictives), nodes.layout
        rows = [layout.row[i::m, : len(one.lags)] for i, one in enumerate(models.inputs)]
        self.paths, self.each = f.shared_by(models.predictives, nodes.Sigma, layout.first_row, rows)

    def covariances(self, k: int, u: FloatArray, S: FloatArray) -> FloatArray:
        """Return e_kj for j = 0, ..., k, (b, k + 1): 0 for steps of other columns."""
        m = len(self.each)
        e, own = np.zeros((len(u), k + 1)), self.each[k % m].covariances(k // m, u, S)
        if own.shape[1]:
            e[:, k % m :: m] = own
        return e

    def append(self, k: int) -> None:
        """Take note of the row of step k."""
        self.paths.append(k)


class _InterleavedNodes(GaussianNodes):
    """The joint Gaussian of all nodes of several columns."""

    def __init__(
        self,
        models: ColumnModels,
        method: Propagation,
        layout: InterleavedLayout,
        observed: Observed | None = None,
    ) -> None:
        f = of_f(method)
        super().__init__(models.predictives[0], drawn_anew(method), layout)
        self.method, self.models, self.widths, self.observed = (
            method,
            models,
            layout.widths,
            observed,
        )
        if f.function == "path":
            self.shared = _OneEach(models, f, self)

    def model_at(self, k: int) -> tuple[Predictive, IntArray, IntArray]:
        """Return the model of the column of step k, and the nodes and rows of its inputs."""
        column = k % len(self.widths)
        d, layout = self.widths[column], self.layout
        return self.models.predictives[column], layout.place[k, :d], layout.row[k, :d]

    def step(self, k: int) -> bool:
        """Append the moments of step k, and condition all nodes on what was observed of it."""
        finite = super().step(k)
        weights = None if self.observed is None else self.observed.weights[k]
        if finite and self.observed is not None and weights is not None:
            self._condition(k, weights, float(self.observed.values[k]))
        return finite

    def _condition(self, k: int, weights: FloatArray, value: float) -> None:
        first, new = self.layout.first_row, self.layout.first_row + k + 1
        random = self.values[:, self.layout.first - first :]
        own = slice(first, new)
        for b, Sigma in enumerate(self.Sigma):
            c = Sigma[:, own] @ weights
            var, scale = float(weights @ c[own]), float(weights**2 @ np.diag(Sigma)[own])
            if var > _SURE * scale:
                random[b] += c * ((value - float(weights @ random[b, own])) / var)
                Sigma -= np.outer(c, c / var)
                diagonal = np.einsum("nn->n", Sigma)
                np.maximum(diagonal, 0.0, out=diagonal)  # rounding alone


class _InterleavedPaths(PathNodes):
    """Paths of several columns."""

    def __init__(self, models: ColumnModels, method: MonteCarlo, layout: InterleavedLayout) -> None:
        self.models, self.widths = models, layout.widths
        super().__init__(models.predictives[0], method, layout)

    def begin(self, predictive: Predictive, method: MonteCarlo) -> None:  # noqa: ARG002
        """Draw the function of every column, if the method draws whole ones."""
        self.draws = [method.start(one, self.rng) for one in self.models.predictives]
        self.noises = [float(np.sqrt(one.noise_var)) for one in self.models.predictives]

    def model_at(self, k: int) -> tuple[Draw, float, IntArray]:
        """Return what draws the function of the column of step k, its noise and its inputs."""
        column = k % len(self.widths)
        place = self.layout.place[k, : self.widths[column]]
        return self.draws[column], self.noises[column], place

    @property
    def n_clipped(self) -> int:
        """Variances that came out negative while draws were made."""
        return sum(n_clipped(draw) for draw in self.draws)


def propagate_interleaved(
    models: ColumnModels,
    method: Propagation,
    start: Start,
    horizon: int,
    observed: Observed | None = None,
) -> Propagated:
    """Forecast several columns together from every origin.

    Parameters
    ----------
    models : ColumnModels
    method : Propagation
        Of Gaussians, or Monte Carlo.
    start : Start
        Its past (b, n) ends with the last column; it reaches back as far as any input does.
    horizon : int
        Times; each has a step for every column.
    observed : Observed, optional
        What was observed after the start of a single origin. The forecast follows the nodes that
        it is of, which come first in the result, and need not be observed themselves.

    Returns
    -------
    Propagated
        (b, n), all columns of a time together.

    Raises
    ------
    ValueError
        If the forecast runs away from every finite number.

    Notes
    -----
    O(n^2) memory for each origin with n steps in all, and O(n) time for each input of a step.
    """
    m, runs, done = len(models.predictives), [], 0.0
    parts = models.parts
    with one_blas_thread(), bar("forecasting", total=len(parts), unit="models") as shown:
        for weight, one in parts:
            own = share(method, done, done + weight)
            runs.append(_followed(one, own, start, horizon * m, observed))
            done += weight
            shown.update()
    return runs[0] if len(runs) == 1 else Propagated.mixed(runs, np.array([w for w, _ in parts]))


def _followed(
    models: ColumnModels, method: Propagation, start: Start, n_steps: int, observed: Observed | None
) -> Propagated:
    """Forecast with single models, from a start or from what was observed after it."""
    kept = 0
    if observed is not None:
        kept = len(observed.values)
        start = _filtered(models, drawn_anew(method), start, observed)
    layout = InterleavedLayout(models, start, n_steps)
    if isinstance(method, MonteCarlo):
        nodes: GaussianNodes | PathNodes = _InterleavedPaths(models, method, layout)
    else:
        nodes = _InterleavedNodes(models, method, layout)
    iterate(nodes.step, n_steps, lambda: None)
    found = nodes.result(kept)
    return replace(found, n_clipped=found.n_clipped + start.n_clipped)


def _filtered(models: ColumnModels, method: Propagation, start: Start, observed: Observed) -> Start:
    """Return what is known of all nodes up to an origin, given what was observed of them."""
    n = len(observed.values)
    layout = InterleavedLayout(models, start, n)
    nodes = _InterleavedNodes(models, method, layout, observed)
    iterate(nodes.step, n, lambda: None)
    past = nodes.values.shape[1]
    covariance = np.zeros((1, past, past))
    rows = nodes.Sigma.shape[1]
    covariance[:, past - rows :, past - rows :] = nodes.Sigma
    return Start(nodes.values, past_cov=covariance, n_clipped=nodes.n_clipped)
