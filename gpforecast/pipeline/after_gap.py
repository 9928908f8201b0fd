"""Forecasts of a differenced series whose origin comes soon after missing values.

A difference that reaches back to a missing value is missing too, and a forecast that starts from it
would not know its level. Values missing right before the origin are therefore forecast along with
those after it; earlier gaps are bridged (`gpforecast.transforms.bridging`), and the forecast
inherits the uncertainty of the bridge.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.pipeline.origins import Ahead, Origins, follow
from gpforecast.propagation import Naive
from gpforecast.propagation.recursion import Propagated
from gpforecast.transforms.bridging import Bridge, bridge


def reaches_a_gap(origins: Origins) -> BoolArray:
    """Return which origins reach back to a missing value through a difference, (b,)."""
    fitted, ends = origins.fitted, origins.ends
    if not fitted.chain.n_lost:
        return np.zeros(len(ends), dtype=bool)
    so_far = np.concatenate([[0], np.cumsum(np.isnan(origins.levels[0]))])
    reaches: BoolArray = so_far[ends] > so_far[np.maximum(ends - fitted.reach, 0)]
    return reaches


def follow_after_gap(origins: Origins, end: int, ahead: Ahead) -> Propagated:
    """Return the horizon of the origin at `end`, as `follow` does where nothing is missing.

    Raises
    ------
    ValueError
        If too few values are known before it.
    """
    chain, reach = origins.fitted.chain, origins.fitted.reach
    known = ~np.isnan(origins.values[:end])
    if known.sum() < reach:
        raise ValueError(
            f"series has too few known values before position {end}, {known.sum()}: a forecast "
            f"from there needs {reach}. Begin at a later place."
        )
    last = end - int(np.argmax(known[::-1]))
    gap = end - last
    begin = _begin_of_bridge(known[:last], reach + 4 * chain.n_lost)
    level = chain.forward(origins.values[begin:last])
    found = bridge(chain, level, origins.times.part(begin, last))
    places = begin + found.places
    exog, exog_cov = _inputs_from(last, gap, origins.exog, ahead)
    longer = replace(ahead, horizon=gap + ahead.horizon, exog_cov=exog_cov)

    def from_bridged(bridged: FloatArray, ahead: Ahead) -> Propagated:
        values = origins.values.copy()
        values[end:] = np.nan
        values[places] = chain.backward(bridged)
        here = replace(origins, values=values, exog=exog, ends=np.array([last]))
        return follow([here], ahead)[0]

    z = from_bridged(found.mean, longer)
    recent = places >= last - reach
    if recent.any() and not isinstance(ahead.method, Naive | None):
        path = replace(longer, method=None)
        z = _with_uncertain_bridge(z, found, recent, lambda y: from_bridged(y, path).mean[0])
    return replace(
        z,
        mean=z.mean[:, gap:],
        covariance=z.covariance[:, gap:, gap:],
        latent_var=z.latent_var[:, gap:],
        paths=None if z.paths is None else z.paths[:, gap:],
    )


def _begin_of_bridge(known: BoolArray, enough: int) -> int:
    """Return the place from which on there are `enough` known values, 0 if there is none.

    Enough are as many as the bridge has to span, and those that differences lose at both ends.
    """
    places = np.flatnonzero(known)
    return int(places[-enough]) if len(places) >= enough else 0


def _inputs_from(
    last: int, gap: int, exog: FloatArray, ahead: Ahead
) -> tuple[FloatArray, FloatArray | None]:
    """Return inputs and their covariance from `last` on; what is missing there is N(0, 1)."""
    within = exog[last : last + gap]
    lost = np.isnan(within).ravel()
    if ahead.exog_cov is None and not lost.any():
        return exog, None
    n = ahead.horizon * exog.shape[1]
    later = np.zeros((n, n)) if ahead.exog_cov is None else ahead.exog_cov
    exog = exog.copy()
    exog[last : last + gap] = np.nan_to_num(within, nan=0.0)
    return exog, block_diag(np.diag(lost.astype(float)), later)


def _with_uncertain_bridge(
    z: Propagated, found: Bridge, recent: BoolArray, path: Callable[[FloatArray], FloatArray]
) -> Propagated:
    """Return a forecast (1, h) with the uncertainty of the bridged values that it starts from.

    `path` gives the plug-in path (h,) of bridged values. Along the principal axes of those that are
    `recent` enough to matter, each as long as its standard deviation, the path changes by the rows
    of J: the covariance gains J' J. For a linear model that is exact.
    """
    axes, lengths, _ = np.linalg.svd(found.root[recent], full_matrices=False)
    J = []
    for axis in (axes * lengths).T:
        step = np.zeros(len(recent))
        step[recent] = axis
        J.append(0.5 * (path(found.mean + step) - path(found.mean - step)))
    return z.plus_noise(np.column_stack(J)[None], seed=1827)
