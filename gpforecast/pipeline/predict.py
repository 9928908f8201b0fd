"""Forecasts of a fitted series, of any series like it, and free simulation over given inputs."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.kinds import is_labelled, is_series
from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, IntArray, SeriesLike, Values
from gpforecast.common.validation import array_without_infinities, shown
from gpforecast.common.warnings import warn_numerically
from gpforecast.common.wording import listed
from gpforecast.pipeline.explanation import Explanation
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.origins import DIRECT, Origins
from gpforecast.pipeline.plausible import caution
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import Predictive, supported
from gpforecast.propagation import (
    Automatic,
    Method,
    MethodLike,
    MonteCarlo,
    Propagation,
    method_named,
)
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.one_function import of_f
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.censored import never_falling, within
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import distribution_of
from gpforecast.series import TimeAxis, checked
from gpforecast.series.checked import values_of
from gpforecast.series.clock import Moments
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.frames import one_column
from gpforecast.series.horizon import Horizon
from gpforecast.series.labels import counts_rows_of
from gpforecast.series.zoned import zoned

D_co = TypeVar("D_co", covariant=True)

_BEYOND = 1e-6  # probability beyond a bound: less changes no number that is shown
_FAR = 0.5  # of the range of an input, beyond it
_ROUNDING = 1e-9  # of a value: what differs by less is the same


@dataclass(frozen=True, eq=False)
class Ahead(Generic[D_co]):
    """Forecasts from some origins.

    Attributes
    ----------
    distribution : object
        The joint distribution of the horizon after each origin.
    name : str
        Of the propagation method, with those that an automatic one selected.
    notes : tuple of str
        Problems to report.
    chosen : frozenset of str
        The methods that an automatic one selected.
    own : Propagated or None
        Of the one-step model of a single series, in the units of its warp.
    """

    distribution: D_co
    name: str
    notes: tuple[str, ...] = ()
    chosen: frozenset[str] = frozenset()
    own: Propagated | None = None


def predict(
    fitted: Fitted,
    horizon: Horizon,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    exog_cov: ArrayLike | None = None,
) -> Forecast:
    """Forecast the values that follow the last one observed, as `Forecaster.predict` says."""
    moments, history = fitted.moments_ahead(horizon), fitted.observations.copy()
    aside = np.isin(fitted.axis.moments.steps, fitted.set_aside)
    exog = moments.inputs(exog, "the forecast")
    exog_cov = moments.covariance(exog_cov, fitted.exog.n_given)
    fitted = fitted.settled
    index = fitted.axis.future(fitted.checked_horizon(moments.n_steps))
    inputs = fitted.exog.over(exog, index, "the forecast")
    origins = at_the_end(fitted, inputs, exog_cov)
    found = _forecast(origins, moments, inputs, history, propagation)
    return replace(found, set_aside=tuple(np.flatnonzero(aside).tolist()))


def simulate(
    fitted: Fitted,
    exog: SeriesLike,
    start: SeriesLike | None,
    propagation: MethodLike,
    *,
    exog_cov: ArrayLike | None = None,
) -> Forecast:
    """Run the model over given inputs, from its history or from a `start` of its own.

    Parameters
    ----------
    fitted : Fitted
    exog : DataFrame, Series or array (n, q)
        Inputs over the whole stretch.
    start : Series or array-like (k,), or None
        The first k outputs, at the first k times of `exog`; NaN where missing.
    propagation, exog_cov
        As for `gpforecast.Forecaster.simulate`.

    Raises
    ------
    TypeError, ValueError
        If the outputs are too few or too many, are not numbers, or have other times than the first
        inputs; or if the inputs are not those of the fit, on a regular index.
    """
    if fitted.leads is not None:
        raise ValueError(
            "simulate predicts each output from its own earlier ones, which direct forecasts do "
            'not; fit a forecaster with strategy="iterated".'
        )
    if np.ndim(exog) == 0:
        raise ValueError(f"exog must hold the inputs at each time to simulate; got {exog!r}.")
    n = np.shape(exog)[0]
    if start is None:
        return predict(fitted, n, propagation, exog=exog, exog_cov=exog_cov)
    times = TimeAxis.rows(n)
    if is_labelled(exog):
        times = zoned(exog.index) or TimeAxis.of(exog.index, "exog")
    start = one_column(start, "start")
    known = given = array_without_infinities(start, "start", ndim=1)
    moments, labels = times.moments, times.labels[: len(given)]
    if times.clock is not None:
        steps = moments.steps[: len(given)]
        means = pd.Series(given[: len(steps)]).groupby(steps).mean()
        known = values_of(means.reindex(range(int(steps.max(initial=-1)) + 1)))
    by_step = moments.inputs(exog, "the simulation")
    exog_cov = moments.covariance(exog_cov, fitted.exog.n_given)
    fitted, times, k = replace(fitted, clock=None), replace(times, clock=None), len(known)
    if not fitted.n_past <= k < len(times):
        raise ValueError(
            f"start must hold at least the {fitted.n_past} outputs that the model needs, "
            f"and fewer than the {n} rows of exog, which begins at the same time; got {k}."
        )
    history = pd.Series(given.copy(), labels)
    if is_series(start):
        own, history.name = start.index, start.name
        if not (counts_rows_of(own, labels) or own.equals(labels)):
            raise ValueError(
                f"start must be the first outputs at the times of exog, {labels[0]} to "
                f"{labels[-1]}; got {own[0]} to {own[-1]}."
            )
    inputs = fitted.exog.over(by_step, times.index, "the simulation", missing=True)
    at = times, inputs, np.array([k]), fitted.checked_horizon(len(times) - k)
    origins = Origins.of(fitted, known, *at, exog_cov=exog_cov)
    later = moments.part(int((moments.steps < k).sum()))
    later = replace(later, steps=later.steps - k)
    return _forecast(origins, later, inputs[k:], history, propagation)


def _forecast(
    origins: Origins, moments: Moments, inputs: FloatArray, history: Values, propagation: MethodLike
) -> Forecast:
    """Return the forecast from one origin, with future inputs (h, q), which continues a history.

    The steps of a clock are given at their moments.
    """
    fitted, method = origins.fitted, method_named(propagation)
    ahead = joint_from(origins, method)
    joint, index, explanation = ahead.distribution.at(0), moments.times, None
    notes = *far_inputs(fitted.exog, inputs), *joint.remarks(), *ahead.notes, *fitted.notes
    if fitted.leads is None and ahead.own is not None:
        explanation = Explanation(origins, method, ahead.own, joint, moments.places)
    return Forecast(
        joint if moments.step is None else joint.over(moments.steps),
        index,
        history,
        ahead.name,
        notes,
        pd.Series(_trajectory(origins)[moments.places], index, name="trajectory"),
        explanation,
        label=fitted.axis.label,
    )


def at_the_end(fitted: Fitted, inputs: FloatArray, exog_cov: ArrayLike | None = None) -> Origins:
    """Return the one origin after the last value observed, with the inputs ahead (h, q)."""
    every, end = fitted.exog.extended(inputs).past, np.array([len(fitted.history)])
    at = fitted.known, fitted.axis, every, end, len(inputs)
    return Origins.of(fitted, *at, exog_cov=exog_cov)


def within_series(
    fitted: Fitted,
    series: SeriesLike,
    origins: ArrayLike,
    horizon: int,
    exog: ExogLike = None,
    n_jobs: int | None = None,
) -> Origins:
    """Return origins of a series, each of which knows the values before it."""
    found, axis = checked(series, exog, by_clock=True), fitted.chain.axis
    n, values = len(found.values), found.values
    horizon = fitted.checked_horizon(horizon)
    why = "the largest lag", "the end of the series"
    ends = checked_origins(origins, fitted.n_past, n, why)
    times = axis.locate(found.axis if is_labelled(series) else axis.of_length(n))
    dates_alone = bool(fitted.exog) and not fitted.exog.n_given
    at = times.extended(horizon).index if dates_alone else times.index
    inputs = fitted.exog.over(found.exog, at, "the whole series", missing=True)
    if fitted.exog.n_given and ends.max() + horizon > n:
        raise ValueError("with exog, every forecast must end within the series.")
    values, begin = fitted.known_among(values, times), int(ends.min())
    made = Origins.of(fitted, values, times, inputs, ends, horizon, n_jobs=n_jobs)
    known = values[:begin], times.part(0, begin)
    values[int(ends.max()) :] = np.nan  # no origin knows these; a transform might refuse them
    return replace(made, fitted=made.fitted.reopened(*known))


def name_of(method: Method, chosen: Collection[str]) -> str:
    """Return the name of a method, and of those that it chose: ``auto: exact, monte_carlo``.

    Direct forecasts are ``direct``, by whichever method missing values were filled in.
    """
    if DIRECT in chosen:
        return DIRECT
    return f"{method.name}: {', '.join(sorted(chosen))}" if chosen else method.name


def joint_from(origins: Origins, method: Method) -> Ahead[Distribution]:
    """Forecast from every origin; what goes less well is warned of and noted."""
    fitted, z = origins.fitted, origins.follow(method)
    calibration, warp = fitted.calibration, fitted.chain.warp
    if fitted.ensemble is not None and method.name == Automatic.name:
        joint: Distribution = origins.mixed(fitted.ensemble, z, method)
    else:
        joint = distribution_of(z, warp) if calibration is None else calibration.joint(z, warp)
    notes = [*z.remarks]
    if fitted.leads is None:
        notes.append(of_f(method).remark(fitted.predictive))
    elif method.name == MonteCarlo.name:
        notes.append("direct forecasts have no paths of their own; draw them with sample()")
    within_support = in_support(joint, fitted, origins.last)
    notes.append(caution(joint, within_support, origins))
    if joint.n_clipped:
        n_variances = len(origins.ends) * joint.mean.shape[-1]
        notes.append(clipped(joint.n_clipped, n_variances, method, fitted.predictive))
    noted = tuple(note for note in notes if note)
    return Ahead(within_support, name_of(method, z.chosen), noted, z.chosen, own=z)


def in_support(joint: Distribution, fitted: Fitted, last: FloatArray | None = None) -> Distribution:
    """Return a forecast within the support of the series, after the last known values (b,).

    A support that was detected, not declared, and is continuous changes only forecasts that reach
    its bounds.
    """
    support = fitted.support
    if support is None:
        return joint
    if support.rising:
        return joint if last is None else never_falling(joint, support, last)
    if fitted.support_reason and not support.whole and support.outside(joint) < _BEYOND:
        return joint
    return within(joint, support)


def far_inputs(exog: Exogenous, values: FloatArray) -> list[str]:
    """Return a note on inputs (m, q) beyond their past by half its range, as in another unit."""
    q = exog.n_given
    past, later = exog.past[:, :q], values[:, :q]
    low, high = np.nanmin(past, axis=0), np.nanmax(past, axis=0)
    beyond = np.nan_to_num(np.maximum(later - high, low - later)).max(axis=0)
    rounding = _ROUNDING * np.maximum(np.abs(low), np.abs(high))
    far = np.flatnonzero(beyond > np.maximum(_FAR * (high - low), rounding))
    so_far = (f"{exog.columns[j]!r} (from {low[j]:.10g} to {high[j]:.10g} so far)" for j in far)
    note = (
        f"inputs far from all that was learned from: {listed([*so_far])}; what they do there is a "
        f"guess, and the intervals may not tell: check their units"
    )
    return [note] if len(far) else []


def _trajectory(origins: Origins) -> FloatArray:
    """Return the plug-in path (h,) of a single origin, every prediction taken for a fact.

    NaN if it runs away from every finite number.
    """
    try:
        path = origins.follow(PlugIn()).mean[0]
    except ValueError:
        return np.full(origins.horizon, np.nan)
    fitted = origins.fitted
    values = fitted.chain.backward(path)
    return values if fitted.support is None else fitted.support.clip(values)


def checked_origins(
    origins: ArrayLike, first: int, last: int, why: tuple[str, str], what: str = "positions"
) -> IntArray:
    """Return origins as an array, or say what is wrong.

    Parameters
    ----------
    origins : int or array-like of int (b,)
    first, last : int
        Between which positions they must lie.
    why : tuple of str
        The reason of each bound.
    what : str
        What a user may pass.
    """
    where = np.atleast_1d(np.asarray(origins))
    if where.dtype.kind not in "iu" or where.ndim != 1 or len(where) == 0:
        raise ValueError(f"origins must be {what} (whole numbers); got {shown(origins)}.")
    if where.min() < first or where.max() > last:
        raise ValueError(
            f"origins must lie between {first} ({why[0]}) and {last} ({why[1]}); got "
            f"{where.min()} to {where.max()}."
        )
    return where


def clipped(n: int, n_variances: int, method: Propagation, *predictives: Predictive) -> str:
    """Warn that so many of the variances that each part of a model predicted were negative."""
    parts = max(len(parts_of(one)[0]) for one in predictives)
    note = (
        f"{n} of {parts * n_variances} variances by the {method.name} method came out negative, by "
        f"rounding or approximation, and were set to the smallest that is possible"
    )
    closed = all("exact" in supported(one) for one in predictives) and method.name != "exact"
    warn_numerically(note + (". Exact moments do not need this." if closed else "."))
    return note
