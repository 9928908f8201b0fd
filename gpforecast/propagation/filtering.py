"""A filter along a series: its unknown values as jointly Gaussian nodes, and its checkpoints."""

from dataclasses import dataclass, field

import numpy as np

from gpforecast.common.types import FloatArray, IntArray

_SPACING = 8  # values that share a checkpoint
_MOST = 128  # checkpoints


class FilteredNodes:
    """A series followed value by value: what was observed conditions what is not known.

    A node is numbered when it is reached. With a bounded number of values for which nodes are kept,
    the number of one that is dropped is used again, so that the covariance stays small.

    Attributes
    ----------
    values : ndarray (n, 1 + q)
        The series and the exogenous columns: exact values, and the means of all others.
    missing : ndarray (n, 1 + q)
    row : ndarray (n, 1 + q)
        For each its row of the covariance; -1 where it is exact, not reached yet, or dropped.
    Sigma : ndarray (m, m)
        Covariance of the nodes that are kept.
    noisy : bool
        Whether any value was measured with noise.
    time : int
        Of the value that comes next.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    """

    def __init__(self, values: FloatArray, noise: FloatArray, keep: int | None) -> None:
        n, columns = values.shape
        self.observed, self.noise, self.noisy = values[:, 0], noise, bool(noise.any())
        self.missing = np.isnan(values)
        # In the order of `place`, whatever that of a frame is: ravel() is no copy.
        self.values = np.ascontiguousarray(np.where(self.missing, 0.0, values))
        self.random = self.missing.copy()
        self.random[:, 0] |= noise > 0.0
        # No more nodes than this are kept at a time.
        so_far = np.concatenate([[0], np.cumsum(self.random.sum(axis=1))])
        last = np.minimum(np.arange(n) + (n if keep is None else keep), n)
        size = int((so_far[last] - so_far[:-1]).max(initial=0))
        self.number = (np.cumsum(self.random).reshape(n, columns) - 1) % max(size, 1)
        self.row = np.full((n, columns), -1)
        self.Sigma = np.zeros((size, size))
        self.place = np.full(size, -1)  # of each node, in values.ravel()
        self.dropped_var = np.zeros((n, columns))  # variances of nodes when they were dropped
        self.time, self.n_clipped = 0, 0

    def add_inputs(self) -> None:
        """Make nodes of the missing exogenous values of this time: N(0, 1)."""
        for j in np.flatnonzero(self.random[self.time, 1:]):
            k = self._new(self.time, 1 + int(j))
            self.Sigma[k, k] = 1.0

    def append(self, mean: float, var: float, c: FloatArray) -> None:
        """Take in a value that is predicted: N(mean, var), with the covariance c of all nodes.

        All nodes are conditioned on its measurement, if there is one; c is overwritten.
        """
        t = self.time
        if self.random[t, 0]:
            k = self._new(t, 0)
            c[k] = var  # in the place of the earlier node of this number
            self.values[t, 0] = mean
            self.Sigma[k] = self.Sigma[:, k] = c
        if not self.missing[t, 0]:
            self._condition(c, self.observed[t] - mean, var + self.noise[t])
        self.time += 1

    def known(self, n_past: int, n_exog: int) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of so many last values, then of exogenous columns."""
        places = self._last(n_past, n_exog)
        mean, rows = self.values.ravel()[places], self.row.ravel()[places]
        random = rows >= 0
        if not random.any():
            return mean, np.zeros((len(rows), len(rows)))
        return mean, np.where(np.outer(random, random), self.Sigma[np.ix_(rows, rows)], 0.0)

    def resume(
        self, time: int, n_past: int, n_exog: int, mean: FloatArray, cov: FloatArray
    ) -> None:
        """Go on from what was `known` at a time, instead of from the beginning."""
        self.time = time
        places, columns = self._last(n_past, n_exog), self.row.shape[1]
        self.values.ravel()[places] = mean
        random = self.random.ravel()[places]
        at = [self._new(*divmod(int(place), columns)) for place in places[random]]
        self.Sigma[np.ix_(at, at)] = cov[np.ix_(random, random)]

    def _last(self, n_past: int, n_exog: int) -> IntArray:
        """Return the places of so many last values, then of exogenous columns, time by time."""
        columns, t = self.row.shape[1], self.time
        exog = np.arange(t - n_exog, t)[:, None] * columns + np.arange(1, columns)
        return np.concatenate([np.arange(t - n_past, t) * columns, exog.ravel()])

    def variances(self) -> FloatArray:
        """Return the variance of every value, given all that was observed while it was kept."""
        var = self.dropped_var.copy()
        kept = self.row >= 0
        var[kept] = np.diag(self.Sigma)[self.row[kept]]
        return var

    def _new(self, t: int, column: int) -> int:
        """Return the number of a node that is reached, free for its use."""
        k, place = int(self.number[t, column]), t * self.row.shape[1] + column
        old = self.place[k]
        if old >= 0:
            self.dropped_var.ravel()[old] = self.Sigma[k, k]
            self.row.ravel()[old] = -1
            self.Sigma[k] = self.Sigma[:, k] = 0.0
        self.place[k], self.row[t, column] = place, k
        return k

    def _condition(self, c: FloatArray, error: float, var: float) -> None:
        """Condition all nodes on a value that is `error` above its mean, of variance `var`."""
        if var > 0.0 and c.any():
            kept = self.place >= 0
            self.values.ravel()[self.place[kept]] += c[kept] * (error / var)
            self.Sigma -= np.outer(c, c / var)
            np.fill_diagonal(self.Sigma, np.maximum(np.diag(self.Sigma), 0.0))  # rounding alone


@dataclass(frozen=True)
class Checkpoint:
    """Mean (n,) and covariance (n, n) of the window that ends just before a time."""

    time: int
    mean: FloatArray
    cov: FloatArray


@dataclass(eq=False)
class Checkpoints:
    """The latest states of a filter along a series, from which it goes on.

    A state depends on earlier values alone. So it holds for any other series up to the first value
    that differs: with more values, or with a later one changed.

    Examples
    --------
    >>> filtered, values = Checkpoints(), np.arange(20.0)[:, None]
    >>> filtered.follow("a filter", values)
    >>> for time in (5, 18):
    ...     filtered.remember(Checkpoint(time, np.zeros(2), np.eye(2)))
    >>> filtered.last(20).time
    18
    >>> filtered.follow("a filter", np.where(values == 10.0, np.nan, values))
    >>> filtered.last(20).time
    5
    """

    by: object = None
    series: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    kept: dict[int, Checkpoint] = field(default_factory=dict)

    def follow(self, by: object, series: FloatArray) -> None:
        """Begin with a filter and a series (n, k); drop checkpoints that do not hold."""
        n = min(len(self.series), len(series)) if by == self.by else 0
        a, b = self.series[:n], series[:n]
        same = not n or ((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)
        until = n and int(np.argmin(np.append(same, False)))
        self.by, self.series = by, series
        self.kept = {k: one for k, one in self.kept.items() if one.time <= until}

    def remember(self, one: Checkpoint) -> None:
        """Keep a checkpoint, unless there is a slightly earlier one."""
        self.kept.setdefault(one.time // _SPACING, one)
        if len(self.kept) > _MOST:
            del self.kept[min(self.kept)]

    def last(self, time: int) -> Checkpoint | None:
        """Return the last checkpoint up to a time, if there is one."""
        before = (one for one in self.kept.values() if one.time <= time)
        return max(before, key=lambda one: one.time, default=None)
