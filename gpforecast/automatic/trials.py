"""Transforms that are tried on a series, and the plan that results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision
from gpforecast.automatic.judge import Part, Trial, parts_of, trial
from gpforecast.common.types import FloatArray
from gpforecast.transforms import Compose, Log
from gpforecast.transforms.base import Transform
from gpforecast.transforms.words import named as in_words

Steps = tuple[Transform, ...]


@dataclass(frozen=True)
class Before:
    """What is known of a series before effects or cycles were taken from it.

    Attributes
    ----------
    least : float
        The smallest value that it had: a logarithm or root would see it.
    in_logs : bool
        Whether the effects are those on its logarithm, which is then taken.
    """

    least: float = np.inf
    in_logs: bool = False

    def smallest(self, values: FloatArray) -> "Before":
        """Return the same, where the values (n,) were there before, too."""
        return replace(self, least=min(self.least, float(np.nanmin(values, initial=np.inf))))


NOTHING_BEFORE = Before()


@dataclass(frozen=True)
class TransformPlan:
    """Transforms, and what is known of a series with them.

    Attributes
    ----------
    transforms : Compose
    period : int or None
        Of the season that was found, in steps, be it taken away or left to the lags.
    horizon : int
        Steps of the forecasts of a trial; 0 where nothing was tried.
    crps : float
        Of a trial, in the units of the series; NaN where nothing was tried.
    smooth : bool
        Whether a few lags predict it almost wholly.
    cycles : tuple of float
        Periods of cycles that were taken away beside that season, such as a year of days.
    """

    transforms: Compose
    period: int | None = None
    horizon: int = 0
    crps: float = np.nan
    smooth: bool = False
    cycles: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Trials:
    """A series to try transforms on, and the logarithm that comes before them, if one does.

    Attributes
    ----------
    y : ndarray (n,)
        The series itself, which trials forecast.
    suggested : tuple of int
        Seasons that the index suggests, in steps.
    size : float
        What y is a share of: the largest value of the series.
    cycles : tuple of int
        Those of the seasons that were found in the values, not suggested by the index.
    known : Decision of int or None, optional
        The season that the user says there is, or that there is none: then none is looked for.
    warp : tuple of Log
    fits : dict
        Of transforms that were tried, with the horizon: several sets of lags share them.
    """

    y: FloatArray
    suggested: tuple[int, ...]
    size: float = 1.0
    cycles: tuple[int, ...] = ()
    known: Decision[int | None] | None = None
    warp: tuple[Log, ...] = ()
    fits: dict[tuple[Steps, int], list[Part]] = field(default_factory=dict, init=False)

    @property
    def z(self) -> FloatArray:
        """What tests look at: the series or its logarithm, (n,)."""
        return np.log(self.y) if self.warp else self.y

    def of(
        self,
        penalties: Mapping[Steps, float],
        period: int | None,
        horizon: int,
        sets: Sequence[Sequence[int]],
    ) -> list[Candidate[TransformPlan]]:
        """Try all steps that have a penalty, each with the best of some sets of lags."""
        tried = []
        for steps, penalty in penalties.items():
            transforms = Compose(*self.warp, *steps)
            score = min(self.trial(steps, lags, horizon).crps for lags in sets)
            plan = TransformPlan(transforms, period, horizon, self.size * score)
            words = in_words(transforms.steps)
            tried.append(Candidate(plan, named(steps), score, penalty, words))
        return tried

    def trial(self, steps: Steps, lags: Sequence[int], horizon: int) -> Trial:
        """Try some steps with some lags."""
        if (steps, horizon) not in self.fits:
            transforms = Compose(*self.warp, *steps)
            self.fits[steps, horizon] = parts_of(self.y, transforms, horizon)
        return trial(self.fits[steps, horizon], lags, horizon)


def trial_of(
    y: FloatArray, plan: TransformPlan, sets: Sequence[Sequence[int]] = (th.LAGS_NEAR,)
) -> Trial:
    """Try the transforms of a plan with the best of some sets of lags, by default the nearest."""
    parts = parts_of(y, plan.transforms, plan.horizon)
    return min((trial(parts, lags, plan.horizon) for lags in sets), key=lambda one: one.crps)


def named(steps: Steps) -> str:
    """Return what transforms are called among the scores."""
    return " and ".join(map(repr, steps)) or "nothing taken away"


def bridged(values: FloatArray) -> FloatArray:
    """Return the series from its first known value to its last, straight lines over the gaps."""
    known = np.flatnonzero(~np.isnan(values))
    if len(known) == 0:
        return values[:0]
    return np.interp(np.arange(known[0], known[-1] + 1), known, values[known])
