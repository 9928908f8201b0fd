"""A structural model: fitted by its evidence, with beliefs learned from many other series."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.models.evidence import lbfgs
from gpforecast.numerics.compiled.state_space import filtered, gradients, steps_ahead
from gpforecast.propagation.joint_covariance import Computed
from gpforecast.propagation.propagated import Propagated
from gpforecast.storage import storable
from gpforecast.structural.state_space import BELIEFS, StateSpace

_NOTHING = np.empty((0, 0))  # is kept of a filter
_FREEDOM = 6.0  # degrees of freedom of the belief about the scale
_SCALE = 0.3  # its square, in units of the mean square of the steps of the series
_FAR = 4.0  # standard deviations of a belief, beyond which nothing is searched
_MOST_ITERATIONS = 60
_STEP = 0.15  # of second differences
_SPREAD = 1.7  # standard deviations from the best to the other hyperparameters, about sqrt(3)
_MOST_WEIGHT = 3.0  # times the median
_STATES = {"trend": slice(0, 3), "season": slice(4, None), "memory": slice(3, 4)}


@dataclass(frozen=True)
class StructuralModel:
    """Level, fading slope, season and short memory, with beliefs about how much each changes.

    Parameters
    ----------
    period : int or None
        Steps in a season; None for no season.

    Examples
    --------
    >>> t = np.arange(96)
    >>> y = 10.0 + 0.1 * t + np.sin(2 * np.pi * t / 12)
    >>> ahead = StructuralModel(period=12).fit(y).ahead(y, np.array([96]), 12)
    >>> truth = 10.0 + 0.1 * (t[:12] + 96) + np.sin(2 * np.pi * t[:12] / 12)
    >>> bool(abs(ahead.mean[0] - truth).max() < 0.1)
    True
    """

    period: int | None = None

    def __post_init__(self) -> None:
        if self.period is not None and positive_integer(self.period, "period") < 2:
            raise ValueError(f"period must be at least 2 steps; got {self.period}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the search."""
        seasonal = ("season", "amplitude")
        return tuple(n for n in BELIEFS if self.period is not None or n not in seasonal)

    def fit(self, y: FloatArray) -> "StructuralPosterior":
        """Find the hyperparameters, and how uncertain they are.

        Parameters
        ----------
        y : ndarray (n,)
            NaN where missing; at least 3 known values.

        Notes
        -----
        Some hundred runs of a Kalman filter, each O(n m^2) for m = 3 + period states, or 4.
        """
        known = y[~np.isnan(y)]
        if len(known) < 3:
            raise ValueError(f"y must have at least 3 known values; got {len(known)}.")
        unit = _size_of(known)
        search = _Search((y - known[0]) / unit, self)
        means, stds = search.means, search.stds
        bounds = np.column_stack([means - _FAR * stds, means + _FAR * stds])
        found = lbfgs(search.sloped, means, bounds, maxiter=_MOST_ITERATIONS)
        points, weights, scales, log_evidence = search.around(np.asarray(found.x))
        return StructuralPosterior(
            self.period,
            unit,
            points,
            weights,
            scales,
            log_evidence - len(known) * float(np.log(unit)),
        )


def _size_of(known: FloatArray) -> float:
    """Return the root mean square of the steps between values; positive."""
    steps = np.diff(known)
    largest = float(abs(steps).max())
    if largest == 0.0:
        return 1e-8 * (abs(float(known[0])) or 1.0)
    return largest * float(np.sqrt(np.mean((steps / largest) ** 2)))  # no square overflows


@dataclass(frozen=True, eq=False)
class _Search:
    """The evidence of a series (n,) in units of its steps, times the belief."""

    x: FloatArray
    model: StructuralModel

    @cached_property
    def n_known(self) -> int:
        return int((~np.isnan(self.x)).sum())

    @cached_property
    def means(self) -> FloatArray:
        return np.array([BELIEFS[name].mean for name in self.model.names])

    @cached_property
    def stds(self) -> FloatArray:
        return np.array([BELIEFS[name].std for name in self.model.names])

    def loss(self, point: FloatArray) -> float:
        r"""Return the negative log evidence, but for a constant, with the belief.

        With the scale :math:`\kappa` integrated out under its inverse-gamma belief it is
        :math:`\tfrac12 \sum \log f_t + \tfrac{\nu + n}{2} \log(\nu s_0 + \sum v_t^2 / f_t)`.
        """
        return self._loss_and_scale(point)[0]

    def _loss_and_scale(
        self, point: FloatArray, kept: FloatArray = _NOTHING
    ) -> tuple[float, float]:
        """Return the loss, and the mean of the scale given the series."""
        space = space_at(point, self.model)
        log_sum, square_sum, count = filtered(self.x, *space.moves, 0, *space.first, kept)
        total = square_sum + _FREEDOM * _SCALE
        loss = 0.5 * (log_sum + (count + _FREEDOM) * float(np.log(total / (count + _FREEDOM))))
        off = (point - self.means) / self.stds
        return loss + 0.5 * float(off @ off), total / (count + _FREEDOM - 2.0)

    def sloped(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss and its gradient."""
        space, off = space_at(point, self.model), (point - self.means) / self.stds
        kept = np.empty((len(self.x), 3 * len(space.start) + 4))
        loss, scale = self._loss_and_scale(point, kept)
        n = _FREEDOM + self.n_known
        by = gradients(self.x, *space.moves, kept, n / ((n - 2.0) * scale))
        slopes = StateSpace.slopes(values_at(point, self.model), self.model.period)
        return loss, slopes @ by + off / self.stds

    def around(self, best: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Return points (k, d) that stand for the posterior, weights, scales, and log evidence.

        The best, and two along each principal axis of the curvature there, weighted by how the
        evidence differs from that of the normal distribution with this curvature. The log evidence
        is Laplace's.
        """
        curvature, least = self._curvature(best)
        size, axes = np.linalg.eigh(curvature)
        size = np.maximum(size, 0.5 / self.stds.max() ** 2)
        limit = self.means - _FAR * self.stds, self.means + _FAR * self.stds
        sides = _SPREAD * (axes / np.sqrt(size)).T
        points = np.clip(np.concatenate([best[None], best + sides, best - sides]), *limit)
        losses, scales = np.array([self._loss_and_scale(point) for point in points]).T
        logs = least - losses
        logs[1:] += 0.5 * _SPREAD**2 - np.log(3.0)
        weights = np.exp(logs)
        weights = np.minimum(weights, _MOST_WEIGHT * np.median(weights))
        log_evidence = -least - 0.5 * float(np.log(size).sum()) - float(np.log(self.stds).sum())
        return points, weights / weights.sum(), scales, log_evidence

    def _curvature(self, best: FloatArray) -> tuple[FloatArray, float]:
        """Return second differences of the loss (d, d), and the loss."""
        d, least = len(best), self.loss(best)
        steps = _STEP * np.eye(d)
        up = [self.loss(best + step) for step in steps]
        down = [self.loss(best - step) for step in steps]
        H = np.diag([u - 2.0 * least + v for u, v in zip(up, down, strict=True)])
        for i in range(d):
            for j in range(i):
                both = self.loss(best + steps[i] + steps[j])
                H[i, j] = H[j, i] = both - up[i] - up[j] + least
        return H / _STEP**2, least


def space_at(point: Sequence[float] | FloatArray, model: StructuralModel) -> StateSpace:
    """Return the state-space model at a point of the search."""
    return StateSpace.of(values_at(point, model), model.period)


def values_at(point: Sequence[float] | FloatArray, model: StructuralModel) -> dict[str, float]:
    """Return the hyperparameters at a point of the search, by name."""
    return dict(zip(model.names, map(float, point), strict=True))


@dataclass(frozen=True, eq=False)
class StructuralParts:
    """Parts of a forecast of h steps from one origin, in the units of the structural model.

    Attributes
    ----------
    mean, std : dict of ndarray (h,)
        Of ``trend`` (level, slope and drift), ``season`` and ``memory``, as those of the states at
        each step, later disturbances included. Means add up to that of the forecast.
    noise, past, map : ndarray (h,)
        Variances, which add up to that of the forecast: of later disturbances and of noise; of the
        states at the origin; of the hyperparameters.
    """

    mean: dict[str, FloatArray]
    std: dict[str, FloatArray]
    noise: FloatArray
    past: FloatArray
    map: FloatArray


@storable
@dataclass(frozen=True, eq=False)
class StructuralPosterior:
    """What a structural model has learned from a series.

    Attributes
    ----------
    period : int or None
    unit : float
        The root mean square of its steps.
    points : ndarray (k, d)
        Hyperparameters that stand for their posterior.
    weights : ndarray (k,)
        Theirs; the sum is 1.
    scales : ndarray (k,)
        The variance scale of each, in squared units.
    log_evidence : float
        Laplace's, nats, but for a constant that all structural models share.
    """

    period: int | None
    unit: float
    points: FloatArray
    weights: FloatArray
    scales: FloatArray
    log_evidence: float

    def __post_init__(self) -> None:
        k = len(self.weights)
        names = StructuralModel(self.period).names
        check_shapes(self, points=(k, len(names)), weights=(k,), scales=(k,))

    def ahead(self, y: FloatArray, ends: IntArray, horizon: int) -> Propagated:
        """Forecast from some origins, given the values before each.

        Parameters
        ----------
        y : ndarray (n,)
            The series from its first value on, NaN where missing.
        ends : ndarray (b,)
            Positions of the first values that are forecast.
        horizon : int

        Returns
        -------
        Propagated
            The Gaussian with the moments of the mixture over hyperparameters.
        """
        level = y[np.argmin(np.isnan(y))]  # its first value
        at = (y - level) / self.unit, ends, horizon
        means, var, noise = self._over_points(*at, 1)
        # The law of total covariance, over the points.
        mean = np.einsum("k,kbh->bh", self.weights, means)
        off = np.moveaxis((means - mean) * np.sqrt(self.weights)[:, None, None], 0, -1)
        within = Computed(var[:, :, 0], partial(self._within, *at))
        joint = within.plus(off).scaled(np.array([self.unit]))
        latent_var = joint.var - noise * self.unit**2
        return Propagated(level + self.unit * mean, joint, latent_var)

    def parts(self, y: FloatArray, end: int, horizon: int) -> StructuralParts:
        """Return the parts of what `ahead` forecasts from one origin.

        Parameters
        ----------
        y : ndarray (n,)
            The series from its first value on, NaN where missing.
        end : int
            Position of the first value that is forecast.
        horizon : int
        """
        level, unit, model = y[np.argmin(np.isnan(y))], self.unit, StructuralModel(self.period)
        n, names = len(self.points), [*_STATES]
        means, variances = np.zeros((2, n, len(names), horizon))
        totals, noise, past = np.zeros((n, horizon)), np.zeros(horizon), np.zeros(horizon)
        for i, (point, scale) in enumerate(zip(self.points, self.scales, strict=True)):
            space, weight = space_at(point, model), self.weights[i]
            a, P = space.first
            filtered((y[:end] - level) / unit, *space.moves, 0, a, P, _NOTHING)

            def ahead(q: FloatArray, r: float, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
                mean, var = np.empty(horizon), np.empty((horizon, 1))
                state = a.copy(), P.copy()  # noqa: B023
                steps_ahead(space.phi, space.rho, q, r, Z, end, *state, mean, var)  # noqa: B023
                return mean, var[:, 0]

            totals[i], var = ahead(space.q, space.r, space.Z)
            _, of_state = ahead(np.zeros_like(space.q), 0.0, space.Z)
            past += weight * scale * of_state
            noise += weight * scale * (var - of_state)
            for j, name in enumerate(names):
                Z = np.zeros_like(space.Z)
                Z[:, _STATES[name]] = space.Z[:, _STATES[name]]
                means[i, j], var = ahead(space.q, 0.0, Z)
                variances[i, j] = scale * var
        mean = np.einsum("i,ijh->jh", self.weights, means)
        spread = np.einsum("i,ijh->jh", self.weights, variances + (means - mean) ** 2)
        off = totals - self.weights @ totals
        found = dict(zip(names, unit * mean, strict=True))
        found["trend"] = found["trend"] + level
        return StructuralParts(
            found,
            dict(zip(names, unit * np.sqrt(spread), strict=True)),
            unit**2 * noise,
            unit**2 * past,
            unit**2 * (self.weights @ off**2),
        )

    def _within(self, x: FloatArray, ends: IntArray, horizon: int) -> FloatArray:
        return self._over_points(x, ends, horizon, horizon)[1]

    def _over_points(
        self, x: FloatArray, ends: IntArray, horizon: int, width: int
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return means (k, b, h), and averages of covariances (b, h, width) and of the noise.

        Of width 1 the covariances are variances.
        """
        model, order = StructuralModel(self.period), np.argsort(ends, kind="stable")
        means = np.empty((len(self.points), len(ends), horizon))
        covariance = np.zeros((len(ends), horizon, width))
        one, noise = np.empty((horizon, width)), 0.0
        for mean, point, weight in zip(means, self.points, self.weights * self.scales, strict=True):
            space = space_at(point, model)
            (a, P), last = space.first, 0
            for i in order:
                filtered(x[last : ends[i]], *space.moves, last, a, P, _NOTHING)
                last = int(ends[i])
                steps_ahead(*space.moves, last, a.copy(), P.copy(), mean[i], one)
                covariance[i] += weight * one
            noise += weight * space.r
        return means, covariance, noise
