"""What is known of candidates before a series is tried, and of the width of their mixture.

The weight of candidate c is proportional to

    exp(b_c' phi - kappa (n + 100) log(CRPS_c / CRPS_best))

with features phi of the series and the mean CRPS of n values of its own past: the more there are,
the more it tells. Standard deviations of the mixture at step k are multiplied by exp(a) k^d,
with

    a = (n_0 c' psi + n log s) / (n_0 + n)

where s is the root mean square of n standardised errors of the mixture in trial forecasts, and psi
are phi, how far apart the forecasts of its members were there, and the entropy of their weights:
what is known of other series counts as n_0 errors. ``prior.json`` holds b, kappa, c, d and n_0,
and what they were learned from (``benchmarks/accuracy/learn_prior.py``): they minimise the mean
logarithm of the CRPS, and the interval score, over thousands of series.

References
----------
Montero-Manso, Athanasopoulos, Hyndman and Talagala (2020), "FFORMA: Feature-based forecast model
averaging"; Yao, Vehtari, Simpson and Gelman (2018), "Using stacking to average Bayesian predictive
distributions".
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pandas as pd

from gpforecast.automatic.candidates import names as candidate_names
from gpforecast.automatic.features import enough_for_lags, unexplained
from gpforecast.automatic.grid import noise_left
from gpforecast.common.shapes import check_finite, check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.storage import storable

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
_LARGEST_ERROR = 5.0  # standard deviations, and the inverse of the smallest
_MORE_VALUES = 100.0  # values: any mean CRPS counts as if it were of so many more
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
    enough = enough_for_lags(n)
    left_by_lags = unexplained(y) if enough else 1.0
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
            np.log10(max(noise_left(y), 1e-5)) if enough else 0.0,
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


class InTrials(NamedTuple):
    """What trial forecasts show of a mixture.

    Attributes
    ----------
    error : float
        Root mean square of its standardised errors.
    n : float
        How many there are.
    disagreement : float
        Mean of log(1 + v), with v the variance over its members of their standardised errors.
    entropy : float
        Of the weights, in nats: 0 for one member.
    """

    error: float
    n: float
    disagreement: float
    entropy: float


@storable
@dataclass(frozen=True, eq=False, repr=False)
class Prior:
    """Weights of candidates and the width of their mixture, learned from other series.

    The weight of a candidate is proportional to ``exp(B phi - kappa (n + 100) log(CRPS / best))``,
    with features phi of the series and the mean CRPS of n values of its own past. The library comes
    with one, `forecast_panel` learns another by the panel's own series (``learn=True``), and
    `Forecaster` takes it as ``prior=``.

    Attributes
    ----------
    names : tuple of str
        The candidates.
    B : ndarray (candidates, features)
    kappa : float
    width : ndarray (features + 2,)
        Of phi, and of the disagreement and the entropy of a mixture: the logarithm of the factor of
        all standard deviations.
    n_errors : float
        How many standardised errors in trial forecasts that counts as.
    growth : float
        Power of the step.
    lowest, highest : ndarray (features,)
        Between which the features of all but a few of the series lay.

    Examples
    --------
    >>> from gpforecast.automatic.prior import shipped
    >>> shipped().to_frame().loc[["level", "line"], ["one", "log n"]].shape
    (2, 2)
    """

    names: tuple[str, ...]
    B: FloatArray
    kappa: float
    width: FloatArray
    n_errors: float
    growth: float
    lowest: FloatArray
    highest: FloatArray

    def __post_init__(self) -> None:
        p = len(FEATURES)
        check_shapes(self, B=(len(self.names), p), width=(p + 2,), lowest=(p,), highest=(p,))
        check_finite(self, "B", "kappa", "width", "n_errors", "growth", "lowest", "highest")
        if missing := sorted({*candidate_names()} - {*self.names}):
            raise ValueError(f"names of Prior must hold every candidate; {missing[0]!r} is missing")

    def __repr__(self) -> str:
        """Say how many candidates it weighs, and what a better score counts."""
        return f"Prior({len(self.names)} candidates, kappa={self.kappa:.3g})"

    def to_frame(self) -> pd.DataFrame:
        """Return what the logarithm of a weight is linear in.

        Returns
        -------
        DataFrame (candidates, features + 1)
            B by feature, and last ``"log crps"``, of the mean CRPS over the best, times the
            number of values that were forecast and a hundred: -kappa for all.
        """
        frame = pd.DataFrame(self.B, pd.Index(self.names, name="candidate"), [*FEATURES])
        return frame.assign(**{"log crps": -self.kappa})

    def log_mass(self, names: list[str], phi: FloatArray) -> FloatArray:
        """Return the log prior of some candidates, but for a constant."""
        return self.B[[self.names.index(name) for name in names]] @ self.within(phi)

    def within(self, phi: FloatArray) -> FloatArray:
        """Return features (..., p) no further out than those of the series learned from."""
        return np.clip(phi, self.lowest, self.highest)

    def weights(self, names: list[str], phi: FloatArray, crps: FloatArray, n: float) -> FloatArray:
        """Return the weights of some candidates, by their mean CRPS (inf: impossible) of n."""
        possible = np.isfinite(crps)
        worse = self.kappa * worth(n) * np.where(possible, log_ratios(crps), 0.0)
        return softmax(np.where(possible, self.log_mass(names, phi) - worse, -np.inf))

    def factor(self, phi: FloatArray, shown: InTrials) -> tuple[float, float]:
        """Return the logarithm of the factor of the width at step 1, and its power of the step.

        Parameters
        ----------
        phi : ndarray (p,)
        shown : InTrials
            By the mixture.
        """
        error, n, *of_mixture = shown
        known = np.append(self.within(phi), of_mixture) @ self.width
        return float(log_width(known, error, n / (n + self.n_errors))), self.growth


def worth(n: FloatArray | float) -> FloatArray:
    """Return what a mean CRPS of n values counts."""
    return np.asarray(n + _MORE_VALUES, dtype=np.float64)


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


def log_width(
    known: FloatArray, error: FloatArray | float, share: FloatArray | float
) -> FloatArray:
    """Return the logarithm of a factor of the width, of which the series' own errors have a share.

    Parameters
    ----------
    known : ndarray (...,)
        The same by other series.
    error : ndarray (...,) or float
        Root mean square of the standardised errors.
    share : ndarray (...,) or float
    """
    own = np.log(np.clip(error, 1.0 / _LARGEST_ERROR, _LARGEST_ERROR))
    return np.asarray(np.clip((1.0 - share) * known + share * own, -_WIDEST, _WIDEST))


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
        float(found["n_errors"]),
        float(found["growth"]),
        np.array(found["lowest"], dtype=np.float64),
        np.array(found["highest"], dtype=np.float64),
    )
