"""Lags that missing values leave enough rows for."""

from collections.abc import Sequence

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.lags.trial import Lags
from gpforecast.common.types import BoolArray
from gpforecast.common.wording import named_lags


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
