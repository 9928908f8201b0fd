"""Summaries as text: a title, sections of a sentence and a list, notes, and details at the end."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gpforecast.common.kinds import are_dates, has_dates
from gpforecast.common.types import Index
from gpforecast.common.validation import counted
from gpforecast.common.wording import point, wrapped
from gpforecast.series.labels import span_of
from gpforecast.series.retail import is_retail
from gpforecast.series.spacing import in_steps

# Steps by the code of their frequency.
_STEPS = {
    "Y": "year", "A": "year", "Q": "quarter", "M": "month", "W": "week", "D": "day",
    "B": "working day", "C": "open day", "h": "hour", "H": "hour",
}  # fmt: skip

_TERMS = {
    "CRPS": "CRPS is the error of a forecast in the units of the series, unless others are named; "
    "it counts the width of the intervals too. Trial forecasts are of parts of the series, by "
    "models that do not know them",
    "AIC": "AIC says how well a model fits for its size: 10 less is clearly better",
}
"""What a reader is told where a term first occurs."""


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, and what there is to say of it."""

    heading: str
    sentence: str
    points: tuple[str, ...] = ()


def text_of(
    title: str,
    sections: Sequence[Section],
    notes: Sequence[str],
    details: Sequence[tuple[str, str]],
) -> str:
    """Return a summary; terms are explained where they first occur, and points in notes left out.

    Parameters
    ----------
    title : str
    sections : sequence of Section
    notes : sequence of str
    details : sequence of (str, str)
        Names with their descriptions, for readers who know such models.
    """
    lines, known = [title], set[str]()
    for section in sections:
        own = [one for one in section.points if not any(n.startswith(one) for n in notes)]
        text = " ".join(own)
        new = [term for term in _TERMS if term in text and term not in known]
        known.update(new)
        own += (_TERMS[term] for term in new)
        lines += ["", section.heading, wrapped(section.sentence, "  "), *map(point, own)]
    if notes:
        lines += ["", "Notes", *map(point, notes)]
    lines += ["", "Technical details", *(f"  {name:<12} {text}" for name, text in details)]
    return "\n".join(lines)


def title_of(name: Hashable, index: Index, n_missing: int) -> str:
    """Return how many values of what, from when to when."""
    gaps = f", {n_missing} of them missing" if n_missing else ""
    return f"{'series' if name is None else name}: {_values(index)}, {span_of(index)}{gaps}"


def times_of(index: Index) -> str:
    """Return the first and the last time, and the frequency, which says what a step is."""
    freq = _freq_of(index)
    return f"{span_of(index)}, frequency {freq}" if freq else span_of(index)


def step_of(index: Index) -> str:
    """Return what a step of an index is called: "month", or "step" where the index does not say it.

    Examples
    --------
    >>> import pandas as pd
    >>> step_of(pd.period_range("2024-01", periods=3, freq="M")), step_of(pd.RangeIndex(3))
    ('month', 'step')
    """
    if are_dates(index) and is_retail(index.freq):
        return "retail month"
    code = re.sub(r"^B?([YAQM])[SE]?$", r"\1", _freq_of(index).partition("-")[0])
    return _STEPS.get(code, "step")


def _values(index: Index) -> str:
    """Return the number of values with how often they come, where the index says it."""
    n, step = len(index), step_of(index)
    if step != "step":
        often = step.replace(" ", "-") if " " in step else f"{step}ly".replace("dayly", "daily")
        return counted(n, f"{often} value")
    freq = _freq_of(index)
    return f"{counted(n, 'value')}, one every {freq}" if freq else counted(n, "value")


def _freq_of(index: Index) -> str:
    """Return the frequency of dates or periods; empty where there is none."""
    return (in_steps(index).freqstr or "") if has_dates(index) else ""


def capital(text: str) -> str:
    """Return a sentence that begins with a capital."""
    return text[:1].upper() + text[1:]
