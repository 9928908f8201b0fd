"""One model for each series."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gpforecast.forecaster import Forecaster
from gpforecast.panel.frames import Member
from gpforecast.panel.workers import Answer


@dataclass(frozen=True, eq=False)
class Local:
    """Fit a fresh copy of a forecaster to each series.

    Attributes
    ----------
    forecaster : Forecaster
        Not fitted, so that nothing large travels with it.
    """

    forecaster: Forecaster
    horizon: int

    def __call__(self, members: list[Member]) -> Iterator[tuple[int, Answer]]:
        """Yield the forecast of each series, or the error, by position."""
        for member in members:
            try:
                fitted = replace(self.forecaster).fit(member.y, member.exog)
                later = member.future_exog(self.horizon)
                answer: Answer = fitted.predict(self.horizon, exog=later)
            except Exception as error:
                answer = error
            yield member.position, answer
