"""What a backtest returns: forecasts beside what came true, and their scores."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.results.distribution import Distribution

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
        Probability integral transforms, where each truth fell in its forecast: uniform if the
        forecasts are calibrated.
    propagation : str
        The method that made the forecasts.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    notes : tuple of str
        What to know of the trainings: that one served origins far beyond what it learned from, or
        that transforms came out otherwise on the way.
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
    notes: tuple[str, ...] = ()

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
        """Show the summary and the notes."""
        said = "".join(f"\nnote: {note}" for note in self.notes)
        return f"{self._caption}\n{self.summary()}{said}"

    def _repr_html_(self) -> str:
        """Show the summary as a small table, and the notes."""
        table = self.summary().to_html(float_format="{:.4g}".format, border=0, na_rep="")
        said = "".join(f"\n<p>note: {escape(note)}</p>" for note in self.notes)
        return f"<p>{escape(self._caption)}</p>\n{table}{said}"

    @property
    def _caption(self) -> str:
        b, h = self.mean.shape
        return f"Backtest of {h} steps from {b} origins ({self.propagation})"

    @property
    def _steps(self) -> pd.RangeIndex:
        return pd.RangeIndex(1, self.mean.shape[1] + 1, name="step")


def in_order(parts: list[tuple[IntArray, Backtest]]) -> Backtest:
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


def scored(joint: Distribution, truth: FloatArray, origins: Any, name: str) -> Backtest:
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
