"""What a fitted forecaster returns for values that came: the methods that look back on a series.

Most of it is about `surprise`: each value forecast from those before it, and anomalies.

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
from gpforecast.common.parameters import number
from gpforecast.common.progress import showing
from gpforecast.common.types import ExogLike, FloatArray, SeriesLike, known_as
from gpforecast.common.validation import counted, positive_integer
from gpforecast.pipeline.describe import summary
from gpforecast.pipeline.fitted import Fitted, required
from gpforecast.pipeline.monitor import RARE, Monitor, Tails
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import clipped, joint_from
from gpforecast.pipeline.set_aside import stuck_notes
from gpforecast.propagation import Method, MethodLike, Naive, method_named
from gpforecast.propagation.filtering import Checkpoints
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.results.surprise import Surprise
from gpforecast.series import TimeAxis, checked
from gpforecast.series.checked import new_values_after, values_of
from gpforecast.series.coarser import on_days_of
from gpforecast.series.frames import as_pandas
from gpforecast.transforms.bridging import bridge

_REFERENCE = 1000  # values of the fitted series whose errors show the tails
_RATE = number("a probability between 0 and 1, such as 0.01", lambda v: 0.0 < v < 1.0)
_ROUNDS = 5  # passes until the limit by Benjamini and Hochberg stays


@known_as("Forecaster")
class Retrospective(Options):
    """The parameters of a `gpforecast.Forecaster`, and its methods that look back on a series."""

    fitted_: Fitted | None = None

    def surprise(
        self,
        series: SeriesLike | None = None,
        *,
        exog: ExogLike = None,
        horizon: int = 1,
        false_alarms: float | None = None,
        false_discovery_rate: float | None = None,
        patience: int = 4,
        continues: bool = True,
        progress: bool | None = None,
    ) -> Surprise:
        """Return how surprising each value was, given those before it, and flag anomalies.

        A flagged value as rare as 1 in 1000 counts as missing in the forecasts after it, so that
        it does not spoil them, unless several together show that the level or the spread of the
        series has changed. Values that are not rare themselves are flagged where a run of them is
        too long for chance (`gpforecast.pipeline.monitor`).

        A level shift is told from spikes by the values of one call: it must hold at least
        `patience` + `horizon` - 1 of the new level, 4 by default. With one value a call, a shift
        is a spike or two and then silence. An alarm should pass the newest 12 or so each time, and
        `update` with older ones only.

        Parameters
        ----------
        series : Series or 1-D array-like, optional
            The values that follow the last one of the fit, as for `update`: values and timestamps
            may be missing, and if all are, the result has none that is judged. ``None``: the fitted
            series itself, which the model has learned from, so that its errors are too small and
            fewer values are flagged.
        exog : optional
            Exogenous inputs at the times of `series`.
        horizon : int
            How many steps ahead each value is forecast.
        false_alarms : float, optional
            The share of ordinary values that are flagged: those of no larger tail probability.
            ``None``: 0.001.
        false_discovery_rate : float, optional
            The expected share of false alarms among the flagged values, instead of
            `false_alarms`, by the method of Benjamini and Hochberg.
        patience : int
            So many values must be flagged close together before a change of level or spread is
            considered.
        continues : bool
            False: `series` is a whole series of its own, similar to the fitted one, as for
            `predict_from`.
        progress : bool or None
            Whether to show a bar that counts values. ``None``: the forecaster's setting.

        Returns
        -------
        Surprise

        Raises
        ------
        ValueError
            If the series does not continue that of the fit, it has no values, a whole series has
            none that is known with enough before it, a rate does not lie between 0 and 1, or both
            rates are given.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.mackey_glass(400, noise_var=1e-4, seed=0)
        >>> later = series[300:].copy()
        >>> later[350] += 0.3
        >>> found = gf.Forecaster(lags=8).fit(series[:300]).surprise(later)
        >>> found.flagged["kind"].to_dict()
        {350: 'spike'}
        """
        fitted = required(self.fitted_)
        series = as_pandas(series, "series")
        exog = as_pandas(exog, "exog", series=series)
        settings = fitted.checked_horizon(horizon), self.method(), patience
        check_rates(false_alarms, false_discovery_rate)
        positive_integer(patience, "patience", least=2)
        with showing(progress), showing(self.progress):
            given = _given(fitted, series, exog, continues)
            limit = false_alarms or RARE
            monitor = _judged(fitted, given, settings, limit, false_discovery_rate)
        first, stuck = monitor.first, list(stuck_places(given.values))
        judged, follows = ~np.isnan(monitor.p), series is not None and continues
        new = follows and first < len(given.values)
        if not (new or judged[first:].any() or first in stuck):
            raise ValueError(
                f"series must hold at least one value with enough known values before it, {first}; "
                f"got {int((~np.isnan(given.values)).sum())} known of {len(given.values)}."
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
        notes += stuck_notes(given.values, given.times.index, "are flagged", since=first)
        found = given.times.labelled(_table(monitor, given.values, stuck))
        if follows:
            found = found.iloc[found.index.searchsorted(fitted.axis.labels[-1], side="right") :]
        found.index.name = fitted.history.index.name
        return Surprise(found, monitor.limit, monitor.horizon, fitted.history.name, tuple(notes))

    def predict_in_sample(self) -> pd.DataFrame:
        """Predict every value of the fitted series one step ahead.

        Returns
        -------
        DataFrame
            On the index and in the units of the series, from the first value that has all its lags:
            ``observed``; ``mean`` and ``std`` of an observation given those before it; and
            ``residual``, observed - mean, smaller than the errors of a forecast, as the model has
            learned from these values. NaN where one or an input is missing, or too few come before.
        """
        fitted = required(self.fitted_)
        y, exog = fitted.known, fitted.exog.past
        times = np.arange(fitted.n_past, len(y))
        origins = Origins.of(fitted, y, fitted.axis, exog, times, 1)
        possible = origins.possible
        n_unknown = np.cumsum(np.append(0, np.isnan(y) | np.isnan(exog).any(axis=1)))
        whole = possible & (n_unknown[times] == n_unknown[times - fitted.n_past])
        whole &= fitted.measurement is None
        mean, var = np.full((2, len(times)), np.nan)
        # At known inputs every method gives the same, and naive iteration costs least.
        for chosen, method in ((whole, Naive()), (possible & ~whole, self.method())):
            if chosen.any():
                with showing(self.progress):
                    joint = joint_from(replace(origins, ends=times[chosen]), method).distribution
                mean[chosen], var[chosen] = joint.mean[:, 0], joint.var[:, 0]
        seen = values_of(fitted.history)[times]
        table = {"observed": seen, "mean": mean, "std": np.sqrt(var), "residual": seen - mean}
        return fitted.axis.labelled(pd.DataFrame(table, fitted.history.index[fitted.n_past :]))

    def fill_missing(self) -> pd.DataFrame:
        """Return the fitted series with its missing values, given all observed ones.

        Returns
        -------
        DataFrame
            On the index and in the units of the series: ``mean``, the value itself where observed,
            and ``std`` of an observation, 0 there (`gpforecast.propagation.missing`). A model
            fitted to ``mean`` treats the filled values as observed.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.mackey_glass(200, noise_var=1e-4, seed=0)
        >>> holes = series.where(~series.index.isin([50, 51, 120]))
        >>> filled = gf.Forecaster(lags=8).fit(holes).fill_missing()
        >>> bool((abs(filled["mean"] - series) < 0.05).all()), int((filled["std"] > 0).sum())
        (True, 3)
        """
        return fill_missing(required(self.fitted_), self.method())

    def smooth(self) -> pd.DataFrame:
        """Return the fitted series without its measurement noise, given all observed values.

        Returns
        -------
        DataFrame
            ``mean`` and ``std`` of what was measured, on the index and in the units of the series;
            as `fill_missing` without such noise. `gpforecast.plotting.smoothed_series` draws it.
        """
        return fill_missing(required(self.fitted_), self.method(), smooth=True)

    def summary(self) -> str:
        """Return what was fitted, as text: transforms and why, lags, model, noise, notes."""
        return summary(required(self.fitted_), self.propagation)


def check_rates(false_alarms: float | None, false_discovery_rate: float | None) -> None:
    """Refuse rates that are not probabilities, and two of them at once."""
    if false_alarms is not None and false_discovery_rate is not None:
        raise ValueError(
            "false_alarms and false_discovery_rate are two ways to say how much is flagged; "
            "give one of them."
        )
    rates = {"false_alarms": false_alarms, "false_discovery_rate": false_discovery_rate}
    for name, rate in rates.items():
        if rate is not None:
            _RATE(rate, name)


def limit_of_discoveries(p: FloatArray, rate: float) -> float:
    """Return the largest tail probability that is flagged, by Benjamini and Hochberg (NaN: none).

    If none is, the largest at which one value alone would be.
    """
    known = np.sort(p[~np.isnan(p)])
    below = scipy.stats.false_discovery_control(known) <= rate
    return float(known[below].max()) if below.any() else rate / max(len(known), 1)


@dataclass(frozen=True, eq=False)
class _Given:
    """A series: values (n,), times, inputs (n, q), which are set aside, notes, the first judged."""

    values: FloatArray
    times: TimeAxis
    inputs: FloatArray
    aside: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    first: int = 0


def _judged(
    fitted: Fitted,
    given: _Given,
    settings: tuple[int, Method, int],
    limit: float,
    rate: float | None,
) -> Monitor:
    """Return what went through a series; errors within the fitted one show the tails.

    Settings are the horizon, the method and the patience, the rate that of false discoveries.
    """
    horizon, method, patience = settings

    def monitor_of(one: _Given, checkpoints: Checkpoints) -> Monitor:  # which flags nothing yet
        usable = one.values.copy()
        usable[list(stuck_places(usable))] = np.nan  # nothing is forecast from a stuck sensor
        at = one.times, one.inputs, np.array([len(usable)]), horizon
        with np.errstate(divide="ignore", invalid="ignore"):
            aside = fitted.chain.refused(usable)  # such as 0 before a logarithm
        aside[list(one.aside)] = True
        origins = replace(Origins.of(fitted, usable, *at), checkpoints=checkpoints)
        return Monitor(origins, method, aside, one.first, patience)

    if fitted.ensemble is not None:
        fitted = replace(fitted, ensemble=fitted.ensemble.without_width)
    own, earliest = _own(fitted), fitted.n_past + horizon - 1
    own = replace(own, first=max(earliest, len(own.values) - _REFERENCE))
    within = monitor_of(own, Checkpoints()).run()
    known = within.spread[np.isfinite(within.spread)]
    given = replace(given, first=max(given.first, earliest))
    start = replace(
        monitor_of(given, within.origins.checkpoints),
        tails=Tails.of(within.z),
        usual=float(np.median(known)) if len(known) else np.inf,
    )
    monitor = replace(start, limit=limit).run()
    if rate is not None:
        for _ in range(_ROUNDS):
            limit = limit_of_discoveries(monitor.p, rate)
            if limit == monitor.limit:
                break
            monitor = replace(start, limit=limit).run()
    return monitor


def _given(fitted: Fitted, series: SeriesLike | None, exog: ExogLike, continues: bool) -> _Given:
    """Return the series to go through, from the first position that is new."""
    past = _own(fitted)
    if series is None:
        if exog is not None:
            raise ValueError(
                "exog belongs to a series that is passed; the inputs of the fitted one are known. "
                "Leave it out."
            )
        return past
    if not continues:
        found = checked(*on_days_of(fitted.axis.index, series, exog), by_clock=True)
        start = fitted.chain.axis
        times = found.axis if is_labelled(series) else start.of_length(len(found.values))
        inputs = fitted.exog.over(found.exog, times.index, "the whole series", missing=True)
        return _Given(found.values, times, inputs, notes=found.notes)
    found = new_values_after(series, fitted.history, fitted.axis, exog, "series")
    inputs = fitted.exog.over(found.exog, found.axis.index, "the new values", missing=True)
    n = len(past.values) - len(found.again)
    values = np.concatenate([past.values[:n], found.again, found.values])
    times = replace(fitted.axis.extended(len(found.values)), clock=found.axis.clock)
    whole = fitted.exog.extended(inputs).past
    return _Given(values, times, whole, past.aside, found.notes, first=n)


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
    flagged[stuck], kind[stuck] = True, "stuck"
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


def fill_missing(fitted: Fitted, propagation: MethodLike, *, smooth: bool = False) -> pd.DataFrame:
    """Return mean and std of every value given all observed, as `Forecaster.fill_missing` says.

    Or without measurement noise, as `Forecaster.smooth` says.
    """
    given, y, index = values_of(fitted.history), fitted.known, fitted.history.index
    measured = 0.0 if fitted.measurement is None else fitted.measurement.variance
    chosen = np.isnan(given) | (smooth and measured > 0.0)
    if not chosen.any():
        return fitted.axis.labelled(pd.DataFrame({"mean": given, "std": np.zeros(len(y))}, index))
    last = np.array([len(y) - 1])
    origins = Origins.of(fitted, y, fitted.axis, fitted.exog.past, last, 1)
    chain, times, method = fitted.chain, origins.times, method_named(propagation)
    if chain.n_lost:
        level = chain.forward(y)
        mean, var = bridge(chain, level, times).fill(level)
    else:
        mean, var, n_clipped = origins.gaps(method).filled()
        if n_clipped:
            clipped(n_clipped, len(y), method, fitted.predictive)
        mean, var = chain.undo_one_by_one(mean, var if smooth else var + measured, times)
    if chain.warp is not None:
        mean, var = warped_mean_var(chain.warp, mean, var)
    closed = chain.closed(times)
    mean, var = np.where(closed, chain.closed_level(), mean), np.where(closed, 0.0, var)
    if fitted.support is not None:
        mean = fitted.support.clip(mean)
    # Observed values are returned exactly.
    std = np.where(chosen, np.sqrt(var), 0.0)
    table = pd.DataFrame({"mean": np.where(chosen, mean, given), "std": std}, index)
    return fitted.axis.labelled(table)
