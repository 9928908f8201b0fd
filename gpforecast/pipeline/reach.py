"""Whether a forecast stays among the numbers whose squares, as variances are, can be held."""

import numpy as np

from gpforecast.propagation.recursion import Propagated
from gpforecast.transforms.base import Warp

_REACH = 6.0  # standard deviations: what is drawn lies within


def check_reach(z: Propagated, warp: Warp | None) -> None:
    """Refuse a forecast that reaches values whose squares, as of all steps together, overflow."""
    step = _first_beyond(z, warp)
    if step:
        raise ValueError(
            f"the forecast leaves the range of numbers whose squares a computer can hold at step "
            f"{step}: the one-step model runs away from the values it learned from, or the series "
            f"itself grows so fast. Forecast fewer steps, the logarithm of the series, or its "
            f"values in larger units."
        )


def check_calibrated_reach(z: Propagated, warp: Warp | None) -> None:
    """Refuse the same of a forecast whose spread was corrected by earlier errors."""
    step = _first_beyond(z, warp)
    if step:
        raise ValueError(
            f"the calibrated forecast leaves the range of numbers whose squares a computer can "
            f"hold at step {step}: errors of earlier forecasts were so large that the transform "
            f"stretches the corrected intervals beyond it. Set single extreme values to NaN, "
            f"choose other transforms, or pass calibrate=None."
        )


def _first_beyond(z: Propagated, warp: Warp | None) -> int:
    """Return the first step, from 1, that reaches beyond; 0 if none does."""
    with np.errstate(over="ignore", invalid="ignore"):
        off = _REACH * np.sqrt(np.einsum("bhh->bh", z.covariance))
        ends = [z.mean - off, z.mean + off]
        if warp is not None:
            ends = [warp.backward(end) for end in ends]
        squares = np.square(z.mean.shape[-1] * np.array(ends))
    beyond = ~np.isfinite(squares).all(axis=(0, 1))
    return int(np.argmax(beyond)) + 1 if beyond.any() else 0
