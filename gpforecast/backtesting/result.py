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
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.results.distribution import Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        Remarks on the trainings: that the last training lies far before an origin, or that the
        selected transforms changed.
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

    @property
    def losses(self) -> dict[str, FloatArray]:
        """Every loss of every forecast, (b, h) each, before any average; NaN without a truth."""
        error = self.truth - self.mean
        held = {
            f"coverage_{level:g}": scores.coverage(self.truth, lower, self.upper[level], axis=())
            for level, lower in self.lower.items()
        }
        return {"mae": np.abs(error), "mse": error**2, "nlpd": self.nlpd, "crps": self.crps, **held}

    @property
    def scores(self) -> pd.DataFrame:
        """Average over origins, one row a step: mae, mse, nlpd, crps, coverage_50, _80, _95."""
        return self._by_step("mean")

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard error of each average in `scores`, as if the origins were independent.

        NaN for a single origin.
        """
        return self._by_step("sem")

    def _by_step(self, statistic: str) -> pd.DataFrame:
        """Return a statistic over origins; pandas leaves out what is missing."""
        steps = pd.RangeIndex(1, self.mean.shape[1] + 1, name="step")
        losses = {name: pd.DataFrame(loss, columns=steps) for name, loss in self.losses.items()}
        return pd.DataFrame({name: loss.agg(statistic) for name, loss in losses.items()})

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
            average, at_last = pd.DataFrame(loss).mean(axis=1), pd.Series(loss[:, -1])
            rows[name] = {
                "average": average.mean(),
                "± average": average.sem(),
                last: at_last.mean(),
                f"± {last}": at_last.sem(),
            }
        return pd.DataFrame(rows).T

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
        """Show the summary and the notes."""
        notes = "".join(f"\nnote: {note}" for note in self.notes)
        return f"{self._caption}\n{self.summary()}{notes}"

    def _repr_html_(self) -> str:
        """Show the summary as a small table, and the notes."""
        table = self.summary().to_html(float_format="{:.4g}".format, border=0, na_rep="")
        notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in self.notes)
        return f"<p>{escape(self._caption)}</p>\n{table}{notes}"

    @property
    def _caption(self) -> str:
        b, h = self.mean.shape
        return f"Backtest of {h} steps from {b} origins ({self.propagation})"


def in_order(parts: list[tuple[IntArray, Backtest]]) -> Backtest:
    """Put the forecasts of groups of origins back into the order of the origins."""
    back = np.argsort(np.concatenate([chosen for chosen, _ in parts]))
    results = [result for _, result in parts]

    def together(arrays: Iterable[FloatArray]) -> Any:
        return np.concatenate([*arrays])[back]

    names = ("origins", "truth", "mean", "var", "crps", "nlpd", "pit")
    return replace(
        results[0],
        **{name: together(map(attrgetter(name), results)) for name in names},
        lower={level: together(r.lower[level] for r in results) for level in results[0].lower},
        upper={level: together(r.upper[level] for r in results) for level in results[0].upper},
        n_clipped=sum(result.n_clipped for result in results),
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
