r"""Moments of indicators fed back: a Gaussian stands for the classes of the steps before.

At the inputs x of a step, partly indicators z of earlier steps, a propagation method gives the mean
m and the variance v of f, and its expected gradient g. With :math:`P_c(m, v)` the probability of
class c and :math:`q_i = P(c > i)`, the indicators of the new step have

.. math::

    E z_i = q_i, \qquad \operatorname{cov}(z_i, z_j) = \min(q_i, q_j) - q_i q_j, \qquad
    \operatorname{cov}(z_i, w) = \frac{\partial q_i}{\partial m} \operatorname{cov}(F, w)

for every w. The first two hold for any class, and are diag(p) - pp' of the indicators [c = k]. In
the last, F is f with the noise that decides the class; :math:`\operatorname{cov}(F, w) = g'
\operatorname{cov}(x, w)` for w of earlier steps, and var F = v + noise. This applies Stein's lemma
twice: the derivative of q with respect to m is the expected derivative of P(z = 1 | f).
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.events.inputs import with_indicators
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.layout import Inputs, Layout, selected


@dataclass(frozen=True, eq=False)
class CutGaussian:
    """Classes of a jointly Gaussian F of all steps, each the interval that F falls in.

    Attributes
    ----------
    mean : ndarray (b, h)
    covariance : ndarray (b, h, h)
        Of F: f and the noise that decides the class.
    likelihood : Ordinal
    n_clipped : int
        Variances below their floor, which were set to it.
    """

    mean: FloatArray
    covariance: FloatArray
    likelihood: Ordinal
    n_clipped: int = 0

    @property
    def probabilities(self) -> FloatArray:
        """The probability of each class, (b, h, C)."""
        var = np.einsum("bhh->bh", self.covariance) - self.likelihood.noise_var
        p = self.likelihood.probabilities(self.mean.ravel(), var.ravel())
        return p.reshape(*self.mean.shape, -1)

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw n paths from every origin, (b, h, n): F of all steps jointly, and where it falls."""
        z = rng.standard_normal((*self.mean.shape, n))
        F = self.mean[:, :, None] + square_root(self.covariance) @ z
        return np.asarray(np.searchsorted(self.likelihood.thresholds, F).astype(np.int64))


def fed_back(
    predictive: Predictive,
    likelihood: Ordinal,
    inputs: Inputs,
    layout: Layout,
    method: Propagation,
) -> CutGaussian:
    """Feed back means and covariances of the indicators, by a Gaussian propagation method."""
    m, h, b = likelihood.n_classes - 1, layout.horizon, len(layout.initial)
    values, place, row = _nodes(layout, len(inputs.lags), m)
    first = values.shape[1] - h * m  # of the predicted indicators
    # Each step has F and its m indicators, in this order.
    Sigma = np.zeros((b, h * (m + 1), h * (m + 1)))
    mean, n_clipped = np.zeros((b, h)), 0
    for k in range(h):
        x = selected(values, Sigma, place[k], row[k])
        f = method.moments(predictive, *x)
        q, slope = _above(likelihood, f.mean, f.var)  # (b, m)
        mean[:, k], n_clipped = f.mean, n_clipped + f.n_clipped
        values[:, first + k * m : first + (k + 1) * m] = q
        first_row = k * (m + 1)
        own, known = slice(first_row, first_row + m + 1), row[k] >= 0
        before = np.einsum("bd,bdw->bw", f.gradient[:, known], Sigma[:, row[k][known], :first_row])
        rise = np.concatenate([np.ones((b, 1)), slope], axis=1)  # of F and of the q in m
        total = f.var + likelihood.noise_var
        block = rise[:, :, None] * total[:, None, None] * rise[:, None, :]
        block[:, 1:, 1:] = np.minimum(q[:, :, None], q[:, None, :]) - q[:, :, None] * q[:, None, :]
        Sigma[:, own, :first_row] = rise[:, :, None] * before[:, None, :]
        Sigma[:, :first_row, own] = np.swapaxes(Sigma[:, own, :first_row], 1, 2)
        Sigma[:, own, own] = block
    at_f = np.arange(h) * (m + 1)
    return CutGaussian(mean, Sigma[:, at_f[:, None], at_f], likelihood, n_clipped)


def _nodes(layout: Layout, n_lags: int, m: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Return values, places and rows of a layout in which a class has become m indicators.

    Nodes are the indicators of the past, the other inputs, and the indicators of the horizon.
    """
    past, first = layout.start.past.shape[1], layout.first
    known = with_indicators(layout.initial[:, :first], past, m + 1)
    values = np.concatenate([known, np.zeros((len(known), layout.horizon * m))], axis=1)
    of_class, other = layout.place[:, :n_lags], layout.place[:, n_lags:]
    step = of_class - first  # negative in the past
    start = np.where(step < 0, of_class * m, known.shape[1] + step * m)
    rows = np.where(step < 0, -1, step * (m + 1) + 1)
    each = np.arange(m)
    place = (start[:, :, None] + each).reshape(layout.horizon, -1)
    row = np.where(rows[:, :, None] < 0, -1, rows[:, :, None] + each).reshape(layout.horizon, -1)
    place = np.hstack([place, other + past * (m - 1)])
    return values, place, np.hstack([row, np.full(other.shape, -1)])


def _above(likelihood: Ordinal, mean: FloatArray, var: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(c > i), (b, C - 1), and its slopes in the mean of f."""
    p = likelihood.probabilities(mean, var)
    slopes = np.empty_like(p)
    for c in range(likelihood.n_classes):
        t = likelihood.tilted(np.full(len(mean), c), mean, var)
        slopes[:, c] = np.exp(t.log_z) * t.slope
    above, rises = (np.cumsum(v[:, ::-1], axis=1)[:, ::-1][:, 1:] for v in (p, slopes))
    return above, rises
