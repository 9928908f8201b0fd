"""The distribution of the classes of a horizon, by the chosen method."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.kinds import is_word
from gpforecast.common.parameters import Check
from gpforecast.common.types import ExogLike, FloatArray, IntArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.events.enumeration import enumerated, most_pasts
from gpforecast.events.fitted import FittedEvents
from gpforecast.events.inputs import drawn, with_indicators
from gpforecast.events.latent import fed_back
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation import (
    Cubature,
    ExactMoments,
    MethodLike,
    MonteCarlo,
    Naive,
    Propagation,
    Taylor,
    method_named,
)
from gpforecast.propagation.layout import Inputs, Layout, Start
from gpforecast.results.event_forecast import ClassDistribution


@dataclass(frozen=True, eq=False)
class ClassPaths:
    """Paths of classes.

    Attributes
    ----------
    paths : ndarray (b, h, n) of int
    n_classes : int
    """

    paths: IntArray
    n_classes: int

    @property
    def probabilities(self) -> FloatArray:
        """The share of the paths in each class, (b, h, C)."""
        each = [(self.paths == c).mean(axis=2) for c in range(self.n_classes)]
        return np.stack(each, axis=-1)

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Take n of the paths, without repetition while they last: (b, h, n)."""
        there = self.paths.shape[2]
        return self.paths[:, :, rng.choice(there, n, replace=n > there)]


def sampled(
    predictive: Predictive,
    likelihood: Likelihood,
    inputs: Inputs,
    layout: Layout,
    method: MonteCarlo,
) -> ClassPaths:
    """Draw f at every input of every path, then a class given f, and go on from there."""
    rng, n_lags = np.random.default_rng(method.seed), len(inputs.lags)
    values = np.repeat(layout.initial[None], method.n_paths, axis=0)  # (n, b, nodes)
    draw = method.start(predictive, rng)
    for k in range(layout.horizon):
        raw = values.take(layout.place[k], axis=2)
        f = draw(with_indicators(raw, n_lags, likelihood.n_classes))  # (n, b)
        p = likelihood.probabilities(f.ravel(), np.zeros(f.size))
        values[:, :, layout.first + k] = drawn(p, rng).reshape(f.shape)
    paths = np.moveaxis(values[:, :, layout.first :], 0, -1).astype(np.int64)
    return ClassPaths(paths, likelihood.n_classes)


_NAMES = ("auto", "enumerate", "exact", "taylor", "cubature", "naive", "monte_carlo")
_METHODS = (ExactMoments, Taylor, Cubature, Naive, MonteCarlo)
_MOST = 2**16  # pasts that are followed from an origin
_AT_ONCE = 2**12  # up to which "auto" follows them


METHOD = Check(
    f"one of {', '.join(map(repr, _NAMES))}, or an instance such as "
    f"gf.propagation.MonteCarlo(n_paths=500, seed=0)",
    lambda v: is_word(v, *_NAMES) or isinstance(v, _METHODS),
)


@dataclass(frozen=True, eq=False)
class ObservedEvents:
    """A fitted model of classes, and the values of its series that are known.

    Attributes
    ----------
    fitted : FittedEvents
    codes : ndarray (n,)
        Places of the classes; NaN where missing.
    exog : ndarray (n + horizon or more, q)
        As of `FittedEvents.standardised`.
    """

    fitted: FittedEvents
    codes: FloatArray
    exog: FloatArray

    def layout(self, origins: IntArray, horizon: int) -> Layout:
        """Return what is known at origins, positions of the first values that are predicted."""
        inputs = self.fitted.inputs
        back = origins[:, None] + np.arange(-inputs.n_past, 0)
        ahead = origins[:, None] + np.arange(-inputs.n_past_exog, horizon)
        return Layout((inputs,), Start(self.codes[back], self.exog[ahead]), horizon)

    def usable(self, origins: IntArray, horizon: int) -> IntArray:
        """Return the origins at which all that a forecast starts from is known."""
        if not len(origins):
            return origins
        layout = self.layout(origins, horizon)
        used = np.unique(layout.place)
        known = ~np.isnan(layout.initial[:, used[used < layout.first]])
        return origins[known.all(axis=1)]

    def ahead(
        self, origins: IntArray, horizon: int, method: MethodLike
    ) -> tuple[ClassDistribution, str, tuple[str, ...]]:
        """Return the classes after every origin, the name of what made them, and no notes."""
        fitted, layout = self.fitted, self.layout(origins, horizon)
        chosen = _chosen(method, layout, fitted)
        named = "enumerate" if chosen is None else chosen.name
        name = f"auto: {named}" if method == "auto" else named
        if chosen is None:
            return enumerated(layout, len(fitted.classes), fitted.probabilities), name, ()
        given = fitted.model.posterior_, fitted.likelihood, fitted.inputs, layout
        if isinstance(chosen, MonteCarlo):
            return sampled(*given, chosen), name, ()
        found = fed_back(*given, chosen)
        if found.n_clipped:
            warn_numerically(
                f"{found.n_clipped} of {found.mean.size} variances by the {named} method came out "
                f"negative, by rounding or approximation, and were set to the smallest possible "
                f"one."
            )
        return found, name, ()


def at_end(fitted: FittedEvents, exog: ExogLike, horizon: int) -> ObservedEvents:
    """Return what is known to a forecast from the end of the series, with the inputs after it.

    Raises
    ------
    ValueError
        If `exog` does not fit, or something is missing that a forecast starts from.
    """
    lags = [lag for column, lag in fitted.inputs.exog if column < len(fitted.exog)]
    if exog is None and lags and min(lags) >= horizon:
        future = np.full((horizon, len(fitted.exog)), np.nan)  # none of them is used
    else:
        index = fitted.axis.future(horizon)
        future = fitted.exog.over(exog, index, "the forecast", missing=True)
    known = fitted.standardised(np.concatenate([fitted.exog.past, future]))
    found = ObservedEvents(fitted, fitted.codes, known)
    if not len(found.usable(np.array([len(fitted.codes)]), horizon)):
        lost = fitted.axis.index[np.isnan(fitted.codes)]
        where = f", the last at {lost[-1]}" if len(lost) else " in exog"
        raise ValueError(
            f"series must end with known values at each of the lags "
            f"{', '.join(map(str, fitted.inputs.lags))}, and exog must be known at each of its "
            f"lags; got a missing one{where}. Fill it, for instance with ffill(), or fit to "
            f"the series before it."
        )
    return found


def _chosen(method: MethodLike, layout: Layout, fitted: FittedEvents) -> Propagation | None:
    """Return the propagation method of a forecast, None for the enumeration of all pasts.

    ``"auto"`` enumerates where there are few pasts, and else takes exact moments, or cubature where
    the covariance has none.

    Raises
    ------
    ValueError
        If there are too many pasts for ``"enumerate"``.
    """
    n_pasts = most_pasts(layout, len(fitted.classes))
    if method == "auto":
        if n_pasts <= _AT_ONCE:
            return None
        return ExactMoments() if "exact" in fitted.model.posterior_.supports else Cubature()
    if method != "enumerate":
        return method_named(method)
    if n_pasts > _MOST:
        raise ValueError(
            f"propagation='enumerate' follows at most {_MOST} pasts; got {n_pasts:.3g}, from "
            f"{len(fitted.inputs.lags)} lags of {len(fitted.classes)} classes over "
            f"{layout.horizon} steps. Use 'exact' or 'monte_carlo', fewer lags or a shorter "
            f"horizon."
        )
    return None
