"""Whether the level of a series wanders, and how well a few lags predict its steps."""

import warnings
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


def unexplained(y: FloatArray) -> float:
    """Return the residual variance of an autoregression over the variance of the differences.

    About 1/2 for noise, 1 for a random walk, 1e-5 for a chaotic flow sampled finely.
    """
    p = min(th.UNEXPLAINED_LAGS, len(y) // 4)
    X = np.column_stack([np.ones(len(y) - p), *(y[p - j : len(y) - j] for j in range(1, p + 1))])
    X[:, 1:] -= y.mean()
    residual = y[p:] - y.mean()
    residual = residual - X @ np.linalg.lstsq(X, residual, rcond=None)[0]
    freedom = max(len(residual) - p - 1, 1)
    steps = float(np.diff(y).var())
    return float(residual @ residual) / freedom / steps if steps > 0 else 0.0


def level_of(y: FloatArray) -> Decision[Level]:
    """Tell a wandering level from a straight line and from a constant level, by KPSS and ADF.

    Parameters
    ----------
    y : ndarray (n,)
        From which no season has been removed: how well its steps can be predicted counts too.
    """
    from statsmodels.tsa.stattools import adfuller, kpss

    if is_constant(y):
        return Decision("constant", "all values are the same")
    left = unexplained(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        constant = float(kpss(y, "c", nlags="auto")[1])
        root = float(adfuller(y, regression="c")[1])
        # A wandering level crosses its mean about 0.8 sqrt(n) times, a cycle twice a period.
        turns = int((np.diff(np.sign(y - y.mean())) != 0).sum())
        enough = th.ADF_REJECTS if turns <= np.sqrt(len(y)) else th.ADF_REJECTS_IF_CROSSED_OFTEN
        # KPSS misses some random walks. Steps that cannot be predicted make up for its consent:
        # those of cycles and chaotic series can be.
        missed = (
            len(y) >= th.KPSS_MISSED_VALUES
            and root >= th.KPSS_MISSED_ADF
            and left >= th.KPSS_MISSED_UNEXPLAINED
        )
        rejects, adf_rejects = constant <= th.KPSS_REJECTS, root < enough
        often = f", below {enough:g} with its mean crossed {turns} times"
        why = (
            f"KPSS {_verb(rejects)} a constant level (p {constant:.2g}) and ADF "
            f"{_verb(adf_rejects)} a wandering one (p {root:.2g}"
            f"{often if th.ADF_REJECTS <= root < enough else ''})"
        )
        if adf_rejects or not (rejects or missed):
            weak = (
                len(y) < th.UNDECIDED_VALUES
                and root >= th.UNDECIDED_ADF
                and left >= th.UNDECIDED_UNEXPLAINED
            )
            tail = "; ADF decides" if rejects else ""
            return Decision("undecided" if weak else "constant", why + tail)
        line = float(kpss(y, "ct", nlags="auto")[1])
        around = float(adfuller(y, regression="ct")[1])
    if around < th.LINE_ADF and line > th.KPSS_REJECTS:
        around_line = f"around a straight line ADF rejects it (p {around:.2g}) and KPSS nothing"
        return Decision("line", f"{why}; {around_line} (p {line:.2g})")
    return Decision("wanders", why if rejects else f"{why}, and its steps cannot be predicted")


def _verb(rejects: bool) -> str:
    return "rejects" if rejects else "does not reject"
