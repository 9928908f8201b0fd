"""Forecasts of a fitted series, of its continuation and of any series like it."""

from dataclasses import replace

import numpy as np

from gpforecast.common.types import ArrayLike, ExogLike, FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import is_labelled, shown
from gpforecast.common.warnings import warn_numerically
from gpforecast.pipeline.explain import Explanation
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.input_notes import notes_on_far_inputs
from gpforecast.pipeline.origins import DIRECT, Origins, follow, without_effects
from gpforecast.pipeline.plausible import doubts
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation import Automatic, Method, MethodLike, MonteCarlo, method_named
from gpforecast.propagation.one_function import of_f
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.censored import within
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import distribution_of
from gpforecast.series import TimeAxis, checked
from gpforecast.series.exogenous import Encoded
from gpforecast.series.horizon import Horizon, steps_of

_REACHED = 1e-6  # probability beyond a bound: less changes no number that is shown


def predict(
    fitted: Fitted,
    horizon: Horizon,
    propagation: MethodLike,
    *,
    exog: ExogLike | Encoded = None,
    exog_cov: ArrayLike | None = None,
) -> Forecast:
    """Forecast the values that follow the last one observed, as `Forecaster.predict` says."""
    horizon = fitted.checked_horizon(steps_of(horizon, fitted.axis))
    method = method_named(propagation)
    index = fitted.axis.future(horizon)
    inputs = fitted.exog.over(exog, index, "the forecast")
    origins = at_the_end(fitted, horizon, Encoded(inputs), exog_cov)
    z = follow(origins, method)
    joint, notes, chosen = joint_from(origins, method, z)
    distribution = joint.at(0)
    found = Forecast.of(
        distribution,
        index,
        history=fitted.history.copy(),
        propagation=name_of(method, chosen),
        notes=(
            *notes_on_far_inputs(fitted.exog, inputs),
            *joint.remarks(),
            *notes,
            *fitted.notes,
        ),
        trajectory=_trajectory(origins),
    )
    explanation = Explanation(origins, method, z, distribution)
    return replace(found, explanation=explanation, set_aside=fitted.set_aside)


def at_the_end(
    fitted: Fitted, horizon: int, exog: ExogLike | Encoded = None, exog_cov: ArrayLike | None = None
) -> Origins:
    """Return the one origin after the last value observed."""
    index = fitted.axis.future(horizon)
    future = fitted.exog.over(exog, index, "the forecast")
    history, inputs = fitted.history, np.concatenate([fitted.exog.past, future])
    times = fitted.chain.axis.locate(TimeAxis(history.index.append(index)))
    cov = fitted.exog.covariance(exog_cov, horizon)
    return Origins(
        fitted.given(inputs, times.first, cov),
        fitted.known,
        times,
        fitted.exog.scaled(inputs),
        np.array([len(history)]),
        horizon,
        fitted.exog.scaled_covariance(cov),
    )


def predict_from(
    fitted: Fitted,
    series: SeriesLike,
    origins: ArrayLike,
    horizon: int,
    propagation: MethodLike,
    *,
    exog: ExogLike | Encoded = None,
    n_jobs: int | None = None,
) -> Distribution:
    """Forecast from many origins of a series, as `Forecaster.predict_from` says."""
    return batch(fitted, series, origins, horizon, propagation, exog=exog, n_jobs=n_jobs)[0]


def batch(
    fitted: Fitted,
    series: SeriesLike,
    origins: ArrayLike,
    horizon: int,
    propagation: MethodLike,
    *,
    exog: ExogLike | Encoded = None,
    n_jobs: int | None = None,
) -> tuple[Distribution, set[str]]:
    """Return what `predict_from` does, and the methods that were chosen, if any were."""
    places = within_series(fitted, series, origins, horizon, exog, n_jobs)
    method = method_named(propagation)
    joint, _, chosen = joint_from(places, method, follow(places, method))
    return joint, chosen


def within_series(
    fitted: Fitted,
    series: SeriesLike,
    origins: ArrayLike,
    horizon: int,
    exog: ExogLike | Encoded,
    n_jobs: int | None,
) -> Origins:
    """Return origins of a series, each of which knows the values before it."""
    given = None if isinstance(exog, Encoded) else exog
    found, axis = checked(series, given), fitted.chain.axis
    exog = exog if isinstance(exog, Encoded) else found.exog
    n, values = len(found.values), found.values
    times = found.axis if is_labelled(series) else axis.of_length(n)
    horizon = fitted.checked_horizon(horizon)
    why = "the lags reach back so far", "the end of the series"
    ends = checked_origins(origins, fitted.n_past, n, why)
    located = axis.locate(times)
    dates_alone = bool(fitted.exog) and not fitted.exog.n_given
    at = located.extended(horizon).index if dates_alone else times.index
    known = fitted.exog.over(exog, at, "the whole series", missing=True)
    if fitted.exog.n_given and ends.max() + horizon > n:
        raise ValueError("with exog, every forecast must end within the series.")
    fitted = fitted.given(known, located.first)
    values = fitted.known_among(values, located)
    begin = int(ends.min())
    chain = fitted.chain.reopened(values[:begin], located.part(0, begin))
    fitted = fitted if chain is fitted.chain else replace(fitted, chain=chain)
    values[int(ends.max()) :] = np.nan  # no origin knows these; a transform might refuse them
    ahead, inputs = located.extended(horizon), fitted.exog.scaled(known)
    return Origins(fitted, values, ahead, inputs, ends, horizon, n_jobs=n_jobs)


def name_of(method: Method, chosen: set[str]) -> str:
    """Return the name of a method, and of those that it chose: ``auto: exact, monte_carlo``.

    Direct forecasts are ``direct``, by whichever method missing values were filled in.
    """
    if DIRECT in chosen:
        return DIRECT
    return f"{method.name}: {', '.join(sorted(chosen))}" if chosen else method.name


def joint_from(
    origins: Origins, method: Method, z: Propagated
) -> tuple[Distribution, list[str], set[str]]:
    """Return the distribution of every horizon, and the methods that were chosen, if any were.

    z is what the method forecast. What went less well with it is warned of and noted.
    """
    fitted = origins.fitted
    calibration, warp = fitted.calibration, fitted.chain.warp
    if fitted.ensemble is not None and isinstance(method, Automatic):
        values, restored = without_effects(origins)
        at = values, origins.ends, origins.horizon
        joint: Distribution = fitted.ensemble.joint(z, warp, *at, restored=restored)
    else:
        joint = distribution_of(z, warp) if calibration is None else calibration.joint(z, warp)
    notes = [*z.remarks]
    if fitted.leads is None:
        notes.append(of_f(method).remark(fitted.predictive))
    elif method.name == MonteCarlo.name:
        notes.append("direct forecasts have no paths of their own; draw them with sample()")
    within_support = supported(joint, fitted)
    notes.append(doubts(joint, within_support, origins))
    if joint.n_clipped:
        n_variances = len(origins.ends) * joint.mean.shape[-1]
        notes.append(clipped(joint.n_clipped, n_variances, method, fitted.predictive))
    chosen = set() if z.chosen is None else set(z.chosen.tolist())
    return within_support, [note for note in notes if note], chosen


def supported(joint: Distribution, fitted: Fitted) -> Distribution:
    """Return a forecast within the support of the series.

    One that was only detected leaves forecasts alone which do not reach its bounds.
    """
    support = fitted.support
    if support is None:
        return joint
    if fitted.support_reason and not support.whole and support.outside(joint) < _REACHED:
        return joint
    return within(joint, support)


def _trajectory(origins: Origins) -> FloatArray:
    """Return the plug-in path (h,) of a single origin, every prediction taken for a fact.

    NaN if it runs away from every finite number.
    """
    try:
        path = follow(origins, None).mean[0]
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


def clipped(n: int, n_variances: int, method: Method, predictive: Predictive) -> str:
    """Warn that so many of the variances that each part of a model predicted were negative."""
    parts = len(parts_of(predictive)[0])
    note = (
        f"{n} of {parts * n_variances} variances by the {method.name} method came out negative, by "
        f"rounding or approximation, and were set to the smallest that is possible"
    )
    closed = isinstance(predictive, Posterior) and method.name != "exact"
    warn_numerically(note + (". Exact moments do not need this." if closed else "."))
    return note
