r"""From the transformed columns of a forecast back to their levels, all of them together.

The linear transforms of a column are affine: from an origin on,

.. math:: y = A z + B y_- + b + e, \qquad e \sim N(0, N),

with the last values :math:`y_-` before it and what is not known of the transforms themselves, e.
A, B, b and N are read off by transforming unit vectors. Where values before the origin are missing,
the stretch from the first of them on belongs to z, with its levels :math:`y_- = F^{-1} (z - c)` for
the affine map F that transforms levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.joint_covariance import joint_of
from gpforecast.propagation.layout import Columns, Observed, Start
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.recursion import propagate
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms.compose import Chain

_AT_ONCE = 8_000_000  # doubles of the covariances that unit vectors are carried with


@dataclass(frozen=True, eq=False)
class Levels:
    """How the levels of a column follow from its transformed values, in the units of its warp.

    Attributes
    ----------
    past : ndarray (g, g)
        Of the g values before the origin that may be missing: levels are past @ z + shift.
    shift : ndarray (g,)
    ahead : ndarray (h, g + h)
        Of the horizon: levels are ahead @ z + offset + noise.
    offset : ndarray (h,)
    noise : ndarray (h, h)
        Covariance of what is not known of the transforms.
    """

    past: FloatArray
    shift: FloatArray
    ahead: FloatArray
    offset: FloatArray
    noise: FloatArray

    @staticmethod
    def of(
        chain: Chain, level: FloatArray, times: TimeAxis, begin: int, end: int, horizon: int
    ) -> "Levels":
        """Find it for values (n,) in the units of the warp, NaN where missing from `begin` on.

        The values end before `end`, the origin; `times` go on over the horizon.
        """
        level = level[:end].copy()
        g = end - begin
        missing = np.isnan(level[begin:])
        level[begin:] = np.nan_to_num(pd.Series(level).ffill().to_numpy()[begin:])
        size = float(np.nanmax(np.abs(level), initial=chain.unit))
        base = chain.stages(level, times)

        def moved(t: int) -> list[FloatArray]:
            other = level.copy()
            other[t] += size
            return chain.stages(other, times)

        F = np.empty((g, g))
        for k in range(g):
            F[:, k] = (moved(begin + k)[-1] - base[-1])[begin:] / size
        past = np.asarray(np.linalg.inv(F), dtype=np.float64)
        shift = level[begin:] - past @ base[-1][begin:]

        zero = _undone(chain, base, times, end, np.zeros((1, horizon)))
        offset, noise, unit = zero.mean[0], zero.covariance[0], size / chain.unit
        ahead = np.zeros((horizon, g + horizon))
        rows = max(1, _AT_ONCE // horizon**2)
        for k in range(0, horizon, rows):
            probes = unit * np.eye(horizon)[k : k + rows]
            found = _undone(chain, base, times, end, probes).mean
            ahead[:, g + k : g + k + len(probes)] = ((found - offset) / unit).T
        for k in np.flatnonzero(missing).tolist():
            if k >= g - chain.n_back(times):
                found = _undone(chain, moved(begin + k), times, end, np.zeros((1, horizon))).mean[0]
                by_level = (found - zero.mean[0]) / size
                ahead[:, :g] += by_level[:, None] * past[k]
                offset = offset + by_level * (shift[k] - level[begin + k])
        return Levels(past, shift, ahead, offset, noise)


def _undone(
    chain: Chain, levels: list[FloatArray], times: TimeAxis, end: int, z: FloatArray
) -> Propagated:
    """Undo the linear transforms of certain values z (b, h) from one origin."""
    return chain.undo(Propagated.certain(z), levels, np.full(len(z), end), times)


def transformed(chains: Sequence[Chain], values: FloatArray, times: TimeAxis) -> FloatArray:
    """Return columns (n, M) after their transforms, NaN where missing."""
    each = zip(chains, values.T, strict=True)
    return np.column_stack([one.levels(y, one.axis.locate(times))[-1] for one, y in each])


def followed(
    chains: Sequence[Chain],
    models: Columns,
    values: FloatArray,
    times: TimeAxis,
    method: Propagation,
) -> Propagated:
    """Return the joint distribution of what follows values (n, M), (1, h M), in units of the warps.

    NaN is missing; `times` are those of the values and of the steps ahead.
    """
    end, horizon = len(values), len(times) - len(values)
    z = transformed(chains, values, times.part(0, end))
    level = np.column_stack([chain.forward(y) for chain, y in zip(chains, values.T, strict=True)])
    begin = stretch(chains, times, values, z, end, models.n_times)
    maps = [
        Levels.of(chain, y, chain.axis.locate(times), begin, end, horizon)
        for chain, y in zip(chains, level.T, strict=True)
    ]
    window = z[begin - models.n_times : begin].reshape(1, -1)
    missing = np.isnan(window[0])
    start = Start(np.nan_to_num(window), observed=observed(maps, level, begin))
    if missing.any():  # taken to be N(0, 1), as the transformed columns are
        start = replace(start, past_cov=np.diag(missing.astype(float))[None])
    found = propagate(models, method, start, horizon)
    m, (h, n) = len(maps), maps[0].ahead.shape
    A, noise, offset = np.zeros((h * m, n * m)), np.zeros((h * m, h * m)), np.zeros(h * m)
    for i, one in enumerate(maps):
        A[i::m, i::m], offset[i::m], noise[i::m, i::m] = one.ahead, one.offset, one.noise
    return linear_image(found, A, offset, noise)


def stretch(
    chains: Sequence[Chain],
    times: TimeAxis,
    values: FloatArray,
    z: FloatArray,
    end: int,
    n_times: int,
) -> int:
    """Return where a forecast from `end` begins: there, or before what is missing.

    Before it stand as many times as the inputs reach back, of whose transformed values as few as
    can be are missing, and every column has the last values that its transforms need.

    Parameters
    ----------
    chains : sequence of Chain
    times : TimeAxis
        Of the values and the steps ahead.
    values, z : ndarray (n, M)
        The columns before and after their transforms, NaN where missing.
    end : int
    n_times : int

    Raises
    ------
    ValueError
        If there is no such time.
    """
    holes = np.isnan(z[:end]).any(axis=1).astype(np.int64)
    so_far = np.concatenate([[0], np.cumsum(holes)])
    begin = np.arange(n_times, end + 1)
    n_missing = so_far[begin] - so_far[begin - n_times]
    for chain, column in zip(chains, values.T, strict=True):
        known = np.concatenate([[0], np.cumsum(~np.isnan(column[:end]))])
        n_back = chain.n_back(times)
        few = known[begin] - known[np.maximum(begin - n_back, 0)] < n_back
        n_missing = np.where(few, end + 1, n_missing)
    if not len(begin) or n_missing.min() > end:
        need = max(chain.n_back(times) for chain in chains) + n_times
        raise ValueError(
            f"the columns have no time before position {end} at which enough of their values are "
            f"known together to begin a forecast, {counted(need, 'value')} at most; fill the gaps "
            f"first, or leave out the column that lacks most values."
        )
    return int(begin[len(begin) - 1 - np.argmin(n_missing[::-1])])


def observed(maps: Sequence[Levels], level: FloatArray, begin: int) -> Observed | None:
    """Return what was observed of the stretch (g, M) from `begin` on; None if that is empty."""
    m, values = level.shape[1], level[begin:]
    weights: list[FloatArray | None] = []
    targets = np.zeros(values.size)
    for k, value in enumerate(values.ravel()):
        t, i = divmod(k, m)
        weights.append(None)
        if not np.isnan(value):
            own = np.zeros(k + 1)
            own[i::m] = maps[i].past[t, : t + 1]
            weights[-1] = own
            targets[k] = value - maps[i].shift[t]
    return Observed(tuple(weights), targets) if values.size else None


def linear_image(
    z: Propagated, A: FloatArray, offset: FloatArray, noise: FloatArray | None = None
) -> Propagated:
    """Return the distribution of A z + offset + noise; a step keeps its own noise.

    The last columns of A belong to the steps, one each.
    """
    joint = joint_of(A @ z.covariance @ A.T)
    own = np.diag(A[:, A.shape[1] - len(A) :]) ** 2
    first = z.mean.shape[1] - len(A)
    before = (z.var - z.latent_var)[:, first:]
    found = replace(
        z,
        mean=z.mean @ A.T + offset,
        joint=joint,
        latent_var=joint.var - own * before,
        paths=None if z.paths is None else A @ z.paths + offset[:, None],
    )
    if noise is None or not noise.any():
        return found
    return found.plus_noise(square_root(noise)[None], seed=1985)
