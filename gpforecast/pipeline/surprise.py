"""How surprising the values of a series are, each forecast from those before, and its anomalies.

**Set aside.** A flagged value would spoil the forecasts that have it among their lags. If its tail
probability is 1 in 1000 or less, it is treated as missing instead, and forecasts go through it with
the uncertainty of that. Less rare ones stay, as leaving out what is ordinary spoils them, too.

**Changes that last.** Several flags close together, and runs of errors of one sign, may be a new
level or a wider spread (`gpforecast.pipeline.monitor`).

**Tails.** A tail probability is exact for the forecast, and no smaller than by the Student-t
distribution of the errors within the fitted series where that is much likelier than a Gaussian.
The learned width of an ensemble (`gpforecast.structural.ensemble`) is left out: it allows for
changes that the past does not show, and such changes are what is looked for.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy

from gpforecast.automatic.lifetime import stuck_places
from gpforecast.common.kinds import is_labelled
from gpforecast.common.types import ExogLike, FloatArray, SeriesLike
from gpforecast.common.validation import counted, is_number, positive_integer
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.monitor import Monitor, Tails
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.set_aside import stuck_notes
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.propagation.filtering import Checkpoints
from gpforecast.results.surprise import Surprise
from gpforecast.series import TimeAxis, checked
from gpforecast.series.checked import new_values_after, values_of
from gpforecast.series.closed_days import on_days_of

_FALSE_ALARMS = 0.001  # the share of ordinary values that are flagged by default
_REFERENCE = 1000  # values of the fitted series whose errors show the tails
_ROUNDS = 5  # passes until the limit by Benjamini and Hochberg stays


def surprise(
    fitted: Fitted,
    series: SeriesLike | None,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    horizon: int = 1,
    false_alarms: float | None = None,
    false_discovery_rate: float | None = None,
    patience: int = 4,
    continues: bool = True,
) -> Surprise:
    """Judge every value of a series, as `Forecaster.surprise` says."""
    horizon, method = fitted.checked_horizon(horizon), method_named(propagation)
    check_rates(false_alarms, false_discovery_rate)
    positive_integer(patience, "patience", least=2)
    if fitted.ensemble is not None:
        fitted = replace(fitted, ensemble=fitted.ensemble.without_width)
    own = _own(fitted)
    given, new = _given(fitted, own, series, exog, continues)
    earliest = fitted.n_past + horizon - 1
    first, settings = max(new, earliest), (horizon, method, patience)
    within = _monitor(fitted, own, max(earliest, len(own.values) - _REFERENCE), *settings).run()
    known = within.spread[np.isfinite(within.spread)]
    start = replace(
        _monitor(fitted, given, first, *settings, checkpoints=within.origins.checkpoints),
        tails=Tails.of(within.z),
        usual=float(np.median(known)) if len(known) else np.inf,
    )
    monitor = replace(start, limit=false_alarms or _FALSE_ALARMS).run()
    if false_discovery_rate is not None:
        for _ in range(_ROUNDS):
            limit = limit_of_discoveries(monitor.p, false_discovery_rate)
            if limit == monitor.limit:
                break
            monitor = replace(start, limit=limit).run()
    stuck, judged = list(stuck_places(given.values)), ~np.isnan(monitor.p)
    follows = series is not None and continues and first < len(given.values)
    if not (follows or judged[first:].any() or first in stuck):
        raise ValueError(
            f"series must hold at least one value with enough known values before it, {first}; got "
            f"{int((~np.isnan(given.values)).sum())} known of {len(given.values)}."
        )
    notes = [*given.notes]
    if series is None:
        notes.append(
            "these are the values that the model has learned from: its errors are smaller than "
            "those of new values, and fewer are flagged"
        )
    if n_unknown := int((~np.isnan(monitor.values) & ~judged)[first:].sum()):
        why = "as an input is missing, or too little is known before"
        notes.append(f"not judged, {why}: {counted(n_unknown, 'value')}")
    index = given.times.index
    notes += stuck_notes(given.values, index, "are flagged", since=first)
    found = given.times.labelled(_table(monitor, given.values, stuck))
    if continues and series is not None:
        found = found.iloc[found.index.searchsorted(fitted.axis.labels[-1], side="right") :]
    found.index.name = fitted.history.index.name
    return Surprise(found, monitor.limit, horizon, fitted.history.name, tuple(notes))


def check_rates(false_alarms: float | None, false_discovery_rate: float | None) -> None:
    """Refuse rates that are not probabilities, and two of them at once."""
    if false_alarms is not None and false_discovery_rate is not None:
        raise ValueError(
            "false_alarms and false_discovery_rate are two ways to say how much is flagged; "
            "give one of them."
        )
    rates = {"false_alarms": false_alarms, "false_discovery_rate": false_discovery_rate}
    for name, rate in rates.items():
        if rate is not None and not (is_number(rate) and 0.0 < float(rate) < 1.0):
            raise ValueError(
                f"{name} must be a probability between 0 and 1, such as 0.01; got {rate!r}."
            )


def limit_of_discoveries(p: FloatArray, rate: float) -> float:
    """Return the largest tail probability that is flagged, by Benjamini and Hochberg (NaN: none).

    If none is, the largest at which one value alone would be.
    """
    known = np.sort(p[~np.isnan(p)])
    below = scipy.stats.false_discovery_control(known) <= rate
    return float(known[below].max()) if below.any() else rate / max(len(known), 1)


@dataclass(frozen=True, eq=False)
class _Given:
    """A series: values (n,), times, inputs (n, q), which are set aside, and its notes."""

    values: FloatArray
    times: TimeAxis
    inputs: FloatArray
    aside: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


def _monitor(
    fitted: Fitted,
    given: _Given,
    first: int,
    horizon: int,
    method: Method,
    patience: int,
    checkpoints: Checkpoints | None = None,
) -> Monitor:
    """Return what goes through a series from a position on, and flags nothing yet.

    Nothing is forecast from values of a stuck sensor.
    """
    usable, n = given.values.copy(), len(given.values)
    usable[list(stuck_places(usable))] = np.nan
    origins = Origins.of(fitted, usable, given.times, given.inputs, np.array([n]), horizon)
    with np.errstate(divide="ignore", invalid="ignore"):
        aside = fitted.chain.refused(usable)  # such as 0 before a logarithm
    aside[list(given.aside)] = True
    origins = replace(origins, checkpoints=checkpoints or origins.checkpoints)
    return Monitor(origins, method, aside, first, patience)


def _given(
    fitted: Fitted, past: _Given, series: SeriesLike | None, exog: ExogLike, continues: bool
) -> tuple[_Given, int]:
    """Return the series to go through, and the first position that is new."""
    if series is None:
        if exog is not None:
            raise ValueError(
                "exog belongs to a series that is passed; the inputs of the fitted one are known. "
                "Leave it out."
            )
        return past, 0
    if not continues:
        found = checked(*on_days_of(fitted.axis.index, series, exog), by_clock=True)
        start = fitted.chain.axis
        times = found.axis if is_labelled(series) else start.of_length(len(found.values))
        inputs = fitted.exog.over(found.exog, times.index, "the whole series", missing=True)
        return _Given(found.values, times, inputs, notes=found.notes), 0
    found = new_values_after(series, fitted.history, fitted.axis, exog, "series")
    inputs = fitted.exog.over(found.exog, found.axis.index, "the new values", missing=True)
    n = len(past.values) - len(found.again)
    values = np.concatenate([past.values[:n], found.again, found.values])
    times = replace(fitted.axis.extended(len(found.values)), clock=found.axis.clock)
    whole = fitted.exog.extended(inputs).past
    return _Given(values, times, whole, past.aside, found.notes), n


def _own(fitted: Fitted) -> _Given:
    """Return the fitted series."""
    return _Given(values_of(fitted.history), fitted.axis, fitted.exog.past, fitted.set_aside)


def _table(monitor: Monitor, values: FloatArray, stuck: list[int]) -> pd.DataFrame:
    """Return what was found, from the first value that could be judged at all.

    What a stuck sensor repeats is flagged: no value of it is unlikely.
    """
    # Uniform also where a value has a probability of its own: anywhere within it.
    pit, judged = monitor.pit(np.random.default_rng(0).random(len(values))), ~np.isnan(monitor.p)
    flagged, kind = monitor.flagged.copy(), monitor.kind.copy()
    repeated = [at for at in stuck if not np.isnan(values[at])]
    flagged[repeated], kind[repeated] = True, "stuck"
    columns = {
        "observed": values,
        "mean": np.where(judged, monitor.mean, np.nan),
        "std": np.where(judged, monitor.std, np.nan),
        "pit": np.where(judged, pit, np.nan),
        "tail_probability": monitor.p,
        "flagged": flagged,
        "kind": kind,
    }
    index = monitor.origins.times.index[: len(values)]
    return pd.DataFrame(columns, index).iloc[monitor.first :]
