"""The ensemble of a portfolio: its further one-step models, and structural models, fitted."""

import logging
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.automatic.cleaned import Cleaned
from gpforecast.automatic.closed import with_closed_times
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import bridged
from gpforecast.automatic.lags.after_transforms import affordable
from gpforecast.automatic.transforms import TransformPlan
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.models.base import OneStepModel
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


def others_of(
    plan: Decision[TransformPlan],
    clean: Cleaned,
    values: FloatArray,
    axis: TimeAxis,
    limit: int | None,
) -> tuple[Other | None, ...]:
    """Return the further one-step models of a portfolio; None for what cannot be fitted.

    Each is trained on `limit` rows at most.
    """
    portfolio = plan.value.portfolio
    if portfolio is None:
        return ()
    found: list[Other | None] = []
    for one in portfolio.lagged:
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
            found.append(None)
            continue
        found.append(Other(chain, lags, model) if n_rows > 1 else None)
    return tuple(found)


def combined(
    values: FloatArray,
    axis: TimeAxis,
    plan: TransformPlan,
    clean: Cleaned,
    chain: Chain,
    others: tuple[Other | None, ...],
    *,
    alike: bool,
) -> Decision[Ensemble | None]:
    """Return the structural models that join the one-step model, and the weights of all.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    axis : TimeAxis
        Their times.
    plan : TransformPlan
    clean : Cleaned
        What happened in the series.
    chain : Chain
    others : tuple of Other or None
        Further one-step models.
    alike : bool
        Whether effects of inputs were found on the warp of the chain: others do not have them.
    """
    portfolio, closing = plan.portfolio, chain.closing
    if portfolio is None:
        return Decision(None)
    fits = [
        not (alike and one.warp != chain.warp)
        and (closing is None or one.season == closing.spec.period)
        for one in portfolio.structural
    ]
    lagged = [one is not None for one in others] or [False] * len(portfolio.lagged)
    kept = portfolio.weights[[True, *fits, *lagged]]
    members = [one for one, use in zip(portfolio.structural, fits, strict=True) if use]
    with bar("fitting structural models"):
        fitted = tuple(
            one.member(values, axis, (*clean.shifts_beside(one.season), *plan.cycles))
            for one in members
        )
    logger.info("ensemble: %s", ", ".join(map(str, fitted)) or "none")
    weights = kept / kept.sum() if kept.sum() > 0.0 else np.eye(len(kept))[0]
    # The width was learned for mixtures of all, which are wider where their members disagree.
    width = portfolio.width if len(kept) == len(portfolio.weights) else (0.0, 0.0)
    return Decision(Ensemble(fitted, weights, width))
