"""The distribution of the classes of a horizon, by the chosen method."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.kinds import is_word
from gpforecast.common.parameters import Check
from gpforecast.common.types import ExogLike, FloatArray, IntArray, SeriesLike
from gpforecast.events.enumeration import enumerated, most_pasts
from gpforecast.events.fitted import FittedEvents, update_events
from gpforecast.events.inputs import drawn, with_indicators
from gpforecast.events.latent import fed_back
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.pipeline.predict import Ahead, clipped
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
from gpforecast.series.embedding import LagEmbedding


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
_PARTS = 16  # origins that are forecast together


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
    exog : ndarray (n [+ horizon], q)
        Inputs in the units of the user; those after the last row are not known.
    embedding : LagEmbedding
        Of the fit.
    max_rows : int or None
        Of which an update keeps the newest; None for all.
    """

    fitted: FittedEvents
    codes: FloatArray
    exog: FloatArray
    embedding: LagEmbedding
    max_rows: int | None = None

    @staticmethod
    def at_end(
        fitted: FittedEvents, embedding: LagEmbedding, max_rows: int | None
    ) -> "ObservedEvents":
        """Return the series of the fit."""
        return ObservedEvents(fitted, fitted.codes, fitted.exog.past, embedding, max_rows)

    def over(self, codes: FloatArray, exog: FloatArray) -> "ObservedEvents":
        """Return the same fit with other values from the same start, and inputs (n [+ h], q)."""
        return replace(self, codes=codes, exog=exog)

    def observe(self, values: SeriesLike, exog: ExogLike = None) -> "ObservedEvents":
        """Return the fitted series, conditioned on new values, as `EventForecaster.update` says."""
        options = self.embedding, self.max_rows
        return self.at_end(update_events(self.fitted, *options, values, exog), *options)

    def ending(self, exog: ExogLike, horizon: int) -> "ObservedEvents":
        """Return it with the inputs after the end of its series.

        Raises
        ------
        ValueError
            If `exog` does not fit, or something is missing that a forecast starts from.
        """
        fitted, axis = self.fitted, self.fitted.axis
        lags = [lag for column, lag in fitted.inputs.exog if column < len(fitted.exog)]
        if exog is None and lags and min(lags) >= horizon:
            future = np.full((horizon, len(fitted.exog)), np.nan)  # none of them is used
        else:
            index = axis.extended(horizon).index[len(axis) :]
            future = fitted.exog.over(exog, index, "the forecast", missing=True)
        found = self.over(fitted.codes, np.concatenate([fitted.exog.past, future]))
        if not len(found.usable(np.array([len(fitted.codes)]), horizon)):
            lost = axis.index[np.isnan(fitted.codes)]
            where = f", the last at {lost[-1]}" if len(lost) else " in exog"
            raise ValueError(
                f"series must end with known values at each of the lags "
                f"{', '.join(map(str, fitted.inputs.lags))}, and exog must be known at each of its "
                f"lags; got a missing one{where}. Fill it, for instance with ffill(), or fit to "
                f"the series before it."
            )
        return found

    def layout(self, origins: IntArray, horizon: int) -> Layout:
        """Return what is known at origins, positions of the first values that are predicted."""
        inputs = self.fitted.inputs
        back = origins[:, None] + np.arange(-inputs.n_past, 0)
        ahead = origins[:, None] + np.arange(-inputs.n_past_exog, horizon)
        n_later = max(int(origins.max()) + horizon - len(self.exog), 0)
        later = np.full((n_later, self.exog.shape[1]), np.nan)
        exog = self.fitted.standardised(np.concatenate([self.exog, later]))
        return Layout((inputs,), Start(self.codes[back], exog[ahead]), horizon)

    def usable(self, origins: IntArray, horizon: int) -> IntArray:
        """Return the origins at which all that a forecast starts from is known."""
        if not len(origins):
            return origins
        layout = self.layout(origins, horizon)
        used = np.unique(layout.place)
        known = ~np.isnan(layout.initial[:, used[used < layout.first]])
        return origins[known.all(axis=1)]

    def parts(self, origins: IntArray) -> Iterator[tuple[IntArray, "ObservedEvents"]]:
        """Yield some origins at a time: each may have thousands of pasts in memory."""
        for places in np.split(np.arange(len(origins)), range(_PARTS, len(origins), _PARTS)):
            yield places, self

    def ahead(
        self, origins: IntArray, horizon: int, method: MethodLike
    ) -> Ahead[ClassDistribution]:
        """Forecast the classes after every origin."""
        fitted, layout = self.fitted, self.layout(origins, horizon)
        chosen = _chosen(method, layout, fitted)
        named = "enumerate" if chosen is None else chosen.name
        name = f"auto: {named}" if method == "auto" else named
        if chosen is None:
            return Ahead(enumerated(layout, len(fitted.classes), fitted.probabilities), name)
        given = fitted.model.posterior_, fitted.likelihood, fitted.inputs, layout
        if isinstance(chosen, MonteCarlo):
            return Ahead(sampled(*given, chosen), name)
        found = fed_back(*given, chosen)
        if found.n_clipped:
            clipped(found.n_clipped, found.mean.size, chosen, given[0])
        return Ahead(found, name)


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
