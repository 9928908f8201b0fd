"""What is known of candidates before a series is tried, and of the width of their mixture.

The weight of candidate c is proportional to

    exp(b_c' phi - kappa log(CRPS_c / CRPS_best))

with features phi of the series and the CRPS of forecasts from its own past. Standard deviations of
the mixture at step k are multiplied by exp(c' psi + d log k); psi are phi, the logarithm of the
standardised errors of the candidates, and the entropy of the weights. ``prior.json`` holds b,
kappa, c and d, and what they were learned from (``benchmarks/accuracy/learn_prior.py``): they
minimise the mean logarithm of the CRPS, and the interval score, over thousands of series.

References
----------
Montero-Manso, Athanasopoulos, Hyndman and Talagala (2020), "FFORMA: Feature-based forecast model
averaging"; Yao, Vehtari, Simpson and Gelman (2018), "Using stacking to average Bayesian predictive
distributions".
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.features import unexplained
from gpforecast.automatic.judge import noise_left
from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import FloatArray

FEATURES = (
    "one",
    "log n",
    "log seasons",
    "lag 1",
    "lag 1 of differences",
    "season of differences",
    "lag 2 around the line",
    "variance of the line",
    "positive",
    "log variation",
    "no season",
    "short season",
    "long season",
    "unexplained",
    "strength of season",
    "spread by level",
    "entropy",
    "noise",
)
_WIDEST = 2.0  # logarithm of the largest factor of the width


def features(y: FloatArray, period: int | None) -> FloatArray:
    """Return the features of a series, as `FEATURES` names them.

    Autocorrelations of the values, of the differences (also over a season) and of the residuals
    around a straight line (at lag 2); the share of variance that the line explains (Hyndman, Wang
    and Laptev, 2015); the coefficient of variation; what an autoregression leaves of the steps; the
    strength of the season of the differences; how the spread grows with the level; the spectral
    entropy around the line; the share of the variance of the steps that a function of a few lags,
    of any form, leaves as noise.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps, not constant.
    period : int or None
        Steps of the season.
    """
    n, m = len(y), period or 1
    t, d = np.linspace(-1.0, 1.0, n), np.diff(y)
    left = y - np.polyval(np.polyfit(t, y, 1), t)
    left_by_lags = unexplained(y) if n >= th.FEWEST_VALUES else 1.0
    variation = float(np.std(y)) / max(abs(float(np.mean(y))), np.finfo(float).tiny)
    return np.array(
        [
            1.0,
            np.log(n) - 4.0,
            np.log1p(n / m) - 2.0,
            _autocorrelation(y, 1),
            _autocorrelation(d, 1),
            _autocorrelation(d, m) if m > 1 else 0.0,
            _autocorrelation(left, 2),
            1.0 - float(np.var(left)) / float(np.var(y)),
            float(y.min() > 0.0),
            float(np.clip(np.log(variation + 1e-3), -5.0, 2.0)) + 1.5,
            float(m == 1),
            float(1 < m < 12),
            float(m >= 12),
            np.log10(max(left_by_lags, 1e-5)),
            _strength(d, m) if m > 1 else 0.0,
            _spread_by_level(y, max(m, 4)) if y.min() > 0.0 else 0.0,
            _entropy(left),
            np.log10(max(noise_left(y), 1e-5)) if n >= th.FEWEST_VALUES else 0.0,
        ]
    )


def _strength(d: FloatArray, m: int) -> float:
    """Return the share of the variance of differences that the means of m seasons explain."""
    if len(d) < 2 * m:
        return 0.0
    means = np.array([d[k::m].mean() for k in range(m)])
    n, whole = len(d), float(np.var(d))
    left = float(np.sum((d - np.resize(means, n)) ** 2)) / (n - m)
    return max(0.0, 1.0 - left / whole) if whole > 0.0 else 0.0


def _spread_by_level(y: FloatArray, m: int) -> float:
    """Return the slope of log spread over log level of blocks of m values (Guerrero, 1993).

    0 where the spread stays, 1 where it grows as the level does; shrunk where levels differ little.
    """
    blocks = y[len(y) % m :].reshape(-1, m)
    level, spread = np.log(blocks.mean(axis=1)), np.diff(blocks, axis=1).std(axis=1)
    known = spread > 0.0
    if known.sum() < 3:
        return 0.0
    x, z = level[known] - level[known].mean(), np.log(spread[known])
    return float(np.clip(x @ (z - z.mean()) / (x @ x + 0.1), -2.0, 2.0))


def _entropy(x: FloatArray) -> float:
    """Return the entropy of the spectrum as a share of that of noise (Goerg, 2013)."""
    power = np.abs(np.fft.rfft(x)[1:]) ** 2
    if len(power) < 2 or not power.sum() > 0.0:
        return 1.0
    p = power / power.sum()
    return -float(np.sum(p * np.log(np.maximum(p, 1e-300)))) / float(np.log(len(p)))


def _autocorrelation(x: FloatArray, lag: int) -> float:
    x = x - x.mean()
    whole = float(x @ x)
    return float(x[lag:] @ x[:-lag]) / whole if whole > 0.0 and len(x) > lag + 1 else 0.0


@dataclass(frozen=True, eq=False)
class Prior:
    """Weights of candidates and the width of their mixture, learned from other series.

    Attributes
    ----------
    names : tuple of str
        The candidates.
    B : ndarray (candidates, features)
    kappa : float
    width : ndarray (features + 2,)
        Of phi, log standardised error and entropy.
    growth : float
        Power of the step.
    """

    names: tuple[str, ...]
    B: FloatArray
    kappa: float
    width: FloatArray
    growth: float

    def __post_init__(self) -> None:
        check_shapes(self, B=(len(self.names), len(FEATURES)), width=(len(FEATURES) + 2,))

    def log_mass(self, names: list[str], phi: FloatArray) -> FloatArray:
        """Return the log prior of some candidates, but for a constant."""
        return self.B[[self.names.index(name) for name in names]] @ phi

    def weights(self, names: list[str], phi: FloatArray, crps: FloatArray) -> FloatArray:
        """Return the weights of some candidates, by their mean CRPS (inf: impossible)."""
        return softmax(self.log_mass(names, phi) - self.kappa * log_ratios(crps))

    def factor(
        self, phi: FloatArray, errors: FloatArray, weights: FloatArray
    ) -> tuple[float, float]:
        """Return the logarithm of the factor of the width at step 1, and its power of the step."""
        psi = np.array([*phi, *width_features(errors, weights)])
        return float(np.clip(self.width @ psi, -_WIDEST, _WIDEST)), self.growth


def log_ratios(crps: FloatArray) -> FloatArray:
    """Return log CRPS over the best (..., c); inf where it is."""
    floor = 1e-3 * np.min(crps, axis=-1, where=np.isfinite(crps), initial=np.inf, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.min(crps, axis=-1, keepdims=True)
        return np.asarray(
            np.nan_to_num(np.log((crps + floor) / (best + floor)), nan=0.0, posinf=np.inf)
        )


def softmax(logs: FloatArray) -> FloatArray:
    """Return weights (..., c) in proportion to exp(logs)."""
    w = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(w / w.sum(axis=-1, keepdims=True))


def width_features(errors: FloatArray, weights: FloatArray) -> FloatArray:
    """Return what else decides on the width, of candidates (..., c).

    The weighted log root mean square of standardised errors, and the entropy of the weights.
    """
    within = np.log(np.clip(errors, 0.2, 5.0))
    spread = np.sum(weights * np.where(weights > 0.0, within, 0.0), axis=-1)
    entropy = -np.sum(weights * np.log(np.maximum(weights, 1e-12)), axis=-1)
    return np.stack([spread, entropy], axis=-1)


@cache
def shipped() -> Prior:
    """Return the prior that comes with the library."""
    text = files("gpforecast.automatic").joinpath("prior.json").read_text("utf-8")
    found = json.loads(text)
    rows = [found["candidates"][name] for name in found["candidates"]]
    return Prior(
        tuple(found["candidates"]),
        np.array(rows, dtype=np.float64),
        float(found["kappa"]),
        np.array(found["width"], dtype=np.float64),
        float(found["growth"]),
    )


_RIDGE = 1.0  # on the mean square of B, or of what it differs by
_KAPPA = 8.0  # at most: without a bound it runs to the best candidate alone
_N_NODES = 25
_FAR = 20.0  # CRPS of the best: forecasts that are further off count as so far


@dataclass(frozen=True, eq=False)
class Lesson:
    """What the later values of a series show of its candidates.

    The CRPS of a mixture of forecasts X is w' a - w' D w / 2, with a the mean of |X_c - y| and D
    that of |X_i - X_j|: it is best where forecasts differ.

    Attributes
    ----------
    phi : ndarray (p,)
    crps : ndarray (c,)
        Mean CRPS of trial forecasts; inf where a candidate was not tried.
    a : ndarray (c,)
        Over the CRPS of the best.
    D : ndarray (c, c)
    """

    phi: FloatArray
    crps: FloatArray
    a: FloatArray
    D: FloatArray

    @staticmethod
    def of(
        phi: FloatArray,
        crps: FloatArray,
        forecasts: Sequence[tuple[FloatArray, FloatArray, bool] | None],
        truth: FloatArray,
    ) -> "Lesson":
        """Return what forecasts, means and standard deviations (h,) and whether in logs, show."""
        nodes = scipy.special.ndtri((np.arange(_N_NODES) + 0.5) / _N_NODES)
        x = np.full((len(forecasts), len(truth), _N_NODES), np.nan)
        for c, forecast in enumerate(forecasts):
            if forecast is not None:
                mean, std, in_logs = forecast
                z = mean[:, None] + std[:, None] * nodes
                x[c] = np.exp(z) if in_logs else z
        x -= truth[:, None]
        own = np.abs(x[..., :, None] - x[..., None, :]).mean(axis=(1, 2, 3))
        best = float(np.nanmin(np.abs(x).mean(axis=(1, 2)) - 0.5 * own))
        best = max(best, float(np.finfo(np.float64).tiny))
        x = np.clip(x, -_FAR * best, _FAR * best)
        D = [np.abs(x[:, :, None, :] - one[None, :, :, None]).mean(axis=(1, 2, 3)) for one in x]
        there = np.isfinite(crps) & np.isfinite(x).all(axis=(1, 2))
        a = np.abs(x).mean(axis=(1, 2)) / best
        both = there[:, None] & there
        return Lesson(
            phi, np.where(there, crps, np.inf), np.where(there, a, 0.0),
            np.where(both, np.array(D) / best, 0.0),
        )  # fmt: skip


def learned_weights(
    lessons: Sequence[Lesson],
    start: tuple[FloatArray, float] | None = None,
    ridge: float = _RIDGE,
) -> tuple[FloatArray, float]:
    """Return B (c, p) and kappa, by series whose later values are known.

    They minimise the mean over series of the logarithm of the mixture's CRPS, with a ridge.

    Parameters
    ----------
    lessons : sequence of Lesson
    start : (ndarray (c, p), float), optional
        B and kappa towards which the ridge draws, by default 0 and 2.
    ridge : float
    """
    phi, crps, a = (np.array([getattr(one, k) for one in lessons]) for k in ("phi", "crps", "a"))
    D, (n, p), c = np.array([one.D for one in lessons]), phi.shape, crps.shape[1]
    B0, kappa0 = (np.zeros((c, p)), 2.0) if start is None else start
    there = np.isfinite(crps)
    worse = np.where(there, log_ratios(crps), 0.0)

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        B, kappa = x[:-1].reshape(c, p), x[-1]
        w = softmax(np.where(there, phi @ B.T - kappa * worse, -np.inf))
        Dw, off = np.einsum("nij,nj->ni", D, w), B - B0
        of_mixture = np.sum(w * (a - 0.5 * Dw), axis=1)
        g = a - Dw
        by = w * (g - np.sum(w * g, axis=1)[:, None]) / of_mixture[:, None] / n
        slope = by.T @ phi + 2.0 * ridge * off / B.size
        value = float(np.log(of_mixture).mean() + ridge * np.mean(off**2))
        return value, np.append(slope.ravel(), -(by * worse).sum())

    bounds = [(None, None)] * B0.size + [(0.0, _KAPPA)]
    found = scipy.optimize.minimize(
        loss,
        np.append(B0.ravel(), kappa0),
        method="L-BFGS-B",
        jac=True,
        bounds=bounds,
        options={"maxiter": 800},
    )
    return found.x[:-1].reshape(c, p), float(found.x[-1])
