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

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.cubature import Cubature
from gpforecast.propagation.exact import ExactMoments
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.nodes import Inputs, Start, selected


@dataclass(frozen=True)
class Believed:
    """A series with its missing values as Gaussian nodes.

    Attributes
    ----------
    y : ndarray (n,)
        Observed values, and the means of the missing ones.
    exog : ndarray (n, q)
        The same of the exogenous columns.
    row : ndarray (n, 1 + q)
        For each value and each exogenous one its row of the covariance, -1 where it was observed.
    covariance : ndarray (m, m)
        Of the m missing ones, jointly.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    """

    y: FloatArray
    exog: FloatArray
    row: IntArray
    covariance: FloatArray
    n_clipped: int = 0

    def joint(self, rows: IntArray) -> FloatArray:
        """Return the covariance of values by their rows, zero for the observed ones."""
        joint = np.zeros((len(rows), len(rows)))
        random = np.flatnonzero(rows >= 0)
        joint[np.ix_(random, random)] = self.covariance[np.ix_(rows[random], rows[random])]
        return joint


def fill(
    predictive: Predictive,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    y: FloatArray,
    exog: FloatArray,
) -> tuple[FloatArray, FloatArray, int]:
    """Return mean and variance of every value of a series, given all that were observed.

    Parameters
    ----------
    predictive : Posterior or Predictive
        The one-step model.
    method : Propagation or MonteCarlo
        Monte Carlo has no Gaussian to condition: the best closed form stands in.
    inputs : Inputs
    y : ndarray (n,)
        Standardised, NaN where missing.
    exog : ndarray (n, q)
        Standardised, NaN where missing; those are taken to be N(0, 1).

    Returns
    -------
    mean, var : ndarray (n,)
        The observed value and 0 where there is one.
    n_clipped : int

    Notes
    -----
    Gaps with a whole window of observed values between them do not know of each other and are
    treated one by one. A gap costs a step of the method for each of its values and for each that
    its window reaches afterwards, and O(m^2) more for m missing values.
    """
    mean, var, n_clipped = y.copy(), np.zeros(len(y)), 0
    first = _first(inputs)
    missing, whole = _gaps(y, exog, first)
    end = 0
    while missing[end:].any():
        at = end + int(np.argmax(missing[end:]))
        begin = _begin(whole, at, first)
        later = whole[at + 1 :]
        end = at + 1 + int(np.argmax(later)) if later.any() else len(y)
        found = believe(predictive, method, inputs, y[begin:end], exog[begin:end])
        mean[begin:end] = found.y
        rows = found.row[:, 0]
        var[begin:end][rows >= 0] = np.diag(found.covariance)[rows[rows >= 0]]
        n_clipped += found.n_clipped
    return mean, var, n_clipped


def starts(
    predictive: Predictive,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    y: FloatArray,
    exog: FloatArray,
    ends: IntArray,
    horizon: int,
    exog_cov: FloatArray | None = None,
) -> Start:
    """Return what is known at each origin, missing values believed as the model predicts them.

    Parameters
    ----------
    predictive : Posterior or Predictive
    method : Propagation or MonteCarlo
    inputs : Inputs
    y : ndarray (n,)
        Standardised, NaN where missing.
    exog : ndarray (n [+ horizon], q)
        Standardised; NaN where missing before an origin.
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
        If an exogenous value is missing at a time that is to be predicted.

    Notes
    -----
    An origin whose window is complete costs nothing but its copy. Another one costs a step of the
    method for each missing value and for each that depends on one, back to the last time with a
    whole window of observed values; where there is none, back to the beginning of the series,
    where what is missing is taken to be N(0, 1), the series' own mean and variance.
    """
    past = y[ends[:, None] + np.arange(-inputs.n_past, 0)]
    q = exog.shape[1]
    known = None
    if q:
        known = exog[ends[:, None] + np.arange(-inputs.n_past_exog, horizon)]
        _check_future(known[:, inputs.n_past_exog :])
    n_known = inputs.n_past_exog
    gaps = np.isnan(past).any(axis=1)
    if known is not None:
        gaps |= np.isnan(known[:, :n_known]).any(axis=(1, 2))
    if not gaps.any():
        return Start(past, known, exog_cov)

    n = inputs.n_past + n_known * q
    past_cov, n_clipped = np.zeros((len(ends), n, n)), 0
    first = _first(inputs)
    _, whole = _gaps(y, exog[: len(y)], first)
    for i in np.flatnonzero(gaps):
        end = int(ends[i])
        begin = _begin(whole, end, first)
        found = believe(predictive, method, inputs, y[begin:end], exog[begin:end])
        back = slice(len(found.y) - inputs.n_past, None), slice(len(found.y) - n_known, None)
        past[i] = found.y[back[0]]
        if known is not None:
            known[i, :n_known] = found.exog[back[1]]
        rows = np.concatenate([found.row[back[0], 0], found.row[back[1], 1:].ravel()])
        past_cov[i] = found.joint(rows)
        n_clipped += found.n_clipped
    return Start(past, known, exog_cov, past_cov, n_clipped)


def believe(
    predictive: Predictive,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    y: FloatArray,
    exog: FloatArray,
) -> Believed:
    """Condition the missing values of one stretch of a series on the observed ones after them.

    Parameters
    ----------
    predictive : Posterior or Predictive
    method : Propagation or MonteCarlo
    inputs : Inputs
    y : ndarray (n,)
        NaN where missing. Among the first values, which no input reaches back from, the missing
        ones are taken to be N(0, 1), as are missing exogenous ones anywhere.
    exog : ndarray (n, q)

    Returns
    -------
    Believed

    Raises
    ------
    ValueError
        If the one-step model runs away to infinity within a gap.
    """
    if isinstance(method, MonteCarlo):
        exact = isinstance(predictive, Posterior) and "exact" in predictive.supports
        method = ExactMoments() if exact else Cubature()
    values = np.column_stack([y, exog])  # (n, 1 + q)
    missing = np.isnan(values)
    values[missing] = 0.0
    row = np.where(missing, np.cumsum(missing).reshape(values.shape) - 1, -1)
    first, n_clipped = _first(inputs), 0
    prior = missing.copy()
    prior[first:, 0] = False  # the model says what these are
    Sigma = np.zeros((int(missing.sum()), int(missing.sum())))
    Sigma[row[prior], row[prior]] = 1.0
    column = np.array([0] * len(inputs.lags) + [1 + j for j, _ in inputs.exog])
    lag = np.array([*inputs.lags, *(lag for _, lag in inputs.exog)])
    nodes, rows = values.reshape(1, -1), row.ravel()  # time by time

    for t in range(first, len(y)):
        place = (t - lag) * values.shape[1] + column
        random = rows[place] >= 0
        if not (missing[t, 0] or random.any()):
            continue
        f = method.moments(predictive, *selected(nodes, Sigma[None], place, rows[place]))
        n_clipped += f.n_clipped
        m, s = float(f.mean[0]), float(f.var[0]) + predictive.noise_var
        if not (np.isfinite(m) and np.isfinite(s)):
            raise ValueError(
                f"a gap could not be filled: the one-step model runs away from the values it "
                f"learned from within it, at step {t - first + 1}. Forecast the differences of "
                f"the series, or fill its gaps first."
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
    return Believed(values[:, 0], values[:, 1:], row, Sigma, n_clipped)


def _first(inputs: Inputs) -> int:
    """Return the position of the first value whose inputs exist."""
    return max(inputs.n_past, inputs.n_past_exog)


def _gaps(y: FloatArray, exog: FloatArray, width: int) -> tuple[BoolArray, BoolArray]:
    """Return where anything is missing, (n,), and before which places a window is whole, (n+1,)."""
    missing = np.isnan(y) | np.isnan(exog).any(axis=1)
    so_far = np.concatenate([[0], np.cumsum(missing)])
    whole = np.zeros(len(y) + 1, dtype=bool)
    whole[width:] = so_far[width:] == so_far[: len(so_far) - width]
    return missing, whole


def _begin(whole: BoolArray, place: int, width: int) -> int:
    """Return where the last whole window up to `place` begins, 0 if there is none."""
    places = np.flatnonzero(whole[: place + 1])
    return int(places[-1]) - width if len(places) else 0


def _check_future(exog: FloatArray) -> None:
    missing = np.isnan(exog)
    if missing.any():
        raise ValueError(
            f"exog must be known at every time that is predicted; got {int(missing.sum())} missing "
            f"among them, the first at step {int(np.argwhere(missing)[0][1]) + 1}. Forecast it "
            f"first and pass its uncertainty as exog_cov."
        )
