"""What went less than well with a forecast: noted on the result, and warned of once."""

import numpy as np

from gpforecast.common.warnings import warn_numerically
from gpforecast.pipeline.origins import Origins
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation import Method
from gpforecast.results.distribution import Distribution

_FAR = 10.0  # standard deviations beyond all that was seen: few series grow so fast


def trouble(joint: Distribution, origins: Origins, method: Method) -> list[str]:
    """Warn of what went less than well with a forecast, and return notes of it."""
    notes = []
    if ran_away := _running_away(joint, origins):
        warn_numerically(ran_away)
        notes.append(ran_away)
    if joint.n_clipped:
        n_variances = len(origins.ends) * joint.mean.shape[-1]
        notes.append(clipped(joint.n_clipped, n_variances, method, origins.fitted.predictive))
    return notes


def clipped(n: int, n_variances: int, method: Method, predictive: Predictive) -> str:
    """Warn that so many of the variances that each part of a model predicted were negative."""
    parts = len(predictive.parts) if isinstance(predictive, Mixture) else 1
    note = (
        f"{n} of {parts * n_variances} variances by the {method.name} method came out negative and "
        f"were set to their floor"
    )
    closed = isinstance(predictive, Posterior) and method.name != "exact"
    warn_numerically(note + (". Exact moments do not need this." if closed else "."))
    return note


def _running_away(joint: Distribution, origins: Origins) -> str:
    """Say if a median is far from every value known, as a forecast that ran away is.

    A mean beyond it is a transform's, which the distribution says itself.
    """
    known = origins.values[~np.isnan(origins.values)]
    if not len(known) or not np.ptp(known) > 1e-9 * np.abs(known).max():
        return ""
    spread = float(np.std(known / np.abs(known).max()) * np.abs(known).max())
    median = joint.quantile([0.5])[..., 0]
    off = np.maximum(median - known.max(), known.min() - median) / spread
    off = np.where(np.isfinite(off), off, 0.0)
    if off.max() <= _FAR:
        return ""
    step = int(np.argmax((off > _FAR).any(axis=0))) + 1
    return (
        f"from step {step} on the median lies up to {off.max():.2g} standard deviations of the "
        f"series beyond all its values: unless the series grows so fast, the forecast has run "
        f'away and its error bars mean nothing; try "monte_carlo", other lags or transforms, or '
        f"another model"
    )
