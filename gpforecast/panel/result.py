"""The result of a panel: a table of forecasts, and which series could not be forecast."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from gpforecast.automatic.prior import Prior
from gpforecast.common.types import Values
from gpforecast.common.wording import listed, point, shown_in_html
from gpforecast.panel.frames import in_columns
from gpforecast.results.forecast import Forecast

_ROWS = 10  # of a table in a notebook
_NAMED = 3  # series that a summary names


@dataclass(frozen=True, eq=False)
class PanelForecast:
    """Forecasts of many series, and which series could not be forecast.

    Attributes
    ----------
    frame : DataFrame
        In the form of the panel, in the units of the series and in the order in which they first
        came. Long: a row for each series and future time, with the columns of the panel's id and
        time, then ``mean``, ``lo-95``, ``lo-80``, ``hi-80``, ``hi-95`` by level. Wide: a row for
        each future time, and these columns below the name of each series.
    failures : DataFrame
        One row for each series that is not in `frame`: its id and the ``reason``, a sentence.
    notes : DataFrame
        What the user should know of single forecasts, such as rows left out or numerical trouble
        met: id and ``note``. The id is missing where a note is about all of them.
    forecasts : dict from id to Forecast, or None
        The joint distributions, if they were kept.
    errors : DataFrame (times, series) or None
        With them: past one-step errors over their standard deviations, NaN where one is missing.
    prior : Prior or None
        What was learned from all series, if that was an option: `Forecaster` takes it.

    Examples
    --------
    >>> import gpforecast as gf
    >>> import numpy as np
    >>> import pandas as pd
    >>> table = pd.DataFrame({"unique_id": "a", "ds": range(40), "y": np.sin(np.arange(40.0))})
    >>> panel = gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=2), levels=[95])
    >>> panel.frame.columns.tolist(), len(panel.failures)
    (['unique_id', 'ds', 'mean', 'lo-95', 'hi-95'], 0)
    >>> gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=2), keep=True)["a"].horizon
    3
    """

    frame: pd.DataFrame
    failures: pd.DataFrame
    notes: pd.DataFrame
    forecasts: dict[Hashable, Forecast] | None = None
    errors: pd.DataFrame | None = None
    prior: Prior | None = None

    @property
    def wide(self) -> bool:
        """Whether `frame` has the columns of each series below its name."""
        return self.frame.columns.nlevels > 1

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The series that were forecast, in the order in which they first came."""
        ids = self.frame.columns.get_level_values(0) if self.wide else self.frame.iloc[:, 0]
        return tuple(dict.fromkeys(ids))

    @property
    def mean(self) -> pd.DataFrame:
        """Expected values as a wide frame: a row for each future time, a column for each series."""
        columns = self.frame.columns
        id_ = columns.names[0] if self.wide else columns[0]
        names = pd.Index(self.names, name=id_, tupleize_cols=False)
        if self.wide:
            return self.frame.loc[:, columns.get_level_values(1) == "mean"].set_axis(names, axis=1)
        return in_columns(self.frame, (*columns[:2], "mean"), "frame").reindex(columns=names)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table of forecasts, as `Forecast.to_frame` does for one series.

        Returns
        -------
        DataFrame
        """
        return self.frame.copy()

    def __getitem__(self, key: Hashable) -> Forecast:
        """Return the forecast of a series, if forecasts were kept.

        Raises
        ------
        KeyError
            If there is no such series, it could not be forecast, or forecasts were not kept.
        """
        failed = dict(zip(self.failures.iloc[:, 0], self.failures["reason"], strict=True))
        if key in failed:
            raise KeyError(f"{key!r} could not be forecast: {failed[key]}")
        if key not in (names := self.names):
            first = ", ".join(map(repr, names[:3]))
            raise KeyError(
                f"{key!r} must be one of the {len(names)} series that were forecast, such as "
                f"{first}."
            )
        if self.forecasts is None:
            raise KeyError(
                f"the forecast of {key!r} was not kept, only its rows in .frame; pass keep=True to "
                f"forecast_panel."
            )
        return self.forecasts[key]

    def summary(self) -> str:
        """Return how many series were forecast, why others were not, and the notes in full.

        Returns
        -------
        str
            Each reason and each note once, with the series that have it, or the first of them and
            their number.
        """
        done, failed = len(self.names), len(self.failures)
        lines = [f"series that were forecast: {done}, that could not be: {failed}"]
        for heading, table in {"Why": self.failures, "Notes": self.notes}.items():
            id_, text = table.columns
            points = [
                point(f"{_named(rows[id_])}: {each}")
                for each, rows in table.groupby(text, sort=False)
            ]
            lines += [heading, *points] if points else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Say how many series were forecast and how many could not be, and show the table."""
        notes = [f"note: {note}" for note in self._of_all]
        return "\n".join([self._caption, repr(self.frame), *notes])

    def _repr_html_(self) -> str:
        """Show the same as a small table."""
        return shown_in_html(self._caption, self.frame, self._of_all, max_rows=_ROWS)

    @property
    def _caption(self) -> str:
        done, failed = len(self.names), len(self.failures)
        missing = f", {failed} could not be (see .failures)" if failed else ""
        return f"PanelForecast: {done} series forecast{missing}"

    @property
    def _of_all(self) -> list[str]:
        """The notes that are about no single series."""
        return self.notes.loc[self.notes.iloc[:, 0].isna(), "note"].tolist()


def _named(ids: Values) -> str:
    """Return series in words: the first of many with their number, and a missing id as all."""
    if ids.isna().any():
        return "all series"
    some = listed([*map(str, ids)], _NAMED)
    return f"{len(ids)} series ({some})" if len(ids) > _NAMED else some
