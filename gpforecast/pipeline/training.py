"""From a series to the rows a one-step model learns from."""

import copy
import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.automatic.lags import choose_lags
from gpforecast.automatic.lags.seasonal import seasonal_sets
from gpforecast.automatic.model import default_model
from gpforecast.automatic.transforms import SMOOTH, bridged, choose, unexplained
from gpforecast.automatic.trial import trial
from gpforecast.common.progress import bar
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import one_of, positive_integer
from gpforecast.propagation import method_named
from gpforecast.series.checked import new_values_after, values_of
from gpforecast.series.embedding import Embedded, LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms.chain import Chain
from gpforecast.transforms.compose import Compose
from gpforecast.transforms.warps import BoxCox

logger = logging.getLogger(__name__)

_VALUES_A_LAG = 6  # for lags that are chosen
_FEW_VALUES = 120  # where lags that reach far back cost too many of the rows
_LEFT = 0.5  # of the rows of one lag that lags must leave where values are missing
_TRIED = 3000  # values by which lags are tried
_FEWEST = 24  # values of which something can be told
_QUIET = 1e-3  # noise, of the variance of the series, below which it is deterministic
_NOISY = 0.15  # of the variance of the steps is left by a few lags
_MONTHS = 12  # seasons of more steps have too few repetitions in a trial to give up lags by it


@dataclass(frozen=True, eq=False)
class Rows:
    """What a model is fitted to.

    Attributes
    ----------
    X : ndarray (n, d)
    y : ndarray (n,)
        In transformed units.
    notes : tuple of str
        What was left out, and why.
    """

    X: FloatArray
    y: FloatArray
    notes: tuple[str, ...] = ()

    def followed_by(self, X: FloatArray, y: FloatArray, max_rows: int | None) -> "Rows":
        """Return these rows and newer ones, less the oldest beyond `max_rows`."""
        X, y = np.concatenate([self.X, X]), np.concatenate([self.y, y])
        if max_rows is None or len(y) <= max_rows:
            return Rows(X, y)
        note = f"update dropped the oldest rows beyond {max_rows} (max_rows)"
        return Rows(X[-max_rows:], y[-max_rows:], (note,))

    def at_most(self, max_rows: int | None, seed: int) -> "Rows":
        """Return `max_rows` of them, chosen at random, in order of time."""
        if max_rows is None or len(self.y) <= max_rows:
            return self
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(len(self.y), max_rows, replace=False))
        note = f"trained on {max_rows} of {len(self.y)} rows, chosen at random (max_rows)"
        return Rows(self.X[chosen], self.y[chosen], (*self.notes, note))


def check_settings(
    lags: Any, exog_lags: Any, transforms: Any, propagation: Any, max_rows: Any, calibrate: Any
) -> None:
    """Refuse settings that make no sense, before there is a series."""
    if isinstance(lags, str) and lags != "auto":
        raise ValueError(f'lags must be an int, a list of ints or "auto"; got {lags!r}.')
    LagEmbedding(1 if isinstance(lags, str) else lags, exog_lags=exog_lags)
    named = isinstance(transforms, str)
    if named and transforms != "auto":
        raise ValueError(
            f'transforms must be "auto", None, a transform such as gf.transforms.Log(), or a list '
            f"of them; got {transforms!r}."
        )
    if not named:
        Compose.of(transforms)
    method_named(propagation)
    if isinstance(max_rows, str):
        one_of(max_rows, "max_rows", ("auto",))
    elif max_rows is not None:
        positive_integer(max_rows, "max_rows")
    if calibrate is not None:
        one_of(calibrate, "calibrate", ("variance", "conformal"))


def fitted_chain(transforms: Any, y: Any, *, driven: bool) -> Chain:
    """Return the transforms a user asked for, or those that suit the series, fitted to it.

    Parameters
    ----------
    transforms : "auto", None, transform or list
    y : Series
    driven : bool
        Whether there are exogenous inputs.
    """
    if not len(y):
        raise ValueError("series is empty; pass one with values to learn from.")
    if not isinstance(transforms, str):
        return Compose.of(transforms).fit_at(values_of(y), TimeAxis(y.index))
    with bar("choosing transforms"):
        choice = choose(y, driven=driven)
    logger.info("transforms %s; %s", choice.spec, "; ".join(choice.reasons))
    chain = choice.spec.fit_at(values_of(y), TimeAxis(y.index))
    return replace(chain, reasons=choice.reasons, period=choice.period)


def transformed(chain: Chain, y: "pd.Series[float]") -> FloatArray:
    """Return the transformed values (n,) of a series that has been checked."""
    return chain.levels(values_of(y), chain.axis.locate(TimeAxis(y.index)))[-1]


@dataclass(frozen=True)
class Suited:
    """Lags, why, and the model that goes with them.

    Attributes
    ----------
    lags : tuple of int
    reason : str
    model : GaussianProcess or None
        Where the series has next to no noise; None leaves it to `gpforecast.automatic.model`.
    """

    lags: tuple[int, ...]
    reason: str
    model: Any = None


def chosen_lags(chain: Chain, y: "pd.Series[float]", z: FloatArray) -> Suited:
    """Return lags that suit a series.

    With a season, they are around it. Where a short season was removed, few may be enough: the
    simplest set that forecasts within a twentieth as well as the best in a trial by a plain
    autoregression (`gpforecast.automatic.trial`). Steps of a wandering level have little
    structure, and four lags are enough.

    Those of other series are chosen by forecasts of a Gaussian process
    (`gpforecast.lags.choose_lags`). Lag 1 is among them unless the series is smooth: errors of
    neighbouring steps that share none of their inputs would be taken for independent, and what adds
    up over a horizon for sure. And if the series is noisy, a row of lags from 1 to 8 is taken
    where a plain autoregression with them forecasts better by a tenth. A series with next to no
    noise keeps the model it was judged by, with one length-scale for all lags: with one for each,
    the evidence of noise-free rows drives the signal variance to hundreds of times the series' own,
    and error bars with it once a forecast leaves the rows.

    Parameters
    ----------
    chain : Chain
    y : Series
    z : ndarray (n,)
        Transformed, NaN where a value is missing or was lost to differences.
    """
    holes = np.isnan(z[chain.n_lost :])
    suited = _suiting(chain, y, bridged(z[chain.n_lost :]))
    kept = _affordable(list(suited.lags), holes)
    if len(kept) < len(suited.lags):
        suited = Suited(tuple(kept), f"{suited.reason}; fewer, because of missing values")
    logger.info("lags %s; %s", ", ".join(map(str, suited.lags)), suited.reason)
    return suited


def _suiting(chain: Chain, y: "pd.Series[float]", z: FloatArray) -> Suited:
    """Return lags that suit transformed values z without gaps."""
    reach, period = len(z) // 3, chain.period
    if period is not None and period + 1 <= reach:
        around = _around_season(chain, bridged(values_of(y)), z)
        return Suited(tuple(around), f"around the season of {period} steps")
    if chain.n_lost > 0 and reach >= 4:
        return Suited((1, 2, 3, 4), "steps of a wandering level have little structure")
    most = int(np.clip(len(z) // _VALUES_A_LAG, 1, 32))
    furthest = None  # as far as suits so many values
    if len(z) < _FEW_VALUES:
        season = 0 if period is None else period + 1
        furthest = max(min(max(len(z) // _VALUES_A_LAG, season), len(z) // 4), 1)
    choice = choose_lags(z, furthest, period=period, max_lags=most)
    left = unexplained(z) if len(z) >= _FEWEST else 0.0
    quiet = len(z) >= _FEW_VALUES and float(choice.model.noise_var or 0.0) <= _QUIET
    model = choice.model if quiet else None
    if left < SMOOTH:
        return Suited(choice.lags, choice.reason, model)
    lags = choice.lags if choice.lags[0] == 1 else (1, *choice.lags)
    if left >= _NOISY and most >= 8 and max(lags) < 8:
        horizon = min(len(z) // 6, 16)
        in_a_row = list(range(1, 9))
        if trial(z, [], in_a_row, horizon) < 0.9 * trial(z, [], list(lags), horizon):
            return Suited(tuple(in_a_row), "a plain autoregression forecasts better with eight")
    # The model was judged with these lags; with another one beside them it is not known.
    return Suited(lags, choice.reason, model if lags == choice.lags else None)


def _affordable(lags: list[int], holes: BoolArray) -> list[int]:
    """Return those of the lags that leave enough rows without a missing value.

    The rows that remain must be five a lag and half of those with one lag; the furthest lags go
    first among those whose leaving frees as many rows.
    """
    if not holes.any():
        return lags
    n, kept = len(holes), list(lags)

    def rows(chosen: list[int]) -> int:
        bad = holes[max(lags) :].copy()
        for lag in chosen:
            bad |= holes[max(lags) - lag : n - lag]
        return int((~bad).sum())

    enough = _LEFT * rows([1])
    while len(kept) > 1 and rows(kept) < max(5 * len(kept), enough):
        without = [[*kept[:i], *kept[i + 1 :]] for i in range(len(kept))]
        kept = max(without, key=lambda chosen: (rows(chosen), chosen[0] == 1, -sum(chosen)))
    return kept


def _around_season(chain: Chain, values: FloatArray, z: FloatArray) -> list[int]:
    """Return lags around the season of a chain, fewer if a trial says that fewer are enough."""
    steps = list(chain.spec.steps)
    period = int(chain.period or 1)
    sets = seasonal_sets(period, len(z) // 3)
    removed = any(getattr(step, "period", None) for step in steps)
    if not removed or period > _MONTHS:
        return sets[-1]
    if isinstance(chain.warp, BoxCox):  # the trial knows no other warp than the logarithm
        steps, values = [], z
    horizon = max(min(2 * period, len(z) // 6, 60), 1)
    values = values[-_TRIED:] / np.abs(values).max()
    scores = [trial(values, steps, lags, horizon) for lags in sets]
    enough = 1.05 * min(scores)
    return next(lags for lags, score in zip(sets, scores, strict=True) if score <= enough)


def embedded(
    embedding: LagEmbedding, chain: Chain, z: FloatArray, inputs: Exogenous
) -> tuple[Embedded, IntArray]:
    """Return the rows that a transformed series (n,) makes, and the positions of their targets."""
    lost = chain.n_lost
    scaled = inputs.scaled(inputs.past)
    rows = embedding.embed(z[lost:], pd.RangeIndex(len(z) - lost), scaled[lost:], inputs.columns)
    return rows, np.asarray(rows.index, dtype=np.int64) + lost


def training_rows(rows: Embedded, max_rows: int | None, seed: int) -> Rows:
    """Return the rows to train on, with a note of those that were left out."""
    notes: tuple[str, ...] = ()
    if rows.n_dropped:
        total = rows.n_dropped + len(rows.y)
        notes = (f"left out {rows.n_dropped} of {total} rows, which touch missing values",)
    return Rows(rows.X, rows.y, notes).at_most(max_rows, seed)


def lag_note(inputs: Exogenous, exog_lags: Any) -> tuple[str, ...]:
    """Say that inputs act at once only, if nobody has said when they do."""
    if not inputs or exog_lags is not None:
        return ()
    note = (
        "inputs enter with lag 0 alone, as exog_lags was not given; if the series answers later or "
        "for longer, exog_lags=[0, 1, 2, 3] lets earlier inputs in"
    )
    return (note,)


def fresh_model(model: Any, n_rows: int, n_inputs: int, **kind: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a copy of the user's model to be fitted, or the default one, and why that.

    Parameters
    ----------
    model : one-step model or None
    n_rows, n_inputs : int
    **kind
        What is known of the series; see `gpforecast.automatic.model.default_model`.
    """
    if model is None:
        fresh, reasons = default_model(n_rows, n_inputs, **kind)
        logger.info("model %s; %s", type(fresh).__name__, "; ".join(reasons) or "the default")
        return fresh, reasons
    fresh = copy.deepcopy(model)
    if isinstance(fresh, type) or not (hasattr(fresh, "fit") and hasattr(fresh, "predict")):
        raise TypeError(
            f"model must be a one-step model such as gf.models.GaussianProcess(); got {fresh!r}."
        )
    return fresh, ()


def continued(history: "pd.Series[float]", new_values: Any) -> "pd.Series[float]":
    """Return a series with new values after its last, refused if their labels do not follow.

    Parameters
    ----------
    history : Series
    new_values : Series, one-column DataFrame, or 1-D array-like
        NaN where missing. Labels must continue the index, but 0, 1, 2, ... are the new values in
        order, unless they begin with the whole history on those labels.
    """
    axis = TimeAxis(history.index)
    given = new_values_after(new_values, history, axis)
    return pd.Series(
        np.concatenate([values_of(history), given]),
        index=axis.extended(len(given)).index,
        name=history.name,
    )
