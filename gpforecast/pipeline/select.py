"""What a fit is made with: inputs, transforms, lags and model, selected with their notes."""

import numpy as np

from gpforecast.automatic.known_seasons import Seasons, is_held
from gpforecast.automatic.settings import Settings, settings_for
from gpforecast.common.types import FloatArray, Values
from gpforecast.common.validation import counted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.with_notes import WithNotes
from gpforecast.series.checked import CheckedSeries
from gpforecast.series.exogenous import Exogenous

_HARDLY_ANY = 8  # values: with fewer, the width of the intervals is a guess
_BLANK = 0.2  # share of the rows, from beyond which an input may be blank on purpose
_LAG_0 = (
    "inputs count at lag 0 alone; if the series answers later or for longer, "
    "exog_lags=[0, 1, 2, 3] lets earlier inputs in"
)


def series_notes(values: FloatArray) -> list[str]:
    """Return notes on a series (n,) that is too short or of two classes.

    Examples
    --------
    >>> series_notes(np.array([0.0, np.nan, 1.0, 0.0]))
    ['only 3 values: the intervals are guesses', 'all values are 0 or 1: \
gf.EventForecaster forecasts the probability of each']
    """
    known, notes = values[~np.isnan(values)], []
    if len(known) < _HARDLY_ANY:
        notes.append(f"only {counted(len(known), 'value')}: the intervals are guesses")
    if set(np.unique(known)) == {0.0, 1.0}:
        notes.append("all values are 0 or 1: gf.EventForecaster forecasts the probability of each")
    return notes


def inputs_of(found: CheckedSeries, options: Options) -> WithNotes[Exogenous]:
    """Return the inputs of a series and of its dates, with a note of those that are often blank."""
    y = found.series
    inputs = Exogenous.fit(found.exog, y.index, options.calendars)
    if not inputs.n_given and options.exog_lags is not None:
        raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")
    missing = np.isnan(inputs.past).sum(axis=0)
    blank = {s: n for s, n in zip(inputs.sources, missing, strict=True) if n > _BLANK * len(y)}
    notes = (
        f"input {name} is missing in {n} of {len(y)} rows, and little is learned from those; if a "
        f"blank means none, fill it with 0 first"
        for name, n in blank.items()
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
    return WithNotes(settings, (*notes, *season_notes(settings, options.seasons or ())))


def season_notes(settings: Settings, seasons: Seasons) -> list[str]:
    """Return a note on each season that was named and is not used."""
    return [
        f"the season of {m} steps, which season_length names, is not used: neither the lags "
        f"nor the transforms have it{_advice(m)}"
        for m in sorted(seasons)
        if not _is_used(m, settings)
    ]


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
