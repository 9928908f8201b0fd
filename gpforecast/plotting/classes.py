"""A picture of the probabilities of classes over time."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gpforecast.common.types import Values
from gpforecast.common.validation import positive_integer
from gpforecast.plotting.matplotlib_drawing import drawn
from gpforecast.plotting.picture import Areas, Line, Marker, Picture, positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

_TRUTH = 1.06  # height of the strip of true classes


@drawn
def class_probabilities(
    probabilities: pd.DataFrame,
    history: Values | None = None,
    *,
    truth: Values | None = None,
    ax: "Axes | None" = None,
    n_history: int | None = None,
    colors: "Sequence[ColorType] | None" = None,
) -> Picture:
    """Draw the probability of each class as stacked areas, after the states of the past.

    Parameters
    ----------
    probabilities : DataFrame (h, C)
        A column for each class, in their order; rows have the sum 1. Such as
        ``EventForecast.probabilities``.
    history : Series, optional
        Classes that were observed before, on the same kind of index; NaN where missing. They fill
        the whole height.
    truth : Series, optional
        Observed classes, as a strip above the areas.
    ax : Axes, optional
        Where to draw; a new figure by default.
    n_history : int, optional
        How many of the last states to draw; by default three times the horizon, at least 24.
    colors : sequence of matplotlib colours, optional
        One for each class; by default from light to dark in their order.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure.

    Raises
    ------
    ValueError
        If probabilities do not have the sum 1, there are too few colours, or a class of `history`
        or `truth` has no column.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import pandas as pd
    >>> days = pd.date_range("2025-03-03", periods=2, freq="D")
    >>> p = pd.DataFrame({"dry": [0.7, 0.6], "rain": [0.3, 0.4]}, index=days)
    >>> ax = class_probabilities(p, pd.Series(["dry", "rain"], days - pd.Timedelta("2D")))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dry', 'rain']
    >>> plt.close(ax.figure)
    """
    if not np.allclose(probabilities.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("probabilities must have the sum 1 in every row; got other sums, or NaN.")
    classes, index = probabilities.columns.tolist(), probabilities.index
    shades = _shades(len(classes), colors)
    whole, origin = probabilities, None
    if history is not None:
        count = max(24, 3 * len(index)) if n_history is None else n_history
        past = _indicators(history.iloc[-positive_integer(count, "n_history") :], classes)
        whole = pd.concat([past, probabilities])
        origin = positions(past.index)[-1] if len(past) else None
    x, y = positions(whole.index), whole.to_numpy(dtype=np.float64)
    areas = Areas(x=x, y=y, labels=[*map(str, classes)], colors=shades)
    strip = () if truth is None else _strip(_indicators(truth, classes), shades)
    return Picture(
        parts=(areas, *strip),
        index=index,
        name="probability",
        legend="right",
        origin=origin,
        y_range=(0.0, _TRUTH + 0.04 if strip else 1.0),
        percent=True,
        ax=ax,
    )


def _strip(observed: pd.DataFrame, shades: "Sequence[ColorType]") -> list[Line]:
    """Return squares for each observed class, above the areas."""
    x, marker = positions(observed.index), Marker(shape="s", size=4.2)
    return [
        Line(x=x[at], y=np.full(at.sum(), _TRUTH), color=shade, width=0, order=6, marker=marker)
        for shade, at in zip(shades, observed.to_numpy().T > 0.0, strict=True)
    ]


def _indicators(states: Values, classes: Sequence[Hashable]) -> pd.DataFrame:
    """Return 1 where a state is of a class, 0 elsewhere and where it is missing."""
    unknown = states.dropna()[~states.dropna().isin(classes)]
    if len(unknown):
        raise ValueError(
            f"every state must be one of the classes {classes!r}; got {unknown.iloc[0]!r}."
        )
    each = {c: (states == c).to_numpy(dtype=np.float64) for c in classes}
    return pd.DataFrame(each, states.index)


def _shades(n: int, colors: "Sequence[ColorType] | None") -> "list[ColorType]":
    """Return a colour for each of n classes."""
    if colors is None:
        from matplotlib import colormaps

        return [colormaps["Blues"](float(level)) for level in np.linspace(0.15, 0.85, n)]
    if len(colors) < n:
        raise ValueError(f"colors must have one for each of the {n} classes; got {len(colors)}.")
    return list(colors[:n])
