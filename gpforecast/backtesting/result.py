"""The result of a backtest: forecasts, the observed values, scores, and what they prove."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.backtesting.baselines import baselines
from gpforecast.backtesting.scored import ScoredForecasts, side_by_side
from gpforecast.backtesting.verdict import verdicts
from gpforecast.common.cached import cached_property
from gpforecast.common.validation import counted
from gpforecast.common.wording import in_digits, point

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Backtest(ScoredForecasts):
    """Forecasts from many origins, and the observed values.

    Attributes
    ----------
    origins : ndarray (b,)
        Positions in the series; the first value forecast from origin t is the one at t. Of a series
        with a time zone, positions and steps are those of its clock (:doc:`/how-to/civil_time`).
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
        The whole series, which `baselines` need.
    seasons : tuple of int or None
        Those given to the forecaster, for the seasonal naive forecast; () for none. None: it is
        searched for.
    set_aside : tuple of tuple of int
        For each origin, positions of outliers before it, which are missing to its forecasts.
    corrected : bool
        Whether intervals were corrected by past errors (``calibrate``).
    """

    def summary(self) -> pd.DataFrame:
        """Return the scores averaged over all values, coverage among them, and the last step's.

        What they prove is in `verdicts`, which print(result) shows with the table.

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
        return pd.DataFrame(rows).T

    @cached_property
    def baselines(self) -> dict[str, Self]:
        """Simple forecasts from the same origins, computed at the first use.

        ``"naive"``, a random walk: the last value. ``"seasonal naive"``, a random walk over the
        season: the last season; missing if there is none. ``"linear"``, an autoregression by least
        squares, which learns from the same values as the forecaster; missing if they are few. None
        of them uses exogenous inputs, and outliers are missing to them, too.

        Raises
        ------
        ValueError
            If the backtest does not know its series, because it was made by hand.
        """
        if self.series is None or self.trained is None:
            raise ValueError("baselines need the series; take a Backtest that backtest() returned.")
        horizon = self.mean.shape[1]
        given = self.origins, horizon, self.trained, self.seasons, self.set_aside
        return baselines(self.series, *given, kind=type(self))

    def beside(self) -> pd.DataFrame:
        """Return the scores with those of simple forecasts from the same origins.

        Returns
        -------
        DataFrame
            Rows ``forecaster`` and the names of `baselines`; columns ``mae`` and ``crps`` in the
            units of the series, ``coverage_80`` and ``coverage_95`` as fractions. They are
            averages over the values that all of them forecast, but those that the forecaster was
            certain of and that came true, as of closed times.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.load_sunspots()
        >>> forecaster = gf.Forecaster(9, model=gf.models.LinearAR(), transforms=None)
        >>> result = gf.backtest(forecaster.fit(series[:200]), series, horizon=5, origins=10)
        >>> result.beside().index.tolist()
        ['forecaster', 'naive', 'linear']
        """
        return side_by_side({"forecaster": self, **self.baselines})

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        """What the backtest proves, in sentences, and what to do about it.

        How often 95 % and 80 % intervals held the truth; and whether the forecasts were better
        than the best of `baselines`, if the series is known. Each allows for chance.
        """
        found = verdicts(self, {} if self.series is None else self.baselines)
        return tuple(f"{sentence} {advice}".strip() for sentence, advice in found)

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
        notes = [f"note: {note}" for note in self.notes]
        table = self.summary().to_string(float_format=partial(in_digits, digits=4), na_rep="")
        shown = [self._caption, table, *map(point, self.verdicts), *notes]
        return "\n".join(shown)

    def _repr_html_(self) -> str:
        """Show the summary as a small table, the verdicts, and the notes."""
        digits = partial(in_digits, digits=4)
        table = self.summary().to_html(float_format=digits, border=0, na_rep="")
        verdicts = "".join(f"\n<li>{escape(sentence)}</li>" for sentence in self.verdicts)
        notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in self.notes)
        return f"<p>{escape(self._caption)}</p>\n{table}\n<ul>{verdicts}\n</ul>{notes}"

    @property
    def _caption(self) -> str:
        b, h = self.mean.shape
        again = (
            "" if self.refit is None else f", trained again after {counted(self.refit, 'value')}"
        )
        of = f"{counted(h, 'step')} from {counted(b, 'origin')}"
        return f"Backtest of {of} ({self.propagation}){again}"
