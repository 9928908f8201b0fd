"""Whether the level of a series wanders."""

import warnings
from typing import Literal, TypeAlias

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.predictability import is_constant, unexplained
from gpforecast.common.types import FloatArray

Level: TypeAlias = Literal["wanders", "line", "constant", "undecided"]


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
            f"KPSS {_verb(rejects)} a constant level (p {constant:.2g}), ADF {_verb(adf_rejects)} "
            f"a wandering one (p {root:.2g}{often if th.ADF_REJECTS <= root < enough else ''})"
        )
        if adf_rejects or not (rejects or missed):
            weak = (
                len(y) < th.UNDECIDED_VALUES
                and root >= th.UNDECIDED_ADF
                and left >= th.UNDECIDED_UNEXPLAINED
            )
            tail = ", and ADF decides" if rejects else ""
            return Decision("undecided" if weak else "constant", why + tail)
        line = float(kpss(y, "ct", nlags="auto")[1])
        around = float(adfuller(y, regression="ct")[1])
    if around < th.LINE_ADF and line > th.KPSS_REJECTS:
        around_line = f"around a straight line ADF rejects it (p {around:.2g}) and KPSS nothing"
        return Decision("line", f"{why}; {around_line} (p {line:.2g})")
    return Decision("wanders", why if rejects else f"{why}, and its steps cannot be predicted")


def _verb(rejects: bool) -> str:
    return "rejects" if rejects else "does not reject"
