"""Fitted forecasters with the values they know, and what they learn from further ones.

One protocol for every kind; of one series, what was learned is conditioned on new values.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd

from gpforecast.automatic.support import check
from gpforecast.common.types import ExogLike, FloatArray, IntArray, SeriesLike
from gpforecast.models.base import fit_notes
from gpforecast.pipeline.calibration import Calibration
from gpforecast.pipeline.direct import conditioned_leads
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.noise import conditioned
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import Ahead, at_the_end, far_inputs, joint_from, within_series
from gpforecast.pipeline.set_aside import UNFINISHED, check_possible, screened
from gpforecast.propagation import Method, MethodLike, method_named
from gpforecast.results.distribution import Distribution
from gpforecast.series.checked import after_update, new_values_after, values_of, without
from gpforecast.series.frames import one_column
from gpforecast.transforms.closed_times import ALWAYS

logger = logging.getLogger(__name__)

_AT_ONCE = 200  # origins that are forecast together to follow their errors
_NEAR = 16  # values: outliers so far from an origin are the same whatever follows it
_NOT_FOLLOWED = (
    "the correction of the intervals stays as it was at the fit: update learns from its own errors "
    "only where there are no inputs, as their future values are not known"
)


class Observed(Protocol):
    """What was learned from one series, several, or classes, with the values that it knows."""

    def usable(self, origins: IntArray, horizon: int, /) -> IntArray:
        """Return the origins at which all that a forecast starts from is known."""

    def parts(self, origins: IntArray, /) -> Iterator[tuple[IntArray, Self]]:
        """Yield which of the origins are forecast together, and what is known to them."""

    def ahead(self, origins: IntArray, horizon: int, method: MethodLike, /) -> Ahead[Any]:
        """Forecast from each origin."""

    def observe(self, values: Any, /) -> Self:
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
    aside : tuple of int
        Positions of the outliers that some origins have before them, where `parts` found any.
    """

    fitted: Fitted
    options: Options
    y: "pd.Series[float]"
    n_known: int
    exog: ExogLike = None
    labelled: bool = True
    n_jobs: int | None = None
    aside: tuple[int, ...] = ()

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
        origins = origins[origins >= self.fitted.n_past]
        return origins[self._at(origins, horizon).possible] if len(origins) else origins

    def parts(self, origins: IntArray) -> Iterator[tuple[IntArray, "ObservedSeries"]]:
        """Yield origins that have the same outliers before them, without these.

        Outliers are found among the values before an origin, as after `update`. If none is found
        before the last origin, or none near an earlier one, those count. Of another series there
        are none.
        """
        if not self.n_known:
            yield np.arange(len(origins)), self
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
            apart = tuple(at for at in self.fitted.set_aside if at - self._offset in aside)
            known = replace(self.fitted, set_aside=apart)
            usual = without(self.y, aside)
            yield np.array(places), replace(self, fitted=known, y=usual, aside=aside)

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
        """Return origins, each of which knows the values before it."""
        known = self.y if self.labelled else self.y.to_numpy()
        return within_series(self.fitted, known, ends, horizon, self.exog, self.n_jobs)

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
        warped = self.fitted.chain.forward(values_of(self.y)[n_known:last])
        widths = [made.values]
        for forecast in zip(mean, std, warped.tolist(), strict=True):
            made = made.followed(*forecast)
            widths.append(made.values)
        values = np.array(widths)[origins - n_known]
        return Calibration(made.kind, made.factors, made.knots, values, made.n_origins)


def update(fitted: Fitted, new_values: SeriesLike, exog: ExogLike, options: Options) -> Fitted:
    """Return it conditioned on new values as well, as `Forecaster.update` says; log what is new.

    Parameters
    ----------
    fitted : Fitted
    new_values, exog
        As for `gpforecast.Forecaster.update`.
    options : Options
        Those of the fit.
    """
    if np.size(one_column(new_values, "new_values")) == 0:
        return fitted
    found = new_values_after(new_values, fitted.history, fitted.axis, exog)
    given = np.concatenate([found.again, found.values])
    if not len(given):
        return fitted
    n, known_notes = len(fitted.history) - len(found.again), fitted.notes
    inputs = fitted.exog.over(found.exog, found.axis.index, "the new values", missing=True)
    inputs = np.concatenate([fitted.exog.past[n:], inputs])
    fitted, clock = fitted.first(n), found.axis.clock
    n_final = len(given) - found.axis.pending
    check_possible(fitted, given, options)
    known_aside = {*fitted.set_aside}
    fitted, outliers = screened(fitted, given, inputs, options)
    first = min([n, *(known_aside - {*fitted.set_aside})])  # from here on there may be new rows
    usual = np.where(np.isin(np.arange(n, n + len(given)), outliers), np.nan, given)
    fitted = fitted.noting(instead_of=UNFINISHED)
    notes = after_update(fitted.notes, found, far_inputs(fitted.exog, inputs))
    fitted = _within_support(replace(fitted, notes=notes), given, usual)
    fitted = _reopened(fitted, usual)
    learns = fitted.calibration is not None and fitted.calibration.learns
    if learns and fitted.exog.n_given:
        learns, fitted = False, fitted.noting(_NOT_FOLLOWED)
    size = 1 if learns else len(given)  # so that every forecast knows all before it
    for i in range(0, len(given), size):
        new, aside = slice(i, i + size), [at for at in outliers if 0 <= at - n - i < size]
        if learns and fitted.calibration and i < n_final:  # it knows each step once
            value = np.nan if aside else given[i]
            fitted = _followed(fitted, fitted.calibration, value, options.method())
        fitted = replace(fitted, set_aside=(*fitted.set_aside, *aside))
        begin = n + i if i else first
        fitted = _conditioned_on(given[new], inputs[new], fitted, begin, options.row_limit)
    fitted = replace(fitted, clock=clock)
    for note in fitted.notes:
        if note not in known_notes:
            logger.info("note: %s", note)
    return fitted


def _conditioned_on(
    given: FloatArray, later: FloatArray, fitted: Fitted, first: int, max_rows: int | None
) -> Fitted:
    """Return it with a model that knows new values (m,) and inputs (m, q) as well.

    From the position `first` on there may be new rows.
    """
    history = fitted.history
    index = fitted.axis.extended(len(given)).index
    y = pd.Series(np.concatenate([history, given]), index=index, name=history.name)
    inputs = fitted.exog.extended(later)
    chain = fitted.given(inputs.past, fitted.chain.axis.locate(fitted.axis).first).chain
    longer = replace(fitted, history=y, exog=inputs, chain=chain)
    rows = fitted.rows.with_newer(longer.every_row(), first, max_rows)
    longer = replace(longer, rows=rows)
    model, leads = conditioned(longer), conditioned_leads(longer, first, max_rows)
    others = tuple(
        _conditioned_on(given, later, replace(one, set_aside=fitted.set_aside), first, max_rows)
        for one in fitted.others
    )
    found = replace(longer, model=model, leads=leads, others=others)
    return found.noting(*rows.notes, *fit_notes(model))


def _followed(fitted: Fitted, calibration: Calibration, value: float, method: Method) -> Fitted:
    """Return it with a calibration that knows the next value, which the model does not."""
    index = fitted.axis.extended(calibration.horizon).index[len(fitted.axis) :]
    origin = at_the_end(fitted, fitted.exog.over(None, index, "the forecast"))
    (mean,), (std,) = origin.moments(method)
    (warped,) = fitted.chain.forward(np.array([value]))
    return replace(fitted, calibration=calibration.followed(mean, std, float(warped)))


def _within_support(fitted: Fitted, given: FloatArray, usual: FloatArray) -> Fitted:
    """Drop a detected support that new values leave; refuse values outside a declared one.

    In `usual` outliers are missing.
    """
    support = fitted.support
    if support is not None and not fitted.support_reason:
        check(support, given, "new_values")
    if support is None or support.follows(
        np.append(fitted.known[~np.isnan(fitted.known)][-1:], usual)
    ):
        return fitted
    note = f"the forecast is no longer kept to {support.described}, because new values are not"
    return replace(fitted, support=None).noting(note)


def _reopened(fitted: Fitted, given: FloatArray) -> Fitted:
    """Return it without closed times at which new values (m,) are others."""
    n = len(fitted.history)
    times = fitted.chain.axis.locate(fitted.axis.extended(len(given)).part(n, n + len(given)))
    found = fitted.reopened(given, times)
    if found is fitted:
        return fitted
    return found.noting(found.chain.closed_times_in_words, instead_of=ALWAYS)
