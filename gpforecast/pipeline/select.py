"""What a fit is made with: inputs, transforms, lags and model, selected with their notes."""

from collections.abc import Sequence

import numpy as np

from gpforecast.automatic import features
from gpforecast.automatic.closed import never_known
from gpforecast.automatic.known_seasons import Seasons, is_held
from gpforecast.automatic.settings import Settings, settings_for
from gpforecast.common.types import FloatArray, Index, Values
from gpforecast.common.validation import counted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.sections import step_of
from gpforecast.pipeline.with_notes import WithNotes
from gpforecast.series.checked import CheckedSeries
from gpforecast.series.exogenous import Exogenous

_HARDLY_ANY = 8  # values: with fewer, the width of the intervals is a guess
_BLANK = 0.2  # share of the rows, from beyond which an input may be blank on purpose
_DAYS = (200, 366)  # steps between which a year is of days, or of those on which a shop is open
_LAG_0 = (
    "inputs count at lag 0 alone; if the series answers later or for longer, "
    "exog_lags=[0, 1, 2, 3] lets earlier inputs in"
)


def series_notes(values: FloatArray, index: Index) -> list[str]:
    """Return notes on a series that is too short, of two classes, or never known at some times.

    Examples
    --------
    >>> import pandas as pd
    >>> series_notes(np.array([0.0, np.nan, 1.0, 0.0]), pd.RangeIndex(4))
    ['only 3 values: the intervals are guesses', 'all values are 0 or 1: \
gf.EventForecaster forecasts the probability of each']
    """
    known = values[~np.isnan(values)]
    notes = []
    if len(known) < _HARDLY_ANY:
        notes.append(f"only {counted(len(known), 'value')}: the intervals are guesses")
    if set(np.unique(known)) == {0.0, 1.0}:
        notes.append("all values are 0 or 1: gf.EventForecaster forecasts the probability of each")
    if (never := never_known(values, index)) is not None:
        notes.append(
            f"at {never[0]} of every {never[1]} times there is never a value: what is forecast "
            f"there means little. If nothing happens then, as at night, write 0 there"
        )
    return notes


def inputs_of(found: CheckedSeries, options: Options) -> WithNotes[Exogenous]:
    """Return the inputs of a series and of its dates, with a note of those that are often blank.

    Examples
    --------
    >>> import pandas as pd
    >>> from gpforecast.series import checked
    >>> found = checked(pd.Series(range(10)), pd.DataFrame({"promotion": [1.0, *[np.nan] * 9]}))
    >>> inputs_of(found, Options()).notes[0][:57]
    "input 'promotion' is missing in 9 of 10 rows, and little "
    """
    inputs = Exogenous.fit(found.exog, found.series.index, options.calendars)
    if not inputs.n_given and options.exog_lags is not None:
        raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")
    n, blank = len(inputs.past), dict[str, int]()
    for source, column in zip(inputs.sources, inputs.past.T, strict=True):
        blank.setdefault(source, int(np.isnan(column).sum()))  # one for each category
    notes = (
        f"input {name} is missing in {missing} of {n} rows, and little is learned from those: if a "
        f"blank means none, fill it first, with 0 or with a word of its own"
        for name, missing in blank.items()
        if missing > _BLANK * n
    )
    return WithNotes(inputs, tuple(notes))


def selected(y: Values, inputs: Exogenous, options: Options) -> WithNotes[Settings]:
    """Return what the user gave and the automatic choice of the rest, with notes on it.

    Parameters
    ----------
    y : Series (n,)
        Values of a stuck sensor are NaN.
    inputs : Exogenous
    options : Options
    """
    settings = settings_for(
        y,
        transforms=options.transforms,
        lags=options.lags,
        model=options.model,
        exog=inputs,
        exog_lags=options.exog_lags,
        max_rows=options.max_rows,
        support=options.support,
        outliers=options.outliers,
        combine=options.combines,
        iterated=not options.direct,
        season_length=options.season_length,
    )
    notes, chain, inputs = [*settings.input_notes], settings.chain, settings.exog or inputs
    if chain.closing:
        change = " (closed times); if that may change, name the transforms yourself"
        notes.append(f"{chain.closed_times_in_words}{change * options.automatic}")
    lags_selected = options.automatic and inputs.in_model
    if inputs.n_given and options.exog_lags is None and not lags_selected:
        notes = [f"{notes[0]}; {_LAG_0}", *notes[1:]] if settings.input_notes else [_LAG_0, *notes]
    return WithNotes(settings, (*notes, *season_notes(settings, y.index, options.seasons)))


def season_notes(settings: Settings, index: Index, named: Seasons | None) -> list[str]:
    """Return a note on each season that was named, or that the index suggests, and is not used.

    Of a season that the index suggests, only where the series is too short to show it.
    """
    if named is not None:
        return [
            f"the season of {m} steps, which season_length names, is not used: neither the lags "
            f"nor the transforms have it{_advice(m)}"
            for m in sorted(named)
            if not _is_used(m, settings)
        ]
    n = len(index)
    short = (m for m in _suggested(index) if max(_HARDLY_ANY, m / 2) <= n <= 2 * m)
    return [
        f"there were {counted(n, step_of(index))}, no more than two seasons of {m} and too few to "
        f"model one: if values have such a season, forecasts miss it"
        for m in short
        if not _is_used(m, settings)
    ]


def _suggested(index: Index) -> Sequence[int]:
    """Return the seasons that an index suggests, and the year of a daily one."""
    year = features.steps_in_a_year(index)
    days = year is not None and _DAYS[0] < year < _DAYS[1]
    return [*features.calendar_periods(index), *([round(year)] if year and days else [])]


def _advice(season: int) -> str:
    """Return how to model a season, where sines of at most half its steps can."""
    fourier = min(2, season // 2)
    call = f"gf.transforms.Deterministic(fourier={fourier}, period={season})"
    return f"; transforms=[{call}] models it" if fourier else ""


def _is_used(season: int, settings: Settings) -> bool:
    """Whether something in the forecast repeats itself after so many steps."""
    if season in settings.lags.value or is_held(season, settings.chain.spec):
        return True
    if any(abs(period - season) < 1 for period in settings.chain.spec.periods):
        return True
    ensemble = settings.ensemble.value
    members = () if ensemble is None else ensemble.members
    return any(one.posterior.period == season for one in members)
