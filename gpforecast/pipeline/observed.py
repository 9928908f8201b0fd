"""Fitted forecasters with the values they know: one protocol for every kind, and one series."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol, Self, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.types import ExogLike, IntArray, SeriesLike
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import Ahead, joint_from, within_series
from gpforecast.pipeline.set_aside import screened
from gpforecast.pipeline.update import update
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.results.distribution import Distribution
from gpforecast.series.checked import values_of, without

D_co = TypeVar("D_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)

_AT_ONCE = 200  # origins that are forecast together to follow their errors
_NEAR = 16  # values: outliers so far from an origin are the same whatever follows it


class Observed(Protocol[D_co, V_contra]):
    """What was learned from one series, several, or classes, with the values that it knows."""

    def usable(self, origins: IntArray, horizon: int, /) -> IntArray:
        """Return the origins at which all that a forecast starts from is known."""

    def parts(self, origins: IntArray, /) -> Iterator[tuple[IntArray, Self]]:
        """Yield which of the origins are forecast together, and what is known to them."""

    def ahead(self, origins: IntArray, horizon: int, method: MethodLike, /) -> Ahead[D_co]:
        """Forecast from each origin."""

    def observe(self, values: V_contra, /) -> Self:
        """Return it at the end of its series, conditioned on the values that follow."""


@dataclass(frozen=True, eq=False)
class ObservedSeries:
    """A fitted series, and the values that it knows: those of its fit and later ones, or others.

    Attributes
    ----------
    fitted : Fitted
    options : Options
        Those of the fit.
    y : Series (n,)
        On a regular index, NaN where missing.
    n_known : int
        How many of the first values the fit knows; 0 if it knows another series.
    exog : DataFrame, Series, array-like or None
        Inputs over the whole series.
    labelled : bool
        Whether its labels count; otherwise it begins where the fit does.
    n_jobs : int or None
        Threads; ``None`` uses all cores.
    aside : tuple of int or None
        Positions of the outliers; None: those of the fit.
    """

    fitted: Fitted
    options: Options
    y: "pd.Series[float]"
    n_known: int
    exog: ExogLike = None
    labelled: bool = True
    n_jobs: int | None = None
    aside: tuple[int, ...] | None = None

    @staticmethod
    def at_end(fitted: Fitted, options: Options) -> "ObservedSeries":
        """Return the series of the fit."""
        y, q = fitted.history, fitted.exog.n_given
        return ObservedSeries(fitted, options, y, len(y), fitted.exog.past[:, :q] if q else None)

    def observe(self, values: SeriesLike, exog: ExogLike = None) -> "ObservedSeries":
        """Return the fitted series, conditioned on new values, as `Forecaster.update` says."""
        return self.at_end(update(self.fitted, values, exog, self.options), self.options)

    def usable(self, origins: IntArray, horizon: int) -> IntArray:
        """Return the origins with enough values before them and no missing input ahead."""
        exog, missing = self.fitted.exog, np.zeros(len(self.y), dtype=bool)
        if self.exog is not None and exog.in_model:  # which the model itself takes
            inputs = exog.over(self.exog, self.y.index, "the whole series", missing=True)
            missing = np.asarray(np.isnan(inputs).any(axis=1))
        lost = np.concatenate([[0], np.cumsum(missing)])
        known = lost[origins + horizon] == lost[origins]
        return np.asarray(origins[known & (origins >= self.fitted.n_past)])

    def parts(self, origins: IntArray) -> Iterator[tuple[IntArray, "ObservedSeries"]]:
        """Yield origins that have the same outliers before them, without these.

        Outliers are found among the values before an origin, as after `update`. If none is found
        before the last origin, or none near an earlier one, those count. Of another series there
        are none.
        """
        if not self.n_known:
            yield np.arange(len(origins)), replace(self, aside=())
            return
        found: dict[tuple[int, ...], list[int]] = {}
        outliers = cache(self._outliers)
        every = outliers(int(origins.max()))
        new = np.array([at for at in every if at >= self.n_known], dtype=int)
        for i, origin in enumerate(origins.tolist()):
            near = ((new >= origin - 2 * _NEAR) & (new < origin + _NEAR)).any()
            aside = outliers(origin) if near else tuple(at for at in every if at < origin)
            found.setdefault(aside, []).append(i)
        for aside, places in found.items():
            yield np.array(places), replace(self, aside=aside)

    def _outliers(self, end: int) -> tuple[int, ...]:
        """Return which of the first `end` values are outliers, as after `update`."""
        fitted, n, values = self.fitted, self.n_known, values_of(self.y)
        inputs = fitted.exog.over(self.exog, self.y.index, "the whole series", missing=True)
        apart, new = screened(fitted, values[n:end], inputs[n:end], self.options)
        places = np.array([*apart.set_aside, *new], dtype=int) - self._offset
        return tuple(places[places >= 0].tolist())

    @property
    def _offset(self) -> int:
        """Where the series begins in the history of the fit."""
        return len(self.fitted.history) - self.n_known

    def ahead(self, origins: IntArray, horizon: int, method: MethodLike) -> Ahead[Distribution]:
        """Forecast from origins, all in one batch; memory is O(origins horizon^2)."""
        at, named = self._at(origins, horizon), method_named(method)
        known = replace(at.fitted, calibration=self._followed(origins, horizon, named))
        return joint_from(replace(at, fitted=known), named)

    def _at(self, ends: IntArray, horizon: int) -> Origins:
        """Return origins, each of which knows the values before it that are no outliers."""
        fitted, y = self.fitted, self._usual
        if self.n_known and self.aside is not None:
            apart = tuple(at for at in fitted.set_aside if at - self._offset in self.aside)
            fitted = replace(fitted, set_aside=apart)
        known = y if self.labelled else y.to_numpy()
        return within_series(fitted, known, ends, horizon, self.exog, self.n_jobs)

    @property
    def _usual(self) -> "pd.Series[float]":
        """The series without its outliers, if others than those of the fit are known."""
        return self.y if self.aside is None else without(self.y, self.aside)

    def _followed(self, origins: IntArray, horizon: int, method: Method) -> Calibration | None:
        """Return the calibration of each origin, by the errors known there.

        Only one that `learns` changes. The model stays as it is and forecasts from every value.
        """
        made, n_known, last = self.fitted.calibration, self.n_known, int(origins.max())
        if made is None or not made.learns:
            return made
        made = made if n_known else made.without_forecasts
        steps = min(horizon, made.horizon)
        mean, std = np.full((2, last - n_known, steps), np.nan)
        for begin in range(max(n_known, self.fitted.n_past), last, _AT_ONCE):
            some = np.arange(begin, min(begin + _AT_ONCE, last))
            mean[some - n_known], std[some - n_known] = self._at(some, steps).moments(method)
        warped = self.fitted.chain.forward(values_of(self._usual)[n_known:last])
        widths = [made.values]
        for forecast in zip(mean, std, warped.tolist(), strict=True):
            made = made.followed(*forecast)
            widths.append(made.values)
        values = np.array(widths)[origins - n_known]
        return Calibration(made.kind, made.factors, made.knots, values, made.n_origins)
