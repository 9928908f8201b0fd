"""Forecasts from many origins of a series, scored step by step."""

import copy
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.forecaster import Forecaster
from gpforecast.indexes import as_series
from gpforecast.joint import Joint
from gpforecast.overlap import seen_before
from gpforecast.propagation import method_named
from gpforecast.typing import FloatArray, IntArray, Seed
from gpforecast.validation import positive_integer

_LEVELS = (50, 80, 95)


@dataclass(frozen=True, eq=False)
class Backtest:
    """Forecasts from many origins beside what came true.

    Attributes
    ----------
    origins : ndarray (b,)
        Positions in the series; the first value forecast from origin t is the one at t.
    truth, mean, var : ndarray (b, h)
        What came (NaN where missing), what was expected, and the variance of an observation.
    lower, upper : dict of float to ndarray (b, h)
        Bounds of the central intervals, by level in percent: 50, 80 and 95.
    crps : ndarray (b, h)
        Continuous ranked probability scores, in the units of the series.
    nlpd : ndarray (b, h)
        Negative log predictive densities, in nats; of paths, those of a Gaussian.
    pit : ndarray (b, h)
        Where each truth fell in its forecast; uniform if calibrated. Of paths, in a Gaussian.
    propagation : str
        The method that made the forecasts.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    """

    origins: Any
    truth: FloatArray
    mean: FloatArray
    var: FloatArray
    lower: dict[float, FloatArray] = field(repr=False)
    upper: dict[float, FloatArray] = field(repr=False)
    crps: FloatArray = field(repr=False)
    nlpd: FloatArray = field(repr=False)
    pit: FloatArray = field(repr=False)
    propagation: str = "exact"
    n_clipped: int = 0

    @property
    def losses(self) -> dict[str, FloatArray]:
        """Every loss of every forecast, (b, h) each, before any average; NaN without a truth."""
        error = self.truth - self.mean
        each: dict[str, FloatArray] = {
            "mae": np.abs(error),
            "mse": error**2,
            "nlpd": self.nlpd,
            "crps": self.crps,
        }
        for level in self.lower:
            inside = scores.coverage(self.truth, self.lower[level], self.upper[level], axis=())
            each[f"coverage_{level:g}"] = np.asarray(inside, dtype=float)
        return each

    @property
    def scores(self) -> pd.DataFrame:
        """Average over origins, one row a step: mae, mse, nlpd, crps, coverage_50, _80, _95."""
        table = {name: _mean(loss) for name, loss in self.losses.items()}
        return pd.DataFrame(table, index=self._steps)

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard error of each average in `scores`, taking the origins as independent.

        NaN for a single origin.
        """
        table = {name: _standard_error(loss) for name, loss in self.losses.items()}
        return pd.DataFrame(table, index=self._steps)

    def summary(self) -> pd.DataFrame:
        """Return the scores averaged over all steps, coverage among them, and the last step's.

        Returns
        -------
        DataFrame
            One row a score; columns ``average`` and ``step h``, each with its standard error over
            origins in ``± average`` and ``± step h``.
        """
        last = f"step {self.mean.shape[1]}"
        rows = {}
        for name, loss in self.losses.items():
            by_origin = _mean(loss.T)
            rows[name] = {
                "average": _mean(by_origin),
                "± average": _standard_error(by_origin),
                last: _mean(loss[:, -1]),
                f"± {last}": _standard_error(loss[:, -1]),
            }
        return pd.DataFrame(rows).T

    def plot(
        self, columns: Any = ("mae", "nlpd", "coverage_95"), *, axes: Any = None
    ) -> "np.ndarray[Any, Any]":
        """Draw scores against the forecast step, one panel a score.

        Parameters
        ----------
        columns : str or sequence of str
            Which of `scores`.
        axes : Axes or sequence of Axes, optional
            One for each; a new figure otherwise.

        Returns
        -------
        ndarray of Axes
        """
        from gpforecast.plotting import step_panels

        names = [columns] if isinstance(columns, str) else list(columns)
        return step_panels({self.propagation: self.scores}, names, axes=axes)

    def __repr__(self) -> str:
        """Show the summary."""
        return f"{self._caption}\n{self.summary()}"

    def _repr_html_(self) -> str:
        """Show the summary as a small table."""
        table = self.summary().to_html(float_format="{:.4g}".format, border=0, na_rep="")
        return f"<p>{escape(self._caption)}</p>\n{table}"

    @property
    def _caption(self) -> str:
        b, h = self.mean.shape
        return f"Backtest of {h} steps from {b} origins ({self.propagation})"

    @property
    def _steps(self) -> pd.RangeIndex:
        return pd.RangeIndex(1, self.mean.shape[1] + 1, name="step")


def backtest(
    forecaster: Forecaster,
    series: Any,
    horizon: int = 100,
    origins: Any = 200,
    *,
    seed: Seed = 0,
    exog: Any = None,
    propagation: Any = None,
    train_fraction: float = 0.5,
    refit: int | None = None,
    n_jobs: int | None = None,
) -> Backtest:
    """Forecast from many origins that the model has not seen, and compare with what came.

    Parameters
    ----------
    forecaster : Forecaster
        If it is fitted, it is used as it stands, and origins are taken from after the values it was
        fitted to (see Notes). If it is not, a copy is fitted to the first part of the series. It is
        not changed.
    series : Series or 1-D array-like
        NaN where values are missing: such truths have no score, and what an origin reaches back to
        is predicted.
    horizon : int
    origins : int or sequence of int
        How many, at random without repetition (fewer if the series is too short for so many), or
        their positions.
    seed : int, Generator or None
        For the choice of origins.
    exog : optional
        Exogenous inputs over the whole series.
    propagation : optional
        Another method than the forecaster's own.
    train_fraction : float
        Which part of the series an unfitted forecaster learns from.
    refit : int or None
        Train again on all of the series before an origin if so many values or more have passed
        since the last training. Lags stay, and a Gaussian process starts from the
        hyperparameters found then. ``None``: one model for all origins.
    n_jobs : int or None
        Threads; ``None`` uses all cores.

    Returns
    -------
    Backtest

    Raises
    ------
    ValueError
        If the series leaves no room for a single origin.

    Notes
    -----
    What a fitted forecaster has seen is told by the labels, if they are times that overlap those of
    its history, or numbers, not a mere count of rows from 0, at which both have the same values:
    origins then come after the last label of the history. Times count whatever the values; to
    forecast another series of the same times, pass its values alone. Otherwise the values of the
    history are looked for in the series, all of them or as many as lie within it. They must be
    equal to 1e-6 of the spread of the history, or to single precision where that is coarser (but
    never more than 1e-3 of the spread).

    Values that are missing on either side agree with anything.

    It is not noticed if labels do not tell and the values were rounded more, scaled, resampled or
    changed in any one place; nor if no more than 10 values at the end of the series
    are the first of the history. Pass the `origins` yourself then.

    All origins go through the model in one batch; memory is O(origins * horizon^2).

    Examples
    --------
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(600, noise_var=1e-4, seed=0)
    >>> result = gf.backtest(gf.Forecaster(lags=16), series, horizon=20, origins=30)
    >>> result.scores.shape
    (20, 7)
    """
    if not isinstance(forecaster, Forecaster):
        raise TypeError(
            f"forecaster must be a Forecaster, such as Forecaster(lags=16); got {forecaster!r}."
        )
    horizon = positive_integer(horizon, "horizon")
    y = as_series(series, allow_missing=True)
    if not y.notna().any():
        raise ValueError("series must hold at least one value; all are missing (NaN).")
    every = None if refit is None else positive_integer(refit, "refit")
    fitted = hasattr(forecaster, "model_")
    if fitted:
        seen = seen_before(forecaster.history_, y)
    else:
        if not 0.0 < train_fraction < 1.0:
            raise ValueError(f"train_fraction must lie between 0 and 1; got {train_fraction!r}.")
        seen = int(train_fraction * len(y))
        forecaster = copy.deepcopy(forecaster)
        rows = getattr(exog, "iloc", exog)  # by position, whatever the index
        forecaster.fit(y.iloc[:seen], None if exog is None else rows[:seen])
    where = _origins(forecaster, len(y), seen, horizon, origins, seed)

    name = method_named(forecaster.propagation if propagation is None else propagation).name

    def forecast(model: Forecaster, origins: IntArray) -> Backtest:
        joint = model.predict_from(
            series, origins, horizon, exog=exog, propagation=propagation, n_jobs=n_jobs
        )
        truth = y.to_numpy()[origins[:, None] + np.arange(horizon)]
        return scored(joint, truth, origins, name)

    if every is None:
        return forecast(forecaster, where)
    if seen == 0:
        raise ValueError(
            "refit trains on the series up to each origin, and this series does not hold what "
            "the forecaster was fitted to; pass the series from its beginning, or leave refit "
            "out."
        )
    parts = []
    for n, chosen in _trainings(where, every, seen):
        if n > seen:
            forecaster = _refitted(forecaster, y, exog, n)
        parts.append((chosen, forecast(forecaster, where[chosen])))
    return _in_order(parts)


def _trainings(where: IntArray, every: int, seen: int) -> list[tuple[int, IntArray]]:
    """Return, in order of time, how many values to train on and the places of the origins served.

    An origin is served by the last training, unless that is `every` values or more behind it.
    """
    parts: list[tuple[int, list[int]]] = []
    n = seen
    for place in np.argsort(where, kind="stable"):
        if where[place] - n >= every:
            n = int(where[place])
        if not parts or parts[-1][0] != n:
            parts.append((n, []))
        parts[-1][1].append(int(place))
    return [(n, np.array(places)) for n, places in parts]


def _refitted(forecaster: Forecaster, y: Any, exog: Any, n: int) -> Forecaster:
    """Return a forecaster trained on the first n values, starting from where another ended."""
    model = forecaster.model_
    other = Forecaster(
        forecaster.lags_,
        exog_lags=forecaster.exog_lags,
        model=model.warm_started() if hasattr(model, "warm_started") else forecaster.model,
        propagation=forecaster.propagation,
        transforms=forecaster.transforms_.spec,
        max_rows=forecaster.max_rows,
        seed=forecaster.seed,
        calibrate=forecaster.calibrate,
    )
    rows = getattr(exog, "iloc", exog)  # by position, whatever the index
    return other.fit(y.iloc[:n], None if exog is None else rows[:n])


def _in_order(parts: list[tuple[IntArray, Backtest]]) -> Backtest:
    """Put the forecasts of groups of origins back into the order of the origins."""
    back = np.argsort(np.concatenate([chosen for chosen, _ in parts]))
    results = [result for _, result in parts]

    def together(arrays: list[Any]) -> Any:
        return np.concatenate(arrays)[back]

    names = ("origins", "truth", "mean", "var", "crps", "nlpd", "pit")
    bounds: dict[str, Any] = {
        side: {
            level: together([getattr(r, side)[level] for r in results])
            for level in getattr(results[0], side)
        }
        for side in ("lower", "upper")
    }
    return Backtest(
        **{name: together([getattr(r, name) for r in results]) for name in names},
        **bounds,
        propagation=results[0].propagation,
        n_clipped=sum(r.n_clipped for r in results),
    )


def scored(joint: Joint, truth: FloatArray, origins: Any, name: str) -> Backtest:
    """Return forecasts from b origins beside the truth (b, h) as a `Backtest`."""
    tails = [0.5 - level / 200 for level in _LEVELS]
    bounds = joint.quantile([*tails, *(1 - tail for tail in tails)])  # (b, h, 2 levels)
    n = len(_LEVELS)
    return Backtest(
        origins,
        truth,
        joint.mean,
        joint.var,
        {float(level): bounds[..., i] for i, level in enumerate(_LEVELS)},
        {float(level): bounds[..., n + i] for i, level in enumerate(_LEVELS)},
        joint.crps(truth),
        joint.nlpd(truth),
        joint.pit(truth),
        name,
        joint.n_clipped,
    )


def _origins(
    forecaster: Forecaster, n: int, seen: int, horizon: int, origins: Any, seed: Seed
) -> Any:
    first = max(seen, forecaster.n_past)
    last = n - horizon
    if last < first:
        raise ValueError(
            f"series has {n} values, of which the model has seen {seen} and its lags need "
            f"{forecaster.n_past}: no origin is left for a horizon of {horizon}. Pass a longer "
            f"series, a shorter horizon, or a forecaster fitted to less of it."
        )
    if isinstance(origins, (int, np.integer)) and not isinstance(origins, bool):
        count = min(positive_integer(origins, "origins"), last - first + 1)
        chosen = np.random.default_rng(seed).choice(last - first + 1, count, replace=False)
        return first + np.sort(chosen)
    where = np.asarray(origins)
    if where.ndim != 1 or where.dtype.kind not in "iu" or not len(where):
        raise ValueError(
            f"origins must be a number of them or a list of positions; got {origins!r}."
        )
    if where.min() < first or where.max() > last:
        raise ValueError(
            f"origins must lie between {first} (values before are seen in training or needed as "
            f"lags) and {last} (the horizon must end within the series); got {where.min()} to "
            f"{where.max()}."
        )
    return where


def _mean(values: FloatArray) -> Any:
    """Return the mean over the first axis of what is known; NaN if nothing is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)


def _standard_error(values: FloatArray) -> Any:
    """Return the standard error of that mean; one value tells none."""
    n = (~np.isnan(values)).sum(axis=0)
    off = np.where(np.isnan(values), 0.0, values - _mean(values))
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((off**2).sum(axis=0) / (n - 1) / n)
    return np.where(n < 2, np.nan, error)[()]
