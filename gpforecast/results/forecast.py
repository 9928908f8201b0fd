"""The result of a forecast: a distribution over the horizon, and the index of its steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import (
    counted,
    finite_array,
    generator,
    how_many,
    interval_level,
    percent,
    probability,
)
from gpforecast.common.wording import number, observed, point
from gpforecast.results.conditions import Aggregate
from gpforecast.results.display import Drawn
from gpforecast.results.explained import Components, Explains
from gpforecast.results.selection import Selectable
from gpforecast.results.warped import Warped
from gpforecast.series.clock import each_once
from gpforecast.series.labels import aligned, time_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from plotly.graph_objects import Figure as PlotlyFigure

    from gpforecast.plotting.picture import Picture

_CERTAIN = 1e-20  # of the largest variance of a step: a value that was given


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(Drawn, Selectable):
    """The joint distribution of the next values of a series.

    Attributes
    ----------
    distribution : Distribution
        Of the values at all h steps together, as arrays: a `Gaussian`; `Paths`, if a Monte Carlo
        method made it; `Warped`, if a transform such as a logarithm is undone, whose `gaussian`
        is in the units of the transform; a `Mixture` of such; or one of these `Censored` within the
        support.
    index : Index (h,)
        The future times.
    history : Series
        The observations the forecast continues.
    propagation : str
        The method that made it; with ``"auto"`` also the one that it chose, such as
        ``"auto: exact"``.
    notes : tuple of str
        Remarks: on this forecast first, then on the fit (``Forecaster.notes_``).
    trajectory : Series (h,) or None
        The plug-in path: each mean is used as if it had been observed. NaN if it diverges.
    explanation : Explains or None
        What `components` and `variance_parts` are computed by on first use.
    set_aside : tuple of int
        Positions in `history` of outliers and of stuck values, which counted as missing.
    label : {"start", "end"} or None
        Where dates stand in their steps, as of `Forecaster`.

    Notes
    -----
    Three answers to "what comes next", which differ where the future is skewed or chaotic:
    ``mean`` has the smallest expected squared error, ``median`` the smallest expected absolute
    error, and ``trajectory`` the shape of one plausible future, while the mean of a chaotic
    series flattens as its futures part.
    """

    @cached_property
    def mean(self) -> "pd.Series[float]":
        """Expected values, in the units of the series, (h,)."""
        return self._series(self.distribution.mean, "mean")

    @cached_property
    def covariance(self) -> pd.DataFrame:
        """Joint covariance of the observations, squared units, noise on its diagonal, (h, h)."""
        return pd.DataFrame(self.distribution.covariance, self.index, self.index)

    @cached_property
    def latent_var(self) -> "pd.Series[float]":
        """Variance of each value without its own observation noise, (h,)."""
        return self._series(self.distribution.latent_var, "latent_var")

    @cached_property
    def components(self) -> Components:
        """The mean split into trend, season, inputs and memory, which add up exactly.

        See :doc:`/how-to/components` for their definitions, `Components` for what it holds. A
        ValueError says so for a forecast that was made from another, such as by `given`.
        """
        mean, std = self._explained.components()
        name = None if self.history.name is None else str(self.history.name)
        return Components(pd.DataFrame(mean, self.index), pd.DataFrame(std, self.index), name)

    @cached_property
    def variance_parts(self) -> pd.DataFrame:
        """Where the variance of each step comes from, (h, 6): columns add up to `var`.

        ``noise`` of the process and of measurements; ``past`` values and ``inputs`` that are not
        known; the ``map``, which the model knows only so well; ``coefficients`` of trend and season
        in the transforms; ``models`` that disagree, where structural ones forecast as well.
        """
        return pd.DataFrame(self._explained.variance_parts(), self.index)

    @property
    def _explained(self) -> Explains:
        if self.explanation is None:
            raise ValueError(
                "components and variance_parts are known of an iterated forecast as "
                "Forecaster.predict returned it, not of one that was made from it, such as by "
                "given(), cumsum() or resample(), and not of direct forecasts; use the first one."
            )
        return self.explanation

    @cached_property
    def paths(self) -> pd.DataFrame | None:
        """Sample paths, (h, n), of a forecast that consists of them; None for others.

        Quantiles, intervals and samples are then theirs, not those of a Gaussian with the same
        moments.
        """
        paths = self.distribution.paths
        return None if paths is None else pd.DataFrame(paths, self.index)

    @property
    def warped(self) -> Warped | None:
        """The distribution of a warped forecast, its ``gaussian`` in the units of the warp.

        None for a forecast without a warp.
        """
        warped = self.distribution.warped
        return warped[0] if len(warped) == 1 else None

    @property
    def var(self) -> "pd.Series[float]":
        """Variance of each future observation, noise included."""
        return self._series(self.distribution.var, "var")

    @property
    def std(self) -> "pd.Series[float]":
        """Standard deviation of each future observation."""
        return self._series(np.sqrt(self.distribution.var), "std")

    @property
    def median(self) -> "pd.Series[float]":
        """Median of each future observation."""
        return self._series(self.distribution.quantile(0.5)[:, 0], "median")

    def quantile(
        self, q: float | Sequence[float] | FloatArray
    ) -> "pd.Series[float] | pd.DataFrame":
        """Return quantiles of each future observation.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities strictly between 0 and 1.

        Returns
        -------
        Series (h,) for one probability, DataFrame (h, len(q)) with them as columns otherwise.
        """
        levels = [probability(one) for one in _each(q)]
        table = pd.DataFrame(self.distribution.quantile(levels), self.index, levels)
        return table[levels[0]] if np.ndim(q) == 0 else table

    def interval(self, level: float | Sequence[float] = 0.95) -> pd.DataFrame:
        """Return the central interval that holds each observation with probability `level`.

        Parameters
        ----------
        level : float or sequence of float
            A fraction such as 0.95; 95 is the same.

        Returns
        -------
        DataFrame (h, 2)
            Columns ``lower`` and ``upper``. Of several levels, (h, 2 levels): each has such a pair
            under its name, so that ``f.interval([0.8, 0.95])[0.8]`` equals ``f.interval(0.8)``.
        """
        levels = [interval_level(one) for one in _each(level)]
        tails = [q for one in levels for q in (0.5 - one / 2, 0.5 + one / 2)]
        columns = pd.MultiIndex.from_product([levels, ["lower", "upper"]], names=["level", "bound"])
        table = pd.DataFrame(self.distribution.quantile(tails), self.index, columns)
        return table.set_axis(["lower", "upper"], axis=1) if np.ndim(level) == 0 else table

    def sample(self, n: int, *, seed: Seed = None) -> pd.DataFrame:
        """Draw whole futures, jointly over the horizon.

        Parameters
        ----------
        n : int
            How many. A Monte Carlo forecast draws from the paths it has: without repetition while
            they last, with repetition beyond.
        seed : int, Generator or None

        Returns
        -------
        DataFrame (h, n)
        """
        n = how_many(n, "n", each=len(self.index))
        drawn = self.distribution.sample(n, generator(seed))
        return pd.DataFrame(drawn, self.index, range(n))

    def aggregate(self, weights: ArrayLike) -> Aggregate:
        """Return the distribution of a weighted sum of the future observations.

        Parameters
        ----------
        weights : array-like (h,)
            Ones for a total, 1/h for an average, 1 and -1 for a difference.

        Returns
        -------
        Aggregate
            Mean and variance are exact. Where a transform such as a logarithm is undone, quantiles
            are those of 10 000 samples.
        """
        w = finite_array(weights, "weights", ndim=1)
        if len(w) != self.horizon:
            raise ValueError(f"weights must have one value a step, {self.horizon}; got {len(w)}.")
        return Aggregate(self.distribution.linear(w[None]))

    def sum(self) -> Aggregate:
        """Return the distribution of the total over the horizon, correlations included."""
        return self.aggregate(np.ones(self.horizon))

    def _uncertain(self, steps: IntArray, truth: FloatArray) -> tuple[IntArray, FloatArray]:
        """Leave out the steps whose values were given."""
        var = self.distribution.var
        left = var[steps] > _CERTAIN * var.max()
        if var.max() > 0.0 and not left.any():
            raise ValueError("the values of all these steps were given; score other steps.")
        return (steps[left], truth[left]) if left.any() else (steps, truth)

    def to_frame(self, levels: float | Sequence[float] = (80, 95)) -> pd.DataFrame:
        """Return mean and intervals as columns ``mean, lo-95, lo-80, hi-80, hi-95``.

        Parameters
        ----------
        levels : float or sequence of float
            In percent, as the columns have them; 0.95 is the same as 95.

        Returns
        -------
        DataFrame (h, 1 + 2 len(levels))
        """
        ordered = sorted({percent(level) for level in _each(levels)})
        tails = {f"lo-{level:g}": 0.5 - level / 200 for level in reversed(ordered)}
        tails |= {f"hi-{level:g}": 0.5 + level / 200 for level in ordered}
        table = pd.DataFrame(self.distribution.quantile([*tails.values()]), self.index, [*tails])
        table.insert(0, "mean", self.mean)
        return table

    def logpdf(self, y_true: ArrayLike) -> float:
        """Return the joint log density of the values that came true.

        Parameters
        ----------
        y_true : Series or array-like
            The first values of the horizon, or a Series on (part of) the future index; values
            outside the horizon are left out, as are missing ones (NaN) and those `given`.

        Returns
        -------
        float
            In nats; of an hour that clocks repeat, that of the mean of both values. For a Monte
            Carlo forecast, of the Gaussian with the paths' moments (in the units of the warp, if
            there is one); -inf for a value outside the range of a warp.
        """
        steps, truth = self._uncertain(*aligned(y_true, self.index, self.history))
        first, truth = each_once(self.index[steps], truth)
        return float(self.distribution.over(steps[first]).logpdf(truth))

    def score(self, y_true: ArrayLike) -> "pd.Series[float]":
        """Return how good the forecast was, averaged over the steps that came true.

        Parameters
        ----------
        y_true : Series or array-like
            As for `logpdf`. The labels of a Series count, with one exception: 0, 1, 2, ..., as
            ``reset_index(drop=True)`` leaves them, for at most as many rows as there are steps, are
            the first steps in order, unless they begin with the whole history on those labels.

        Returns
        -------
        Series
            ``mae``, ``rmse`` and ``crps`` in the units of the series, ``nlpd`` in nats (of paths,
            that of a Gaussian with their moments), ``coverage_80`` and ``coverage_95`` as
            fractions, ``interval_score_95`` in the units of the series.
        """
        steps, truth = self._uncertain(*aligned(y_true, self.index, self.history))
        scored = self.distribution.over(steps)
        low_95, low_80, high_80, high_95 = scored.quantile([0.025, 0.1, 0.9, 0.975]).T
        values = {
            "mae": scores.mae(truth, scored.mean),
            "rmse": scores.rmse(truth, scored.mean),
            "nlpd": float(scored.nlpd(truth).mean()),
            "crps": float(scored.crps(truth).mean()),
            "coverage_80": scores.coverage(truth, low_80, high_80),
            "coverage_95": scores.coverage(truth, low_95, high_95),
            "interval_score_95": scores.interval_score(truth, low_95, high_95, alpha=0.05),
        }
        return pd.Series(values, name=self.propagation)

    def summary(self) -> str:
        """Return the first, middle and last step with 95 % intervals in words, and the notes."""
        h, name = self.horizon, self.history.name
        ends = " to ".join(dict.fromkeys(time_at(self.index, step) for step in (0, -1)))
        title = (
            f"{'series' if name is None else name}: forecast of {counted(h, 'step')}, {ends} "
            f"({self.propagation})"
        )
        steps = dict.fromkeys((0, (h - 1) // 2, h - 1))
        lines = [title, *(point(expected_at(self, step)) for step in steps)]
        return "\n".join([*lines, *(["Notes"] if self.notes else []), *map(point, self.notes)])

    def _picture(self, **options: Any) -> "Picture":
        from gpforecast.plotting import fan_chart

        return fan_chart.picture(self, **options)

    def plot_components(
        self, *, level: float = 0.95, backend: Literal["matplotlib", "plotly"] = "matplotlib"
    ) -> "Figure | PlotlyFigure":
        """Draw `components` below one another, with bands of the level; a new figure."""
        return self.components.plot(level=level, backend=backend)

    @property
    def _narrow(self) -> pd.DataFrame:
        return self.to_frame((95,))

    @property
    def _caption(self) -> str:
        return f"Forecast of {counted(self.horizon, 'step')} ({self.propagation})"

    def _series(self, values: FloatArray, name: str | float) -> "pd.Series[float]":
        return pd.Series(values, self.index, name=name, copy=True)


def expected_at(forecast: Forecast, step: int, units: str = "") -> str:
    """Return the mean at a step, by its position, in a sentence with the 95 % interval."""
    low, high = (float(bound) for bound in forecast.interval(0.95).iloc[step])
    known, scale = forecast.history.dropna(), (high - low) / 4
    whole = bool((known == known.round()).all())
    lower, upper = (observed(bound, scale, whole) for bound in (low, high))
    unit = f" {units}" if units else ""
    return (
        f"For {time_at(forecast.index, step)} we expect about "
        f"{number(float(forecast.mean.iloc[step]), scale)}{unit}, and with 95 % probability a "
        f"value between {lower} and {upper}."
    )


def _each(levels: object) -> list[Any]:
    """Return one level, or several, as a list."""
    return np.ravel(np.asarray(levels, dtype=object)).tolist()
