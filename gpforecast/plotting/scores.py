"""Pictures of scores: against the forecast step, and whether error bars mean what they say."""

from collections.abc import Mapping, Sequence
from itertools import cycle, product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import positive_integer, real_array
from gpforecast.plotting.matplotlib_drawing import drawn, on_panels
from gpforecast.plotting.picture import INK, PALETTE, Bars, Line, Picture, positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.0, 1.0, 101)
_ENDS = np.array([0.0, 1.0])
_SIZE = (4.6, 4.2)
_LEAST = 0.2  # of an axis of shares, on either side of the nominal one


@drawn
def pit_histogram(
    pit: object, *, bins: int = 10, ax: "Axes | None" = None, color: str = PALETTE[0]
) -> Picture:
    """Draw where the truth fell in its forecasts, as a histogram that honest forecasts make flat.

    High at both ends: the error bars are too narrow. High in the middle: too wide. High at one end:
    the forecasts lie to one side of the truth.

    Parameters
    ----------
    pit : array-like, or object with an attribute ``pit``
        Probability integral transforms, such as `gpforecast.scores.pit` returns, of any shape; or
        a `Backtest`. NaN is left out.
    bins : int
        How many, all of one width.
    ax : Axes, optional
        Where to draw; a new figure by default.
    color : str
        A matplotlib colour.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If there is nothing to draw, or a value is no probability.

    Notes
    -----
    Bars are densities, so that 1 is the level of an honest forecast. Steps of one forecast lean the
    same way, so how far bars may stray from 1 by chance depends on how many origins there are,
    not on how many values.

    References
    ----------
    Gneiting, Balabdaoui & Raftery (2007), section 3.1.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = pit_histogram([0.1, 0.3, 0.6, 0.9], bins=2)
    >>> [float(bar.get_height()) for bar in ax.patches]
    [1.0, 1.0]
    >>> plt.close(ax.figure)
    """
    n_bins = positive_integer(bins, "bins")
    heights, ends = np.histogram(_probabilities(pit), n_bins, range=(0.0, 1.0), density=True)
    even = Line(x=_ENDS, y=np.ones(2), color=INK, width=0.9, dash="--", order=1)
    return Picture(
        parts=(Bars(x=ends, y=heights, color=color), even),
        index=pd.Index(_ENDS, name="where the truth fell in its forecast"),
        name="density",
        size=_SIZE,
        ax=ax,
    )


@drawn
def reliability(
    pit: object, *, ax: "Axes | None" = None, colors: tuple[str, ...] = PALETTE
) -> Picture:
    """Draw how often central intervals held the truth, against how often they should.

    An honest forecast lies on the diagonal; below it, the intervals are too narrow.

    Parameters
    ----------
    pit : array-like, object with an attribute ``pit``, or dict of str to either
        Probability integral transforms, or a `Backtest`; a dict names several, one curve each.
    ax : Axes, optional
        Where to draw; a new figure by default.
    colors : tuple of str
        matplotlib colours, used in turn.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If there is nothing to draw, or a value is no probability.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = reliability({"exact": [0.1, 0.4, 0.8], "naive": [0.0, 1.0, 0.99]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['exact', 'naive']
    >>> plt.close(ax.figure)
    """
    named = pit if isinstance(pit, Mapping) else {"": pit}
    if not named:
        raise ValueError("pit must name at least one method; got an empty dict.")
    diagonal = Line(x=_ENDS, y=_ENDS, color=INK, width=0.9, dash="--", order=1)
    curves = [
        Line(x=_GRID, y=observed_coverage(each, _GRID), color=color, label=str(name), width=1.7,
             order=2)
        for (name, each), color in zip(named.items(), cycle(colors), strict=False)
    ]  # fmt: skip
    return Picture(
        parts=(diagonal, *curves),
        index=pd.Index(_ENDS, name="level of the interval"),
        name="truths it held",
        legend="above" if named is pit else "",
        y_range=(0.0, 1.0),
        size=_SIZE,
        ax=ax,
    )


def observed_coverage(pit: object, levels: ArrayLike) -> FloatArray:
    """Return the fraction of truths within the central interval of each level.

    Parameters
    ----------
    pit : array-like, or object with an attribute ``pit``
    levels : array-like (k,)
        Fractions between 0 and 1.

    Returns
    -------
    ndarray (k,)

    Examples
    --------
    >>> observed_coverage([0.5, 0.05, 0.7, 0.99], [0.5, 0.95])
    array([0.5 , 0.75])
    """
    off = np.sort(np.abs(2.0 * _probabilities(pit) - 1.0))
    # A level's own edge counts, but for the rounding of 2 p - 1.
    edges = real_array(levels, "levels") + 1e-12
    return np.asarray(np.searchsorted(off, edges, side="right") / len(off))


def _probabilities(pit: object) -> FloatArray:
    values = real_array(getattr(pit, "pit", pit), "pit").ravel()
    values = values[~np.isnan(values)]
    if not len(values):
        raise ValueError("pit must hold at least one value that is not missing; got none.")
    odd = values[(values < 0) | (values > 1)]
    if len(odd):
        raise ValueError(
            f"pit must hold probabilities between 0 and 1; got {odd[0]:g}. Pass what "
            f"gpforecast.scores.pit returns, or a Backtest."
        )
    return values


@drawn
def step_curves(
    scores: pd.DataFrame | Mapping[str, pd.DataFrame],
    *,
    columns: str | Sequence[str] | None = None,
    ax: "Axes | None" = None,
    nominal: float | None = None,
    colors: Sequence[str] = PALETTE,
) -> Picture:
    """Draw scores against the forecast step, for one method or several.

    Parameters
    ----------
    scores : DataFrame or dict of str to DataFrame
        Frames indexed by step (1, 2, ...) with one column per score. A dict names the methods.
        Each score of each method gets a colour.
    columns : str or sequence of str, optional
        The scores to draw; by default all that every frame has.
    ax : Axes, optional
        Where to draw; a new figure by default.
    nominal : float, optional
        The fraction, between 0 and 1, that a coverage should have, drawn as a thin line across.
    colors : sequence of str
        matplotlib colours, used in turn.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure.

    Raises
    ------
    ValueError
        If there is nothing to draw, a column is missing, or `nominal` is no fraction.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import pandas as pd
    >>> from gpforecast.plotting import step_curves
    >>> steps = pd.RangeIndex(1, 4, name="step")
    >>> exact = pd.DataFrame({"coverage": [0.95, 0.94, 0.95]}, index=steps)
    >>> naive = pd.DataFrame({"coverage": [0.95, 0.71, 0.52]}, index=steps)
    >>> ax = step_curves({"exact": exact, "naive": naive}, nominal=0.95)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['exact', 'naive', 'nominal 95 %']
    >>> plt.close(ax.figure)
    """
    frames = scores if isinstance(scores, Mapping) else {"": scores}
    names = _score_columns(frames, columns)
    curves = [
        Line(
            x=positions(frame.index),
            y=real_array(frame[name], f"column {name!r}", ndim=1),
            color=color,
            label=f"{method} {name}".strip() if len(names) > 1 else method or name,
            order=2,
        )
        for ((method, frame), name), color in zip(
            product(frames.items(), names), cycle(colors), strict=False
        )
    ]
    parts, y_range = [*curves], None
    if nominal is not None:
        if not 0 < nominal < 1:
            raise ValueError(f"nominal must be a fraction such as 0.95; got {nominal!r}.")
        ends, label = curves[0].x[[0, -1]], f"nominal {100 * nominal:g} %"
        y = np.full(2, nominal)
        parts.append(Line(x=ends, y=y, color="0.45", label=label, width=0.9, dash="--", order=2))
        # The axis is so long that one miss is no collapse.
        least = [nominal - _LEAST, min(nominal + _LEAST, 1.0)]
        y = np.concatenate([least, *(curve.y for curve in curves)])
        y_range = (float(np.nanmin(y)) - 0.02, float(np.nanmax(y)) + 0.02)
    index = next(iter(frames.values())).index
    return Picture(
        parts=tuple(parts),
        index=index.rename("step") if index.name is None else index,
        name=names[0] if len(names) == 1 else "",
        legend="above" if len(parts) > 1 else "",
        y_range=y_range,
        ax=ax,
    )


def step_panels(
    scores: pd.DataFrame | Mapping[str, pd.DataFrame],
    columns: str | Sequence[str],
    *,
    axes: "Axes | Sequence[Axes] | npt.NDArray[np.object_] | None" = None,
) -> npt.NDArray[np.object_]:
    """Draw several scores against the forecast step, one panel each.

    Parameters
    ----------
    scores : DataFrame or dict of str to DataFrame
        As for `step_curves`.
    columns : str or sequence of str
        One panel for each. A column named ``coverage_95`` gets a line at 0.95.
    axes : Axes or sequence of Axes, optional
        One for each column; by default those of a new figure, side by side.

    Returns
    -------
    ndarray of Axes

    Raises
    ------
    ValueError
        As `step_curves`, and if there are not as many axes as columns.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> frame = pd.DataFrame({"mae": [0.1, 0.2], "coverage_95": [0.95, 0.93]}, index=[1, 2])
    >>> axes = step_panels({"exact": frame}, ["mae", "coverage_95"])
    >>> len(axes)
    2
    >>> plt.close(axes[0].figure)
    """
    pictures = []
    for name in map(str, np.atleast_1d(columns)):
        percent = name.removeprefix("coverage_")
        nominal = float(percent) / 100 if name != percent and percent.isdigit() else None
        pictures.append(step_curves.picture(scores, columns=name, nominal=nominal))
    if axes is None:
        import matplotlib.pyplot as plt

        n = len(pictures)
        _, axes = plt.subplots(1, n, figsize=(4.2 * n, 3.4), layout="constrained")
    return on_panels(pictures, axes)


def _score_columns(
    frames: Mapping[str, pd.DataFrame], columns: str | Sequence[str] | None
) -> list[str]:
    """List the scores to draw: those that are named, or all that every frame has."""
    each = list(frames.values())
    first = each[0].columns.tolist() if each else []
    shared = [c for c in first if all(c in frame for frame in each)]
    names = shared if columns is None else np.atleast_1d(columns).tolist()
    if not set(names) <= set(shared) or not names:
        raise ValueError(
            f"columns must be among the scores that every frame has, {shared}; got {names}."
        )
    return names
