"""Moments from the model's predictions at a few well chosen inputs."""

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import how_many, one_of
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.base import Moments, Predictive, in_blocks, supported
from gpforecast.propagation.exact import ExactMoments
from gpforecast.propagation.one_function import OneFunction
from gpforecast.storage import storable

_EPS = float(np.finfo(np.float64).eps)
_FLAT = _EPS ** (2.0 / 3.0)  # below this, in squared length-scales, slopes are not differenced
_MAX_POINTS = 100_000
_BLOCK_ELEMENTS = 4_000_000  # doubles of points at a time: 32 MB


@storable
@dataclass(frozen=True)
class Cubature(OneFunction):
    r"""The moments of f at a Gaussian input, as weighted sums over a few points.

    It needs no more of a model than its mean and variance at known inputs, so it works for every
    model. With :math:`\Lambda^{-1/2} S \Lambda^{-1/2} = V \operatorname{diag}(s) V'` of rank r, the
    points are :math:`x = u + \Lambda^{1/2} V \operatorname{diag}(s)^{1/2} \xi` for points
    :math:`\xi` of a rule for the r-dimensional standard normal distribution, and

    .. math::

        m = E[\mu(x)], \qquad v = E[\sigma^2(x)] + \operatorname{Var} \mu(x), \qquad
        g' \Lambda^{1/2} V_r = E[\xi_r \mu(x)] / \sqrt{s_r}

    The last is Stein's lemma. Because all three come from the same points, Var mu >= g'Sg, and
    the joint covariance of a forecast stays positive semi-definite.

    Parameters
    ----------
    rule : {"unscented", "gauss_hermite"}
        ``"unscented"``: 2r + 1 points, u itself and two along every direction, at a distance of
        :math:`\sqrt{r + \kappa}` with :math:`\kappa = \max(0, 3 - r)`, so that no weight is
        negative; from r = 3 on, u has none and this is the spherical-radial cubature of degree 3.
        Its mean is right for every cubic. ``"gauss_hermite"``: the product of `n_nodes` nodes in
        each of the `n_directions` directions with the largest s, exact there for polynomials of
        degree 2 `n_nodes` - 1 in each. What f does along each further direction is added to it,
        f(lead, rest) = f(lead, 0) + sum_j [f(0, rest_j) - f(0, 0)], by a rule of three points
        each: interactions of those directions are left out.
    n_nodes : int
        At least 2. For ``"gauss_hermite"`` only, as the next.
    n_directions : int
        A step costs n_nodes^n_directions predictions and two for each further direction.
    function : {"path", "step"}
        As for `ExactMoments`.
    n_paths : int
        As for `ExactMoments`.

    Notes
    -----
    A prediction of a GP with m training rows is O(m^2), where an exact step in r uncertain lags
    is O(m^2 r): for a `Posterior`, exact moments cost about as much as ``"unscented"``.
    With the additive part of ``"gauss_hermite"`` the sum for E[sigma^2] can come out negative; it
    is then set to zero and counted. Directions in which S is zero do not matter to a forecast;
    the gradient along them is that at u. So it is where s_r is below 4e-11 (an input known to
    6e-6 length-scales), because differences between points so close have few digits left.

    References
    ----------
    Julier and Uhlmann (1997), "A new extension of the Kalman filter to nonlinear systems",
    section 3 (points and weights); Arasaratnam and Haykin (2009), "Cubature Kalman filters",
    section IV; Sarkka (2013), "Bayesian Filtering and Smoothing", section 6.3 (Gauss-Hermite).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(-3, 3, 40)[:, None]
    >>> gp = gf.models.GaussianProcess().fit(X, np.sin(X[:, 0]))
    >>> method = gf.propagation.Cubature("gauss_hermite", n_nodes=7)
    >>> f = gf.propagation.predict_uncertain(gp, [0.5], [[0.2]], method)
    >>> exact = np.sin(0.5) * np.exp(-0.1)  # E[sin x] for x ~ N(0.5, 0.2)
    >>> bool(abs(f.mean - exact) < 1e-3)
    True
    """

    rule: str = "unscented"
    n_nodes: int = 5
    n_directions: int = 3

    name: ClassVar[str] = "cubature"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.rule, "rule", ("unscented", "gauss_hermite"))
        how_many(self.n_nodes, "n_nodes", least=2)  # for a variance
        how_many(self.n_directions, "n_directions")
        if int(self.n_nodes) ** int(self.n_directions) > _MAX_POINTS:
            raise ValueError(
                f"n_nodes ** n_directions must be at most {_MAX_POINTS} points; got "
                f"{self.n_nodes} ** {self.n_directions}. Take fewer directions: those that are "
                f"left out of the product are added to it one by one."
            )

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d)."""
        d = u.shape[1]
        step = max(1, _BLOCK_ELEMENTS // (self._n_points(d) * max(1, d)))
        return in_blocks(partial(self._moments, predictive), step, u, S)

    def _moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        ell, slope = predictive.lengthscales, predictive.gradient(u)
        s, V = eigenbasis(S, ell)  # (b, r) and (b, d, r)
        # In a batch a direction is kept if any input needs it; to the others it is rounding.
        s = np.where(s > s.max(axis=1, initial=0.0)[:, None] * _EPS * S.shape[1], s, 0.0)
        b, r = s.shape
        groups = _unscented(s) if self.rule == "unscented" else self._gauss_hermite(r)
        xi = np.concatenate([points for points, _ in groups], axis=1)  # (b or 1, p, r)
        X = u[:, None] + ((xi * np.sqrt(s)[:, None]) @ np.swapaxes(V, 1, 2)) * ell
        at = predictive.predict(X.reshape(-1, X.shape[-1]))
        mu, sigma_sq = at.mean.reshape(X.shape[:2]), at.var.reshape(X.shape[:2])

        # The first group is one rule; each later one, which runs through u as its first
        # point, adds what it finds beyond f(u): independent directions, so variances add.
        mean, expected, spread = np.zeros(b), np.zeros(b), np.zeros(b)
        along = np.zeros((b, r))  # E[xi_r mu]
        first = 0
        for i, (points, w) in enumerate(groups):
            here = slice(first, first + w.shape[1])
            first = here.stop
            mu_0 = np.zeros(b) if i == 0 else mu[:, here.start]
            var_0 = np.zeros(b) if i == 0 else sigma_sq[:, here.start]
            level = (w * mu[:, here]).sum(axis=1)
            off = mu[:, here] - level[:, None]
            mean += level - mu_0
            expected += (w * sigma_sq[:, here]).sum(axis=1) - var_0
            spread += (w * off**2).sum(axis=1)
            along += np.einsum("bp,bpr->br", w * off, points)
        h = np.einsum("bdr,bd->br", V, ell * slope)  # the slope at u along each direction
        wide = s > _FLAT
        change = np.where(wide, along / np.sqrt(np.where(wide, s, 1.0)) - h, 0.0)
        spread[~wide.any(axis=1)] = 0.0  # rounding of mu alone; g'Sg is the variance then
        g = slope + np.einsum("bdr,br->bd", V, change) / ell
        linear = np.einsum("bd,bde,be->b", g, S, g)  # Var mu is no less, but for rounding
        var = np.maximum(expected, 0.0) + np.maximum(spread, linear)
        # Not a clip: rounding of a sum of weights of both signs.
        below = expected < -_EPS * 100.0 * sigma_sq.max(axis=1, initial=0.0)
        return Moments(mean, var, g, int(below.sum()) + at.n_clipped)

    def _n_points(self, r: int) -> int:
        k = min(self.n_directions, r)
        return 2 * r + 1 if self.rule == "unscented" else self.n_nodes**k + 3 * (r - k)

    def _gauss_hermite(self, r: int) -> list[tuple[FloatArray, FloatArray]]:
        """Return the product rule of the leading (last) directions, then one rule each other.

        Points (1, p, r) and weights (1, p) are the same for all inputs.
        """
        k = min(self.n_directions, r)
        t, w = np.polynomial.hermite_e.hermegauss(self.n_nodes)
        lead = np.zeros((self.n_nodes**k, r))
        lead[:, r - k :] = list(product(t, repeat=k))
        weights = np.prod(list(product(w / w.sum(), repeat=k)), axis=1)
        rules = [(lead[None], weights[None])]
        for j in range(r - k):
            three = np.zeros((1, 3, r))
            three[0, 1:, j] = np.sqrt(3.0), -np.sqrt(3.0)
            rules.append((three, np.array([[2.0, 0.5, 0.5]]) / 3.0))
        return rules


def _unscented(s: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return points (b, 2r + 1, r) and weights (b, 2r + 1), by the rank of each input itself."""
    b, r = s.shape
    live = s > 0.0
    rank = live.sum(axis=1)
    spread = np.maximum(rank, 3.0)  # r + kappa
    far = np.sqrt(spread)[:, None, None] * np.eye(r)
    points = np.concatenate([np.zeros((b, 1, r)), far, -far], axis=1)
    side = live * (0.5 / spread)[:, None]
    return [(points, np.concatenate([(1.0 - rank / spread)[:, None], side, side], axis=1))]


def by_moments(*predictives: Predictive, function: str = "path") -> ExactMoments | Cubature:
    """Return exact moments, or cubature if one of the models does not have them."""
    exact = all("exact" in supported(one) for one in predictives)
    return ExactMoments(function=function) if exact else Cubature(function=function)


class ByMoments:
    """A method without closed-form moments, where a Gaussian is needed, as for missing values."""

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d), by the best closed form."""
        return by_moments(predictive).moments(predictive, u, S)
