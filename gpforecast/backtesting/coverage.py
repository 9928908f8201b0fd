"""How often intervals held the truth, in words, and how sure that is."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from gpforecast.backtesting.errors import FEWEST, error_of_share, n_separate_of
from gpforecast.backtesting.scored import ScoredForecasts
from gpforecast.common.validation import counted, per_cent

CLEAR = 2.0  # standard errors: what lies within them can be chance
NO_WIDTH = 0.005  # a factor that is no advice: nothing varied, as in a constant series
RIGHT = "as wide as they should be, as far as this test can tell"
_TOO_FEW = "too few separate tests to judge"
_EQUAL = "they cannot be narrower, as many values are equal"
_EXACT = "wider than needed, as the forecasts were all but exact"
_WEAK = 0.15  # of what chance can do: a test that would miss large faults
SLIGHT = 0.07  # of the level, that intervals miss
_UNCERTAIN = 0.025  # of the level: what is closer is called right, however large the test
_FEW_MARGIN = 1.25  # of what chance can do, where so few tests are judged
_ALIKE = 0.5  # separate forecasts that hold all or nothing, added where intervals held too much
_CORRECTABLE = 49  # values that `calibrate` needs
_MORE_TOLD = 1.2  # times as many separate forecasts are worth more origins
_ORIGINS = 200  # the least number of them that is advised


@dataclass(frozen=True)
class Coverage:
    """How often intervals held the truth.

    Attributes
    ----------
    level, held : float
        What they should have held, and what they did, as fractions.
    n_values : int
        How many values that was counted on; one that several forecasts share counts for each.
    error : float
        Standard error of `held`, for forecasts that overlap.
    n_separate : float
        To how many forecasts that do not overlap they are equivalent.
    factor : float
        Intervals so many times as wide would have held the share of the level.
    correction : str
        How they can be corrected, or why they were not; "" where nothing is known of that.
    more : str
        What tests would tell more.
    """

    level: float
    held: float
    n_values: int
    error: float
    n_separate: float
    factor: float
    correction: str = ""
    more: str = "shorter forecasts, or a longer series"

    @property
    def chance(self) -> float:
        """How far chance alone can move the share, to the side on which it lies.

        Where it is too large, hardly any forecast failed, and those that did not fail do not show
        how alike values of a forecast are. Half a separate forecast is added that holds all or
        nothing, so that right intervals are seldom called too wide.
        """
        if self.held <= self.level:
            return CLEAR * self.error
        n, most = self.n_separate, self.level * (1.0 - self.level) / self.n_separate
        return CLEAR * float(np.sqrt((n * self.error**2 + _ALIKE * most) / (n + _ALIKE)))

    @property
    def finding(self) -> Literal["narrow", "wide", ""]:
        """Which fault there is that chance does not explain."""
        gap, margin = self.held - self.level, _FEW_MARGIN if self._few else 1.0
        if abs(gap) <= margin * self.chance or self.factor < NO_WIDTH:
            return ""
        return "narrow" if gap < 0.0 else "wide"

    @property
    def verdict(self) -> str:
        """The verdict in a few words, with what chance can do taken into account."""
        if self.factor < NO_WIDTH:
            return _EXACT
        if self.finding == "wide":
            return "wider than needed" if self.factor < 1.0 else _EQUAL
        if self.finding:
            return "too narrow"
        if self._perhaps:
            few = ", but there are too few separate tests to be sure" if self._few else ""
            return f"perhaps {'too narrow' if self.held < self.level else 'wider than needed'}{few}"
        if self._few:
            return _TOO_FEW
        sure = self.chance <= _WEAK
        return RIGHT if sure else "nothing speaks against them, but the test is weak"

    @property
    def unknown(self) -> bool:
        """Whether the tests are too few to say anything."""
        return self.verdict == _TOO_FEW

    @property
    def _few(self) -> bool:
        return self.n_separate < FEWEST

    @property
    def _perhaps(self) -> bool:
        """Whether the share is off by more than half of what chance can do, and by no trifle."""
        gap = self.held - self.level
        if abs(gap) <= max(self.chance / 2.0, _UNCERTAIN) or self._says_nothing:
            return False
        return gap < 0.0 or (not self._few and self.factor < 1.0)

    @property
    def _says_nothing(self) -> bool:
        """Whether chance moves the figure so far that it means nothing."""
        return self.chance >= self.level / 2.0

    @property
    def sentence(self) -> str:
        """What was counted, the verdict, and how sure it is."""
        chance = max(round(100 * self.chance), 1)
        sentence = f"{self.counted}: {self.verdict}."
        if self._says_nothing:
            return sentence
        return f"{sentence} Chance alone can move this figure by about {counted(chance, 'point')}."

    @property
    def counted(self) -> str:
        """What was counted, without a verdict."""
        held = per_cent(self.held)
        return f"{100 * self.level:g} % intervals held {held} of {self.n_values} values"

    @property
    def advice(self) -> str:
        """What to do about it; "" where nothing is wrong."""
        if self.verdict == _EXACT:
            return "What to do: nothing; there are hardly any errors to correct the intervals by."
        if self.finding and self.verdict != _EQUAL:
            return self._on_width
        if self.verdict in (RIGHT, _EQUAL):
            return ""
        test = f"test {self.more}."
        if self._perhaps and self.held < self.level:
            return f"What to do: rely on them only with care, and to know more {test}"
        if self._perhaps:
            return f"What to do: nothing, if it is better to be safe; to know more, {test}"
        return f"What to do: {test}"

    @property
    def _on_width(self) -> str:
        expect = (
            "expect values outside the interval more often than it says"
            if self.finding == "narrow"
            else "nothing, if it is better to be safe"
        )
        advice = (
            f"What to do: {expect}. Intervals {self.factor:.2g} times as wide would have held "
            f"{100 * self.level:g} %."
        )
        return f"{advice} {self.correction}".strip()


def coverage(tested: ScoredForecasts, level: float = 95.0, first: int = 0) -> Coverage:
    """Return how often the intervals of a level (in per cent) held the truth, from a step on.

    The error is that of intervals that are right, by `error_of_share`.
    """
    lower, upper, p = tested.lower[level][:, first:], tested.upper[level][:, first:], level / 100
    truth, pit = tested.truth[:, first:], tested.pit[:, first:]
    known = tested.judged[:, first:]
    held = np.where(known, (truth >= lower) & (truth <= upper), np.nan)
    error, n_separate = error_of_share(held, tested.origins, p, ahead=tested.truth.shape[1])
    off = np.abs(2 * pit[known] - 1)  # the level at whose edge the truth was
    needed = (
        scipy.special.ndtri(0.5 + 0.5 * np.minimum(np.quantile(off, p), 1 - 1e-12))
        if known.any()
        else 0.0
    )
    return Coverage(
        level=p,
        held=float(np.nanmean(held)),
        n_values=int(known.sum()),
        error=error,
        n_separate=n_separate,
        factor=float(needed / scipy.special.ndtri(0.5 + 0.5 * p)),
        correction=_correction(tested),
        more=_more(tested, n_separate),
    )


def _correction(tested: ScoredForecasts) -> str:
    """Return how the intervals can be corrected by past errors, or why they were not."""
    if n := tested.n_uncorrected:
        all_of = len(tested.origins)
        which = "them" if n == all_of else f"those of {n} of {all_of} forecasts"
        return f"The series was too short to correct {which} by past errors."
    given = tested.trained  # None: by no `Forecaster`
    if tested.corrected or given is None or 0 < given.max() < _CORRECTABLE:
        return ""
    advice = 'Forecaster(calibrate="conformal") corrects them by past errors'
    if not tested.combined:
        return f"{advice}."
    return f"{advice}; test it in the same way first, as it leaves out the structural models."


def _more(tested: ScoredForecasts, n_separate: float) -> str:
    """Return what tests would tell more than these, which are worth so many separate ones."""
    n, h = tested.truth.shape
    ways = ["shorter forecasts", "a longer series"] if h > 1 else ["a longer series"]
    if tested.series is not None and tested.trained is not None:
        first = int(tested.trained.min()) or int(tested.origins.min())
        possible = len(tested.series) - h + 1 - first
        every = n_separate_of(np.arange(possible), h) if possible > n else 0.0
        if every > _MORE_TOLD * n_separate:
            ways.insert(0, f"from more origins (origins={min(possible, max(2 * n, _ORIGINS))})")
    return ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"
