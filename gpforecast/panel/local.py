"""One model for each series."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from gpforecast.forecaster import Forecaster, unfitted
from gpforecast.panel.frames import Member


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
    levels: tuple[float, ...]

    def __call__(
        self, members: list[Member]
    ) -> Iterator[tuple[int, pd.DataFrame | Exception, list[str]]]:
        """Yield position, forecast or error, and notes of each series."""
        for member in members:
            try:
                fitted = unfitted(self.forecaster).fit(member.y, member.exog)
                later = member.future_exog(self.horizon)
                forecast = fitted.predict(self.horizon, exog=later)
                yield member.position, forecast.to_frame(levels=self.levels), list(forecast.notes)
            except Exception as error:
                yield member.position, error, []
