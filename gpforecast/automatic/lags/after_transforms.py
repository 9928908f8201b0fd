"""Which lags a series is given after its transforms, and why."""

from collections.abc import Sequence

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import unexplained
from gpforecast.automatic.judge import left_out
from gpforecast.automatic.lags.choice import choose_lags
from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.wording import named_lags
from gpforecast.models import GaussianProcess

Lags = tuple[int, ...]


def lags_of_process(
    z: FloatArray, period: int | None
) -> tuple[Decision[Lags], GaussianProcess | None]:
    """Return lags by forecasts of a Gaussian process, and the model that judged them, or None.

    Lag 1 is added unless the series is smooth: without it, errors of neighbouring steps would share
    none of their inputs and count as independent, and totals over a horizon would be too sure. A
    series with next to no noise keeps the model that judged its lags, with one length-scale for all
    of them: with one for each, the evidence of noise-free rows drives the signal variance to
    hundreds of times the series' own, and error bars with it once a forecast leaves the rows.

    Parameters
    ----------
    z : ndarray (n,)
        Without gaps.
    period : int or None
        Steps of its season.
    """
    choice = choose_lags(z, period=period, max_lags=max(len(z) // th.VALUES_A_LAG, 1))
    left = unexplained(z) if len(z) >= th.FEWEST_VALUES else 0.0
    if left >= th.SMOOTH and choice.lags[0] != 1:
        why = f"{choice.reason}; lag 1 was added, as the series is not smooth"
        return Decision((1, *choice.lags), why), None  # it was judged without lag 1
    quiet = float(choice.model.noise_var or 0.0) <= th.QUIET_NOISE
    standardised = (z - z.mean()) / (float(z.std()) or 1.0)
    quiet = quiet and left_out(standardised, choice.lags, choice.model) <= th.FOLLOWS_A_MAP
    return Decision(choice.lags, choice.reason), choice.model if quiet else None


def affordable(decision: Decision[Lags], holes: BoolArray) -> Decision[Lags]:
    """Return those of the lags that leave enough rows without a missing value.

    The rows that remain must be six a lag. The lag that frees most rows is dropped first; of
    equals, the furthest.

    Parameters
    ----------
    decision : Decision of lags
    holes : ndarray (m,) of bool
        Where the transformed series is missing.
    """
    if not holes.any():
        return decision
    kept = decision.value
    targets = np.arange(max(kept), len(holes))

    def rows(chosen: Sequence[int]) -> int:
        """Return how many targets are known together with these lags of theirs."""
        return int((~holes[targets[:, None] - np.array([0, *chosen])]).all(axis=1).sum())

    while len(kept) > 1 and rows(kept) < th.VALUES_A_LAG * len(kept):
        without = [kept[:i] + kept[i + 1 :] for i in range(len(kept))]
        kept = max(without, key=lambda chosen: (rows(chosen), chosen[0] == 1, -sum(chosen)))
    if kept == decision.value:
        return decision
    why = f"{decision.reason}; of these, only {named_lags(kept)}, because of missing values"
    return Decision(kept, why, decision.scores)
