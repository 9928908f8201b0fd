"""A forecast in a few sentences."""

from typing import TYPE_CHECKING

from gpforecast.common.validation import counted
from gpforecast.common.wording import number, observed, point
from gpforecast.series.labels import time_at

if TYPE_CHECKING:
    from gpforecast.results.forecast import Forecast


def expected_at(forecast: "Forecast", step: int, units: str = "") -> str:
    """Return the mean at a step, by its position, in a sentence with the 95 % interval."""
    low, high = (float(bound) for bound in forecast.interval(0.95).iloc[step])
    known, scale = forecast.history.dropna(), (high - low) / 4
    whole = bool((known == known.round()).all())
    lower, upper = (observed(bound, scale, whole) for bound in (low, high))
    unit = f" {units}" if units else ""
    return (
        f"For {time_at(forecast.index, step)} we expect about "
        f"{number(float(forecast.mean.iloc[step]), scale)}{unit}, and with 95 % probability a "
        f"value between {lower} and {upper}."
    )


def summary_of(forecast: "Forecast") -> str:
    """Return the first, middle and last step in sentences, and the notes."""
    h, name = forecast.horizon, forecast.history.name
    ends = " to ".join(dict.fromkeys(time_at(forecast.index, step) for step in (0, -1)))
    title = (
        f"{'series' if name is None else name}: forecast of {counted(h, 'step')}, {ends} "
        f"({forecast.propagation})"
    )
    steps = dict.fromkeys((0, (h - 1) // 2, h - 1))
    lines = [title, *(point(expected_at(forecast, step)) for step in steps)]
    return "\n".join([*lines, *(["Notes"] if forecast.notes else []), *map(point, forecast.notes)])
