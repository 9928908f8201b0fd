r"""Where one Gaussian is not to be trusted with the shape of a forecast.

A Gaussian that goes through a map stays one where the map is straight over its spread. What is
curved of the map adds a part to the standard deviation of the step (`Curvature`); where that part
is most of it, the distribution is folded, and every later step starts from the wrong shape.

On strongly curved maps the tails of the Gaussian, which the values themselves do not have, reach
where the model knows nothing, and the next variance is larger still. The standard deviation then
leaves that of the values that the model learned from.
"""

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.posteriors.base import Predictive, in_blocks
from gpforecast.propagation.curvature import curvature
from gpforecast.propagation.layout import Inputs, Layout, Start
from gpforecast.propagation.propagated import Propagated

FOLDED = 0.8
"""Share of the standard deviation of a step. One Gaussian is not trusted where what is curved of
the model over the spread of its inputs makes more. Set by folded.py."""

WIDE = 1.5
"""Standard deviations of the values that a model learned from. One Gaussian is not trusted where
that of a step is more, unless the model is straight. Set by folded.py."""

STRAIGHT = 0.05
"""Share of the standard deviation of a step. Where what is curved makes no more at any step, a
growing spread is that of the model, not of its Gaussian. Set by folded.py."""

_STEPS = 24  # of a horizon that are looked at
_BLOCK = 64  # inputs at a time


def curved_share(
    predictive: Predictive, inputs: Inputs, start: Start, found: Propagated
) -> tuple[IntArray, FloatArray]:
    """Return the share of the curved part of f in the standard deviations of some of the steps.

    What is not known of the past or of exogenous inputs counts as known here. It costs eight
    gradients of the mean at each of these steps, O(m d) each.

    Parameters
    ----------
    predictive : Predictive
    inputs : Inputs
    start : Start
    found : Propagated
        The forecast from there, a joint Gaussian from b origins.

    Returns
    -------
    steps : ndarray (n,)
        At most 24 of the steps of the horizon, counted from 0.
    share : ndarray (b, n)
    """
    b, h = found.mean.shape
    layout = Layout(inputs, start, h)
    steps = np.unique(np.linspace(0, h - 1, min(h, _STEPS)).round().astype(np.int64))
    values = layout.initial
    values[:, layout.first :] = found.mean
    # The rows of the predictions alone; -1 for what is known, or counts as known here.
    row = np.where(layout.place >= layout.first, layout.place - layout.first, -1)[steps]  # (n, d)
    random = row >= 0
    u = values[:, layout.place[steps]]  # (b, n, d)
    S = found.covariance[:, row[:, :, None], row[:, None, :]]  # (b, n, d, d)
    S = np.where(random[:, :, None] & random[:, None, :], S, 0.0)
    d = row.shape[1]
    bent = in_blocks(
        lambda u, S: curvature(predictive, u, S), _BLOCK, u.reshape(-1, d), S.reshape(-1, d, d)
    )
    std = np.sqrt(np.einsum("bhh->bh", found.covariance)[:, steps])
    curved = bent.std.reshape(b, -1)
    return steps, np.divide(curved, std, out=np.zeros_like(std), where=std > 0.0)


@np.errstate(over="ignore", invalid="ignore")  # what leaves all numbers is refused afterwards
def doubted(
    predictive: Predictive, inputs: Inputs, start: Start, found: Propagated, spread: float = 1.0
) -> tuple[BoolArray, str]:
    """Return at which origins one Gaussian is not the forecast, and why.

    Parameters
    ----------
    predictive, inputs, start, found
        As for `curved_share`.
    spread : float
        Standard deviation of the values that the model learned from; 1 where they are standardised.

    Returns
    -------
    where : ndarray (b,)
    why : str
        Empty if it is at no origin.
    """
    steps, share = curved_share(predictive, inputs, start, found)
    std = np.sqrt(np.einsum("bhh->bh", found.covariance))
    folded = share > FOLDED
    wide: BoolArray = (std > WIDE * spread) & (share > STRAIGHT).any(axis=1, keepdims=True)
    where = np.asarray(folded.any(axis=1) | wide.any(axis=1))
    if not where.any():
        return where, ""
    first, why = [], []
    if folded.any():
        first.append(int(steps[np.argmax(folded.any(axis=0))]) + 1)
        why.append("the model is strongly curved over that range")
    if wide.any():
        first.append(int(np.argmax(wide.any(axis=0))) + 1)
        if spread > 0.0:
            size = f"grows to {std[wide].max() / spread:.2g} times that of the known values"
        else:
            size = "grows, while that of the values which the model learned from is 0"
        why.append(f"its standard deviation {size}")
    return where, (
        f"from step {min(first)} on the forecast is no bell curve (a Gaussian): {' and '.join(why)}"
    )


def doubt(
    predictive: Predictive, inputs: Inputs, start: Start, found: Propagated, spread: float
) -> str:
    """Say where one Gaussian is not the forecast of some origin, and what to use; empty if nowhere.

    Arguments are those of `doubted`. Paths and mixtures are not doubted.
    """
    if found.paths is not None or found.parts or not found.covariance.any():
        return ""
    _, why = doubted(predictive, inputs, start, found, spread)
    instead = 'propagation="monte_carlo" or "mixture" has other shapes'
    return f"{why}; its intervals may be wrong, and {instead}" if why else ""
