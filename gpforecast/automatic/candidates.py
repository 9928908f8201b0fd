"""Candidates for a series: autoregressions after transforms, and structural models.

A candidate is data: a name, under which the prior knows it, and what it consists of. To add one is
to add a row to `TABLE` and to learn the prior again (``benchmarks/accuracy/learn_prior.py``).
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Protocol

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models import BayesianAR
from gpforecast.models.base import OneStepModel
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation.joint_covariance import of_root
from gpforecast.propagation.propagated import Propagated
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Member, StructuralModel
from gpforecast.transforms import (
    Chain,
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)
from gpforecast.transforms.base import Transform
from gpforecast.transforms.deterministic import MOST_PAIRS
from gpforecast.transforms.words import named

Lags = tuple[int, ...]
Steps = tuple[Transform, ...]
Moments = tuple[FloatArray, FloatArray]
"""Means and variances of forecasts, (b, h) each, in the units of the warp."""


class Candidate(Protocol):
    """What may forecast a series."""

    @property
    def name(self) -> str:
        """The row of the prior."""
        ...

    @property
    def warp(self) -> Log | None:
        """What comes first; None for nothing."""
        ...

    def forecast(self, y: FloatArray, origins: IntArray, horizon: int, /) -> Moments:
        """Forecast y (n,), without gaps, from each origin by the values before it."""
        ...


@dataclass(frozen=True)
class Autoregression:
    """A linear autoregression shrunk by a prior, after transforms that are undone again.

    Attributes
    ----------
    name : str
    transforms : Compose
    warp : Log or None
        The first transform, if it is one.
    seasons : tuple of int
        Steps of each season of the series, of which the lags know those that stay.
    refits : bool
        Whether the transforms are fitted at every origin, or at the first alone.
    axis : TimeAxis
        The times of the values, or the first of them.
    """

    name: str
    transforms: Compose
    warp: Log | None = None
    seasons: tuple[int, ...] = ()
    refits: bool = True
    axis: TimeAxis = field(default=TimeAxis.rows(1), compare=False)

    def __str__(self) -> str:
        """Say in words what it is."""
        return named(self.transforms.steps)

    def forecast(self, y: FloatArray, origins: IntArray, horizon: int) -> Moments:
        """Fit transforms and model at each origin, some milliseconds, and forecast.

        Raises
        ------
        ValueError
            If there are too few values before an origin, or a forecast runs away.
        """
        found, chain = [], None
        for end in origins.tolist():
            if chain is None or self.refits:
                chain = self.transforms.fit_at(y[:end], self.axis.of_length(end))
            found.append(self._ahead(chain, y, end, horizon))
        mean, var = (np.stack(each) for each in zip(*found, strict=True))
        return mean, var

    def _ahead(self, chain: Chain, y: FloatArray, end: int, horizon: int) -> Moments:
        times = self.axis.of_length(end + horizon)
        levels = chain.levels(y[:end], times.part(0, end))
        z = levels[-1][chain.n_lost :]
        lags = self.lags_after(chain, len(z)).value
        model = self.model(lags, chain)
        rows = LagEmbedding(list(lags)).transform(z)
        model.fit(rows.X, rows.y)
        ahead = linear_ahead(model.predictive_.parts[0], lags, levels[-1], horizon)
        undone = chain.undo(ahead, levels, np.array([end]), times)
        return undone.mean[0], undone.var[0]

    def lags_after(self, chain: Chain, n: int) -> Decision[Lags]:  # noqa: ARG002
        """Return the newest lags of n transformed values, and those of seasons."""
        roles = roles_of(self.seasons)
        lags = tuple(lag for lag in sorted(roles) if lag <= n // 3) or (1,)
        words = " and ".join(str(m) for m in self.seasons if m in lags)
        why = f", and those around the season of {words} steps" if words else ""
        return Decision(lags, f"the newest values{why}; {_SHRUNK}")

    def model_for(
        self,
        lags: Lags,
        chain: Chain,
        n: int,  # noqa: ARG002
        n_rows: int,  # noqa: ARG002
    ) -> Decision[OneStepModel]:
        """Return the model of transformed values with these lags, not fitted."""
        return Decision(self.model(lags, chain), _SMALL)

    def model(self, lags: Lags, chain: Chain) -> BayesianAR:
        """Return the same model: its coefficients start from those of similar series."""
        roles = roles_of(self.seasons)
        expected = coefficients()[kind_of(chain, self.seasons)]
        means, scales = zip(*(expected[roles[lag]] for lag in lags), strict=True)
        return BayesianAR(scales, means, strengths=(1.0,), largest_sum=1.0)


def roles_of(seasons: tuple[int, ...]) -> dict[int, str]:
    """Return every lag of an autoregression, and the name by which its coefficient is known.

    Examples
    --------
    >>> [*roles_of((12,)).items()][-4:]
    [(8, '8'), (11, 'm-1'), (12, 'm'), (13, 'm+1')]
    """
    found = {lag: str(lag) for lag in th.LAGS_FURTHER}
    for name, m in reversed([*zip("mM", seasons, strict=False)]):
        around = {m - 1: f"{name}-1", m: name, m + 1: f"{name}+1"}
        found |= {lag: role for lag, role in around.items() if lag > 1}
    return found


def kind_of(chain: Chain, seasons: tuple[int, ...]) -> str:
    """Return the name by which the coefficients of what transforms leave are known.

    It says what was done to the season and whether changes are left, and how long the season is.
    """
    if not seasons:
        return "changes" if chain.n_lost else "values"
    m, removed = seasons[0], {round(period) for period in chain.spec.periods}
    over = m in removed and chain.n_lost >= m
    what = "changes" if chain.n_lost > (m if over else 0) else "values"
    season = "differenced" if over else "subtracted" if m in removed else "left"
    if season == "subtracted" and what == "values" and removed > {m}:
        season = "and a longer one subtracted"
    return f"{what}, {'short' if m < _LONG else 'long'} season {season}"


@cache
def coefficients() -> dict[str, dict[str, list[float]]]:
    """Return what is expected of coefficients, by kind and role: their means and scales.

    The scale is that of `BayesianAR`. ``benchmarks/accuracy/learn_coefficients.py`` learned them.
    """
    text = files("gpforecast.automatic").joinpath("coefficients.json").read_text("utf-8")
    return dict(json.loads(text)["kinds"])


@dataclass(frozen=True)
class Structural:
    """A structural model, of the series or of its logarithm.

    Attributes
    ----------
    name : str
    season : int or None
    warp : Log or None
    """

    name: str
    season: int | None = None
    warp: Log | None = None

    def member(
        self, y: FloatArray, axis: TimeAxis | None = None, cycles: Sequence[Deterministic] = ()
    ) -> Member:
        """Return it fitted to the newest values of a series (n,); some 20 milliseconds.

        Parameters
        ----------
        y : ndarray (n,)
            NaN where missing.
        axis : TimeAxis, optional
            Its times, for cycles.
        cycles : sequence of Deterministic
            What is subtracted first.
        """
        z, fitted = y if self.warp is None else np.log(y), []
        for cycle in cycles:
            assert axis is not None
            fitted.append(cycle.fit_at(z, axis))
            z = fitted[-1].apply(z, axis)
        return Member(StructuralModel(self.season).fit(z[-th.NEWEST :]), self.warp, tuple(fitted))

    def __str__(self) -> str:
        """Say in words what it is."""
        parts = (
            "level and slope"
            if self.season is None
            else f"level, slope and season of {self.season}"
        )
        return f"a structural model of {parts}{'' if self.warp is None else ', in logarithms'}"

    def forecast(self, y: FloatArray, origins: IntArray, horizon: int) -> Moments:
        """Forecast with hyperparameters found once, from the newest values, those ahead too.

        At least half as many values come before each origin, if there are so many.
        """
        since = max(min(len(y) - th.NEWEST, int(origins.min()) - th.NEWEST // 2), 0)
        ahead = self.member(y).ahead(y[since:], origins - since, horizon)
        return ahead.mean, ahead.var


_SMALL = "a linear autoregression whose coefficients start from those of similar series"
_SHRUNK = "the model shrinks coefficients that do not help"
_DAMPED = 0.9  # share of a slope that is left after a step
_FADING = 0.7  # share of the growth over a season that is left after another
_HALFLIFE, _HALFLIVES = 5.0, 4  # of a slope: steps, or so many in a series, whichever is longer
_LONGEST_SEASON = 24  # states of a structural model
_LONG = 12  # steps: coefficients were learned apart with seasons that are shorter, and that are not


@dataclass(frozen=True)
class Shape:
    """What the transforms of a candidate depend on: the number of values, and the seasons."""

    n: int
    seasons: tuple[int, ...]

    @property
    def season(self) -> int:
        """Steps of the shortest."""
        return self.seasons[0]

    @property
    def longer(self) -> int:
        """Steps of the season that contains it."""
        return self.seasons[1]

    @property
    def halflife(self) -> float:
        """Steps over which the weight of a slope is halved."""
        return max(_HALFLIFE, self.n / _HALFLIVES)

    @property
    def fading(self) -> float:
        """What is left a step of the growth over a season, in digits that a user would give."""
        return float(round(_FADING ** (1.0 / self.season), 3))


class Row(NamedTuple):
    """How many seasons a candidate needs, its transforms, and whether each trial fits them anew.

    It is an autoregression after these, or a structural model.
    """

    n_seasons: int
    steps: Callable[[Shape], Steps] = lambda _: ()
    refits: bool = True
    structural: bool = False


TABLE = {
    "level": Row(0),
    "line": Row(0, lambda _: (Deterministic(1),), refits=False),
    "slope": Row(0, lambda s: (Difference(), DampedMean(1.0, halflife=s.halflife))),
    "damped slope": Row(0, lambda s: (Difference(), DampedMean(_DAMPED, halflife=s.halflife))),
    "seasonal level": Row(1, lambda s: (DampedMean(1.0, s.season, prior=None),)),
    "seasonal line": Row(
        1, lambda s: (Deterministic(1, min(s.season // 2, MOST_PAIRS), s.season),), refits=False
    ),
    "seasonal slope": Row(1, lambda s: (Difference(), DampedMean(_DAMPED, s.season))),
    "growth": Row(1, lambda s: (SeasonalDifference(s.season), DampedMean(1.0))),
    "fading growth": Row(1, lambda s: (SeasonalDifference(s.season), DampedMean(s.fading))),
    "changing growth": Row(1, lambda s: (SeasonalDifference(s.season), Difference())),
    "nested level": Row(
        2, lambda s: (DampedMean(1.0, s.season, prior=None), DampedMean(0.0, s.longer))
    ),
    "structural": Row(0, structural=True),
    "seasonal structural": Row(1, structural=True),
}
"""What comes before the autoregression, and structural models."""


def names() -> list[str]:
    """Return the rows of the prior."""
    return [*(row(name, warp) for warp in (None, Log()) for name in TABLE), "process"]


def row(name: str, warp: Log | None) -> str:
    """Return the row of the prior of a candidate for the series, or for its logarithm."""
    return name if warp is None else f"log {name}"


def candidates(
    axis: TimeAxis, seasons: tuple[int, ...], warps: Sequence[Log | None]
) -> Iterator[Autoregression | Structural]:
    """Yield the candidates for the values of some times.

    Parameters
    ----------
    axis : TimeAxis (n,)
    seasons : tuple of int
        Steps of the season, and of a longer one that contains it; empty for none.
    warps : sequence of Log or None
        None is the series itself.
    """
    n = len(axis)
    held = tuple(m for m in seasons if n >= 2 * m)[:2]
    states = [m for m in seasons[:1] if m <= _LONGEST_SEASON and n > m + 2]
    for warp in warps:
        first = () if warp is None else (warp,)
        for name, (n_seasons, steps, refits, structural) in TABLE.items():
            if structural and n_seasons <= len(states):
                yield Structural(row(name, warp), states[0] if n_seasons else None, warp)
            elif not structural and n_seasons <= len(held):
                spec = Compose(*first, *steps(Shape(n, held)))
                yield Autoregression(row(name, warp), spec, warp, held, refits, axis)


def linear_ahead(f: Posterior, lags: Lags, z: FloatArray, horizon: int) -> Propagated:
    """Forecast the steps after values z (n,) by a linear function of lags, to first order.

    With uncertain coefficients w the path y(w) has slopes J, which follow the same recursion: the
    covariance is J V J' and that of the noise. `propagation` has the terms of second order too, and
    takes ten times as long.
    """
    d, last, back = len(lags), max(lags), np.array(lags)
    path = np.concatenate([z[len(z) - last :], np.zeros(horizon)])
    J, psi = np.zeros((last + horizon, d + 1)), np.zeros((last + horizon, horizon))
    for k in range(horizon):
        at = last + k - back
        path[last + k] = f.linear @ path[at] + f.constant
        J[last + k] = np.append(path[at], 1.0) + f.linear @ J[at]
        psi[last + k] = f.linear @ psi[at]
        psi[last + k, k] += 1.0
    joint = of_root(np.hstack([J[last:] @ f.A, psi[last:] * np.sqrt(f.noise_var)])[None])
    return Propagated(path[None, last:], joint, joint.var - f.noise_var)
