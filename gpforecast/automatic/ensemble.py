"""The ensemble of a portfolio: its further one-step models, and structural models, fitted."""

import logging
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.automatic.candidates import Autoregression
from gpforecast.automatic.cleaned import Cleaned
from gpforecast.automatic.closed import with_closed_times
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import bridged
from gpforecast.automatic.lags.after_transforms import affordable
from gpforecast.automatic.process import Process
from gpforecast.automatic.transforms import TransformPlan
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.models.base import OneStepModel
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms import Chain

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Other:
    """A further one-step model, not fitted.

    Attributes
    ----------
    chain : Chain
    lags : tuple of int
    model : OneStepModel
    """

    chain: Chain
    lags: tuple[int, ...]
    model: OneStepModel


def ensemble_of(
    plan: Decision[TransformPlan],
    clean: Cleaned,
    chain: Chain,
    limit: int | None,
    *,
    alike: bool,
) -> tuple[tuple[Other, ...], Ensemble | None]:
    """Return what joins the one-step model: further ones, and structural ones with the weights.

    Parameters
    ----------
    plan : Decision of TransformPlan
    clean : Cleaned
        What happened in the series.
    chain : Chain
        The transforms of the one-step model.
    limit : int or None
        Rows to train on at most.
    alike : bool
        Whether effects of inputs were found on the warp of the chain: others do not have them.
    """
    portfolio, closing = plan.value.portfolio, chain.closing
    if portfolio is None:
        return (), None
    values, axis = values_of(clean.known), TimeAxis(clean.y.index)
    others = [
        None if alike else _other(one, plan, clean, values, axis, limit) for one in portfolio.lagged
    ]
    members = [
        one
        for one in portfolio.structural
        if not (alike and one.warp != chain.warp)
        and (closing is None or one.season == closing.spec.period)
    ]
    with bar("fitting structural models"):
        fitted = tuple(
            one.member(values, axis, (*clean.shifts_beside(one.season), *plan.value.cycles))
            for one in members
        )
    logger.info("ensemble: %s", ", ".join(map(str, fitted)) or "none")
    join = [True, *(one in members for one in portfolio.structural), *map(bool, others)]
    kept = portfolio.weights[join]
    weights = kept / kept.sum() if kept.sum() > 0.0 else np.eye(len(kept))[0]
    # The width was learned for mixtures of all, which are wider where their members disagree.
    width = portfolio.width if all(join) else (0.0, 0.0)
    return tuple(filter(None, others)), Ensemble(fitted, weights, width)


def _other(
    one: Autoregression | Process,
    plan: Decision[TransformPlan],
    clean: Cleaned,
    values: FloatArray,
    axis: TimeAxis,
    limit: int | None,
) -> Other | None:
    """Return a further one-step model; None where it cannot be fitted."""
    transforms = one.transforms.with_first(*plan.value.cycles)
    own = replace(plan, value=replace(plan.value, transforms=transforms))
    spec = with_closed_times(clean.with_steps(own).value.transforms, values, axis).value
    try:
        chain = spec.fit_at(values, axis)
        z = chain.levels(values, axis)[-1][chain.n_lost :]
        n = len(bridged(z))
        lags = affordable(one.lags_after(chain, n), np.isnan(z)).value
        rows = LagEmbedding(list(lags)).transform(z)
        places = np.asarray(rows.index, dtype=np.int64) + chain.n_lost
        n_rows = int((~chain.uninformative(axis)[places]).sum())
        model = one.model_for(lags, chain, n, min(n_rows, limit or n_rows)).value
    except ValueError:  # too few values, with these gaps
        return None
    return Other(chain, lags, model) if n_rows > 1 else None
