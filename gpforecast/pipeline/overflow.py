"""Whether a forecast stays among the numbers whose squares, as variances are, can be held."""

import numpy as np

from gpforecast.propagation.recursion import Propagated
from gpforecast.transforms.base import Warp

_DRAWN = 6.0  # standard deviations: what is drawn lies within


def check_range(z: Propagated, warp: Warp | None) -> None:
    """Refuse a forecast of values whose squares, as of all steps together, overflow.

    Raises
    ------
    ValueError
        With the first such step.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        off = _DRAWN * np.sqrt(np.einsum("bhh->bh", z.covariance))
        ends = [z.mean - off, z.mean + off]
        if warp is not None:
            ends = [warp.backward(end) for end in ends]
        squares = np.square(z.mean.shape[-1] * np.array(ends))
    beyond = ~np.isfinite(squares).all(axis=(0, 1))
    if not beyond.any():
        return
    raise ValueError(
        f"the forecast leaves the range of numbers whose squares a computer can hold at step "
        f"{int(np.argmax(beyond)) + 1}: the one-step model runs away from the values it learned "
        f"from, the series itself grows so fast, or earlier errors, by which calibrate= corrects "
        f"intervals, were very large. Forecast fewer steps, the logarithm of the series, or its "
        f"values in larger units, or pass calibrate=None."
    )
