"""What a report says, from top to bottom."""

import os
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gpforecast import plotting
from gpforecast.backtesting import Backtest, backtest
from gpforecast.common.types import ExogLike, Seed, SeriesLike
from gpforecast.common.validation import positive_integer
from gpforecast.forecaster import Forecaster
from gpforecast.reporting import html
from gpforecast.results.forecast import Forecast
from gpforecast.series import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEWEST = 30  # values below which nothing is left to learn from
_TRAIN = 0.6  # of the series, for the model whose forecasts are tested
_STEPS = 1 / 6  # of the series, at the most, for the horizon of those forecasts


@dataclass(frozen=True, eq=False)
class Report:
    """A web page about one series, and the objects it was made from.

    Attributes
    ----------
    forecaster : Forecaster
        Fitted to the whole series.
    forecast : Forecast
    backtest : Backtest or None
        Forecasts of the last two fifths of the series by a model of the rest, over the horizon or a
        sixth of the series, whichever is shorter. None if the series is too short, or it fails.
    html : str
        The page: one document that needs neither network nor other files.
    title : str
    """

    forecaster: Forecaster
    forecast: Forecast
    backtest: Backtest | None
    html: str
    title: str = "A series"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
        """
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        """Name the series and what to do with the page, which itself is long."""
        return (
            f"Report on {self.title!r}, {self.forecast.horizon} steps ahead: a page of "
            f"{len(self.html)} characters; write it to a file by .save(path)"
        )

    def _repr_html_(self) -> str:
        return self.html


def report(
    series: SeriesLike,
    horizon: int,
    *,
    forecaster: Forecaster | None = None,
    exog: ExogLike = None,
    future_exog: ExogLike = None,
    title: str | None = None,
    origins: int = 50,
    seed: Seed = 0,
) -> Report:
    """Fit, forecast and backtest a series, and make one web page of the results.

    Parameters
    ----------
    series : Series or 1-D array-like
        Values and timestamps may be missing, as for `Forecaster.fit`.
    horizon : int
        Steps ahead.
    forecaster : Forecaster, optional
        ``Forecaster()`` by default. A copy of its settings is fitted to the series; it is not
        changed.
    exog, future_exog : DataFrame, Series or array, optional
        Exogenous inputs over the series, and over the horizon. The backtest uses the observed
        inputs, so it does not measure forecasts of them.
    title : str, optional
        The name of the series by default.
    origins : int
        From how many origins the backtest forecasts, at most.
    seed : int, Generator or None
        For the choice of those origins.

    Returns
    -------
    Report

    Raises
    ------
    TypeError, ValueError
        As `Forecaster.fit` and `Forecaster.predict`, and if the forecaster needs inputs and none
        are given.

    Examples
    --------
    >>> import gpforecast as gf
    >>> page = gf.report(gf.datasets.mackey_glass(200, noise_var=1e-3, seed=0), 10, origins=5)
    >>> page.html.count("<img")
    6
    """
    horizon = positive_integer(horizon, "horizon")
    _check_inputs(forecaster, exog, future_exog)
    found = checked(series, exog)
    y, inputs = found.series, found.exog
    fitted = (Forecaster() if forecaster is None else replace(forecaster)).fit(series, exog)
    forecast = fitted.predict(horizon, exog=future_exog)
    ahead = min(horizon, max(1, int(_STEPS * len(y))))
    record, why_not = None, "The series is too short for forecasts from its own past."
    if len(y) >= _FEWEST:
        try:
            record = backtest(
                replace(fitted), y, ahead, origins, seed=seed, exog=inputs, train_fraction=_TRAIN
            )
        except ValueError as error:  # such as too few values to learn from in its first part
            why_not = f"There are no forecasts from the past of the series: {error}"
    name = title or ("A series" if y.name is None else str(y.name))
    past = f"<p>{escape(why_not)}</p>" if record is None else _record(record, y)
    page = _page(name, y, forecast, fitted.summary(), past)
    return Report(fitted, forecast, record, page, name)


def _check_inputs(forecaster: Forecaster | None, exog: ExogLike, future_exog: ExogLike) -> None:
    """Refuse a page that would leave out the inputs of a forecaster, or has them by half."""
    fitted = None if forecaster is None else forecaster.fitted_
    if fitted and fitted.exog.n_given and exog is None:
        columns = fitted.exog.given
        raise ValueError(
            f"forecaster was fitted with exogenous inputs ({', '.join(map(repr, columns))}), and a "
            f"report fits it again; pass exog=... over the series and future_exog=... over the "
            f"horizon, or leave forecaster out for a page of the series alone."
        )
    if (exog is None) != (future_exog is None):
        given, wanted = ("exog", "future_exog") if future_exog is None else ("future_exog", "exog")
        raise ValueError(
            f"{given} is given but {wanted} is not; a report needs exogenous inputs over the "
            f"series (exog) and over the horizon (future_exog)."
        )


def _page(name: str, y: "pd.Series[float]", forecast: Forecast, summary: str, record: str) -> str:
    """Return the whole page."""
    total, missing = forecast.sum(), int(y.isna().sum())
    low, high = total.interval(0.95)
    fragments = {
        "style": html.packaged("style.css"),
        "fan": html.picture(7.6, 3.6, lambda ax: forecast.plot(ax=ax)),
        "paths": html.picture(7.6, 2.9, lambda ax: plotting.sample_paths(forecast, ax=ax, n=20)),
        "numbers": html.table(forecast.to_frame((80, 95)), digits=6),
        "choices": html.choices(summary),
        "record": record,
    }
    return html.filled(
        "page.html",
        fragments,
        name=name,
        horizon=forecast.horizon,
        values=f"{len(y)}" + (f", {missing} missing" if missing else ""),
        first=_time(y.index[0]),
        last=_time(y.index[-1]),
        end=_time(forecast.index[-1]),
        mean=f"{forecast.mean.iloc[-1]:.5g}",
        total=f"{total.mean:.5g} ({low:.5g} to {high:.5g})",
    )


def _time(timestamp: object) -> str:
    """Write a date without a time of day that is midnight."""
    return str(timestamp).removesuffix(" 00:00:00")


def _record(tested: Backtest, y: "pd.Series[float]") -> str:
    """Return what the page says of a backtest."""

    def panels(axes: "Axes") -> None:
        plotting.step_panels(tested.scores, ["mae", "coverage_95"], axes=axes)

    def by_origin(ax: "Axes") -> None:
        plotting.forecasts_by_origin(tested, y, ax=ax, n=5)

    n, steps = tested.mean.shape
    held = 100 * float(tested.scores["coverage_95"].mean())
    fragments = {
        "notes": "\n".join(f"<p>Note: {escape(note)}.</p>" for note in tested.notes),
        "by_step": html.picture(7.6, 3, panels, n_panels=2),
        "origins": html.picture(7.6, 3.2, by_origin),
        "pit": html.picture(4.2, 3.6, lambda ax: plotting.pit_histogram(tested, ax=ax)),
        "reliability": html.picture(4.2, 3.6, lambda ax: plotting.reliability(tested, ax=ax)),
        "scores": html.table(tested.summary()),
    }
    return html.filled("record.html", fragments, steps=steps, n=n, held=f"{held:.0f}")
