"""What every score does before and after its formula: check, line up, average."""

from typing import Any, TypeAlias

import numpy as np

from gpforecast.common.kinds import is_frame, is_labelled
from gpforecast.common.types import FloatArray, SeriesLike
from gpforecast.common.validation import positive_integer, real_array

Values: TypeAlias = SeriesLike
Axis: TypeAlias = int | tuple[int, ...] | None
# A float when axis is None, an array otherwise; typed as NumPy's own reductions are.
Score: TypeAlias = Any


def naive_error(history: Values, period: int) -> float:
    """Return ``mean |h_t - h_(t - period)|``, the scale of `mase` and `msis`."""
    period = positive_integer(period, "period")
    h = real_array(history, "history", ndim=1)
    if len(h) <= period:
        raise ValueError(
            f"history has {len(h)} values but period={period} needs at least {period + 1}; pass "
            f"all the values the forecaster learned from, or a shorter period."
        )
    scale = float(np.abs(h[period:] - h[:-period]).mean())
    if scale == 0.0:
        raise ValueError(
            f"history must change from one period to the next to give a scale; got {len(h)} "
            f"values that repeat with period={period}. Use mae or interval_score instead."
        )
    return scale


def gaussian_arrays(y_true: Values, mean: Values, var: Values) -> tuple[FloatArray, ...]:
    """Return true values, means and positive variances as arrays of one shape."""
    y, m, v = broadcast(y_true=y_true, mean=mean, var=var)
    if (v <= 0.0).any():
        raise ValueError(
            f"var must be positive; got {np.nanmin(v):g}. Pass the variances of observations, "
            f"which include the noise."
        )
    return y, m, v


def interval_arrays(
    y_true: Values, lower: Values, upper: Values, **others: Values
) -> tuple[FloatArray, ...]:
    """Return true values, the ends of their intervals and the others as arrays of one shape."""
    arrays = broadcast(y_true=y_true, lower=lower, upper=upper, **others)
    crossed = np.argwhere(arrays[1] > arrays[2])
    if len(crossed):
        at = tuple(int(i) for i in crossed[0])
        raise ValueError(
            f"lower must not be above upper; got {arrays[1][at]:g} above {arrays[2][at]:g} at "
            f"position {at}. Are they in the wrong order?"
        )
    return arrays


def check_probability(value: Values, name: str) -> None:
    """Refuse what does not lie strictly between 0 and 1."""
    array = real_array(value, name)
    wrong = array[(array <= 0.0) | (array >= 1.0)]
    if wrong.size:
        raise ValueError(
            f"{name} must be between 0 and 1, both excluded; got {wrong[0]:g}. A percentage "
            f"must be divided by 100."
        )


def broadcast(**values: Values) -> tuple[FloatArray, ...]:
    """Return the values as arrays of one shape, or say whose shape does not fit."""
    check_labels(values)
    arrays = [real_array(v, name) for name, v in columns_as_vectors(values).items()]
    listed, shapes = " and ".join(values), ", ".join(str(array.shape) for array in arrays)
    try:
        matched = tuple(np.broadcast_arrays(*arrays))
    except ValueError:
        raise ValueError(
            f"{listed} must have shapes that broadcast; got {shapes}. Is the forecast as long as "
            f"the true values?"
        ) from None
    if matched[0].size > max(array.size for array in arrays):
        raise ValueError(
            f"{listed} must match value by value; got {shapes}, which would pair each with each, "
            f"{matched[0].shape}. Flatten the column with .ravel(), or use np.broadcast_to if the "
            f"pairs are meant."
        )
    return matched


def columns_as_vectors(values: dict[str, Values]) -> dict[str, Values]:
    """Return frames of one column as Series where all the others are vectors or numbers."""
    frames = {k: v for k, v in values.items() if is_frame(v) and v.shape[1] == 1}
    others = (np.ndim(v) for k, v in values.items() if k not in frames)
    if max(others, default=0) != 1:
        return values
    return {**values, **{k: frame.iloc[:, 0] for k, frame in frames.items()}}


def check_labels(values: dict[str, Values]) -> None:
    """Refuse pandas objects that have as many rows but not the same labels."""
    labelled = {k: v.index for k, v in values.items() if is_labelled(v)}
    for other_name, other in labelled.items():
        name, index = next(iter(labelled.items()))
        if len(other) == len(index) and not other.equals(index):
            at = next((i for i in range(len(index)) if other[i] != index[i]), 0)
            raise ValueError(
                f"{other_name} must have the index of {name}; got {other[at]!r} where {name} has "
                f"{index[at]!r}. Align them, or pass {other_name}.to_numpy() to match them by "
                f"position."
            )


def average(values: FloatArray, axis: Axis) -> Score:
    """Return the mean over `axis`: a float when no axis is left, an array otherwise."""
    if np.size(values) == 0:
        raise ValueError(f"y_true must hold at least one value; got shape {np.shape(values)}.")
    mean = np.mean(values, axis=axis)
    return mean if np.ndim(mean) else float(mean)
