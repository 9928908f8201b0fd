"""Which structural models forecast beside the one-step model, and how much each counts.

A series and its logarithm, with a season and without, are modelled; evidence says how much each of
these counts among them (`gpforecast.structural`). How much they count beside the one-step model is
one half, moved by forecasts from the series' own past: those of the transforms that were chosen
(`judge.trial`), and those of the structural models from the same origins.
"""

import logging
from collections.abc import Sequence
from itertools import product

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import is_constant
from gpforecast.automatic.origins import trial_origins
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import compared, in_digits
from gpforecast.results.mixture import Mixture
from gpforecast.results.warped import distribution_of
from gpforecast.structural import Ensemble, Member, StructuralModel
from gpforecast.transforms import Chain, Log

logger = logging.getLogger(__name__)

ALONE = "no structural model (of level, slope and season) is averaged in"
_WITHOUT_SEASON = (
    "no structural model (of level and slope, as {} steps are too long a season) is averaged in"
)


def choose_ensemble(
    y: FloatArray,
    period: int | None,
    horizon: int,
    own_crps: float,
    warps: Sequence[Log | None] | None = None,
    *,
    n_newest: int = th.NEWEST_VALUES,
) -> Decision[Ensemble | None]:
    """Return the structural models that forecast a series beside its one-step model.

    Parameters
    ----------
    y : ndarray (n,)
        NaN where missing.
    period : int or None
        The season that was found, or that the index suggests.
    horizon : int
        Steps of the forecasts that were tried; 0 if none were.
    own_crps : float
        Their mean CRPS with the chosen transforms, in the units of the series.
    warps : sequence of Log or None, optional
        What may be modelled. By default the series and, if it is positive, its logarithm.
    n_newest : int
        Of how many values, at most, the trial forecasts were.

    Notes
    -----
    Two to four fits of a structural model to the newest values, some 20 milliseconds each.
    """
    newest = y[-th.ENSEMBLE_VALUES :]
    known = newest[~np.isnan(newest)]
    if len(known) < th.ENSEMBLE_FEWEST:
        return Decision(None, f"{ALONE}: fewer than {th.ENSEMBLE_FEWEST} values")
    if is_constant(known):
        return Decision(None, f"{ALONE}: the series is constant")
    float64, square = np.finfo(np.float64), float(np.ptp(known)) * float(np.ptp(known))
    if not float64.tiny / float64.eps**2 < square < float64.max * float64.eps**2:
        return Decision(None, f"{ALONE}: the values are too large or too small for its arithmetic")
    seasons: list[int | None] = [None]
    if period is not None and period <= th.ENSEMBLE_LONGEST_SEASON and len(known) > period + 2:
        seasons = [period, None]
    if warps is None:
        warps = [None, Log()] if known.min() > 0.0 else [None]
    if not warps:
        return Decision(None, f"{ALONE}: none knows its transform")
    members, logs = [], []
    for warp, season in product(warps, seasons):
        z = newest if warp is None else np.log(newest)
        posterior = StructuralModel(season).fit(z)
        members.append(Member(posterior, warp))
        logs.append(posterior.log_evidence - (0.0 if warp is None else float(np.log(known).sum())))
    among = np.exp(np.array(logs) - max(logs))
    among /= among.sum()
    among[[_too_wide(member, newest, horizon) for member in members]] = 0.0
    if not among.any():
        return Decision(None, f"{ALONE}: its forecasts of this series would be far too wide")
    among /= among.sum()
    kept = np.flatnonzero(among >= th.ENSEMBLE_LEAST_WEIGHT)
    among = among[kept] / among[kept].sum()
    chosen = tuple(members[i] for i in kept)

    own, why = th.ENSEMBLE_OWN, "no forecasts were compared, so both count alike"
    theirs = np.nan
    if horizon and np.isfinite(own_crps):
        theirs = _crps(chosen, among, y, horizon, n_newest)
    if np.isfinite(theirs) and max(theirs, own_crps) > 0.0:
        own = _probability(th.ENSEMBLE_OWN, own_crps, theirs)
        figures = f"CRPS {in_digits(theirs)} against {in_digits(own_crps)}"
        why = (
            f"in trial forecasts of {counted(horizon, 'step')} the error of the structural models "
            f"is {compared(theirs, own_crps)} that of the model with lags ({figures})"
        )
    if own > 1.0 - th.ENSEMBLE_LEAST_WEIGHT:
        long = period is not None and period > th.ENSEMBLE_LONGEST_SEASON
        return Decision(None, f"{_WITHOUT_SEASON.format(period) if long else ALONE}: {why}")
    weights = np.array([own, *((1.0 - own) * among)])
    seen = int((~np.isnan(y)).sum())
    unseen = th.ENSEMBLE_SURPRISE * min(1.0, th.ENSEMBLE_SURPRISE_VALUES / seen)
    surprise = unseen, th.ENSEMBLE_WIDENING
    return Decision(Ensemble(chosen, weights / weights.sum(), *surprise), why)


def warps_like(chain: Chain) -> list[Log | None]:
    """Return what may be modelled beside effects of inputs on the series or on its logarithm."""
    if chain.warp is None:
        return [None]
    return [Log()] if chain.warp == Log() else []


def _too_wide(member: Member, y: FloatArray, horizon: int) -> bool:
    """Return whether forecasts of the logarithm become so wide that their means mean little."""
    if member.warp is None:
        return False
    steps = max(horizon, th.TRIAL_STEPS)
    last = member.ahead(y, np.array([len(y)]), steps).covariance[0]
    return bool(last.diagonal().max() > th.ENSEMBLE_WIDEST_LOG**2)


def _probability(before: float, own: float, others: float) -> float:
    """Return the probability of the own model, by mean errors that are not both 0."""
    worst = max(own, others)
    for_own, for_others = (
        share * (error / worst) ** th.ENSEMBLE_POWER
        for share, error in ((before, others), (1.0 - before, own))
    )
    return float(for_own / (for_own + for_others))


def _crps(
    members: tuple[Member, ...],
    weights: FloatArray,
    y: FloatArray,
    horizon: int,
    n_newest: int = th.NEWEST_VALUES,
) -> float:
    """Return the mean CRPS of the members' forecasts from the origins of the trials.

    Their few hyperparameters have seen the values that are forecast. NaN if nothing was.
    """
    known = np.flatnonzero(~np.isnan(y))
    begin = max(int(known[0]), int(known[-1]) + 1 - n_newest)
    origins = trial_origins(int(known[-1]) + 1 - begin, horizon) + begin
    if not len(origins):
        return np.nan
    ahead = (distribution_of(one.ahead(y, origins, horizon), one.warp) for one in members)
    joint = Mixture(weights, tuple(ahead))
    truth = y[origins[:, None] + np.arange(horizon)]
    scores = joint.crps(truth)
    return float(scores[~np.isnan(scores)].mean()) if not np.isnan(scores).all() else np.nan
