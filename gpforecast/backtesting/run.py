"""Forecasts from many origins of a series, by one model or by one that is trained again."""

import copy
from dataclasses import replace

import numpy as np

from gpforecast.backtesting.plan import (
    Plan,
    Refit,
    by_cost,
    checked_refit,
    n_first,
    n_in_history,
    trainings,
)
from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.scored import in_order
from gpforecast.common.kinds import is_labelled
from gpforecast.common.parameters import instance
from gpforecast.common.progress import showing
from gpforecast.common.types import ArrayLike, ExogLike, Seed, SeriesLike
from gpforecast.common.validation import counted
from gpforecast.forecaster import Forecaster
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.pipeline.fitted import checked_horizon
from gpforecast.pipeline.observed import ObservedSeries
from gpforecast.pipeline.predict import name_of
from gpforecast.propagation import MethodLike
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, values_of
from gpforecast.series.frames import as_pandas
from gpforecast.series.horizon import Horizon, steps_of

_FAR = 0.2  # of the training length: origins that lie further behind it get a note


def refitted(n: int, last: ObservedSeries) -> ObservedSeries:
    """Return what is learned from the first n values, as one would train in use.

    Transforms are those of the options: ``"auto"`` chooses again. If they are those of the `last`
    training, and there is no ensemble, its lags stay, and a search without inputs begins with its
    hyperparameters.
    """
    known, options, given = last.fitted, last.options, (last.y, last.exog)
    if known.ensemble is not None:  # which depends on all choices
        return replace(last, fitted=fit_to_first(n, options, *given), n_known=n)
    model, warm_started = options.model, getattr(known.model, "warm_started", None)
    if warm_started is not None and not len(known.exog):
        # Direct models each search from their own start.
        model = known.model if options.direct else warm_started()
    again = replace(options, lags=known.inputs.lags, model=model)
    fitted = fit_to_first(n, again, *given)
    if fitted.chain.spec != known.chain.spec:
        fitted = fit_to_first(n, options, *given)
    return replace(last, fitted=fitted, n_known=n)


def backtest(
    forecaster: Forecaster,
    series: SeriesLike,
    horizon: Horizon = 100,
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
    horizon : int, or length of time
        How many steps, or a length such as ``"18 months"``.
    origins : int, or sequence of times or int
        How many, at random without repetition (fewer if the series is too short, and none within
        whose horizon an input of the model is missing). Or the first times to forecast, such as
        ``["2024-01-01", "2024-07-01"]``; or their positions, in the series with missing timestamps
        filled in and without days of the week that never have a value.
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

    All origins are forecast in one batch; memory is O(origins * horizon^2) at most.

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
    series = as_pandas(series, "series")
    found = checked(series, exog, open_days=True, by_clock=True, least=FEWEST)
    horizon = checked_horizon(steps_of(horizon, found.axis), forecaster.max_horizon)
    y, exog = found.series, found.exog
    if not len(y):
        raise ValueError("series is empty; pass one with values to learn from and to forecast.")
    every = checked_refit(refit)
    first = forecaster.fitted_
    options = copy.deepcopy(forecaster) if first is None else forecaster
    method = options.method(propagation)
    with showing(progress), showing(options.progress):
        if first is None:
            n_known = n_first(train_fraction, len(y))
            first = fit_to_first(n_known, options, y, exog)
        else:
            n_known = n_in_history(first.history, y)
            if n_known > len(y) - horizon:
                raise ValueError(
                    f"forecaster knows {n_known} of the {len(y)} values of the series, and a "
                    f"backtest forecasts {horizon} that it does not know: pass one that is not "
                    f"fitted, such as gf.Forecaster(), or that is fitted to a first part."
                )
        given = y, n_known, exog, is_labelled(series), n_jobs
        known = ObservedSeries(first, options, *given)
        plan = Plan(horizon, origins, train_fraction, None, seed)
        where = plan.where(known, n_known, found.axis)
        by_itself = every == "auto"
        if every == "auto":
            every = None if forecaster.fitted_ else by_cost(where, n_known, options)
        elif every is not None and n_known == 0:
            raise ValueError(
                "refit trains on the series up to each origin, and this series does not hold what "
                "the forecaster was fitted to; pass the series from its beginning, or leave refit "
                "out."
            )
        plan = replace(plan, refit=every)
        parts, chosen = [], set[str]()
        truth = values_of(y)
        for places, n, observed, ahead in plan.forecasts(where, known, n_known, refitted, method):
            came = truth[where[places][:, None] + np.arange(horizon)]
            made = Backtest.of(ahead.distribution, came, where[places], ahead.name)
            aside = (observed.aside,) * len(places)
            corrected = observed.fitted.calibration is not None
            learned = np.full(len(places), n)
            made = replace(made, trained=learned, set_aside=aside, corrected=corrected)
            parts.append((places, made))
            chosen |= ahead.chosen
    notes = []
    if by_itself and every is not None:
        n_trainings = len(trainings(where, every, n_known))
        seldom = ", chosen for speed; refit=1 trains before every forecast" if every > 1 else ""
        notes.append(
            f"trained {counted(n_trainings, 'time')}, on all values known by then "
            f"(refit={every}{seldom})"
        )
    if every is None and forecaster.fitted_ is None and where.max() - n_known > _FAR * n_known:
        notes.append(
            f"trained once, on the first {n_known} of {len(y)} values; the last forecast starts "
            f"{counted(int(where.max()) - n_known, 'value')} later, and refit=n trains again after "
            f"n values"
        )
    return replace(
        in_order(parts),
        propagation=name_of(method, chosen),
        notes=(*found.notes, *notes),
        refit=every,
        series=y,
        seasons=options.seasons,
    )
