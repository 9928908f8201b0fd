"""How surprising observed values were: tail probabilities, their ranking, and anomalies."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gpforecast.common.validation import counted, positive_integer
from gpforecast.common.wording import number, shown_in_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 10  # rows of a short table


@dataclass(frozen=True, eq=False)
class Surprise:
    """The values of a series with their forecasts, and which of them are anomalies.

    Attributes
    ----------
    table : DataFrame
        On the index of the series: ``observed``; ``mean`` and ``std`` of the forecast of each value
        (in the units of the series); ``pit``, its distribution function at the value, uniform where
        nothing unusual happens; ``tail_probability``, two-sided: of a value at least as far out;
        ``flagged``; and ``kind``: "spike", "level shift", "variance" or "stuck" where it is
        flagged. NaN where a value is missing, has too few known ones before it, or is of a sensor
        that was stuck: such values are missing to all forecasts.
    limit : float
        The largest tail probability that is flagged.
    horizon : int
        How many steps ahead each value was forecast.
    name : hashable
        Of the series, None if it has none.
    notes : tuple of str
        What the user should know of the numbers.

    Notes
    -----
    The tail probability of y is twice the smaller one of P(no more than y) and P(no less than y),
    at most 1. A count, or a value at a bound, has a positive probability, which belongs to both:
    of ordinary counts fewer are flagged than the limit says, never more. ``pit`` is random within
    it. Beyond 99 % of the paths of a Monte Carlo forecast, the tail is that of a Gaussian with
    their moments. The share that a combination of models leaves for changes that its past does
    not show is left out.

    Examples
    --------
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    >>> later = series[200:].copy()
    >>> later[250] += 0.3
    >>> found = gf.Forecaster(lags=8).fit(series[:200]).surprise(later)
    >>> found.ranking(1)["kind"].to_dict()
    {250: 'spike'}
    """

    table: pd.DataFrame
    limit: float
    horizon: int = 1
    name: Hashable = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the table, and ``surprise``: minus the log of the tail probability, in nats."""
        frame = self.table.copy()
        with np.errstate(divide="ignore"):
            frame.insert(5, "surprise", -np.log(frame["tail_probability"]))
        return frame

    @property
    def flagged(self) -> pd.DataFrame:
        """The rows of `to_frame` that are flagged, in order of time, without what they repeat."""
        repeated = ["pit", "surprise", "flagged"]
        return self.to_frame()[self.table["flagged"]].drop(columns=repeated)

    def ranking(self, n: int | None = None) -> pd.DataFrame:
        """Return the rows of `to_frame` that were judged, the most surprising first.

        Parameters
        ----------
        n : int, optional
            How many of them; all by default.
        """
        frame = self.to_frame().dropna(subset="tail_probability")
        away = ((frame["observed"] - frame["mean"]) / frame["std"]).abs()
        # Tail probabilities beyond 38 standard deviations are all zero.
        order = np.lexsort([-away.to_numpy(), frame["tail_probability"].to_numpy()])
        return frame.iloc[order if n is None else order[: positive_integer(n, "n")]]

    def plot(self, ax: "Axes | None" = None, *, level: float = 95) -> "Axes":
        """Draw the values, their forecasts and the anomalies (`plotting.surprises`).

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.
        level : float
            The central interval of each forecast, in per cent.

        Returns
        -------
        Axes
        """
        from gpforecast.plotting import surprises

        return surprises(self.table, self.name, ax=ax, level=level)

    def __repr__(self) -> str:
        """Show the anomalies and the notes."""
        notes = "".join(f"\nnote: {note}" for note in self.notes)
        shown = self._shown
        rows = f"\n{shown.to_string()}" if len(shown) else ""
        return f"{self._caption}{rows}{notes}"

    def _repr_html_(self) -> str:
        """Show the anomalies as a small table, and the notes."""
        return shown_in_html(self._caption, self._shown, self.notes)

    @property
    def _shown(self) -> pd.DataFrame:
        """The most surprising of the rows that are flagged, in as many digits as they deserve."""
        ranked = self.ranking()
        rows = ranked[ranked["flagged"]].head(_SHOWN)
        written = {
            name: [number(*pair) for pair in zip(rows[name], rows["std"], strict=True)]
            for name in ("observed", "mean", "std")
        }
        written["tail_probability"] = [f"{p:.2g}" for p in rows["tail_probability"]]
        return pd.DataFrame({**written, "kind": rows["kind"]}, index=rows.index)

    @property
    def _caption(self) -> str:
        ranked, n_flagged = self.ranking(), int(self.table["flagged"].sum())
        judged = int(ranked["flagged"].sum())
        stuck = n_flagged - judged  # values of a stuck sensor are flagged without a judgement
        also = f", and {counted(stuck, 'stuck value')}, flagged but not judged" if stuck else ""
        which = f"; the {_SHOWN} most surprising" if judged > _SHOWN else ""
        return (
            f"Surprise of {counted(len(ranked), 'value')}, {counted(self.horizon, 'step')} ahead: "
            f"{judged} flagged, for a tail probability of at most {self.limit:.3g} or as part of a "
            f"run{also}{which}"
        )
