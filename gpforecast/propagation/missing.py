r"""Beliefs about values that are missing, or were measured with noise.

Both are nodes: random values that are jointly Gaussian. The recursion starts before the first of
them. A value that is missing joins as it is predicted; one that was measured with noise of variance
r joins as it is predicted and all nodes are then conditioned on its measurement; and where a value
was observed exactly, all nodes are conditioned on it. With m, v and g of f at the Gaussian input,
:math:`\Sigma` the covariance of the nodes, the new one included where it is one, and y the
measurement,

.. math::

    c = \Sigma[:, \text{lags}]\, g, \quad s = v + \sigma^2 + r, \quad
    \text{mean} \leftarrow \text{mean} + c\,(y - m)/s, \quad \Sigma \leftarrow \Sigma - c c'/s,

the update of a Kalman filter, here with the moments of a propagation method (Särkkä 2013,
"Bayesian Filtering and Smoothing", algorithm 6.4). Exact is r = 0, and missing is r without bound.
Because a node stays while later values are conditioned on, it also smooths. For a linear model all
of it is exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.filtering import Checkpoint, Checkpoints, FilteredNodes
from gpforecast.propagation.layout import selected
from gpforecast.propagation.recursion import Inputs, Start

_LAG = 64  # values beyond a window after which a measured value is no longer smoothed
_MEMORY = 512  # values before a first origin at which a filter of measured values begins


@dataclass(frozen=True, eq=False)
class Gaps:
    """A series with missing or noisy values, and the model and method that give their distribution.

    Attributes
    ----------
    predictive : Posterior or Predictive
        The one-step model; its ``noise_var`` is that of the process.
    method : Propagation
        For inputs of which one is missing. Where all were measured, f is linearised around their
        means: their noise is small against the distances over which f bends.
    inputs : Inputs
    y : ndarray (n,)
        Standardised, NaN where missing.
    exog : ndarray (n [+ horizon], q)
        Standardised, NaN where missing; those are taken to be N(0, 1).
    noise : ndarray (n,) or None
        Variance of the measurement noise of every value, standardised; None and 0: exact.
    checkpoints : Checkpoints
        Where a filter of measured values has been; it goes on from there.
    """

    predictive: Predictive
    method: Propagation
    inputs: Inputs
    y: FloatArray
    exog: FloatArray
    noise: FloatArray | None = None
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

    def filled(self) -> tuple[FloatArray, FloatArray, int]:
        """Return mean and variance of every value of the series, given all that were observed.

        Returns
        -------
        mean, var : ndarray (n,)
            Of the series without measurement noise: the observed value and 0 where one is exact.
        n_clipped : int

        Raises
        ------
        ValueError
            If the one-step model runs away to infinity within a gap.

        Notes
        -----
        Gaps with a whole window of exact values between them do not know of each other and are
        treated one by one. A gap costs a step of the method for each of its values and for each
        that its window reaches afterwards, and O(m^2) more for m missing values.

        A series with measurement noise costs, for each value, a prediction with its gradient and
        O((w + 64)^2) for a window of w values. A value is smoothed by the w + 64 that follow it:
        time grows in proportion to the series, and memory does not depend on it.
        """
        mean, var, n_clipped = self.y.copy(), np.zeros(len(self.y)), 0
        keep = None if self.noise is None else self._width + _LAG
        end = 0
        while self._random[end:].any():
            at = end + int(np.argmax(self._random[end:]))
            begin, end = self._stretch(at)
            nodes = self._nodes(begin, end, keep)
            self._advance(nodes, end - begin)
            mean[begin:end] = nodes.values[:, 0]
            var[begin:end] = nodes.variances()[:, 0]
            n_clipped += nodes.n_clipped
        return mean, var, n_clipped

    def starts(self, ends: IntArray, horizon: int, exog_cov: FloatArray | None = None) -> Start:
        """Return what is known at each origin, missing values believed as the model predicts them.

        Parameters
        ----------
        ends : ndarray (b,)
            Each forecast knows what comes before its origin, and no more.
        horizon : int
        exog_cov : ndarray (horizon * q, horizon * q) or None

        Returns
        -------
        Start

        Raises
        ------
        ValueError
            If an exogenous value is missing at a time that is to be predicted, or the one-step
            model runs away to infinity within a gap.

        Notes
        -----
        An origin whose window is complete and exact costs nothing but its copy. Another one costs a
        step of the method for each missing value and for each that depends on one, back to the last
        time with a whole window of observed values; where there is none, back to the beginning of
        the series, where what is missing is taken to be N(0, 1), the series' own mean and variance.
        Origins that go back to the same time share these steps.

        With measurement noise one filter serves all origins. It goes on from the last place of its
        checkpoint, or begins 512 values before the first origin, or with the series, and costs a
        prediction with its gradient for each value, and O(w^2) for a window of w values.
        """
        n_past, n_known, q = self.inputs.n_past, self.inputs.n_past_exog, self.exog.shape[1]
        past = self.y[ends[:, None] + np.arange(-n_past, 0)]
        # What is no input of a step does not matter.
        unused = np.setdiff1d(np.arange(n_past), n_past - self.inputs.used(horizon))
        past[:, unused] = np.nan_to_num(past[:, unused])
        exog = np.zeros((len(ends), 0, 0))
        if q:
            exog = self.exog[ends[:, None] + np.arange(-n_known, horizon)]
            _check_future(exog[:, n_known:])
        gaps = np.isnan(past).any(axis=1) | np.isnan(exog[:, :n_known]).any(axis=(1, 2))
        if not gaps.any() and self.noise is None:
            return Start(past, exog, exog_cov)

        n = n_past + n_known * q
        past_cov = np.zeros((len(ends), n, n))

        n_clipped = 0
        for begin, nodes, some in self._filters(ends, np.flatnonzero(gaps)):
            for i in some.tolist():
                self._advance(nodes, int(ends[i]) - begin)
                place = Checkpoint(int(ends[i]), *nodes.known(*self._past))
                past[i], past_cov[i] = place.mean[:n_past], place.cov
                exog[i, :n_known] = place.mean[n_past:].reshape(n_known, q)
                if self.noise is not None:
                    self.checkpoints.remember(place)
            n_clipped += nodes.n_clipped
        return Start(past, exog, exog_cov, past_cov, n_clipped)

    def _filters(
        self, ends: IntArray, gaps: IntArray
    ) -> Iterator[tuple[int, FilteredNodes, IntArray]]:
        """Yield filters, where they begin, and the origins that they go past, in order.

        With measurement noise one goes past all; else those of one stretch with gaps share theirs.
        """
        if self.noise is not None:
            order = np.argsort(ends, kind="stable")
            yield *self._resumed(int(ends[order[0]]), int(ends.max())), order
            return
        begins = np.array([self._stretch(int(end))[0] for end in ends[gaps]])
        for begin in np.unique(begins):
            some = gaps[begins == begin]
            some = some[np.argsort(ends[some], kind="stable")]
            yield int(begin), self._nodes(int(begin), int(ends[some[-1]]), None), some

    def _resumed(self, first: int, end: int) -> tuple[int, FilteredNodes]:
        """Return where a filter begins that is to be at `first`, and its nodes up to `end`."""
        assert self.noise is not None
        noise = np.where(np.isnan(self.y), 0.0, self.noise)  # of a missing value, there is none
        data = np.column_stack([self.y, self.exog[: len(self.y)], noise])
        self.checkpoints.follow((self.predictive, self.method, self.inputs), data)
        place = self.checkpoints.last(first)
        if place is None:
            begin = max(0, first - _MEMORY - self._width)
            return begin, self._nodes(begin, end, self._width)
        begin = place.time - self._width
        nodes = self._nodes(begin, end, self._width)
        nodes.resume(self._width, *self._past, place.mean, place.cov)
        return begin, nodes

    def _nodes(self, begin: int, end: int, keep: int | None) -> FilteredNodes:
        """Return a stretch at its beginning; nodes are kept for so many values, None: for ever.

        Among the first values, which no input reaches back from, the missing ones are taken to be
        N(0, 1), as are missing exogenous ones anywhere.
        """
        noise = np.zeros(end - begin) if self.noise is None else self.noise[begin:end]
        values = np.column_stack([self.y[begin:end], self.exog[begin:end]])  # (n, 1 + q)
        return FilteredNodes(values, noise, None if keep is None else keep + 1)

    def _advance(self, nodes: FilteredNodes, end: int) -> None:
        """Go on to time `end` of a stretch, value by value.

        Raises
        ------
        ValueError
            If the one-step model runs away.
        """
        inputs = self.inputs
        column = np.array([0] * len(inputs.lags) + [1 + j for j, _ in inputs.exog])
        lag = np.array([*inputs.lags, *(lag for _, lag in inputs.exog)])
        while nodes.time < end:
            t = nodes.time
            nodes.add_inputs()
            if t < self._width:  # no target of the model: N(0, 1) before it was observed
                nodes.append(0.0, 1.0, np.zeros(len(nodes.Sigma)))
                continue
            place = (t - lag) * nodes.values.shape[1] + column
            rows = nodes.row.ravel()[place]
            random = rows >= 0
            if not (nodes.random[t, 0] or random.any()):
                nodes.time += 1  # an exact value of exact inputs says nothing of others
                continue
            x = selected(nodes.values.reshape(1, -1), nodes.Sigma[None], place, rows)
            unknown = nodes.missing.ravel()[place].any() or not nodes.noisy
            f = (self.method.moments if unknown else _linearised)(self.predictive, *x)
            m, v = float(f.mean[0]), float(f.var[0]) + self.predictive.noise_var
            if not (np.isfinite(m) and np.isfinite(v)):
                raise ValueError(
                    f"a gap could not be filled: the one-step model runs away from the values it "
                    f"learned from within it, at step {t - self._width + 1}. Forecast the "
                    f"differences of the series, or fill its gaps first."
                )
            nodes.n_clipped += f.n_clipped
            nodes.append(m, v, nodes.Sigma[:, rows[random]] @ f.gradient[0, random])

    @property
    def _past(self) -> tuple[int, int]:
        """How many values of the series, and of the exogenous columns, a step may need."""
        return self.inputs.n_past, self.inputs.n_past_exog

    @property
    def _width(self) -> int:
        """How many values a window has: the position of the first value whose inputs exist."""
        return max(self._past)

    @cached_property
    def _random(self) -> BoolArray:
        """Where anything is missing or noisy, (n,)."""
        random = np.isnan(self.y) | np.isnan(self.exog[: len(self.y)]).any(axis=1)
        return random if self.noise is None else random | (self.noise > 0.0)

    @cached_property
    def _whole(self) -> IntArray:
        """Places before which there is a window of observed values, in order."""
        width, so_far = self._width, np.concatenate([[0], np.cumsum(self._random)])
        return width + np.flatnonzero(so_far[width:] == so_far[: len(so_far) - width])

    def _stretch(self, place: int) -> tuple[int, int]:
        """Return where the last whole window up to `place` begins, and the first after it ends."""
        i = int(np.searchsorted(self._whole, place, side="right"))
        begin = int(self._whole[i - 1]) - self._width if i else 0
        return begin, int(self._whole[i]) if i < len(self._whole) else len(self.y)


def _linearised(predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
    """Return the moments of f linearised around its inputs: the extended Kalman filter."""
    at = predictive.predict(u)
    return Moments.linearised(at.mean, at.var, predictive.gradient(u), S)


def _check_future(exog: FloatArray) -> None:
    missing = np.isnan(exog)
    if missing.any():
        raise ValueError(
            f"exog must be known at every time that is predicted; got {int(missing.sum())} missing "
            f"among them, the first at step {int(np.argwhere(missing)[0][1]) + 1}. Forecast it "
            f"first and pass its uncertainty as exog_cov."
        )
