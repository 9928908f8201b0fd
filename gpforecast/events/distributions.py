r"""The classes of a horizon: how what is predicted becomes the inputs of later steps.

Lagged classes are inputs as their indicators, :math:`[c > i]`.

**Enumeration.** The classes behind a forecast form a tree. Two branches are merged when they differ
only in classes that are no longer inputs. So their number is at most that of the pasts that matter:
:math:`C^L` with C classes and L lags. Sums over them are exact. The only approximation is that f is
drawn anew at every step, as it is along sample paths.

**Moments.** A Gaussian stands for the classes of the steps before. At the inputs x of a step,
partly indicators z of earlier steps, a propagation method gives the mean m and the variance v of f,
and its expected gradient g. With :math:`P_c(m, v)` the probability of class c and :math:`q_i = P(c
> i)`, the indicators of the new step have

.. math::

    E z_i = q_i, \qquad \operatorname{cov}(z_i, z_j) = \min(q_i, q_j) - q_i q_j, \qquad
    \operatorname{cov}(z_i, w) = \frac{\partial q_i}{\partial m} \operatorname{cov}(F, w)

for every w. The first two hold for any class, and are diag(p) - pp' of the indicators [c = k]. In
the last, F is f with the noise that decides the class; :math:`\operatorname{cov}(F, w) = g'
\operatorname{cov}(x, w)` for w of earlier steps, and var F = v + noise. This applies Stein's lemma
twice: the derivative of q with respect to m is the expected derivative of P(z = 1 | f).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.events.likelihoods import Likelihood, Ordinal
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.propagation import MonteCarlo, Propagation
from gpforecast.propagation.layout import Layout, selected


def with_indicators(raw: FloatArray, n_lags: int, n_classes: int) -> FloatArray:
    r"""Return rows in which each of the first columns, a class, has become its indicators.

    A class c out of C becomes :math:`[c > 0], \dots, [c > C - 2]`. Two classes are one indicator.
    Of more, neighbours differ in one of them and distant classes in several, so that the order is
    part of the distance of two rows. They are linear in the indicators [c = k].

    Parameters
    ----------
    raw : ndarray (..., n_lags + q)
        Places of classes, 0 to C - 1, then other inputs.
    n_lags, n_classes : int

    Returns
    -------
    ndarray (..., n_lags (C - 1) + q)

    Examples
    --------
    >>> with_indicators(np.array([[0.0, 2.0, 0.7]]), 2, 3)
    array([[0. , 0. , 1. , 1. , 0.7]])
    """
    above = raw[..., :n_lags, None] > np.arange(n_classes - 1)
    indicators = above.reshape(*raw.shape[:-1], -1).astype(np.float64)
    return np.concatenate([indicators, raw[..., n_lags:]], axis=-1)


def drawn(p: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw a class at each of the probabilities p (..., C): (...)."""
    u = rng.random(p.shape[:-1])
    return np.asarray((u[..., None] >= np.cumsum(p, axis=-1)[..., :-1]).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class ClassPaths:
    """Paths of classes.

    Attributes
    ----------
    paths : ndarray (b, h, n) of int
    n_classes : int
    """

    paths: IntArray
    n_classes: int

    @property
    def probabilities(self) -> FloatArray:
        """The share of the paths in each class, (b, h, C)."""
        each = [(self.paths == c).mean(axis=2) for c in range(self.n_classes)]
        return np.stack(each, axis=-1)

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Take n of the paths, without repetition while they last: (b, h, n)."""
        there = self.paths.shape[2]
        return self.paths[:, :, rng.choice(there, n, replace=n > there)]


def sampled(likelihood: Likelihood, n_lags: int, layout: Layout, method: MonteCarlo) -> ClassPaths:
    """Draw f at every input of every path, then a class given f, and go on from there."""
    rng = np.random.default_rng(method.seed)
    values = np.repeat(layout.initial[None], method.n_paths, axis=0)  # (n, b, nodes)
    (predictive,) = layout.models.predictives
    draw = method.start(predictive, rng)
    for k in range(layout.horizon):
        raw = values.take(layout.place[k], axis=2)
        f = draw(with_indicators(raw, n_lags, likelihood.n_classes))  # (n, b)
        p = likelihood.probabilities(f.ravel(), np.zeros(f.size))
        values[:, :, layout.first + k] = drawn(p, rng).reshape(f.shape)
    paths = np.moveaxis(values[:, :, layout.first :], 0, -1).astype(np.int64)
    return ClassPaths(paths, likelihood.n_classes)


@dataclass(frozen=True, eq=False)
class Enumerated:
    """The joint distribution of the classes of a horizon, exact.

    Attributes
    ----------
    probabilities : ndarray (b, h, C)
    steps : tuple of (ndarray (r, C), ndarray (r, C))
        What may come at each: the probability of each class given each of r pasts, and which past
        of the next step it leads to. Row i of the first is origin i.
    """

    probabilities: FloatArray
    steps: tuple[tuple[FloatArray, IntArray], ...]

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw n paths from every origin, (b, h, n)."""
        b, h, _ = self.probabilities.shape
        found, state = np.empty((b, h, n), dtype=np.int64), np.repeat(np.arange(b)[:, None], n, 1)
        for k, (p, after) in enumerate(self.steps):
            found[:, k] = drawn(p[state], rng)
            state = after[state, found[:, k]]
        return found


def still_inputs(layout: Layout) -> list[IntArray]:
    """Return, for each step and after the last, the predicted nodes that are inputs later on."""
    found = []
    for k in range(layout.horizon + 1):
        later = np.unique(layout.place[k:])
        found.append(later[(later >= layout.first) & (later < layout.first + k)])
    return found


def most_pasts(layout: Layout, n_classes: int) -> float:
    """Return how many pasts `enumerated` follows from an origin at most."""
    return float(max(float(n_classes) ** len(nodes) for nodes in still_inputs(layout)))


def enumerated(
    layout: Layout, n_classes: int, probabilities: Callable[[FloatArray], FloatArray]
) -> Enumerated:
    """Follow every past that matters.

    Parameters
    ----------
    layout : Layout
        Of a series whose values are the places of classes.
    n_classes : int
        C.
    probabilities : callable
        From rows of distinct inputs (r, d), as `layout` has them, to probabilities (r, C).

    Notes
    -----
    A step costs a prediction at each distinct row, and O(C) for each past and origin.
    """
    values, C = layout.initial, n_classes  # (r, nodes), one row a past
    owner = np.arange(len(values))
    weight: FloatArray = np.ones(len(values))
    found, steps = np.zeros((len(values), layout.horizon, C)), []
    kept = still_inputs(layout)
    for k in range(layout.horizon):
        rows, which = np.unique(values[:, layout.place[k]], axis=0, return_inverse=True)
        p = probabilities(rows)[which.ravel()]
        joint = weight[:, None] * p
        np.add.at(found[:, k], owner, joint)
        values, owner = np.repeat(values, C, axis=0), np.repeat(owner, C)
        values[:, layout.first + k] = np.tile(np.arange(C), len(p))
        past = np.column_stack([owner, values[:, kept[k + 1]]])
        _, first, after = np.unique(past, axis=0, return_index=True, return_inverse=True)
        weight = np.asarray(np.bincount(after.ravel(), joint.ravel()), dtype=np.float64)
        values, owner = values[first], owner[first]
        steps.append((p, after.reshape(len(p), C)))
    return Enumerated(found, tuple(steps))


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


def fed_back(likelihood: Ordinal, n_lags: int, layout: Layout, method: Propagation) -> CutGaussian:
    """Feed back means and covariances of the indicators, by a Gaussian propagation method."""
    m, h, b = likelihood.n_classes - 1, layout.horizon, len(layout.initial)
    (values, place, row), (predictive,) = _nodes(layout, n_lags, m), layout.models.predictives
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
