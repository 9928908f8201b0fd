"""Forecasts from many origins of a series, by one model or by one that is trained again."""

import copy
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.backtesting.plan import (
    Refit,
    by_cost,
    checked_refit,
    chosen_origins,
    n_first,
    trained,
    trainings,
)
from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.scored import in_order
from gpforecast.common.kinds import is_labelled
from gpforecast.common.parameters import instance
from gpforecast.common.progress import showing
from gpforecast.common.types import ArrayLike, BoolArray, ExogLike, IntArray, Seed, SeriesLike
from gpforecast.common.validation import counted
from gpforecast.forecaster import Forecaster
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.pipeline.fitted import Fitted, checked_horizon
from gpforecast.pipeline.learn_calibration import followed_to
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import joint_from, name_of, within_series
from gpforecast.pipeline.set_aside import screened
from gpforecast.propagation import Method, MethodLike
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, values_of, without
from gpforecast.series.frames import as_pandas
from gpforecast.series.history_overlap import n_in_history

_FAR = 0.2  # of the training length: origins that lie further behind it get a note


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
        apart, new = screened(fitted, values[n_known:end], inputs[n_known:end], self.options)
        places = np.array([*apart.set_aside, *new], dtype=int) - offset
        return tuple(places[places >= 0].tolist())


def backtest(
    forecaster: Forecaster,
    series: SeriesLike,
    horizon: int = 100,
    origins: int | ArrayLike = 200,
    *,
    seed: Seed = 0,
    exog: ExogLike = None,
    propagation: MethodLike | None = None,
    train_fraction: float = 0.5,
    refit: Refit = "auto",
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Backtest:
    """Forecast from many origins after its training, and compare with the observed values.

    Parameters
    ----------
    forecaster : Forecaster
        If it is fitted, it is used as it is, and the origins lie after the values it was fitted to
        (see Notes). Otherwise a copy is fitted to the first part of the series. It is not
        changed.
    series : Series or 1-D array-like
        Values and timestamps may be missing, as for `Forecaster.fit`: missing values have no score,
        and those among the lags are predicted.
    horizon : int
    origins : int or sequence of int
        How many, at random without repetition (fewer if the series is too short, and none within
        whose horizon an input of the model is missing), or their positions, in the series with
        missing timestamps filled in and without days of the week that never have a value.
    seed : int, Generator or None
        For the choice of origins.
    exog : optional
        Exogenous inputs over the whole series.
    propagation : optional
        A method instead of the forecaster's.
    train_fraction : float
        The part of the series that an unfitted forecaster is trained on.
    refit : int, "auto" or None
        Train again after so many values, on all of the series before the origin, as one would in
        use. Transforms are chosen again if they are ``"auto"``. If they stay the same, so do the
        lags, and a Gaussian process that is iterated starts from the hyperparameters found before.
        Otherwise all is chosen again. ``None``: one model for all origins. That is one training,
        but misjudges a series that grows or changes beyond what the model knows;
        `Backtest.notes` says so. ``"auto"`` trains a fitted forecaster no more. An unfitted one is
        trained about as often as one would in use, as far as that is cheap: at most 8 times, on
        at most 5000 values together (`gpforecast.backtesting.plan`), which `Backtest.notes` state.
    n_jobs : int or None
        Threads; ``None`` uses all cores.
    progress : bool or None
        Whether to show a bar, of trainings with `refit`, otherwise of steps. ``None``: the
        forecaster's setting, by default in a terminal or notebook if it takes more than a
        second.

    Returns
    -------
    Backtest

    Raises
    ------
    ValueError
        If the series is too short for an origin.

    Notes
    -----
    A fitted forecaster should not be tested on what it knows. Labels show what that is, if they
    are times that overlap those of its history, or numbers (not a count of rows from 0) at which
    both have the same values: origins then come after the last label of the history. Times count
    whatever the values; to forecast another series of the same times, pass its values alone.

    Otherwise the values of the history are looked for in the series, all of them or as many as lie
    within it. They must be equal to 1e-6 of the spread of the history, or to single precision where
    that is coarser (but never more than 1e-3 of the spread). Missing values agree with anything.

    This cannot find values that were rounded more, scaled, resampled or changed anywhere, nor an
    overlap of 10 values or fewer between the end of the series and the beginning of the history.
    Pass the `origins` yourself then.

    With ``calibrate="adaptive"`` the intervals of an origin follow the errors of forecasts from
    every value after the training, as far as they are known at that origin; training again starts
    anew.

    Outliers after a training are missing to forecasts that begin after them, as after
    `Forecaster.update` where the fit looked for outliers and knows the series. They are judged like
    other values.

    All origins are forecast in one batch; memory is O(origins * horizon^2).

    Examples
    --------
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(200, noise_var=1e-4, seed=0)
    >>> result = gf.backtest(gf.Forecaster(lags=8), series, horizon=20, origins=5)
    >>> result.scores.shape
    (20, 7)
    """
    kind = "a Forecaster, such as Forecaster(lags=16); forecasters of other kinds have a backtest()"
    instance(Forecaster, kind)(forecaster, "forecaster")
    horizon = checked_horizon(horizon, forecaster.max_horizon)
    series = as_pandas(series, "series")
    found = checked(series, exog, open_days=True, least=FEWEST)
    y, exog = found.series, found.exog
    if not len(y):
        raise ValueError("series is empty; pass one with values to learn from and to forecast.")
    every = checked_refit(refit)
    first = forecaster.fitted_
    options = copy.deepcopy(forecaster) if first is None else forecaster
    method = options.method(propagation)
    known = KnownSeries(y, is_labelled(series), exog, options, method, horizon, n_jobs)
    with showing(progress), showing(options.progress):
        if first is None:
            n_known = n_first(train_fraction, len(y))
            first_fit = known.fitted(n_known)
        else:
            n_known, first_fit = n_in_history(first.history, y), first
        where = known.origins(first_fit, n_known, origins, seed)
        by_itself = every == "auto"
        if every == "auto":
            every = by_cost(where, n_known, options) if first is None else None
        elif every is not None and n_known == 0:
            raise ValueError(
                "refit trains on the series up to each origin, and this series does not hold what "
                "the forecaster was fitted to; pass the series from its beginning, or leave refit "
                "out."
            )
        parts, methods = [], set[str]()
        plan = trainings(where, every, n_known)
        for fitted, n, chosen in trained(first_fit, known.refitted, plan, n_known):
            parts.append((chosen, known.forecast(fitted, n, where[chosen], methods)))
    notes = []
    if by_itself and every is not None:
        notes.append(
            f"trained {counted(len(plan), 'time')}, on all values known by then (refit={every}, "
            f"chosen for speed; refit=1 trains before every forecast)"
        )
    if every is None and first is None and where.max() - n_known > _FAR * n_known:
        notes.append(
            f"trained once, on the first {n_known} of {len(y)} values; the last forecast starts "
            f"{counted(int(where.max()) - n_known, 'value')} later, and refit=n trains again after "
            f"n values"
        )
    return replace(
        in_order(parts),
        propagation=name_of(method, methods),
        notes=(*found.notes, *notes),
        refit=every,
    )
