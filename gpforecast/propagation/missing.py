r"""What is believed about values that are missing before a forecast begins.

The recursion starts before the first missing value and predicts it: a node of unknown value joins
those that are known. From there on, at each time with an input that is not known, either the value
there is missing too and becomes a further node, or it was observed and all nodes are conditioned on
it. With m, v and g of f at the Gaussian input, :math:`\Sigma` the covariance of the nodes and
y the observed value,

.. math::

    c = \Sigma[:, \text{lags}]\, g, \quad s = v + \sigma^2, \quad
    \text{mean} \leftarrow \text{mean} + c\,(y - m)/s, \quad \Sigma \leftarrow \Sigma - c c'/s,

the update of a Kalman filter, here with the moments of a propagation method (Särkkä 2013,
"Bayesian Filtering and Smoothing", algorithm 6.4). Because every missing value stays a node until
no later value depends on one, it also smooths. For a linear model all of it is exact.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.numerics.compiled.joint import selected
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.recursion import Inputs, Start


@dataclass(frozen=True, eq=False)
class Believed:
    """A stretch of a series with its missing values as Gaussian nodes.

    Attributes
    ----------
    values : ndarray (n, 1 + q)
        The series and the exogenous columns: observed values, and the means of the missing ones.
    row : ndarray (n, 1 + q)
        For each its row of the covariance, -1 where it was observed.
    covariance : ndarray (m, m)
        Of the m missing ones, jointly.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    """

    values: FloatArray
    row: IntArray
    covariance: FloatArray
    n_clipped: int = 0

    def joint(self, rows: IntArray) -> FloatArray:
        """Return the covariance of values by their rows, zero for the observed ones."""
        random = rows >= 0
        return np.where(np.outer(random, random), self.covariance[np.ix_(rows, rows)], 0.0)


@dataclass(frozen=True, eq=False)
class Gaps:
    """A series with missing values, and what says how likely which of them are.

    Attributes
    ----------
    predictive : Posterior or Predictive
        The one-step model.
    method : Propagation
    inputs : Inputs
    y : ndarray (n,)
        Standardised, NaN where missing.
    exog : ndarray (n [+ horizon], q)
        Standardised, NaN where missing; those are taken to be N(0, 1).
    """

    predictive: Predictive
    method: Propagation
    inputs: Inputs
    y: FloatArray
    exog: FloatArray

    def filled(self) -> tuple[FloatArray, FloatArray, int]:
        """Return mean and variance of every value of the series, given all that were observed.

        Returns
        -------
        mean, var : ndarray (n,)
            The observed value and 0 where there is one.
        n_clipped : int

        Raises
        ------
        ValueError
            If the one-step model runs away to infinity within a gap.

        Notes
        -----
        Gaps with a whole window of observed values between them do not know of each other and are
        treated one by one. A gap costs a step of the method for each of its values and for each
        that its window reaches afterwards, and O(m^2) more for m missing values.
        """
        mean, var, n_clipped = self.y.copy(), np.zeros(len(self.y)), 0
        end = 0
        while self._missing[end:].any():
            at = end + int(np.argmax(self._missing[end:]))
            begin, end = self._stretch(at)
            found = self._believed(begin, end)
            row = found.row[:, 0]
            mean[begin:end] = found.values[:, 0]
            var[begin:end] = np.where(row >= 0, np.diag(found.covariance)[row], 0.0)
            n_clipped += found.n_clipped
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
        An origin whose window is complete costs nothing but its copy. Another one costs a step of
        the method for each missing value and for each that depends on one, back to the last time
        with a whole window of observed values; where there is none, back to the beginning of the
        series, where what is missing is taken to be N(0, 1), the series' own mean and variance.
        """
        n_past, n_known, q = self.inputs.n_past, self.inputs.n_past_exog, self.exog.shape[1]
        past = self.y[ends[:, None] + np.arange(-n_past, 0)]
        exog = np.zeros((len(ends), 0, 0))
        if q:
            exog = self.exog[ends[:, None] + np.arange(-n_known, horizon)]
            _check_future(exog[:, n_known:])
        gaps = np.isnan(past).any(axis=1) | np.isnan(exog[:, :n_known]).any(axis=(1, 2))
        if not gaps.any():
            return Start(past, exog, exog_cov)

        n = n_past + n_known * q
        past_cov, n_clipped = np.zeros((len(ends), n, n)), 0
        for i in np.flatnonzero(gaps):
            end = int(ends[i])
            found = self._believed(self._stretch(end)[0], end)
            n_clipped += found.n_clipped
            of_y = slice(len(found.row) - n_past, None)
            of_exog = slice(len(found.row) - n_known, None)
            past[i] = found.values[of_y, 0]
            exog[i, :n_known] = found.values[of_exog, 1:]
            rows = np.concatenate([found.row[of_y, 0], found.row[of_exog, 1:].ravel()])
            past_cov[i] = found.joint(rows)
        return Start(past, exog, exog_cov, past_cov, n_clipped)

    def _believed(self, begin: int, end: int) -> Believed:
        """Condition the missing values of one stretch on the observed ones after them.

        Among the first values, which no input reaches back from, the missing ones are taken to be
        N(0, 1), as are missing exogenous ones anywhere.
        """
        inputs, first, n_clipped = self.inputs, self._width, 0
        values = np.column_stack([self.y[begin:end], self.exog[begin:end]])  # (n, 1 + q)
        missing = np.isnan(values)
        values[missing] = 0.0
        row = np.where(missing, np.cumsum(missing).reshape(values.shape) - 1, -1)
        prior = missing.copy()
        prior[first:, 0] = False  # the model says what these are
        Sigma = np.zeros((int(missing.sum()), int(missing.sum())))
        Sigma[row[prior], row[prior]] = 1.0
        column = np.array([0] * len(inputs.lags) + [1 + j for j, _ in inputs.exog])
        lag = np.array([*inputs.lags, *(lag for _, lag in inputs.exog)])
        nodes, rows = values.reshape(1, -1), row.ravel()  # time by time

        for t in range(first, len(values)):
            place = (t - lag) * values.shape[1] + column
            random = rows[place] >= 0
            if not (missing[t, 0] or random.any()):
                continue
            x = selected(nodes, Sigma[None], place, rows[place])
            f = self.method.moments(self.predictive, *x)
            n_clipped += f.n_clipped
            m, s = float(f.mean[0]), float(f.var[0]) + self.predictive.noise_var
            if not (np.isfinite(m) and np.isfinite(s)):
                raise ValueError(
                    f"a gap could not be filled: the one-step model runs away from the values it "
                    f"learned from within it, at step {t - first + 1}. Forecast the differences "
                    f"of the series, or fill its gaps first."
                )
            c = Sigma[:, rows[place[random]]] @ f.gradient[0, random]
            if missing[t, 0]:
                new = row[t, 0]
                values[t, 0] = m
                Sigma[new] = Sigma[:, new] = c
                Sigma[new, new] = s
            elif s > 0.0 and c.any():
                values[missing] += c * ((values[t, 0] - m) / s)
                Sigma -= np.outer(c, c / s)
                np.fill_diagonal(Sigma, np.maximum(np.diag(Sigma), 0.0))  # rounding alone
        return Believed(values, row, Sigma, n_clipped)

    @property
    def _width(self) -> int:
        """How many values a window has: the position of the first value whose inputs exist."""
        return max(self.inputs.n_past, self.inputs.n_past_exog)

    @cached_property
    def _missing(self) -> BoolArray:
        """Where anything is missing, (n,)."""
        return np.isnan(self.y) | np.isnan(self.exog[: len(self.y)]).any(axis=1)

    @cached_property
    def _whole(self) -> IntArray:
        """Places before which there is a window of observed values, in order."""
        width, so_far = self._width, np.concatenate([[0], np.cumsum(self._missing)])
        return width + np.flatnonzero(so_far[width:] == so_far[: len(so_far) - width])

    def _stretch(self, place: int) -> tuple[int, int]:
        """Return where the last whole window up to `place` begins, and the first after it ends."""
        i = int(np.searchsorted(self._whole, place, side="right"))
        begin = int(self._whole[i - 1]) - self._width if i else 0
        return begin, int(self._whole[i]) if i < len(self._whole) else len(self.y)


def _check_future(exog: FloatArray) -> None:
    missing = np.isnan(exog)
    if missing.any():
        raise ValueError(
            f"exog must be known at every time that is predicted; got {int(missing.sum())} missing "
            f"among them, the first at step {int(np.argwhere(missing)[0][1]) + 1}. Forecast it "
            f"first and pass its uncertainty as exog_cov."
        )
