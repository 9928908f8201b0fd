"""`report`: fit, forecast and backtest a series, for one web page."""

import os
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from gpforecast.backtesting import Backtest, backtest
from gpforecast.backtesting.plan import Refit, checked_refit
from gpforecast.common.types import ExogLike, Seed, SeriesLike
from gpforecast.common.validation import positive_integer
from gpforecast.forecaster import FORECASTER, Forecaster
from gpforecast.plotting.plotly_drawing import check_installed
from gpforecast.reporting.contents import About, page_of
from gpforecast.reporting.totals import have_totals
from gpforecast.results.forecast import Forecast
from gpforecast.series import checked
from gpforecast.series.frames import as_pandas
from gpforecast.series.horizon import Horizon, steps_of
from gpforecast.storage import put

_FEWEST = 30  # values below which nothing is left to learn from
_TRAIN = 0.5  # of the series, for the model whose forecasts are tested
_SEVERAL = 5  # forecasts of the whole horizon that the rest must have room for
_STEPS = 1 / 6  # of the series, for the horizon of those forecasts if it has not


@dataclass(frozen=True, eq=False)
class Report:
    """A web page about one series, and the objects it was made from.

    Attributes
    ----------
    forecaster : Forecaster
        Fitted to the whole series.
    forecast : Forecast
    backtest : Backtest or None
        Forecasts of the second half of the series, over the horizon, or if there is no room for
        several of these, over a sixth of the series. None if the series is too short, or it fails.
    html : str
        The page: one document that needs neither network nor other files.
    title : str
    interactive : bool
        Whether its pictures are interactive.
    """

    forecaster: Forecaster
    forecast: Forecast
    backtest: Backtest | None
    html: str
    title: str = "A series"
    interactive: bool = False

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        FileNotFoundError, ValueError
            If its folder does not exist, or its name has the ending of another kind of file.
        """
        if Path(path).suffix.lower() not in ("", ".html", ".htm"):
            raise ValueError(f"cannot write {path}: a report is a web page; name it .html.")
        put(path, self.html.encode())

    def __repr__(self) -> str:
        """Name the series and what to do with the page, which itself is long."""
        return (
            f"Report on {self.title!r}, {self.forecast.horizon} steps ahead: a page of "
            f"{len(self.html)} characters; write it to a file by .save(path)"
        )

    def _repr_html_(self) -> str:
        """Show the page; an interactive one in a frame, where its scripts run."""
        if not self.interactive:
            return self.html
        page = escape(self.html)
        return f'<iframe srcdoc="{page}" style="border: 0; width: 100%; height: 45rem"></iframe>'


def report(
    series: SeriesLike,
    horizon: Horizon,
    *,
    forecaster: Forecaster | None = None,
    exog: ExogLike = None,
    future_exog: ExogLike = None,
    title: str | None = None,
    source: str | None = None,
    units: str | None = None,
    date: str | None = None,
    total: bool | None = None,
    origins: int = 50,
    refit: Refit = "auto",
    seed: Seed = 0,
    interactive: bool = False,
) -> Report:
    """Fit, forecast and backtest a series, and make one web page of the results.

    Parameters
    ----------
    series : Series or 1-D array-like
        Values and timestamps may be missing, as for `Forecaster.fit`.
    horizon : int, date, or length of time
        As for `Forecaster.predict`.
    forecaster : Forecaster, optional
        ``Forecaster()`` by default. A copy of its settings is fitted to the series; it is not
        changed.
    exog, future_exog : DataFrame, Series or array, optional
        Exogenous inputs over the series, and over the horizon. The backtest uses the observed
        inputs, so it does not measure forecasts of them.
    title : str, optional
        The name of the series by default.
    source : str, optional
        Where the values come from, such as the name of a file.
    units : str, optional
        What the values are measured in, such as ``"thousand passengers"``.
    date : str, optional
        The date of the report, as it is to be written. The page always names the time of the last
        value, and never looks at the clock.
    total : bool, optional
        Whether the page gives the total over the horizon. By default it does so for
        whole numbers that are not negative, and for others if a name or the units say, in English,
        that they are amounts, such as sales, visits or euros; unless one says that they are none: a
        price, a rate, an index, a temperature and the like.
    origins : int
        From how many origins the backtest forecasts, at most.
    refit : int, "auto" or None
        How often the backtest trains again, as for `gpforecast.backtest`. By default about as often
        as one would in use, as far as that is cheap.
    seed : int, Generator or None
        For the choice of those origins.
    interactive : bool
        Whether plotly draws the pictures, so that values and intervals can be read where one
        points. It needs the package plotly, whose code of 4.8 MB is part of the page, which
        still needs no network. On paper, and without scripts, the page is as the other.

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
    checked_refit(refit)
    FORECASTER.or_none()(forecaster, "forecaster")
    if interactive:
        check_installed()
    _check_inputs(forecaster, exog, future_exog)
    series = as_pandas(series, "series")
    exog = as_pandas(exog, "exog", series=series)
    found = checked(series, exog, open_days=True)
    y, horizon = found.series, positive_integer(steps_of(horizon, found.axis), "horizon")
    fitted = (Forecaster() if forecaster is None else replace(forecaster)).fit(series, exog)
    forecast = fitted.predict(horizon, exog=future_exog)
    tested, why_not = None, "The series is too short for forecasts from its own past."
    for ahead in _horizons(horizon, len(y)):
        try:
            tested = backtest(
                replace(fitted), series, ahead, origins,
                seed=seed, exog=exog, train_fraction=_TRAIN, refit=refit,
            )  # fmt: skip
            break
        except ValueError as error:  # such as too few values to learn from in its first part
            why_not = f"There are no forecasts from the past of the series: {error}"
    own = None if y.name is None else str(y.name)
    name = title or own or "A series"
    summed = have_totals(fitted.history_, own, title, units=units) if total is None else total
    about = About(name, units or "", source, date, summed, interactive)
    page = page_of(about, y, forecast, fitted, tested, why_not)
    return Report(fitted, forecast, tested, page, name, interactive)


def _horizons(horizon: int, n: int) -> list[int]:
    """Return which steps ahead are tested: the first for which forecasts can be made."""
    if n < _FEWEST:
        return []
    fewer = min(horizon, max(1, int(_STEPS * n)))
    has_room = n - int(_TRAIN * n) - horizon + 1 >= _SEVERAL
    return [horizon, fewer] if has_room and horizon > fewer else [fewer]


def _check_inputs(forecaster: Forecaster | None, exog: ExogLike, future_exog: ExogLike) -> None:
    """Refuse inputs without their future, and a page that would leave out those of a forecaster."""
    if exog is not None and future_exog is None:
        raise ValueError(
            "future_exog must hold the inputs over the horizon, as exog does over the series; "
            'future_exog="forecast" has them forecast.'
        )
    fitted = None if forecaster is None else forecaster.fitted_
    if fitted and fitted.exog.n_given and exog is None:
        columns = fitted.exog.given
        raise ValueError(
            f"forecaster was fitted with exogenous inputs ({', '.join(map(repr, columns))}), and a "
            f"report fits it again; pass exog=... over the series and future_exog=... over the "
            f"horizon, or leave forecaster out for a page of the series alone."
        )
