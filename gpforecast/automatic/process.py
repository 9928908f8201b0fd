"""A Gaussian process on selected lags, as a candidate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import Autoregression, Moments, Steps
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import enough_for_lags, unexplained
from gpforecast.automatic.grid import evenly, left_out, on_grid
from gpforecast.automatic.lags.candidates import related
from gpforecast.automatic.lags.choice import LagChoice, choose_lags
from gpforecast.automatic.lags.trial import Lags
from gpforecast.automatic.model import default_model
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models import GaussianProcess
from gpforecast.models.base import OneStepModel
from gpforecast.propagation import Automatic
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Compose
from gpforecast.transforms.words import named


@dataclass(frozen=True, eq=False)
class Process:
    """A Gaussian process after transforms, whose hyperparameters are held.

    Attributes
    ----------
    y : ndarray (n,)
        Without gaps: what lags and hyperparameters are selected by, once.
    season : int or None
    first : tuple of transform
        What is subtracted, if lags then predict better: the smaller score of `choose_lags` decides.
    name, warp
        As of every candidate.
    """

    y: FloatArray
    season: int | None = None
    first: Steps = ()
    name: str = "process"
    warp: None = None

    def __str__(self) -> str:
        """Say in words what it is."""
        steps = self.transforms.steps
        return f"a Gaussian process on lags of {named(steps) if steps else 'the series'}"

    @cached_property
    def _selected(self) -> tuple[Compose, LagChoice, FloatArray]:
        """Transforms, the lags after them, and the values after them."""
        tried = []
        for steps in dict.fromkeys([(), self.first]):
            *_, left, z = _levels(Compose(*steps), self.y, (len(self.y) + 1) // 2)[1]
            choice = choose_lags(z, period=self.season, max_lags=max(len(z) // th.VALUES_A_LAG, 1))
            score = float(left.std()) * float(choice.table["score"].min())
            tried.append((np.nan_to_num(score), (Compose(*steps), choice, z)))
        return min(tried, key=lambda one: one[0])[1]

    @property
    def transforms(self) -> Compose:
        """Its transforms."""
        return self._selected[0]

    @cached_property
    def found(self) -> tuple[Decision[Lags], GaussianProcess | None]:
        """Lags, and the model that judged them if it is to be kept.

        Lag 1 is added unless the series is smooth: without it, errors of neighbouring steps would
        share none of their inputs and count as independent, and totals over a horizon would be too
        sure. A series with next to no noise keeps the model that judged its lags: with one
        length-scale for each, the evidence of noise-free rows drives the signal variance to
        hundreds of times the series' own, and error bars with it once a forecast leaves the rows.
        """
        _, choice, z = self._selected
        left = unexplained(z) if enough_for_lags(len(z)) else 0.0
        if left >= th.SMOOTH and choice.lags[0] != 1:
            why = f"{choice.reason}; lag 1 was added, as the series is not smooth"
            return Decision((1, *choice.lags), why), None  # it was judged without lag 1
        standardised = (z - z.mean()) / (float(z.std()) or 1.0)
        quiet = left_out(standardised, choice.lags, choice.model) <= th.FOLLOWS_A_MAP
        return Decision(choice.lags, choice.reason), choice.model if quiet else None

    def lags_after(self, chain: Chain, n: int) -> Decision[Lags]:  # noqa: ARG002
        """Return its lags, which follow from its values."""
        return self.found[0]

    def model_for(
        self,
        lags: Lags,
        chain: Chain,  # noqa: ARG002
        n: int,  # noqa: ARG002
        n_rows: int,
    ) -> Decision[OneStepModel]:
        """Return the model that judged these lags, if it is to be kept, or one that is trained.

        It suits the number of rows, which missing values and a limit make fewer.
        """
        judged = self.found[1] if lags == self.found[0].value else None
        return default_model(n_rows, len(lags), judged=judged)

    def forecast(self, y: FloatArray, origins: IntArray, horizon: int) -> Moments:
        """Forecast by the rows that are known at each origin, at most 600 of them.

        Raises
        ------
        ValueError
            If there are too few values for lags, or a forecast runs away.
        """
        lags, times = self.found[0].value, TimeAxis.rows(len(y) + horizon)
        chain, levels = _levels(self.transforms, y, int(origins.min()))
        z, far = levels[-1], max(lags)
        if origins.min() <= far:
            raise ValueError("too few values for these lags")
        rows = LagEmbedding(list(lags)).transform(z)
        at = evenly(0, len(rows.y) - 1, th.GRID_ROWS)
        model = self.found[1] or on_grid(rows.X[at], rows.y[at]).model
        mean, var = np.empty((2, len(origins), horizon))
        for i, end in enumerate(origins.tolist()):
            known = slice(max(end - far - th.LAG_ROWS, 0), end - far)
            model.fit(rows.X[known], rows.y[known])
            start = Start(z[None, end - far : end])
            f = Columns.of(predictive_of(model), Inputs(lags))
            ahead = propagate(f, Automatic(), start, horizon)
            undone = chain.undo(ahead, levels, np.array([end]), times)
            mean[i], var[i] = undone.mean[0], undone.var[0]
        return mean, var


def _levels(transforms: Compose, y: FloatArray, end: int) -> tuple[Chain, list[FloatArray]]:
    """Return transforms fitted to the first of some values (n,), and all levels of these."""
    times = TimeAxis.rows(len(y))
    chain = transforms.fit_at(y[:end], times.part(0, end))
    return chain, chain.levels(y, times)


def suited(chain: Chain, z: FloatArray) -> Autoregression | Process:
    """Return the candidate whose lags suit transforms that a user gave.

    An autoregression where a difference was taken or there is a season, else a process.
    """
    period = chain.period
    if chain.n_lost > 0 or (period is not None and period + 1 <= len(z) // 3):
        seasons = () if period is None else tuple(related(period, len(z) // 3))
        return Autoregression("", chain.spec, seasons=seasons)
    return Process(z, period)
