"""The result of a forecast: a joint Gaussian over the horizon, or sample paths."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular
from scipy.special import ndtri

from gpforecast import scores
from gpforecast.indexes import begins_with, counts_from_zero, counts_rows_of, values_of
from gpforecast.typing import FloatArray, IntArray, Seed
from gpforecast.validation import finite_array, is_number, positive_integer, real_array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DEFAULT_LEVELS = (80, 95)


@dataclass(frozen=True, eq=False)
class Forecast:
    """What is believed about the next values of a series, all of them together.

    Attributes
    ----------
    mean : Series (h,)
        Expected values, in the units of the series, on the future index.
    covariance : DataFrame (h, h)
        Joint covariance of the future observations, squared units; the noise of an observation
        is on its diagonal.
    latent_var : Series (h,)
        Variance of each value without its own observation noise.
    history : Series
        The observations the forecast continues.
    propagation : str
        The method that made it.
    paths : DataFrame (h, n) or None
        Sample paths, for a Monte Carlo forecast. Quantiles, intervals and samples are then theirs,
        not those of a Gaussian with the same moments.
    notes : tuple of str
        Numerical remarks: what was clipped, added or left out. Empty when all went well.
    """

    mean: "pd.Series[float]"
    covariance: pd.DataFrame
    latent_var: "pd.Series[float]"
    history: "pd.Series[float]"
    propagation: str
    paths: pd.DataFrame | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def index(self) -> Any:
        """The future times."""
        return self.mean.index

    @property
    def horizon(self) -> int:
        """How many steps are forecast."""
        return len(self.mean)

    @property
    def var(self) -> "pd.Series[float]":
        """Variance of each future observation, noise included."""
        return self._series(np.diag(self.covariance.to_numpy()).copy(), "var")

    @property
    def std(self) -> "pd.Series[float]":
        """Standard deviation of each future observation."""
        return self._series(np.sqrt(values_of(self.var)), "std")

    @property
    def median(self) -> "pd.Series[float]":
        """Median of each future observation."""
        middle: pd.Series[float] = self.quantile(0.5)
        return middle.rename("median")

    def quantile(self, q: Any) -> Any:
        """Return quantiles of each future observation.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities strictly between 0 and 1.

        Returns
        -------
        Series (h,) for one probability, DataFrame (h, len(q)) with them as columns otherwise.
        """
        levels = np.atleast_1d(finite_array(q, "q"))
        if levels.ndim > 1 or not ((levels > 0) & (levels < 1)).all():
            raise ValueError(f"q must hold probabilities between 0 and 1; got {q!r}.")
        if self.paths is not None:
            values = np.quantile(self.paths.to_numpy(), levels, axis=1).T
        else:
            values = self.mean.to_numpy()[:, None] + np.outer(self.std.to_numpy(), ndtri(levels))
        if np.ndim(q) == 0:
            return self._series(values[:, 0], float(levels[0]))
        return pd.DataFrame(values, index=self.index, columns=levels)

    def interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return the central interval that holds each observation with probability `level`.

        Parameters
        ----------
        level : float
            Between 0 and 1.

        Returns
        -------
        DataFrame (h, 2)
            Columns ``lower`` and ``upper``.
        """
        level = _probability(level)
        bounds: pd.DataFrame = self.quantile([0.5 - level / 2, 0.5 + level / 2])
        return bounds.set_axis(["lower", "upper"], axis=1)

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
        n = positive_integer(n, "n")
        rng = np.random.default_rng(seed)
        if self.paths is not None:
            columns = rng.choice(self.paths.shape[1], size=n, replace=n > self.paths.shape[1])
            drawn = self.paths.to_numpy()[:, columns]
        else:
            values, vectors = np.linalg.eigh(self.covariance.to_numpy())
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            drawn = self.mean.to_numpy()[:, None] + root @ rng.standard_normal((self.horizon, n))
        return pd.DataFrame(drawn, index=self.index, columns=range(n))

    def aggregate(self, weights: Any) -> "Aggregate":
        """Return the distribution of a weighted sum of the future observations.

        Parameters
        ----------
        weights : array-like (h,)
            Ones for a total, 1/h for an average, 1 and -1 for a difference.

        Returns
        -------
        Aggregate
        """
        w = finite_array(weights, "weights", ndim=1)
        if len(w) != self.horizon:
            raise ValueError(f"weights must have one value a step, {self.horizon}; got {len(w)}.")
        return Aggregate(
            mean=float(w @ self.mean.to_numpy()),
            var=float(w @ self.covariance.to_numpy() @ w),
            samples=None if self.paths is None else w @ self.paths.to_numpy(),
        )

    def sum(self) -> "Aggregate":
        """Return the distribution of the total over the horizon, correlations included."""
        return self.aggregate(np.ones(self.horizon))

    def to_frame(self, levels: Sequence[float] = _DEFAULT_LEVELS) -> pd.DataFrame:
        """Return mean and intervals as columns ``mean, lo-95, lo-80, hi-80, hi-95``.

        Parameters
        ----------
        levels : sequence of float
            In percent.

        Returns
        -------
        DataFrame (h, 1 + 2 len(levels))
        """
        given = np.atleast_1d(np.asarray(levels, dtype=object))
        ordered = sorted({_percent(level) for level in given})
        columns = {"mean": self.mean}
        bounds = {level: self.interval(level / 100) for level in ordered}
        for level in reversed(ordered):
            columns[f"lo-{level:g}"] = bounds[level]["lower"]
        for level in ordered:
            columns[f"hi-{level:g}"] = bounds[level]["upper"]
        return pd.DataFrame(columns)

    def logpdf(self, y_true: Any) -> float:
        """Return the joint log density of the values that came true.

        Parameters
        ----------
        y_true : Series or array-like
            The first values of the horizon, or a Series on (part of) the future index; what lies
            outside the horizon is left out, as is what is missing (NaN).

        Returns
        -------
        float
            In nats. For a Monte Carlo forecast, of the Gaussian with the paths' moments.
        """
        steps, truth = self._align(y_true)
        S = self.covariance.to_numpy()[np.ix_(steps, steps)]
        mean = self.mean.to_numpy()[steps]
        if self.paths is not None and self.paths.shape[1] <= len(steps):
            raise ValueError(
                f"the covariance of {self.paths.shape[1]} paths has no density over {len(steps)} "
                f"steps; take more paths than steps, MonteCarlo(n_paths=...)."
            )
        try:
            chol = np.linalg.cholesky(S)
        except np.linalg.LinAlgError:
            raise ValueError(
                "the joint covariance is singular to working precision, so it has no density; a "
                "larger noise_var of the model mends it."
            ) from None
        z = solve_triangular(chol, truth - mean, lower=True)
        log_det = 2.0 * np.log(np.diag(chol)).sum()
        return float(-0.5 * (z @ z + log_det + len(steps) * np.log(2.0 * np.pi)))

    def score(self, y_true: Any) -> "pd.Series[float]":
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
            ``mae``, ``rmse`` and ``crps`` in the units of the series, ``nlpd`` in nats (of the
            Gaussian with the forecast's moments), ``coverage_80`` and ``coverage_95`` as
            fractions, ``interval_score_95`` in the units of the series.
        """
        steps, truth = self._align(y_true)
        mean, var = self.mean.to_numpy()[steps], self.var.to_numpy()[steps]
        if self.paths is None:
            crps = scores.crps(truth, mean, var)
        else:
            crps = scores.crps_samples(truth, self.paths.to_numpy()[steps])
        low_80, high_80 = self.interval(0.80).to_numpy()[steps].T
        low_95, high_95 = self.interval(0.95).to_numpy()[steps].T
        values: dict[str, float] = {
            "mae": scores.mae(truth, mean),
            "rmse": scores.rmse(truth, mean),
            "nlpd": scores.nlpd(truth, mean, var),
            "crps": crps,
            "coverage_80": scores.coverage(truth, low_80, high_80),
            "coverage_95": scores.coverage(truth, low_95, high_95),
            "interval_score_95": scores.interval_score(truth, low_95, high_95, alpha=0.05),
        }
        return pd.Series(values, name=self.propagation)

    def plot(self, *, ax: "Axes | None" = None, **options: Any) -> "Axes":
        """Draw a fan chart of history and forecast.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure otherwise.
        **options
            Passed to `gpforecast.plotting.fan_chart`: levels, truth, color, n_history, ...

        Returns
        -------
        Axes
        """
        from gpforecast.plotting import fan_chart

        return fan_chart(self, ax=ax, **options)

    def __repr__(self) -> str:
        """Show what it is in a line, and the first and last steps."""
        table = self.to_frame((95,))
        shown = str(table) if len(table) <= 6 else str(pd.concat([table.head(3), table.tail(3)]))
        notes = "".join(f"\nnote: {note}" for note in self.notes)
        return f"Forecast of {self.horizon} steps ({self.propagation})\n{shown}{notes}"

    def _series(self, values: FloatArray, name: Any) -> "pd.Series[float]":
        return pd.Series(values, index=self.index, name=name)

    def _align(self, y_true: Any) -> tuple[IntArray, FloatArray]:
        """Return the steps of the horizon that came true, and what came."""
        truth = real_array(y_true, "y_true", ndim=1)
        steps = self._steps_at(y_true) if isinstance(y_true, pd.Series) else None
        if steps is None:
            if len(truth) > self.horizon:
                raise ValueError(
                    f"y_true has {len(truth)} values but the forecast {self.horizon} steps; pass "
                    f"at most that many, or a Series on the same index."
                )
            steps = np.arange(len(truth))
        truth, steps = truth[steps >= 0], steps[steps >= 0]
        known = ~np.isnan(truth)
        if not known.any():
            raise ValueError("y_true has no value that is not missing; there is nothing to score.")
        return steps[known], truth[known]

    def _steps_at(self, truth: "pd.Series[float]") -> Any:
        """Which step each value is for, -1 for none; None if their labels only count rows."""
        times: Any = truth.index
        if counts_rows_of(times, self.index) and not begins_with(truth, self.history):
            return None
        numeric = [i.dtype.kind in "iuf" for i in (times, self.index)]
        if type(times) is type(self.index) or all(numeric):
            near: Any = {}
            if self.index.dtype.kind == "f":
                near = {"method": "nearest", "tolerance": 1e-9}
            steps = self.index.get_indexer(times, **near)
            if (steps >= 0).any():
                return steps
        if counts_from_zero(times) or len(times) == 0:
            return None
        raise ValueError(
            f"y_true has no time in common with the forecast, which runs from {self.index[0]} to "
            f"{self.index[-1]}; got {times[0]} to {times[-1]}."
        )


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The distribution of one number made from a forecast, such as a total.

    Attributes
    ----------
    mean, var : float
    samples : ndarray (n,) or None
        From the paths of a Monte Carlo forecast; quantiles are then theirs.
    """

    mean: float
    var: float
    samples: FloatArray | None = field(default=None, repr=False)

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.var))

    def quantile(self, q: float) -> float:
        """Return the value below which it falls with probability `q`."""
        q = _probability(q)
        if self.samples is not None:
            return float(np.quantile(self.samples, q))
        return float(self.mean + self.std * ndtri(q))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval that holds it with probability `level`."""
        level = _probability(level)
        return self.quantile(0.5 - level / 2), self.quantile(0.5 + level / 2)


def _probability(level: float) -> float:
    if not (is_number(level) and 0.0 < float(level) < 1.0):
        hint = f" Did you mean {level / 100:g}?" if _looks_like_percent(level) else ""
        raise ValueError(f"level must lie between 0 and 1; got {level!r}.{hint}")
    return float(level)


def _percent(level: float) -> float:
    if not (is_number(level) and 0.0 < float(level) < 100.0):
        raise ValueError(f"levels are in percent, between 0 and 100; got {level!r}.")
    if float(level) < 1.0:
        raise ValueError(f"levels are in percent; got {level!r}. Did you mean {100 * level:g}?")
    return float(level)


def _looks_like_percent(level: Any) -> bool:
    return isinstance(level, (int, float)) and 1 < level < 100
