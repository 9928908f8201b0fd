"""Pictures of scores: against the forecast step, and whether error bars mean what they say."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer, real_array
from gpforecast.plotting.axes import (
    DASHES,
    INK,
    PALETTE,
    add_legend,
    axes_or_new,
    dress,
    plain,
    quiet,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_LINE_STYLES = ("-", "--", ":", "-.")
_GRID = np.linspace(0.0, 1.0, 101)
_SQUARE = (4.6, 4.2)


def pit_histogram(
    pit: object, *, bins: int = 10, ax: "Axes | None" = None, color: str = PALETTE[0]
) -> "Axes":
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
    values = _probabilities(pit)
    n_bins = positive_integer(bins, "bins")
    ax = axes_or_new(ax, *_SQUARE)
    ax.hist(
        values, bins=n_bins, range=(0.0, 1.0), density=True, color=color, alpha=0.55,
        edgecolor="white", linewidth=1.0,
    )  # fmt: skip
    ax.axhline(1.0, color=INK, linewidth=0.9, linestyle=DASHES, zorder=1)
    quiet(ax, "where the truth fell in its forecast", "density")
    ax.set_xlim(0, 1)
    return ax


def reliability(
    pit: object,
    *,
    ax: "Axes | None" = None,
    colors: tuple[str, ...] = PALETTE,
) -> "Axes":
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
    curves = {str(name): observed_coverage(values, _GRID) for name, values in named.items()}
    ax = axes_or_new(ax, *_SQUARE)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.9, linestyle=DASHES, zorder=1)
    handles: list[Artist] = []
    for (name, curve), color in zip(curves.items(), cycle(colors), strict=False):
        handles += ax.plot(_GRID, curve, color=color, linewidth=1.7, label=plain(name))
    quiet(ax, "level of the interval", "truths it held")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    if named is pit:
        add_legend(ax, handles, np.empty(0))
    return ax


def observed_coverage(pit: object, levels: npt.ArrayLike) -> FloatArray:
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
    wanted = real_array(levels, "levels") + 1e-12
    held: FloatArray = np.searchsorted(off, wanted, side="right") / len(off)
    return held


def _probabilities(pit: object) -> FloatArray:
    values = real_array(getattr(pit, "pit", pit), "pit").ravel()
    values = values[~np.isnan(values)]
    if not len(values):
        raise ValueError("pit must hold at least one value that is not missing; got none.")
    if values.min() < 0 or values.max() > 1:
        odd = values.min() if values.min() < 0 else values.max()
        raise ValueError(
            f"pit must hold probabilities between 0 and 1; got {odd:g}. Pass what "
            f"gpforecast.scores.pit returns, or a Backtest."
        )
    return values


def step_curves(
    scores: pd.DataFrame | Mapping[str, pd.DataFrame],
    *,
    columns: str | Sequence[str] | None = None,
    ax: "Axes | None" = None,
    nominal: float | None = None,
    colors: Sequence[str] = PALETTE,
) -> "Axes":
    """Draw scores against the forecast step, for one method or several.

    Parameters
    ----------
    scores : DataFrame or dict of str to DataFrame
        Frames indexed by step (1, 2, ...) with one column per score. A dict names the methods:
        each gets a colour, and each score a line style. Of a single frame each score gets a
        colour.
    columns : str or sequence of str, optional
        The scores to draw; by default all that every frame has.
    ax : Axes, optional
        Where to draw; a new figure by default.
    nominal : float, optional
        The fraction, between 0 and 1, that a coverage should reach, drawn as a thin line across.
    colors : sequence of str
        matplotlib colours, used in turn.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure.

    Raises
    ------
    TypeError
        If `scores` holds anything but frames.
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
    from matplotlib.ticker import AutoLocator

    frames = scores if isinstance(scores, Mapping) else {"scores": scores}
    single = frames is not scores
    wanted = _score_columns(frames, columns)
    if nominal is not None and not 0 < nominal < 1:
        raise ValueError(f"nominal must be a fraction such as 0.95; got {nominal!r}.")
    ax = axes_or_new(ax)
    handles: list[Artist] = []
    for i, (method, frame) in enumerate(frames.items()):
        for j, (column, style) in enumerate(zip(wanted, cycle(_LINE_STYLES), strict=False)):
            y = real_array(frame[column], f"column {column!r}", ndim=1)
            label, k = (column, j) if single else (method, i)
            lines = ax.plot(frame.index, y, label=plain(label), color=colors[k % len(colors)])
            lines[0].set(linewidth=1.5, linestyle="-" if single else style)
            handles += lines if single or j == 0 else []
    if not single and len(wanted) > 1:
        # A colour is a method, a style a score; empty lines put the styles into the legend.
        for column, style in zip(wanted, cycle(_LINE_STYLES), strict=False):
            handles += ax.plot([], [], color="0.3", linestyle=style, label=column)
    if nominal is not None:
        text = f"nominal {100 * nominal:g} %"
        handles.append(ax.axhline(nominal, label=text, color="0.45", lw=0.9, linestyle=DASHES))
    index = next(iter(frames.values())).index
    named = index.rename("step") if index.name is None else index
    dress(ax, named, wanted[0] if len(wanted) == 1 else "")
    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, AutoLocator):
        locator.set_params(integer=True)
    if len(handles) > 1:
        drawn = [np.asarray(line.get_ydata(), dtype=float) for line in ax.lines]
        add_legend(ax, handles, np.concatenate(drawn))
    return ax


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
    TypeError, ValueError
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
    names = [str(name) for name in np.atleast_1d(columns)]
    if axes is None:
        import matplotlib.pyplot as plt

        size = (4.2 * len(names), 3.4)
        _, axes = plt.subplots(1, len(names), figsize=size, squeeze=False, layout="constrained")
    panels = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(panels) != len(names):
        raise ValueError(f"axes must be one for each of {names}; got {len(panels)}.")
    for ax, name in zip(panels, names, strict=True):
        percent = name.removeprefix("coverage_")
        nominal = float(percent) / 100 if name != percent and percent.isdigit() else None
        step_curves(scores, columns=name, ax=ax, nominal=nominal)
    return panels


def _score_columns(
    frames: Mapping[str, pd.DataFrame], columns: str | Sequence[str] | None
) -> list[str]:
    """List the scores to draw, after a check of the frames."""
    for method, frame in frames.items():
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(
                f"scores must be a DataFrame indexed by step, or a dict of them; got "
                f"{type(frame).__name__} for {method!r}."
            )
        if frame.empty:
            raise ValueError(
                f"scores must have rows and columns; got an empty frame for {method!r}."
            )
    if not frames:
        raise ValueError("scores must name at least one method; got an empty dict.")
    first, *others = frames.values()
    shared = [c for c in first.columns if all(c in frame for frame in others)]
    wanted = shared if columns is None else np.atleast_1d(columns).tolist()
    missing = [c for c in wanted if c not in shared]
    if missing or not wanted:
        raise ValueError(
            f"columns must be among the scores that every frame has, {shared}; got {missing}."
        )
    return wanted
