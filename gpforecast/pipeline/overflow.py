"""Whether a forecast stays among the numbers whose squares, as variances are, can be held."""

import numpy as np

from gpforecast.propagation.recursion import Propagated
from gpforecast.transforms.base import Warp

_DRAWN = 6.0  # standard deviations: what is drawn lies within


def check_range(z: Propagated, warp: Warp | None, *, calibrated: bool = False) -> None:
    """Refuse a forecast of values whose squares, as of all steps together, overflow.

    Raises
    ------
    ValueError
        With the first such step.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        off = _DRAWN * np.sqrt(z.var)
        ends = [z.mean - off, z.mean + off]
        if warp is not None:
            ends = [warp.backward(end) for end in ends]
        squares = np.square(z.mean.shape[-1] * np.array(ends))
    beyond = ~np.isfinite(squares).all(axis=(0, 1))
    if not beyond.any():
        return
    why = (
        "errors of earlier forecasts, by which calibrate= corrects intervals, were very large. "
        "Pass calibrate=None, or set extreme values to NaN."
        if calibrated
        else "the one-step model runs away from the values it learned from, or the series itself "
        "grows so fast. Forecast fewer steps, the logarithm of the series, or its values in larger "
        "units."
    )
    raise ValueError(
        f"the forecast leaves the range of numbers whose squares a computer can hold at step "
        f"{int(np.argmax(beyond)) + 1}: {why}"
    )
