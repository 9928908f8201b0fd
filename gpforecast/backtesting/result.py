"""The result of a backtest: forecasts, the observed values, scores, and what they prove."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.backtesting.baselines import ComparedForecasts
from gpforecast.backtesting.verdict import verdicts
from gpforecast.common.cached import cached_property
from gpforecast.common.validation import counted
from gpforecast.common.wording import in_digits, point


class ScoreTable(pd.DataFrame):
    """A DataFrame that shows sentences below it; whatever is made from it is a plain one."""

    _sentences: Callable[[], Sequence[str]]

    def __init__(self, data: pd.DataFrame, sentences: Callable[[], Sequence[str]] = tuple) -> None:
        super().__init__(data)  # type: ignore[call-arg]  # the stubs know __new__ alone
        # Not by pandas, for which attributes are columns.
        object.__setattr__(self, "_sentences", sentences)

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame

    def __reduce__(self) -> Any:
        """Pickle and copy it as a plain table."""
        return pd.DataFrame(self).__reduce__()

    def __repr__(self) -> str:
        """Show the table, and the sentences below it."""
        return "\n".join([super().__repr__(), *map(point, self._sentences())])

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        table = self.to_html(float_format=partial(in_digits, digits=4), border=0, na_rep="")
        rows = "".join(f"\n<li>{escape(sentence)}</li>" for sentence in self._sentences())
        return f"{table}\n<ul>{rows}\n</ul>" if rows else table


if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Backtest(ComparedForecasts):
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
        The whole series, which `baselines` need.
    seasons : tuple of int or None
        Those given to the forecaster, for the seasonal naive forecast; () for none. None: it is
        searched for.
    set_aside : tuple of tuple of int
        For each origin, positions of outliers before it, which are missing to its forecasts.
    corrected : bool
        Whether intervals were corrected by past errors (``calibrate``).
    n_uncorrected : int
        Forecasts whose intervals were to be corrected, but whose series was too short for that.
    combined : bool
        Whether structural models are part of the ensemble.
    inputs : bool
        Whether the forecaster knew inputs, such as those of a calendar.
    """

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
        return tuple(f"{sentence} {advice}".strip() for sentence, advice in verdicts(self))

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
