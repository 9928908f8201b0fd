"""What a report says, from top to bottom: the forecast, its record, the summary."""

from dataclasses import dataclass, replace
from functools import partial
from html import escape

import numpy as np
import pandas as pd

from gpforecast.backtesting import Backtest
from gpforecast.backtesting.verdict import SIMPLE, verdicts
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import grouped
from gpforecast.forecaster import Forecaster
from gpforecast.pipeline.describe import step_of
from gpforecast.pipeline.fitted import required
from gpforecast.pipeline.set_aside import UNFINISHED
from gpforecast.plotting import (
    fan_chart,
    forecasts_by_origin,
    pit_histogram,
    reliability,
    sample_paths,
    step_curves,
)
from gpforecast.plotting.picture import Picture
from gpforecast.reporting import html, words
from gpforecast.reporting.totals import units_of_a_total
from gpforecast.results.forecast import Forecast, expected_at
from gpforecast.series.labels import time_at

_NUMBERS = {
    "mean": "expected",
    "lo-95": "95 % from",
    "lo-80": "80 % from",
    "hi-80": "80 % to",
    "hi-95": "95 % to",
}
_ERROR, _HELD = "average error", "held by 95 % intervals"
_COMPARED = {
    "mae": "average error",
    "crps": "error and interval width",
    "coverage_80": "80 % interval held",
    "coverage_95": "95 % interval held",
}
_SCORES = {
    "mae": "average error (mae)",
    "mse": "average squared error (mse)",
    "nlpd": "surprise at what came (nlpd)",
    "crps": "error and interval width (crps)",
    **{f"coverage_{level}": f"held by {level} % intervals" for level in (50, 80, 95)},
}


@dataclass(frozen=True)
class About:
    """What the page says of the series itself.

    Attributes
    ----------
    name, units : str
        Of the values; units may be "".
    source, date : str or None
    total : bool
        Whether the total over the horizon means something.
    interactive : bool
        Whether plotly draws the pictures too.
    """

    name: str
    units: str
    source: str | None
    date: str | None
    total: bool
    interactive: bool = False


def page_of(
    about: About,
    y: "pd.Series[float]",
    forecast: Forecast,
    fitted: Forecaster,
    tested: Backtest | None,
    reason: str,
) -> str:
    """Return the whole page; `reason` says why nothing was tested."""
    tests = () if tested is None else tested.notes
    notes = dict.fromkeys([*forecast.notes, *fitted.notes_, *tests])
    moves = words.drivers(forecast)
    unit = f" ({about.units})" if about.units else ""
    fan, numbers = fan_chart.picture(forecast), forecast.to_frame((80, 95))
    figure = partial(html.picture, interactive=about.interactive)
    fragments = {
        "style": html.packaged("style.css"),
        "scripts": html.scripts() if about.interactive else "",
        "moves": f"<p>{escape(moves)}</p>" if moves else "",
        "fan": figure(
            7.6, 3.6, _labelled(fan, about),
            alt=f"The last values, and the forecast with its intervals{unit}",
        ),
        "newest": _newest(fan, len(y)),
        "paths": figure(
            7.6, 2.9, _labelled(sample_paths.picture(forecast), about),
            alt="Twenty possible futures",
        ),
        "numbers": html.table(numbers.rename(columns=_NUMBERS), _decimals(numbers)),
        "record": f"<p>{escape(reason)}</p>" if tested is None else _record(
            tested, y, about, forecast.horizon
        ),
        "notes": "\n".join(
            f'<p class="note">Note: {escape(note)}.</p>'
            for note in notes if note not in fitted.notes_  # which the settings list
        ),
        "settings": escape(fitted.summary()),
    }  # fmt: skip
    missing = int(y.isna().sum())
    facts = [
        f"{counted(forecast.horizon, step_of(forecast.index))} ahead",
        f"{counted(len(y), 'value')} from {time_at(y.index, 0)} to {time_at(y.index, -1)}",
        f"{missing} missing" if missing else "",
        about.units,
        f"from {about.source}" if about.source else "",
        f"report of {about.date}" if about.date else "",
    ]
    seasons = words.seasons_of(required(fitted.fitted_).chain)
    end = expected_at(forecast, int(words.open_steps(forecast)[-1]), about.units)
    unfinished = any(note.startswith(UNFINISHED) for note in notes)
    rest = words.context(forecast, seasons, unfinished=unfinished)
    units = units_of_a_total(about.units)
    total = words.whole_horizon(forecast, units, seasons) if about.total else ""
    answer, rest = (total, f"{end} {rest}") if total else (end, rest)
    lead = " · ".join(filter(None, facts))
    return html.filled("page.html", fragments, name=about.name, lead=lead, answer=answer, rest=rest)


def _newest(fan: Picture, n: int) -> str:
    """Say how many of n values the fan chart begins with, if not with all; "" otherwise."""
    drawn = sum(len(part.x) for part in fan.parts[:1])
    return f" Before it are the newest {drawn:,} of {n:,} values." if drawn < n else ""


def _decimals(numbers: pd.DataFrame) -> int | None:
    """Return the decimals of a table of forecasts: the same for all, as the narrowest deserve."""
    largest = float(np.abs(numbers.to_numpy()).max())
    spread = float((numbers["hi-95"] - numbers["lo-95"]).min()) / 4
    if not (0.0 < largest < np.inf and spread > 0.0):
        return None
    digits = max(5 - np.floor(np.log10(largest)), 1 - np.floor(np.log10(spread)))
    return int(max(digits, 0)) if digits <= 8 and largest < 1e15 else None


def _labelled(picture: Picture, about: About) -> Picture:
    """Name the units at the axis, or else the series."""
    return replace(picture, name=about.units) if about.units else picture


def _record(tested: Backtest, y: "pd.Series[float]", about: About, horizon: int) -> str:
    """Return what the page says of a backtest, for a forecast of a horizon."""
    named = tested.scores.rename(columns={"mae": _ERROR, "coverage_95": _HELD})
    error, held = (
        step_curves.picture(named, columns=name, nominal=nominal)
        for name, nominal in ((_ERROR, None), (_HELD, 0.95))
    )
    n, steps = tested.mean.shape
    figure = partial(html.picture, interactive=about.interactive)
    far, whole = (counted(h, step_of(y.index)) for h in (steps, horizon))
    beyond = (
        f" The forecast above goes on to {whole}: what lies more than {far} ahead was not tested, "
        f"because the series is too short to learn from its first half and make several forecasts "
        f"of {whole} after it."
    )
    fragments = {
        "beyond": beyond if horizon > steps else "",
        "verdicts": _verdicts(tested),
        "simple": _simple(tested),
        "origins": figure(
            7.6, 3.2, _labelled(forecasts_by_origin.picture(tested, y, n=5), about),
            alt="Earlier forecasts and what came",
        ),
        "by_step": figure(7.6, 3, error, held, alt="Error and coverage by step"),
        "pit": figure(4.2, 3.6, pit_histogram.picture(tested), alt="Where the truth fell"),
        "reliability": figure(
            4.2, 3.6, reliability.picture(tested), alt="What intervals held, by level"
        ),
        "scores": html.table(tested.summary().rename(_SCORES)),
    }  # fmt: skip
    return html.filled("record.html", fragments, steps=far, n=n)


def _verdicts(tested: Backtest) -> str:
    """Return the verdicts, and below each what to do about it."""
    rows = []
    for sentence, advice in verdicts(tested, tested.baselines):
        more = f'<span class="what-to-do">{escape(advice)}</span>' if advice else ""
        rows.append(f"<li>{escape(sentence)}{more}</li>")
    return "\n".join(rows)


def _simple(tested: Backtest) -> str:
    """Return the table of the scores with those of simple forecasts."""
    found = tested.beside()
    table = pd.DataFrame(
        {
            heading: [per_cent(v) if "coverage" in name else grouped(v) for v in found[name]]
            for name, heading in _COMPARED.items()
        },
        index=[SIMPLE.get(str(name), "this forecast") for name in found.index],
    )
    return html.table(table, classes="simple")
