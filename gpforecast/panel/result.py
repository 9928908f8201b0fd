"""What a panel's forecast comes as: the long table, and what went wrong."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, eq=False)
class PanelForecast:
    """Forecasts of many series, and which series could not be forecast.

    Attributes
    ----------
    frame : DataFrame
        One row for each series and future time, in the order in which the series first came: the
        columns of the panel's id and time, then ``mean``, ``lo-95``, ``lo-80``, ``hi-80``,
        ``hi-95`` by level, in the units of the series.
    failures : DataFrame
        One row for each series that is not in `frame`: its id and the ``reason``, a sentence.
    notes : DataFrame
        What the user should know of single forecasts, such as rows left out or numerical trouble
        met: id and ``note``.

    Examples
    --------
    >>> import gpforecast as gf
    >>> import numpy as np
    >>> table = pd.DataFrame({"unique_id": "a", "ds": range(40), "y": np.sin(np.arange(40.0))})
    >>> panel = gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=2), levels=[95])
    >>> panel.frame.columns.tolist(), len(panel.failures)
    (['unique_id', 'ds', 'mean', 'lo-95', 'hi-95'], 0)
    """

    frame: pd.DataFrame
    failures: pd.DataFrame
    notes: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table of forecasts, as `Forecast.to_frame` does for one series.

        Returns
        -------
        DataFrame
        """
        return self.frame.copy()

    def __repr__(self) -> str:
        """Say how many series came and went, and show the table."""
        id_ = self.failures.columns[0]
        done, failed = self.frame[id_].nunique(), len(self.failures)
        missing = f", {failed} could not be (see .failures)" if failed else ""
        return f"PanelForecast: {done} series forecast{missing}\n{self.frame!r}"
