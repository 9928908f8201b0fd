"""A series that a backtest knows: fits to its first values, and forecasts from origins of it."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.backtesting.plan import chosen_origins
from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.scored import in_order
from gpforecast.common.types import ArrayLike, BoolArray, ExogLike, IntArray, Seed
from gpforecast.pipeline.calibrate import followed_to
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import joint_from, name_of, within_series
from gpforecast.pipeline.set_aside import screened
from gpforecast.propagation import Method
from gpforecast.series.checked import values_of, without


@dataclass(frozen=True, eq=False)
class KnownSeries:
    """A whole series, of which a fit knows the first values.

    Attributes
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    labelled : bool
        Whether its labels count; otherwise it begins where a fit does.
    exog : DataFrame, Series, array-like or None
    options : Options
    method : propagation method
    horizon : int
    n_jobs : int or None
    """

    y: "pd.Series[float]"
    labelled: bool
    exog: ExogLike
    options: Options
    method: Method
    horizon: int
    n_jobs: int | None

    def origins(
        self, fitted: Fitted, n_known: int, origins: int | ArrayLike, seed: Seed
    ) -> IntArray:
        """Return the positions to forecast from, or say why there are none.

        Parameters
        ----------
        fitted : Fitted
            The first fit.
        n_known : int
            How many of the first values it knows.
        origins : int or array-like of int
            How many at most, chosen at random, or which.
        seed : int or Generator
        """
        first, last = max(n_known, fitted.n_past), len(self.y) - self.horizon
        possible = np.arange(first, last + 1)
        missing = np.concatenate([[0], np.cumsum(self.missing_inputs(fitted))])
        complete = possible[missing[possible + self.horizon] == missing[possible]]
        return chosen_origins(complete, origins, seed, first, last)

    def missing_inputs(self, fitted: Fitted) -> BoolArray:
        """Return at which times an input that the model itself takes is missing, (n,)."""
        if self.exog is None or not fitted.exog.in_model:
            return np.zeros(len(self.y), dtype=bool)
        inputs = fitted.exog.over(self.exog, self.y.index, "the whole series", missing=True)
        return np.asarray(np.isnan(inputs).any(axis=1))

    def fitted(self, n: int) -> Fitted:
        """Return what is learned from the first n values."""
        return fit_to_first(n, self.options, self.y, self.exog)

    def refitted(self, n: int, last: Fitted) -> Fitted:
        """Return what is learned from the first n values, as one would train in use.

        Transforms are those of the options: ``"auto"`` chooses again. If they are those of the
        `last` training, its lags stay and, without inputs, a search begins with its
        hyperparameters.
        """
        warm_started, model = getattr(last.model, "warm_started", None), self.options.model
        if warm_started is not None and not len(last.exog):
            # Direct models each search from their own start.
            model = last.model if self.options.direct else warm_started()
        again = replace(self.options, lags=last.inputs.lags, model=model)
        fitted = fit_to_first(n, again, self.y, self.exog)
        return fitted if fitted.chain.spec == last.chain.spec else self.fitted(n)

    def forecast(
        self, fitted: Fitted, n_known: int, origins: IntArray, methods: set[str]
    ) -> Backtest:
        """Return the scored forecasts of a fit, each without the outliers that are known by then.

        Parameters
        ----------
        fitted : Fitted
        n_known : int
            How many of the first values it knows; 0 if it knows another series.
        origins : ndarray (b,)
        methods : set of str
            To which the methods that ``"auto"`` chooses are added.
        """
        parts = []
        for outliers, chosen in self._by_outliers(fitted, n_known, origins).items():
            made = self._without(outliers, fitted, n_known, origins[chosen], methods)
            parts.append((np.array(chosen), made))
        return in_order(parts)

    def _without(
        self,
        outliers: tuple[int, ...],
        fitted: Fitted,
        n_known: int,
        origins: IntArray,
        methods: set[str],
    ) -> Backtest:
        """Return the scored forecasts from origins before which some values are missing."""
        given, offset = without(self.y, outliers), len(fitted.history) - n_known
        known = given if self.labelled else given.to_numpy()
        if n_known:
            apart = tuple(at for at in fitted.set_aside if at - offset in outliers)
            fitted = replace(fitted, set_aside=apart)
        exog, n_jobs, ahead = self.exog, self.n_jobs, (self.horizon, self.method)
        fitted = followed_to(fitted, known, n_known, origins, *ahead, exog=exog, n_jobs=n_jobs)
        places = within_series(fitted, known, origins, self.horizon, exog, n_jobs)
        found = joint_from(places, self.method)
        methods.update(found.chosen)
        truth = self.y.to_numpy()[origins[:, None] + np.arange(self.horizon)]
        return replace(
            Backtest.of(found.distribution, truth, origins, name_of(self.method, methods)),
            trained=np.full(len(origins), n_known),
            series=self.y,
            seasons=self.options.seasons,
            set_aside=(outliers,) * len(origins),
            corrected=fitted.calibration is not None,
        )

    def _by_outliers(
        self, fitted: Fitted, n_known: int, origins: IntArray
    ) -> dict[tuple[int, ...], list[int]]:
        """Return which values are outliers to forecasts, as after `update`, and to which of them.

        Outliers are found among the values before an origin. If none is found before the last
        origin, or none near an earlier one, those count. Of another series there are none.
        """
        if not n_known:
            return {(): [*range(len(origins))]}
        found: dict[tuple[int, ...], list[int]] = {}
        once = cache(lambda end: self.outliers(fitted, n_known, end))
        every = once(int(origins.max()))
        new = np.array([at for at in every if at >= n_known], dtype=int)
        for i, origin in enumerate(origins.tolist()):
            near = ((new >= origin - 2 * th.LONGEST_RUN) & (new < origin + th.LONGEST_RUN)).any()
            apart = once(origin) if near else tuple(at for at in every if at < origin)
            found.setdefault(apart, []).append(i)
        return found

    def outliers(self, fitted: Fitted, n_known: int, end: int) -> tuple[int, ...]:
        """Return which of the first `end` values a fit takes for outliers, as after `update`."""
        values, offset = values_of(self.y), len(fitted.history) - n_known
        inputs = fitted.exog.over(self.exog, self.y.index, "the whole series", missing=True)
        apart = screened(fitted, values[n_known:end], inputs[n_known:end], self.options)
        places = np.array([*apart.fitted.set_aside, *apart.outliers], dtype=int) - offset
        return tuple(places[places >= 0].tolist())
