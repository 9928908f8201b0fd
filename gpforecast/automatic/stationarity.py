"""Whether the level of a series wanders, and how well a few lags predict its steps."""

import warnings
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.common.types import FloatArray

Level: TypeAlias = Literal["wanders", "line", "constant", "undecided"]


def is_constant(y: FloatArray, source: FloatArray | None = None) -> bool:
    """Whether all values are the same, but for the rounding of what they were made from."""
    size = np.abs(y if source is None else source).max()
    return bool(np.ptp(y) <= th.CONSTANT * max(float(size), 1e-300))


def residuals(z: FloatArray, lags: Sequence[int]) -> FloatArray:
    """Return what a constant and some lags leave of a series by least squares, (n - last lag,)."""
    n, p = len(z), lags[-1]
    X = np.column_stack([np.ones(n - p), *(z[p - lag : n - lag] for lag in lags)])
    left: FloatArray = z[p:] - X @ np.linalg.lstsq(X, z[p:], rcond=None)[0]
    return left


def unexplained(y: FloatArray) -> float:
    """Return the residual variance of an autoregression over the variance of the differences.

    About 1/2 for noise, 1 for a random walk, 1e-5 for a chaotic flow sampled finely.
    """
    p = min(th.UNEXPLAINED_LAGS, len(y) // 4)
    left, steps = residuals(y - y.mean(), range(1, p + 1)), float(np.diff(y).var())
    freedom = max(len(left) - p - 1, 1)
    return float(left @ left) / freedom / steps if steps > 0 else 0.0


def level_of(y: FloatArray) -> Decision[Level]:
    """Tell a wandering level from a straight line and from a constant level, by KPSS and ADF.

    Parameters
    ----------
    y : ndarray (n,)
        From which no season has been removed: how well its steps can be predicted counts too.
    """
    if is_constant(y):
        return Decision("constant", "all values are the same")
    left = unexplained(y)
    constant, root = _p_values(y, "c")
    # A wandering level crosses its mean about 0.8 sqrt(n) times, a cycle twice a period.
    turns = int((np.diff(np.sign(y - y.mean())) != 0).sum())
    enough = th.ADF_REJECTS if turns <= np.sqrt(len(y)) else th.ADF_REJECTS_IF_CROSSED_OFTEN
    kpss_rejects, adf_rejects = constant <= th.KPSS_REJECTS, root < enough
    # KPSS misses some random walks. Steps that cannot be predicted make up for its consent:
    # those of cycles and chaotic series can be.
    missed = (
        len(y) >= th.KPSS_MISSED_VALUES
        and root >= th.KPSS_MISSED_ADF
        and left >= th.KPSS_MISSED_UNEXPLAINED
    )
    kpss_says, adf_says = (
        "rejects" if rejects else "does not reject" for rejects in (kpss_rejects, adf_rejects)
    )
    crossed = th.ADF_REJECTS <= root < enough
    often = f", below {enough:g} with its mean crossed {turns} times" if crossed else ""
    why = (
        f"KPSS {kpss_says} a constant level (p {constant:.2g}) and ADF {adf_says} a wandering one "
        f"(p {root:.2g}{often})"
    )
    if adf_rejects or not (kpss_rejects or missed):
        weak = (
            len(y) < th.UNDECIDED_VALUES
            and root >= th.UNDECIDED_ADF
            and left >= th.UNDECIDED_UNEXPLAINED
        )
        tail = "; ADF decides" if kpss_rejects else ""
        return Decision("undecided" if weak else "constant", why + tail)
    line, around = _p_values(y, "ct")
    if around < th.LINE_ADF and line > th.KPSS_REJECTS:
        around_line = f"around a straight line ADF rejects it (p {around:.2g}) and KPSS nothing"
        return Decision("line", f"{why}; {around_line} (p {line:.2g})")
    return Decision("wanders", why if kpss_rejects else f"{why}, and its steps cannot be predicted")


def _p_values(y: FloatArray, around: Literal["c", "ct"]) -> tuple[float, float]:
    """Return the p-values of KPSS and ADF, around a constant or around a line."""
    from statsmodels.tsa.stattools import adfuller, kpss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(kpss(y, around, nlags="auto")[1]), float(adfuller(y, regression=around)[1])
