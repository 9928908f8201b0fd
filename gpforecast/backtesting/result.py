"""The result of a backtest: forecasts, the observed values, and scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast import scores
from gpforecast.backtesting.errors import standard_error
from gpforecast.backtesting.score_table import ScoreTable
from gpforecast.common.cached import cached_property
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.results.distribution import Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpforecast.backtesting.baselines import Baselines

_LEVELS = (50, 80, 95)


@dataclass(frozen=True, eq=False)
class Backtest:
    """Forecasts from many origins, and the observed values.

    Attributes
    ----------
    origins : ndarray (b,)
        Positions in the series; the first value forecast from origin t is the one at t.
    truth, mean, var : ndarray (b, h)
        Observed values (NaN where missing), expected values, and the variance of an observation.
    lower, upper : dict of float to ndarray (b, h)
        Bounds of the central intervals, by level in percent: 50, 80 and 95.
    crps : ndarray (b, h)
        Continuous ranked probability scores, in the units of the series.
    nlpd : ndarray (b, h)
        Negative log predictive densities, in nats; of paths, those of a Gaussian.
    pit : ndarray (b, h)
        Probability integral transforms, where each truth fell in its forecast: uniform if the
        forecasts are calibrated.
    propagation : str
        The method that made the forecasts; with ``"auto"`` also those that it chose, such as
        ``"auto: exact, monte_carlo"``.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    notes : tuple of str
        Remarks on the trainings: how often there were, if that was chosen by cost; that the last
        one lies far before an origin; or that the selected transforms changed.
    trained : ndarray (b,)
        How many of the first values of the series the model of each origin had learned from; 0 if
        it knows another series.
    refit : int or None
        After how many values it was trained again; None if it was trained once.
    series : Series or None
        The whole series, which `beside` needs.
    seasons : tuple of int or None
        Those that the forecaster was told of, for the seasonal naive forecast; () for none. None:
        it is looked for.
    set_aside : tuple of tuple of int
        For each origin, positions of outliers before it, which are missing to its forecasts.
    corrected : bool
        Whether intervals were corrected by past errors (``calibrate``).
    n_uncorrected : int
        Forecasts whose intervals were to be corrected, but whose series was too short for that.
    combined : bool
        Whether structural models forecast beside the model.
    inputs : bool
        Whether the forecaster knew inputs, such as those of a calendar.
    """

    origins: IntArray
    truth: FloatArray
    mean: FloatArray
    var: FloatArray
    lower: dict[float, FloatArray]
    upper: dict[float, FloatArray]
    crps: FloatArray
    nlpd: FloatArray
    pit: FloatArray
    propagation: str = "exact"
    n_clipped: int = 0
    notes: tuple[str, ...] = ()
    trained: IntArray | None = None
    refit: int | None = None
    series: "pd.Series[float] | None" = None
    seasons: tuple[int, ...] | None = None
    set_aside: tuple[tuple[int, ...], ...] = ()
    corrected: bool = False
    n_uncorrected: int = 0
    combined: bool = False
    inputs: bool = False

    @property
    def judged(self) -> BoolArray:
        """Which values tell of intervals, (b, h): what is certain, such as closed times, does not.

        Where all is certain, all do.
        """
        uncertain = self.var > 0.0
        return np.isfinite(self.truth) & (uncertain | ~uncertain.any())

    @property
    def losses(self) -> dict[str, FloatArray]:
        """Every loss of every forecast, (b, h) each, before any average; NaN without a truth.

        Coverage is NaN where a forecast is certain, too.
        """
        error, judged = self.truth - self.mean, self.judged
        held = {
            f"coverage_{level:g}": np.where(
                judged, scores.coverage(self.truth, lower, self.upper[level], axis=()), np.nan
            )
            for level, lower in self.lower.items()
        }
        return {"mae": np.abs(error), "mse": error**2, "nlpd": self.nlpd, "crps": self.crps, **held}

    @property
    def scores(self) -> pd.DataFrame:
        """Average over origins, one row a step: mae, mse, nlpd, crps, coverage_50, _80, _95."""
        losses = {
            name: pd.DataFrame(loss, columns=self._steps) for name, loss in self.losses.items()
        }
        return pd.DataFrame({name: loss.mean() for name, loss in losses.items()})

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard error of each average in `scores`; NaN for a single origin.

        Forecasts of h steps from origins less than h apart share some of what surprised them, and
        count as fewer. Of coverage, it is the error of intervals that are right, so that a share
        of 1 has one too.
        """
        table = {
            name: [self._error(name, loss[:, [step - 1]], step) for step in self._steps]
            for name, loss in self.losses.items()
        }
        return pd.DataFrame(table, index=self._steps)

    @property
    def _steps(self) -> pd.RangeIndex:
        return pd.RangeIndex(1, self.mean.shape[1] + 1, name="step")

    def _error(self, name: str, losses: FloatArray, ahead: int) -> float:
        """Return the standard error of an average of losses that reach so many steps ahead."""
        of, _, level = name.partition("coverage_")
        return standard_error(losses, self.origins, None if of else float(level) / 100, ahead)

    def summary(self) -> ScoreTable:
        """Return the scores averaged over all values, coverage among them, and the last step's.

        Where it is shown, the `verdicts` stand below it; the first time, that fits the `baselines`.

        Returns
        -------
        DataFrame
            One row a score; columns ``average`` and ``step h``, each with its standard error in
            ``± average`` and ``± step h``, as in `standard_errors`.
        """
        h = self.mean.shape[1]
        last = f"step {h}"
        rows = {}
        for name, loss in self.losses.items():
            rows[name] = {
                "average": float(pd.Series(loss.ravel()).mean()),
                "± average": self._error(name, loss, h),
                last: pd.Series(loss[:, -1]).mean(),
                f"± {last}": self._error(name, loss[:, [-1]], h),
            }
        return ScoreTable(pd.DataFrame(rows).T, lambda: self.verdicts)

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        """What the backtest proves, in sentences, and what to do about it.

        How often 95 % and 80 % intervals held the truth; and whether the forecasts were better
        than the best of `baselines`, if the series is known. Each allows for chance.
        """
        from gpforecast.backtesting.verdict import verdicts

        return tuple(f"{sentence} {advice}".strip() for sentence, advice in verdicts(self))

    @cached_property
    def baselines(self) -> "Baselines":
        """Simple forecasts from the same origins, computed when they are asked for.

        ``"naive"``, a random walk: the last value. ``"seasonal naive"``, a random walk over the
        season: the last season; missing if there is none. ``"linear"``, an autoregression by least
        squares, which learns from the same values as the forecaster; missing if they are few. None
        of them uses exogenous inputs, and outliers are missing to them, too. Its ``missing`` says
        why one is missing.

        Raises
        ------
        ValueError
            If the backtest does not know its series, because it was made by hand.
        """
        from gpforecast.backtesting.baselines import baselines

        if self.series is None or self.trained is None:
            raise ValueError("baselines need the series; take a Backtest that backtest() returned.")
        horizon = self.mean.shape[1]
        given = self.origins, horizon, self.trained, self.seasons, self.set_aside
        return baselines(self.series, *given)

    def beside(self) -> pd.DataFrame:
        """Return the scores beside those of simple forecasts from the same origins.

        Returns
        -------
        DataFrame
            Rows ``forecaster`` and the names of `baselines`; columns ``mae`` and ``crps`` in the
            units of the series, ``coverage_80`` and ``coverage_95`` as fractions. They are
            averages over the values that all of them forecast; coverage is of those that the
            forecaster is not certain of, such as closed times.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.load_sunspots()
        >>> forecaster = gf.Forecaster(9, model=gf.models.LinearAR(), transforms=None)
        >>> result = gf.backtest(forecaster, series, horizon=5, origins=30)
        >>> result.beside().index.tolist()
        ['forecaster', 'naive', 'linear']
        """
        rows = {"forecaster": self, **self.baselines}
        losses = {name: result.losses for name, result in rows.items()}
        shared = np.logical_and.reduce([np.isfinite(each["crps"]) for each in losses.values()])
        judged = shared & self.judged
        table = {
            name: {column: each[column][shared].mean() for column in ("mae", "crps")}
            | {
                column: np.nanmean(each[column][judged])
                for column in ("coverage_80", "coverage_95")
            }
            for name, each in losses.items()
        }
        return pd.DataFrame(table).T

    def plot(
        self,
        columns: str | Sequence[str] = ("mae", "nlpd", "coverage_95"),
        *,
        axes: "Axes | Sequence[Axes] | npt.NDArray[np.object_] | None" = None,
    ) -> npt.NDArray[np.object_]:
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

        return step_panels({self.propagation: self.scores}, columns, axes=axes)

    def __repr__(self) -> str:
        """Show the summary, the verdicts and the notes."""
        notes = "".join(f"\nnote: {note}" for note in self.notes)
        return f"{self._caption}\n{self.summary()}{notes}"

    def _repr_html_(self) -> str:
        """Show the summary as a small table, the verdicts, and the notes."""
        notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in self.notes)
        return f"<p>{escape(self._caption)}</p>\n{self.summary()._repr_html_()}{notes}"

    @property
    def _caption(self) -> str:
        b, h = self.mean.shape
        again = (
            "" if self.refit is None else f", trained again after {counted(self.refit, 'value')}"
        )
        of = f"{counted(h, 'step')} from {counted(b, 'origin')}"
        return f"Backtest of {of} ({self.propagation}){again}"


def in_order(parts: list[tuple[IntArray, Backtest]]) -> Backtest:
    """Put the forecasts of groups of origins back into the order of the origins."""
    back = np.argsort(np.concatenate([chosen for chosen, _ in parts]))
    results = [result for _, result in parts]

    def together(arrays: Iterable[FloatArray]) -> Any:  # those of a single origin may be (h,)
        return np.concatenate([np.atleast_2d(one) for one in arrays])[back]

    learned = [one.trained for one in results if one.trained is not None]
    aside = [one for result in results for one in result.set_aside]
    names = ("truth", "mean", "var", "crps", "nlpd", "pit")
    return replace(
        results[0],
        origins=np.concatenate([one.origins for one in results])[back],
        trained=np.concatenate(learned)[back] if learned else None,
        **{name: together(map(attrgetter(name), results)) for name in names},
        lower={level: together(r.lower[level] for r in results) for level in results[0].lower},
        upper={level: together(r.upper[level] for r in results) for level in results[0].upper},
        n_clipped=sum(result.n_clipped for result in results),
        n_uncorrected=sum(result.n_uncorrected for result in results),
        corrected=any(result.corrected for result in results),
        combined=any(result.combined for result in results),
        inputs=any(result.inputs for result in results),
        set_aside=tuple(aside[i] for i in back.tolist()) if aside else (),
    )


def scored(joint: Distribution, truth: FloatArray, origins: IntArray, name: str) -> Backtest:
    """Return forecasts from b origins beside the truth (b, h) as a `Backtest`."""
    tails = [0.5 - level / 200 for level in _LEVELS]
    bounds = np.moveaxis(joint.quantile([*tails, *(1 - tail for tail in tails)]), -1, 0)
    lower, upper = (
        dict(zip(map(float, _LEVELS), half, strict=True)) for half in np.split(bounds, 2)
    )
    losses = joint.crps(truth), joint.nlpd(truth), joint.pit(truth)
    return Backtest(
        origins, truth, joint.mean, joint.var, lower, upper, *losses, name, joint.n_clipped
    )
