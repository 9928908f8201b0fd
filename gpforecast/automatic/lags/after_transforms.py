"""Which lags a series is given after its transforms, and why."""

from collections.abc import Sequence

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import lags_of_short
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.automatic.features import n_newest, unexplained
from gpforecast.automatic.judge import left_out, parts_of, trial
from gpforecast.automatic.lags.candidates import seasonal_sets
from gpforecast.automatic.lags.choice import choose_lags
from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import compared, named_lags
from gpforecast.models import GaussianProcess
from gpforecast.transforms import Chain, Compose

Lags = tuple[int, ...]


def lags_after(
    chain: Chain, y: FloatArray, z: FloatArray
) -> tuple[Decision[Lags], GaussianProcess | None]:
    """Return lags for a transformed series, and the model that judged them if it is to be kept.

    With a season, lags are around it. Where a short season was removed, few may be enough: the
    simplest set whose trials are within a twentieth of the best. Steps of a wandering level have
    little structure, and four lags are enough.

    Lags of other series are chosen by forecasts of a Gaussian process
    (`gpforecast.lags.choose_lags`). Lag 1 is added unless the series is smooth: without it, errors
    of neighbouring steps would share none of their inputs and count as independent, and totals over
    a horizon would be too sure. If the series is noisy, lags 1 to 8 are taken where a plain
    autoregression with them forecasts better by a tenth. A series with next to no noise keeps the
    model that judged its lags, with one length-scale for all of them, or one like it
    (`gpforecast.automatic.training`): with one for each, the evidence of noise-free rows drives the
    signal variance to hundreds of times the series' own, and error bars with it once a forecast
    leaves the rows.

    Parameters
    ----------
    chain : Chain
    y : ndarray (n,)
        The series without gaps.
    z : ndarray (m,)
        Transformed, without what was lost to differences and without gaps.
    """
    n, period = len(z), chain.period
    longest = n // 3
    if chain.n_lost > 0 and n + chain.n_lost <= th.SHORT_VALUES:
        lags = lags_of_short(n, chain.n_lost, period)
        far = period is not None and max(lags) >= period
        around = f" and those around the season of {period} steps" if far else ""
        newest = "the newest value" if lags == (1,) else "the newest values"
        why = (
            f"{newest}{around}, without a trial: {n} changes of the series are too few to tell "
            f"other lags from chance"
        )
        return Decision(lags, why), None
    if period is not None and period + 1 <= longest:
        return _around_season(chain, period, y, z), None
    if chain.n_lost > 0 and longest >= len(th.LAGS_NEAR):
        why = "the newest changes: where a level wanders, its changes depend little on older ones"
        return Decision(th.LAGS_NEAR, why), None
    most = int(np.clip(n // th.VALUES_A_LAG, 1, th.MOST_LAGS))
    few = n < th.FEW_VALUES_FOR_LAGS
    season = 0 if period is None else period + 1
    affords = int(np.clip(max(n // th.VALUES_A_LAG, season), 1, max(n // 4, 1)))
    choice = choose_lags(z, affords if few else None, period=period, max_lags=most)
    quiet = not few and float(choice.model.noise_var or 0.0) <= th.QUIET_NOISE
    quiet = quiet and left_out(z, choice.lags, choice.model) <= th.QUIET_LEFT_OUT
    decision, model = Decision(choice.lags, choice.reason), choice.model if quiet else None
    left = unexplained(z) if n >= th.FEWEST_VALUES else 0.0
    if left >= th.SMOOTH and choice.lags[0] != 1:
        why = f"{choice.reason}; lag 1 was added, as the series is not smooth"
        decision, model = Decision((1, *choice.lags), why), None  # it was judged without lag 1
    if left >= th.NOISY_STEPS and most >= len(th.LAGS_FURTHER) > max(decision.value):
        horizon = min(n // th.HORIZON_PARTS, th.TRIAL_STEPS)
        parts = parts_of(z, Compose(), horizon)
        penalties = {decision.value: th.MARGIN_LAGS_IN_A_ROW, th.LAGS_FURTHER: 1.0}
        tried = [
            Candidate(lags, named_lags(lags), trial(parts, lags, horizon).crps, penalty)
            for lags, penalty in penalties.items()
        ]
        judged = f"trial forecasts of {counted(horizon, 'step')} by a linear model"
        better = best_of(tried, "the series is noisy", judged=judged, unit="standard deviations")
        if better.value == th.LAGS_FURTHER:
            return better, None
    return decision, model


def affordable(decision: Decision[Lags], holes: BoolArray) -> Decision[Lags]:
    """Return those of the lags that leave enough rows without a missing value.

    The rows that remain must be five a lag and half of those with lag 1 alone. The lag that frees
    most rows is dropped first; of equals, the furthest.

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

    enough = th.ROWS_LEFT_BY_GAPS * rows([1])
    while len(kept) > 1 and rows(kept) < max(th.ROWS_A_LAG_BESIDE_GAPS * len(kept), enough):
        without = [kept[:i] + kept[i + 1 :] for i in range(len(kept))]
        kept = max(without, key=lambda chosen: (rows(chosen), chosen[0] == 1, -sum(chosen)))
    if kept == decision.value:
        return decision
    why = f"{decision.reason}; of these, only {named_lags(kept)}, because of missing values"
    return Decision(kept, why, decision.scores)


def _around_season(chain: Chain, period: int, y: FloatArray, z: FloatArray) -> Decision[Lags]:
    """Return lags around a season, fewer if a trial says that fewer are enough."""
    sets = seasonal_sets(period, len(z) // 3)
    if chain.spec.period is None or period > th.LONGEST_SEASON_FOR_FEW_LAGS:
        why = f"the newest values, and those around the season of {period} steps"
        return Decision(tuple(sets[-1]), why)
    horizon = min(2 * period, len(z) // th.HORIZON_PARTS, th.TRIAL_STEPS_SEASONAL)
    parts = parts_of(y[-n_newest([period]) :] / float(np.abs(y).max()), chain.spec, horizon)
    scores = {tuple(lags): trial(parts, lags, horizon).crps for lags in sets}
    best = min(scores.values())
    kept = next(lags for lags, score in scores.items() if score <= th.AS_GOOD_AS_BEST * best)
    alike = sum(score <= th.AS_GOOD_AS_BEST * best for score in scores.values())
    which = f"the simplest of the {alike} sets that forecast about as well as the best"
    if alike == 1:
        which = f"of {len(sets)} sets the one that forecasts best"
    reason = f"{named_lags(kept)}: {which}; the season of {period} steps itself is taken away"
    if np.inf > scores[kept] > best > 0.0:
        reason += (
            f"\nin trial forecasts of {counted(horizon, 'step')} with this season taken away its "
            f"error is {compared(scores[kept], best)} that of the best set"
        )
    return Decision(kept, reason, {named_lags(lags): score for lags, score in scores.items()})
