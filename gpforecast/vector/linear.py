"""A Bayesian linear vector autoregression, in a mixture with the models of the columns.

The columns' own models take an input of another column only where that raises their evidence. An
autoregression on all columns, shrunk by a prior, finds what many small effects say together. Its
forecast is mixed with theirs.

A column that trends is differenced, and no other: the prior of the rest allows for a random walk.
Whether a column or its logarithm is modelled is decided by the evidence of its past, on the same
targets. So is whether it is modelled less its season, as the transforms of its model leave it where
these subtract one, and less a mean for each step of it elsewhere; its value a season before is then
a lag as well. The equations are `MinnesotaAR`. The share of the linear vector in a column is three
quarters, or one quarter where a season was subtracted, moved by how the newest quarter of the
values is forecast one step ahead by it and by the column's own model, each conditioned on the
values before.

Each equation keeps its rows, from which it is conditioned again: for M columns of n values about
4.5 n M^2 doubles, 3.6 MB for a thousand values of ten columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import TABLE, Shape
from gpforecast.automatic.features import is_constant
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.models import MinnesotaAR
from gpforecast.models.base import CanBeConditioned
from gpforecast.pipeline.fitted import Fitted
from gpforecast.propagation.base import predictive_of
from gpforecast.scores import nlpd
from gpforecast.series.embedding import LagEmbedding
from gpforecast.transforms.base import Transform
from gpforecast.transforms.compose import Chain, Compose
from gpforecast.transforms.differences import Difference
from gpforecast.transforms.warps import Log
from gpforecast.vector.choice import Sources, rows_of

LAGS = (1, 2, 3, 4)
FEWEST_ROWS = 50  # known in all columns: on fewer the forms of the columns are decided by chance
# Share of the values that must have all their lags. Fewer may be of two days a week, unlike others.
_COMPLETE = 0.5
_DIFFERENCED = (0.0, 0.5)  # persistence of differences: those of a trend may be smooth
_LEVEL = (0.0, 0.5, 1.0)
_TREND = 1.0  # standard errors of the mean step: where it is further from 0, steps are modelled
_SHARE = 0.75  # where both forecast equally well
_SEASONAL_SHARE = 0.25  # the same, of a column less its season: structural models know it better
_POWER = 4.0  # of the ratio of densities, a value: how much the better one counts
_NEWEST = 0.25  # of the rows: what is forecast one step ahead


@dataclass(frozen=True, eq=False)
class _Form:
    """A column as the linear vector models it."""

    chain: Chain
    z: FloatArray
    persistence: tuple[float, ...]
    lags: tuple[int, ...] = LAGS  # its own
    n_learned: float = 0.0  # numbers of a season that were learned from the values
    unit: float = 1.0  # the spread that its own past leaves unexplained, in the units of z


def linear_columns(
    columns: Sequence[Fitted],
) -> tuple[tuple[Fitted, ...], tuple[Sources, ...]] | None:
    """Return the equations of some columns and their inputs; None if too little is known.

    Parameters
    ----------
    columns : sequence of Fitted (M,)
        With their models.
    """
    forms = [_form_of(one) for one in columns]
    known = [one for one in forms if one is not None]
    if len(known) < len(forms):
        return None
    z, m = np.column_stack([one.z for one in known]), len(known)
    equations, sources = [], []
    for i, (own, one) in enumerate(zip(columns, known, strict=True)):
        others = [(j, lag) for j in range(m) if j != i for lag in LAGS]
        inputs = (*((i, lag) for lag in one.lags), *others, *((j, 0) for j in range(i)))
        rows = rows_of(z, i, inputs)
        complete = max(FEWEST_ROWS, _COMPLETE * (~np.isnan(z[:, i])).sum())
        if len(rows.y) < complete or np.ptp(rows.y) == 0.0:
            return None
        model = MinnesotaAR(
            (*_counted(one.lags), *(lag for _, lag in inputs[len(one.lags) :])),
            n_own=len(one.lags),
            units=tuple(known[j].unit for j, _ in inputs),
            persistence=one.persistence,
        )
        found = Fitted(
            own.history,
            one.chain,
            LagEmbedding(list(one.lags)),
            own.exog,
            rows,
            model.fit(rows.X, rows.y),
            set_aside=own.set_aside,
            clock=own.clock,
        )
        equations.append(found)
        sources.append(inputs)
    return tuple(equations), tuple(sources)


def _form_of(one: Fitted) -> _Form | None:
    """Return how a column is modelled, by evidence; None if it cannot be."""
    y, axis = one.known, one.axis
    known = y[~np.isnan(y)]
    if len(known) < FEWEST_ROWS or is_constant(known):
        return None
    tried: list[_Form] = []
    warps: list[tuple[Transform, ...]] = [(), (Log(),)] if known.min() > 0.0 else [()]
    for warp in warps:
        steps = np.diff(np.log(y) if warp else y)
        steps = steps[~np.isnan(steps)]
        # Whether the mean step is further from 0 than it is uncertain.
        trends = len(steps) and len(steps) ** 0.5 * abs(steps.mean()) > _TREND * steps.std()
        chain = Compose(*warp, *([Difference()] if trends else [])).fit_at(y, axis)
        tried.append(_Form(chain, chain.levels(y, axis)[-1], _DIFFERENCED if trends else _LEVEL))
    if one.chain.spec.periods:  # which it subtracts
        tried.append(_seasonal(one, one.chain))
    elif one.chain.period is not None:
        (level,) = TABLE["seasonal level"].steps(Shape(len(y), (one.chain.period,)))
        tried.append(_seasonal(one, Compose(level).fit_at(y, axis)))
    # A difference has a value more before each target: all are judged on the same ones.
    enough = (_whole(form.z, max(form.lags)).sum() >= FEWEST_ROWS for form in tried)
    tried = [form for form, there in zip(tried, enough, strict=True) if there] or tried
    first = max(max(LAGS) + 1, *(form.chain.n_lost + max(form.lags) for form in tried))
    complete = _whole(y, first)
    best, found = -np.inf, None
    for form in tried:
        every = rows_of(form.z[:, None], 0, tuple((0, lag) for lag in form.lags))
        rows = every.part(np.flatnonzero(complete[every.places]))
        if len(rows.y) < FEWEST_ROWS or np.ptp(rows.y) == 0.0:
            continue
        times, model = rows.places, MinnesotaAR(_counted(form.lags), persistence=form.persistence)
        model = model.fit(rows.X, rows.y)
        evidence = model.report_.log_marginal_likelihood + _log_slope(form.chain, y[times]).sum()
        evidence -= 0.5 * form.n_learned * np.log(len(times))
        if evidence > best:
            best, found = evidence, replace(form, unit=float(np.sqrt(model.noise_var_)))
    return found


def _whole(values: FloatArray, n: int) -> BoolArray:
    """Return which values (n,) are known together with as many before them."""
    known = np.convolve(np.isnan(values), np.ones(n + 1))[: len(values)] == 0.0
    return np.asarray(known & (np.arange(len(values)) >= n))


def _seasonal(one: Fitted, chain: Chain) -> _Form:
    """Return a column as transforms leave it that subtract a season."""
    season, differenced = chain.spec.period, 1 in chain.gaps
    lags = LAGS if season is None or season <= max(LAGS) else (*LAGS, season)
    # What is subtracted was learned from the targets themselves; a difference learns nothing.
    seasonal = chain.spec.seasonal
    n_learned = sum(period - 1.0 for step, period in seasonal if step not in chain.linear)
    z = chain.levels(one.known, one.axis)[-1]
    return _Form(chain, z, _DIFFERENCED if differenced else _LEVEL, lags, n_learned)


def _counted(lags: tuple[int, ...]) -> tuple[int, ...]:
    """Return own lags as the prior counts them: a value a season before is as near as the last."""
    return tuple(lag if lag in LAGS else 1 for lag in lags)


def _log_slope(chain: Chain, y: FloatArray) -> FloatArray:
    """Return the logarithm of what a transformed value changes by with the value, (n,)."""
    warp = np.zeros(len(y)) if chain.warp is None else chain.warp.log_gradient(y)
    return np.asarray(warp - np.log(chain.unit), dtype=np.float64)


def linear_share(own: Fitted, linear: Fitted) -> float:
    """Return how much the linear vector counts in a column, from 0 to 1.

    Parameters
    ----------
    own, linear : Fitted
        The column's own model and its equation.
    """
    y, both = own.known, np.intersect1d(own.rows.places, linear.rows.places)
    newest = both[len(both) - int(_NEWEST * len(both)) :]
    first, second = (_log_density(one, y, newest) for one in (own, linear))
    if first is None or second is None:
        return 0.0
    ratio = np.exp(np.clip(_POWER * (second - first), -50.0, 50.0))
    before = _SEASONAL_SHARE if linear.chain.spec.periods else _SHARE
    odds = before / (1.0 - before) * ratio
    share = float(odds / (1.0 + odds))
    return share if share >= th.LEAST_WEIGHT else 0.0


def _log_density(one: Fitted, y: FloatArray, newest: IntArray) -> float | None:
    """Return the mean log density of some values one step ahead, given the rows before them.

    None where there are too few, or the model cannot be conditioned on them.
    """
    places = one.rows.places
    if not len(newest) or not isinstance(one.model, CanBeConditioned):
        return None
    before, there = np.flatnonzero(places < newest[0]), np.flatnonzero(np.isin(places, newest))
    if len(before) < 2:
        return None
    past = one.rows.part(before)
    given = predictive_of(one.model.condition(past.X, past.y))
    found = given.predict(one.rows.X[there])
    losses = nlpd(one.rows.y[there], found.mean, found.var + given.noise_var, axis=())
    return float(np.mean(_log_slope(one.chain, y[newest]) - losses))
