"""What a report says, from top to bottom."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
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
    from matplotlib.figure import Figure

_FEWEST = 30  # values below which nothing is left to learn from
_TRAIN = 0.6  # of the series, for the model whose forecasts are tested
_STEPS = 1 / 6  # of the series, at the most, for the horizon of those forecasts
_FOOTER = (
    "Made by gpforecast. Intervals are central: a 95 % interval should hold the truth 95 times in "
    "a hundred."
)


@dataclass(frozen=True, eq=False)
class Report:
    """A web page about one series, and what it was made from.

    Attributes
    ----------
    forecaster : Forecaster
        Fitted to the whole series.
    forecast : Forecast
    backtest : Backtest or None
        From the last two fifths of the series by a model of the rest, over the horizon or a sixth
        of the series if that is shorter; None where the series is too short for one, or it fails.
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
    """Fit, forecast and backtest a series, and lay all of it out as one web page.

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
        Exogenous inputs over the series, and over the horizon. The backtest takes them as they
        were observed, so that it does not measure forecasts of them.
    title : str, optional
        The name of the series by default.
    origins : int
        From how many places the backtest forecasts, at most.
    seed : int, Generator or None
        For the choice of those places.

    Returns
    -------
    Report

    Raises
    ------
    TypeError, ValueError
        As `Forecaster.fit` and `Forecaster.predict`; and if the forecaster has inputs but none are
        given.

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
    parts = [
        html.text("h1", name),
        html.text("p", f"{horizon} steps ahead, with error bars", role="lead"),
        _facts(y, forecast),
        _forecast_section(forecast),
        html.section("What was chosen, and why", html.choices(fitted.summary())),
        html.section(
            "How such forecasts have done",
            *([html.text("p", why_not)] if record is None else _record(record, y)),
        ),
        html.text("footer", _FOOTER),
    ]
    return Report(fitted, forecast, record, html.page(f"{name}: forecast", "\n".join(parts)), name)


def _check_inputs(forecaster: Forecaster | None, exog: ExogLike, future_exog: ExogLike) -> None:
    """Refuse a page that would leave out the inputs of a forecaster, or has them by half."""
    fitted = None if forecaster is None else forecaster.fitted_
    if fitted and fitted.exog and exog is None:
        columns = fitted.exog.columns
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


def _facts(y: "pd.Series[float]", forecast: Forecast) -> str:
    total = forecast.sum()
    low, high = total.interval(0.95)
    last = forecast.index[-1]
    missing = int(np.isnan(y.to_numpy()).sum())
    pairs = {
        "values": f"{len(y)}" + (f", {missing} missing" if missing else ""),
        "from": _time(y.index[0]),
        "to": _time(y.index[-1]),
        f"mean at {_time(last)}": f"{forecast.mean.iloc[-1]:.5g}",
        "total, with 95 % interval": f"{total.mean:.5g} ({low:.5g} to {high:.5g})",
    }
    return html.facts(pairs)


def _time(timestamp: object) -> str:
    """Write a date without a time of day that is midnight."""
    return str(timestamp).removesuffix(" 00:00:00")


def _forecast_section(forecast: Forecast) -> str:
    fan, paths = _figure(7.6, 3.6), _figure(7.6, 2.9)
    forecast.plot(ax=fan.subplots())
    plotting.sample_paths(forecast, ax=paths.subplots(), n=20)
    numbers = html.table(forecast.to_frame((80, 95)), digits=6)
    return html.section(
        "The forecast",
        html.picture(fan, "Fan chart of the forecast", "Bands hold 50, 80 and 95 %."),
        html.picture(
            paths,
            "Sample paths of the forecast",
            "Twenty futures drawn from the joint distribution of all steps.",
        ),
        html.folded("The numbers", numbers),
    )


def _record(tested: Backtest, y: "pd.Series[float]") -> list[str]:
    steps = _figure(7.6, 3)
    origins, pit, curve = _figure(7.6, 3.2), _figure(4.2, 3.6), _figure(4.2, 3.6)
    plotting.step_panels(tested.scores, ["mae", "coverage_95"], axes=steps.subplots(1, 2))
    plotting.forecasts_by_origin(tested, y, ax=origins.subplots(), n=5)
    plotting.pit_histogram(tested, ax=pit.subplots())
    plotting.reliability(tested, ax=curve.subplots())
    b, h = tested.mean.shape
    held = 100 * float(tested.scores["coverage_95"].mean())
    return [
        html.text(
            "p",
            f"A model of the first three fifths of the series forecast {h} steps from {b} places "
            f"of the rest. The 95 % intervals held {held:.0f} % of what came.",
        ),
        *(html.text("p", f"Note: {note}.") for note in tested.notes),
        html.picture(origins, "Forecasts at several origins", "With their 95 % intervals."),
        html.picture(steps, "Error and coverage by step", "Error and coverage by step."),
        html.block(
            "div",
            html.picture(pit, "PIT histogram", "Flat if the error bars are honest."),
            html.picture(curve, "Reliability", "On the diagonal if the error bars are honest."),
            role="pair",
        ),
        html.folded("The scores", html.table(tested.summary())),
    ]


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure  # needs no screen, as pyplot does

    return Figure(figsize=(width, height), layout="constrained")
