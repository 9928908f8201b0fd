"""How surprising the values of a series are, each forecast from those before, and its anomalies.

**Set aside.** A flagged value would spoil the forecasts that have it among their lags. If its tail
probability is 1 in 1000 or less, it is treated as missing instead, and forecasts go through it with
the uncertainty of that. Less rare ones stay, as leaving out what is ordinary spoils them, too.

**Changes that last.** Where several values close together are flagged, a new level and a wider
spread are compared with as many spikes (`gpforecast.pipeline.changes`). If the level has changed,
the values since are taken as those of a series moved back by the change, which is estimated again
as more of them come. If the spread has changed, standard deviations are multiplied by a factor
that follows the errors until it is usual again. Neither forgets what the model has learned.

**Tails.** A tail probability is exact for the forecast, and no smaller than by the Student-t
distribution of the errors within the fitted series where that is much likelier than a Gaussian.
The wider parts that a combination has for changes that its past does not show
(`gpforecast.structural.ensemble`) are left out: such changes are what is looked for. With 300
values, they would take an error of six standard deviations for one in 5000.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from gpforecast.automatic.ends import stuck_places
from gpforecast.common.kinds import is_labelled
from gpforecast.common.types import BoolArray, ExogLike, FloatArray, Index, SeriesLike
from gpforecast.common.validation import counted, is_number, positive_integer
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.monitor import Monitor, Tails
from gpforecast.pipeline.set_aside import stuck_notes
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.results.surprise import Surprise
from gpforecast.series import TimeAxis, checked
from gpforecast.series.checked import new_values_after, values_of
from gpforecast.series.closed_days import on_days_of
from gpforecast.series.labels import time_at

_FALSE_ALARMS = 0.001  # the share of ordinary values that are flagged by default
_REFERENCE = 1000  # values of the fitted series whose errors show the tails
_ROUNDS = 5  # passes until the limit by Benjamini and Hochberg stays


@dataclass(frozen=True)
class Alarm:
    """What is flagged.

    Attributes
    ----------
    false_alarms : float or None
        The largest tail probability of a flagged value; None: 0.001.
    false_discovery_rate : float or None
        The expected share of false alarms among flagged values, instead.
    patience : int
        So many flags close together may be a change of level or spread.

    Raises
    ------
    TypeError, ValueError
        If a rate does not lie between 0 and 1, both are given, or the patience is not at least 2.
    """

    false_alarms: float | None = None
    false_discovery_rate: float | None = None
    patience: int = 4

    def __post_init__(self) -> None:
        given = {
            "false_alarms": self.false_alarms,
            "false_discovery_rate": self.false_discovery_rate,
        }
        rates = {name: rate for name, rate in given.items() if rate is not None}
        if len(rates) == 2:
            raise ValueError(
                "false_alarms and false_discovery_rate are two ways to say how much is flagged; "
                "give one of them."
            )
        for name, rate in rates.items():
            if not (is_number(rate) and 0.0 < float(rate) < 1.0):
                raise ValueError(
                    f"{name} must be a probability between 0 and 1, such as 0.01; got {rate!r}."
                )
        positive_integer(self.patience, "patience", least=2)

    @property
    def first_limit(self) -> float:
        """The largest tail probability that is flagged before all of them are known."""
        return _FALSE_ALARMS if self.false_alarms is None else self.false_alarms

    def limit(self, p: FloatArray) -> float:
        """Return the largest tail probability that is flagged among these (NaN: not judged)."""
        if self.false_discovery_rate is None:
            return self.first_limit
        known = np.sort(p[~np.isnan(p)])
        below = scipy.stats.false_discovery_control(known) <= self.false_discovery_rate
        at_least_one = self.false_discovery_rate / max(len(known), 1)
        return float(known[below].max()) if below.any() else at_least_one


def surprise(
    fitted: Fitted,
    series: SeriesLike | None,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    horizon: int = 1,
    alarm: Alarm | None = None,
    continues: bool = True,
) -> Surprise:
    """Judge every value of a series, as `Forecaster.surprise` says."""
    horizon, alarm = fitted.checked_horizon(horizon), alarm or Alarm()
    if fitted.ensemble is not None:
        fitted = replace(fitted, ensemble=fitted.ensemble.without_surprise)
    method = method_named(propagation)
    given, new = _given(fitted, series, exog, continues)
    first = max(new, fitted.n_past + horizon - 1)
    start = _monitor(fitted, given, method, horizon, first, alarm.patience)
    within = _monitor_of_the_fit(fitted, method, horizon)
    known = within.spread[np.isfinite(within.spread)]
    usual = float(np.median(known)) if len(known) else np.inf
    start = replace(start, tails=Tails.of(within.z), usual=usual, checkpoints=within.checkpoints)
    monitor = _passes(start, alarm)
    judged = ~np.isnan(monitor.p)
    follows = series is not None and continues and first < len(given.values)
    if not (follows or judged[first:].any() or first in given.stuck):
        raise ValueError(
            f"series must hold at least one value with enough known values before it, {first}; got "
            f"{int((~np.isnan(given.values)).sum())} known of {len(given.values)}."
        )
    found = _result(monitor, judged, given)
    index = given.times.of_length(len(given.values)).index
    notes = [
        *given.notes,
        *_notes(monitor, in_sample=series is None),
        *_shift_notes(fitted, found.index),
        *stuck_notes(given.values, index, "are flagged", since=monitor.first),
    ]
    return Surprise(found, monitor.limit, horizon, fitted.history.name, tuple(notes))


def _notes(monitor: Monitor, *, in_sample: bool) -> list[str]:
    """Return notes on values that are not judged, and on those that the model learned from."""
    notes = []
    if in_sample:
        notes.append(
            "these are the values that the model has learned from: its errors are smaller than "
            "those of new values, and fewer are flagged"
        )
    known = monitor.first + np.flatnonzero(~np.isnan(monitor.values[monitor.first :]))
    n_inputs = int(monitor.lacks_inputs(known).sum())
    if n_inputs:
        notes.append(f"not judged, as inputs are missing: {counted(n_inputs, 'value')}")
    if monitor.n_failed:
        notes.append(
            f"not judged, as no forecast could be made: {counted(monitor.n_failed, 'value')}"
        )
    return notes


def _shift_notes(fitted: Fitted, judged: Index) -> list[str]:
    """Return which shifts of the level are not found, as the transforms remove them."""
    chain = fitted.chain
    places = chain.spec.shifts
    index = chain.axis.of_length(max(places, default=0) + 1).index  # it keeps but the first times
    times = [time_at(index, at) for at in places if index[at] in judged]
    if not times:
        return []
    which = "shift" if len(times) == 1 else "shifts"
    said = (
        f"the fit removed the {which} of the level at {', '.join(times)}, so that what is left "
        f"there is not flagged; Forecaster(outliers=None) leaves shifts in"
    )
    return [said]


@dataclass(frozen=True, eq=False)
class _Given:
    """A series: values (n,), times, inputs (n, q), which are set aside (n,), and its notes."""

    values: FloatArray
    times: TimeAxis
    inputs: FloatArray
    aside: BoolArray
    notes: tuple[str, ...] = ()

    @cached_property
    def stuck(self) -> list[int]:
        """The places of what a stuck sensor repeats."""
        return list(stuck_places(self.values))

    @property
    def usable(self) -> FloatArray:
        """The values (n,) but those of a stuck sensor: nothing is forecast from them."""
        usable = self.values.copy()
        usable[self.stuck] = np.nan
        return usable


def _given(
    fitted: Fitted, series: SeriesLike | None, exog: ExogLike, continues: bool
) -> tuple[_Given, int]:
    """Return the series to go through, and the first position that is new."""
    if series is None:
        if exog is not None:
            raise ValueError(
                "exog belongs to a series that is passed; the inputs of the fitted one are known. "
                "Leave it out."
            )
        return _own(fitted), 0
    if continues:
        return _continued(fitted, series, exog), len(fitted.history)
    found = checked(*on_days_of(fitted.axis.index, series, exog))
    n = len(found.values)
    times = found.axis if is_labelled(series) else fitted.chain.axis.of_length(n)
    inputs = fitted.exog.over(found.exog, times.index, "the whole series", missing=True)
    return _Given(found.values, times, inputs, np.zeros(n, dtype=bool), found.notes), 0


def _own(fitted: Fitted) -> _Given:
    """Return the fitted series."""
    values = values_of(fitted.history)
    aside = np.zeros(len(values), dtype=bool)
    aside[list(fitted.set_aside)] = True
    return _Given(values, fitted.axis, fitted.exog.past, aside)


def _continued(fitted: Fitted, series: SeriesLike, exog: ExogLike) -> _Given:
    """Return the fitted series and the values that follow it."""
    past = _own(fitted)
    try:
        found = new_values_after(series, fitted.history, fitted.axis, exog, "series")
    except ValueError as error:
        if not (is_labelled(series) and series.index[:1].isin(fitted.history.index).any()):
            raise
        raise ValueError(
            f"{error} To judge the fitted values, call surprise() without an argument."
        ) from None
    new = found.values
    inputs = fitted.exog.over(found.exog, found.axis.index, "the new values", missing=True)
    return _Given(
        np.concatenate([past.values, new]),
        fitted.axis.extended(len(new)),
        np.concatenate([past.inputs, inputs]),
        np.concatenate([past.aside, np.zeros(len(new), dtype=bool)]),
        found.notes,
    )


def _monitor(
    fitted: Fitted, given: _Given, method: Method, horizon: int, first: int, patience: int
) -> Monitor:
    """Return what goes through a series, and flags nothing yet."""
    located = fitted.chain.axis.locate(given.times)
    fitted = fitted.given(given.inputs, located.first)
    with np.errstate(divide="ignore", invalid="ignore"):
        impossible = ~np.isfinite(fitted.chain.forward(given.usable))  # such as a logarithm of 0
    return Monitor(
        fitted=fitted,
        method=method,
        horizon=horizon,
        values=given.usable,
        aside=given.aside | impossible,
        times=located.extended(horizon),
        exog=fitted.exog.scaled(given.inputs),
        first=first,
        limit=0.0,
        patience=patience,
    )


def _monitor_of_the_fit(fitted: Fitted, method: Method, horizon: int) -> Monitor:
    """Return the last forecasts within the fitted series."""
    own = _own(fitted)
    first = max(fitted.n_past + horizon - 1, len(own.values) - _REFERENCE)
    return _monitor(fitted, own, method, horizon, first, patience=2).run()


def _passes(start: Monitor, alarm: Alarm) -> Monitor:
    """Go through the series with the limit that follows from its own tail probabilities."""
    monitor = replace(start, limit=alarm.first_limit).run()
    for _ in range(_ROUNDS):
        limit = alarm.limit(monitor.p)
        if limit == monitor.limit:
            break
        monitor = replace(start, limit=limit).run()
    return monitor


def _result(monitor: Monitor, judged: BoolArray, given: _Given) -> pd.DataFrame:
    """Return what was found, from the first value that could be judged at all.

    What a stuck sensor repeats is flagged: no value of it is unlikely.
    """
    # Uniform also where a value has a probability of its own: anywhere within it.
    pit = monitor.pit(np.random.default_rng(0).random(len(monitor.values)))
    flagged, kind = monitor.flagged.copy(), monitor.kind.copy()
    stuck = [at for at in given.stuck if not np.isnan(given.values[at])]
    flagged[stuck], kind[stuck] = True, "stuck"
    columns = {
        "observed": given.values,
        "mean": np.where(judged, monitor.mean, np.nan),
        "std": np.where(judged, monitor.std, np.nan),
        "pit": np.where(judged, pit, np.nan),
        "tail_probability": monitor.p,
        "flagged": flagged,
        "kind": kind,
    }
    table = pd.DataFrame(columns, index=monitor.times.index[: len(judged)]).iloc[monitor.first :]
    table.index.name = monitor.fitted.history.index.name
    return table
