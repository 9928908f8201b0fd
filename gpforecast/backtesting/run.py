"""Forecasts from many origins of a series, by one model or by one that is trained again."""

import copy
import logging
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.backtesting.origins import NO_INPUTS, inputs_known, lost_inputs, origins_of
from gpforecast.backtesting.plan import Refit, by_cost, checked_refit, trainings
from gpforecast.backtesting.result import Backtest, in_order, scored
from gpforecast.common.parameters import instance
from gpforecast.common.progress import asked, bar
from gpforecast.common.types import (
    ArrayLike,
    ExogLike,
    FloatArray,
    IntArray,
    Seed,
    SeriesLike,
)
from gpforecast.common.validation import (
    counted,
    is_integer,
    is_labelled,
)
from gpforecast.common.wording import in_digits
from gpforecast.forecaster import Forecaster
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.pipeline.fitted import Fitted, checked_horizon
from gpforecast.pipeline.following import followed_to
from gpforecast.pipeline.later_outliers import later_outliers
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import batch, name_of
from gpforecast.propagation import Automatic, MethodLike
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, values_of, without
from gpforecast.series.closed_days import on_open_days
from gpforecast.series.frames import as_pandas
from gpforecast.series.known_values import seen_before
from gpforecast.series.labels import time_at

logger = logging.getLogger(__name__)

_FAR = 0.2  # of the training length: origins that lie further behind it get a note


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
    """Forecast from many origins that the model has not seen, and compare with the observed values.

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
        but misjudges a series that grows or changes beyond what the model has seen;
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
    A fitted forecaster should not be tested on what it has seen. Labels show what that is, if they
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
    other values; a note says what the error is without them.

    All origins are forecast in one batch; memory is O(origins * horizon^2).

    Examples
    --------
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(600, noise_var=1e-4, seed=0)
    >>> result = gf.backtest(gf.Forecaster(lags=16), series, horizon=20, origins=30)
    >>> result.scores.shape
    (20, 7)
    """
    kind = "a Forecaster, such as Forecaster(lags=16); forecasters of other kinds have a backtest()"
    instance(Forecaster, kind)(forecaster, "forecaster")
    horizon = checked_horizon(horizon, forecaster.max_horizon)
    series = as_pandas(series, "series")
    exog = as_pandas(exog, "exog", beside=series)
    series, exog, closed = on_open_days(series, exog)
    found = checked(series, exog, least=FEWEST)
    found = replace(found, notes=(*closed, *found.notes))
    y, exog = found.series, found.exog
    if not len(y):
        raise ValueError("series is empty; pass one with values to learn from and to forecast.")
    series = y if is_labelled(series) else series  # what has no labels begins where the fit does
    every = checked_refit(refit)
    first = forecaster.fitted_
    options = copy.deepcopy(forecaster) if first is None else forecaster
    method = options.method(propagation)
    with asked(progress), asked(options.progress):
        if first is None:
            if not 0.0 < train_fraction < 1.0:
                raise ValueError(
                    f"train_fraction must lie between 0 and 1; got {train_fraction!r}."
                )
            seen = int(train_fraction * len(y))
            fitted = fit_to_first(seen, options, y, exog)
        else:
            seen, fitted = seen_before(first.history, y), first
        lost = lost_inputs(fitted, exog, y.index)
        where = origins_of(lost, fitted.n_past, seen, horizon, origins, seed)
        by_itself = every == "auto"
        if every == "auto":
            every = by_cost(where, seen, options) if first is None else None
        logger.info(
            "backtest of %d steps by %s from %d origins, %d to %d; the first model knows %d values",
            horizon, method.name, len(where), where.min(), where.max(), seen,
        )  # fmt: skip

        methods: set[str] = set()

        def forecast(fitted: Fitted, origins: IntArray, seen: int) -> Backtest:
            columns = fitted.exog.over(exog, y.index, "the whole series", missing=True)
            parts = []
            for aside, chosen in _outliers(fitted, y, columns, seen, origins, options).items():
                made = forecast_without(fitted, aside, origins[chosen], seen)
                parts.append((np.array(chosen), made))
            return replace(in_order(parts), propagation=name_of(method, methods))

        def at_the_end(fitted: Fitted, seen: int) -> tuple[int, ...]:
            columns = fitted.exog.over(exog, y.index, "the whole series", missing=True)
            return _set_aside(fitted, y, columns, seen, options, len(y)) if seen else ()

        def forecast_without(
            fitted: Fitted, aside: tuple[int, ...], origins: IntArray, seen: int
        ) -> Backtest:
            given, offset = without(y, aside), len(fitted.history) - seen
            known = given if is_labelled(series) else given.to_numpy()
            of_fit = tuple(at for at in fitted.set_aside if at - offset in aside)
            fitted = replace(fitted, set_aside=of_fit) if seen else fitted
            fitted = followed_to(
                fitted, known, seen, origins, horizon, method, exog=exog, n_jobs=n_jobs
            )
            joint, chosen = batch(fitted, known, origins, horizon, method, exog=exog, n_jobs=n_jobs)
            methods.update(chosen)
            truth = y.to_numpy()[origins[:, None] + np.arange(horizon)]
            found = scored(joint, truth, origins, name_of(method, methods))
            trained = np.full(len(origins), seen)
            lacks_correction = options.calibration is not None and fitted.calibration is None
            return replace(
                found,
                trained=trained,
                series=y,
                seasons=options.seasons,
                set_aside=(aside,) * len(origins),
                corrected=fitted.calibration is not None,
                n_uncorrected=len(origins) if lacks_correction else 0,
                combined=fitted.companions is not None and isinstance(method, Automatic),
                inputs=len(fitted.exog) > 0,
            )

        if every is None:
            result = forecast(fitted, where, seen)
            behind = int(where.max()) - seen
            if first is None and behind > _FAR * seen:
                note = (
                    f"trained once, on the first {seen} of {len(y)} values; the last forecast "
                    f"starts {counted(behind, 'value')} later, and refit=n trains again after n "
                    f"values"
                )
                result = replace(result, notes=(note,))
            said = _on_outliers(result, at_the_end(fitted, seen))
            return replace(result, notes=(*found.notes, *result.notes, *said))
        if seen == 0:
            raise ValueError(
                "refit trains on the series up to each origin, and this series does not hold what "
                "the forecaster was fitted to; pass the series from its beginning, or leave refit "
                "out."
            )
        parts, changed, n_lost = [], [], 0
        plan = trainings(where, every, seen)
        with bar("backtest", total=len(plan), unit="trainings") as shown:
            for n, chosen in plan:
                if n > seen:
                    last, fitted = fitted, _refitted(n, options, fitted, y, exog)
                    if fitted.chain.spec != last.chain.spec:
                        changed.append(str(n))
                shown.update()
                if is_integer(origins):  # whose choice knew the inputs of the first model alone
                    kept = inputs_known(lost_inputs(fitted, exog, y.index), where[chosen], horizon)
                    n_lost, chosen = n_lost + int((~kept).sum()), chosen[kept]
                if len(chosen):
                    logger.debug("%d origins with a model of %d values", len(chosen), n)
                    parts.append((chosen, forecast(fitted, where[chosen], n)))
    notes = []
    if changed:
        notes.append(
            f"other transforms were chosen when {', '.join(changed)} values were known, so the "
            f"verdict may not hold for the newest model"
        )
    if n_lost:
        notes.append(
            f"{n_lost} of {counted(len(where), 'forecast')} are left out: an input is missing over "
            f"their horizon, and the model of a later training needs it"
        )
    if not parts:
        raise ValueError(NO_INPUTS.format(len(where), counted(horizon, "step")))
    if by_itself:
        notes.insert(0, _often(len(plan), every))
    result = in_order(parts)
    return replace(
        result,
        propagation=name_of(method, methods),
        notes=(*found.notes, *notes, *_on_outliers(result, at_the_end(fitted, max(n, seen)))),
        refit=every,
    )


def _often(n: int, every: int) -> str:
    """Say how often was trained where the user did not."""
    if n == 1:
        return (
            f"trained once, as no forecast starts {counted(every, 'value')} or more later "
            f"(refit={every}, chosen for speed)"
        )
    said = f"trained {n} times, {{}}, each time on all values known by then"
    if every == 1:
        return said.format("before every forecast")
    why = f"(refit={every}, chosen for speed; refit=1 trains before every forecast)"
    return f"{said.format(f'again after {every} values')} {why}"


def _refitted(
    n: int, options: Options, last: Fitted, y: "pd.Series[float]", exog: ExogLike
) -> Fitted:
    """Return what is learned from the first n values, as one would train in use.

    Transforms are those of the options: ``"auto"`` chooses again. If they are those of the `last`
    training, its lags stay and, without inputs, a search begins with its hyperparameters.
    """
    warm_started, model = getattr(last.model, "warm_started", None), options.model
    if warm_started is not None and not len(last.exog):
        # Direct models each search from their own start.
        model = last.model if options.direct else warm_started()
    again = replace(options, lags=last.inputs.lags, model=model)
    fitted = fit_to_first(n, again, y, exog)
    if fitted.chain.spec == last.chain.spec:
        return fitted
    logger.info("other transforms at %d values: %s", n, fitted.chain.spec)
    return fit_to_first(n, options, y, exog)


def _outliers(
    fitted: Fitted,
    y: "pd.Series[float]",
    inputs: FloatArray,
    seen: int,
    origins: IntArray,
    options: Options,
) -> dict[tuple[int, ...], list[int]]:
    """Return which values are outliers to forecasts, as after `update`, and which of the origins.

    The fit knows the first `seen` values of the series (n,) beside inputs (n, q); 0 if it knows
    another series, of which no value is set aside. Outliers are found among the values before an
    origin. If none is found before the last origin, or none near an earlier one, those count.
    """
    if not seen:
        return {(): [*range(len(origins))]}
    found: dict[tuple[int, ...], list[int]] = {}
    once = cache(partial(_set_aside, fitted, y, inputs, seen, options))
    every = once(int(origins.max()))
    new = np.array([at for at in every if at >= seen], dtype=int)
    for i, origin in enumerate(origins.tolist()):
        near = ((new >= origin - 2 * th.LONGEST_RUN) & (new < origin + th.LONGEST_RUN)).any()
        aside = once(origin) if near else tuple(at for at in every if at < origin)
        found.setdefault(aside, []).append(i)
    return found


def _set_aside(
    fitted: Fitted,
    y: "pd.Series[float]",
    inputs: FloatArray,
    seen: int,
    options: Options,
    end: int,
) -> tuple[int, ...]:
    """Return which of the first `end` values of a series a fit sets aside, as after `update`."""
    values, offset = values_of(y), len(fitted.history) - seen
    apart = later_outliers(fitted, values[seen:end], inputs[seen:end], options)
    places = np.array([*apart.fitted.set_aside, *apart.outliers], dtype=int) - offset
    return tuple(places[places >= 0].tolist())


def _on_outliers(result: Backtest, later: tuple[int, ...]) -> list[str]:
    """Return a note on those that are judged of the outliers that are known in the end."""
    judged = result.origins[:, None] + np.arange(result.mean.shape[1])
    apart, error = np.isin(judged, later), result.losses["mae"]
    apart &= ~np.isnan(error)
    if result.series is None or not apart.any() or apart.all():
        return []
    places = np.unique(judged[apart])
    times = [str(time_at(result.series.index, at)) for at in places[: th.MOST_NAMED].tolist()]
    times += [f"{len(places) - len(times)} more"] if len(places) > len(times) else []
    usual, whole = (in_digits(float(np.nanmean(some))) for some in (error[~apart], error))
    them = "it" if len(places) == 1 else "them"
    said = (
        f"the scores include {counted(len(places), 'value')} ({', '.join(times)}) that later "
        f"forecasts leave out, as outliers or as readings of a stuck sensor; without {them} the "
        f"mean absolute error is {usual}, not {whole}"
    )
    return [said]
