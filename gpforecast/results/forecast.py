"""The result of a forecast: a joint Gaussian over the horizon, or sample paths."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.validation import finite_array, is_number, positive_integer
from gpforecast.common.warnings import NumericalWarning
from gpforecast.results.aggregate import Aggregate, probability
from gpforecast.results.joint import Joint, Warped
from gpforecast.series.checked import values_of
from gpforecast.series.true_values import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DEFAULT_LEVELS = (80, 95)
_N_AGGREGATE = 10_000


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
    warped : Warped or None
        If the series was warped (a logarithm, a power): the Gaussian in the units of the warp.
        Quantiles, intervals, samples and densities are its images, exactly; mean and covariance are
        those of the image, so that all of them agree.
    trajectory : Series (h,) or None
        The plug-in path: each prediction taken for a fact. NaN if it runs away.

    Notes
    -----
    Three answers to "what comes next", which differ where the future is skewed or chaotic:
    ``mean`` has the smallest expected squared error, ``median`` the smallest expected absolute
    error, and ``trajectory`` the shape of one plausible future, while the mean of a chaotic
    series flattens as its futures part.
    """

    mean: "pd.Series[float]"
    covariance: pd.DataFrame
    latent_var: "pd.Series[float]"
    history: "pd.Series[float]"
    propagation: str
    paths: pd.DataFrame | None = None
    notes: tuple[str, ...] = field(default=())
    warped: Warped | None = field(default=None, repr=False)
    trajectory: "pd.Series[float] | None" = None

    @staticmethod
    def of(
        joint: Joint,
        index: Any,
        *,
        history: "pd.Series[float]",
        propagation: str,
        notes: tuple[str, ...] = (),
        trajectory: FloatArray | None = None,
    ) -> "Forecast":
        """Label a joint distribution over h steps, not a batch of them.

        A mean that a transform carries out of the 95 % interval is noted and warned of.

        Parameters
        ----------
        joint : Joint
        index : Index (h,)
        history, propagation, notes
            As in the attributes.
        trajectory : ndarray (h,), optional
        """
        tail = joint.heavy_tail()
        if tail:
            notes = (*notes, tail)
            warnings.warn(
                f"{tail}. Take the median or the trajectory for what to expect, or leave the "
                f"transform out, as transforms=None does.",
                NumericalWarning,
                stacklevel=3,
            )
        return Forecast(
            mean=pd.Series(joint.mean, index=index, name="mean"),
            covariance=pd.DataFrame(joint.covariance, index=index, columns=index),
            latent_var=pd.Series(joint.latent_var, index=index, name="latent_var"),
            history=history,
            propagation=propagation,
            paths=None if joint.paths is None else pd.DataFrame(joint.paths, index=index),
            notes=notes,
            warped=joint.warped,
            trajectory=None
            if trajectory is None
            else pd.Series(trajectory, index=index, name="trajectory"),
        )

    @property
    def joint(self) -> Joint:
        """The same as arrays."""
        return Joint(
            values_of(self.mean),
            self.covariance.to_numpy(),
            values_of(self.latent_var),
            None if self.paths is None else self.paths.to_numpy(),
            warped=self.warped,
        )

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
        values = self.joint.quantile(levels)
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
        level = probability(level)
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
        drawn = self.joint.sample(n, np.random.default_rng(seed))
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
            Mean and variance are exact. Where the forecast is warped, quantiles are those of
            10 000 samples.
        """
        w = finite_array(weights, "weights", ndim=1)
        if len(w) != self.horizon:
            raise ValueError(f"weights must have one value a step, {self.horizon}; got {len(w)}.")
        samples = None
        if self.paths is not None:
            samples = w @ self.paths.to_numpy()
        elif self.warped is not None:
            samples = w @ self.joint.sample(_N_AGGREGATE, np.random.default_rng(0))
        return Aggregate(
            mean=float(w @ self.mean.to_numpy()),
            var=float(w @ self.covariance.to_numpy() @ w),
            samples=samples,
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
            In nats. For a Monte Carlo forecast, of the Gaussian with the paths' moments (in the
            units of the warp, if there is one); -inf for a value outside the range of a warp.
        """
        steps, truth = aligned(y_true, self.index, self.history)
        if self.paths is not None and self.paths.shape[1] <= len(steps):
            raise ValueError(
                f"the covariance of {self.paths.shape[1]} paths has no density over {len(steps)} "
                f"steps; take more paths than steps, MonteCarlo(n_paths=...)."
            )
        try:
            return self.joint.logpdf(truth, steps)
        except np.linalg.LinAlgError:
            raise ValueError(
                "the joint covariance is singular to working precision, so it has no density; a "
                "larger noise_var of the model mends it."
            ) from None

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
            ``mae``, ``rmse`` and ``crps`` in the units of the series, ``nlpd`` in nats (of paths,
            that of a Gaussian with their moments), ``coverage_80`` and ``coverage_95`` as
            fractions, ``interval_score_95`` in the units of the series.
        """
        steps, truth = aligned(y_true, self.index, self.history)
        joint = self.joint.over(steps)
        mean = joint.mean
        low_95, low_80, high_80, high_95 = joint.quantile([0.025, 0.1, 0.9, 0.975]).T
        values: dict[str, float] = {
            "mae": scores.mae(truth, mean),
            "rmse": scores.rmse(truth, mean),
            "nlpd": float(joint.nlpd(truth).mean()),
            "crps": float(joint.crps(truth).mean()),
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
        notes = "".join(f"\nnote: {note}" for note in self.notes)
        return f"{self._caption}\n{_ends(self.to_frame((95,)))}{notes}"

    def _repr_html_(self) -> str:
        """Show the same as a small table."""
        table = _ends(self.to_frame()).to_html(float_format="{:.6g}".format, border=0)
        notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in self.notes)
        return f"<p>{escape(self._caption)}</p>\n{table}{notes}"

    @property
    def _caption(self) -> str:
        return f"Forecast of {self.horizon} steps ({self.propagation})"

    def _series(self, values: FloatArray, name: Any) -> "pd.Series[float]":
        return pd.Series(values, index=self.index, name=name)


def _ends(table: pd.DataFrame) -> pd.DataFrame:
    """Return the first and last rows of a long table, all of a short one."""
    return table if len(table) <= 6 else pd.concat([table.head(3), table.tail(3)])


def _percent(level: float) -> float:
    if not (is_number(level) and 0.0 < float(level) < 100.0):
        raise ValueError(f"levels are in percent, between 0 and 100; got {level!r}.")
    if float(level) < 1.0:
        raise ValueError(f"levels are in percent; got {level!r}. Did you mean {100 * level:g}?")
    return float(level)
