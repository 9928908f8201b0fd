"""Pictures of scores: against the forecast step, and whether error bars mean what they say."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import is_frame, positive_integer, real_array
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.picture import DASHES, INK, PALETTE, Bars, Level, Line, Picture
from gpforecast.plotting.times import positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE_STYLES = ("-", "--", ":", "-.")
_GRID = np.linspace(0.0, 1.0, 101)
_SQUARE = (4.6, 4.2)
_BESIDE = 0.2  # of an axis of shares, on either side of the nominal one at least
_MARGIN = 0.02


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
    return on_axes(pit_picture(pit, bins=bins, color=color), ax)


def pit_picture(pit: object, *, bins: int = 10, color: str = PALETTE[0]) -> Picture:
    """Return what `pit_histogram` draws."""
    n_bins = positive_integer(bins, "bins")
    heights, ends = np.histogram(_probabilities(pit), n_bins, range=(0.0, 1.0), density=True)
    even = Level(at=1.0, color=INK, dash=DASHES, order=1)
    return Picture(
        parts=(Bars(ends=ends, heights=heights, color=color), even),
        index=pd.Index([0.0, 1.0], name="where the truth fell in its forecast"),
        name="density",
        x_range=(0.0, 1.0),
        size=_SQUARE,
    )


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
    return on_axes(reliability_picture(pit, colors=colors), ax)


def reliability_picture(pit: object, *, colors: tuple[str, ...] = PALETTE) -> Picture:
    """Return what `reliability` draws."""
    named = pit if isinstance(pit, Mapping) else {"": pit}
    if not named:
        raise ValueError("pit must name at least one method; got an empty dict.")
    curves = {str(name): observed_coverage(values, _GRID) for name, values in named.items()}
    ends = np.array([0.0, 1.0])
    return Picture(
        parts=(
            Line(x=ends, y=ends, color=INK, width=0.9, dash=DASHES, order=1),
            *(
                Line(x=_GRID, y=curve, color=color, label=name, width=1.7, order=2)
                for (name, curve), color in zip(curves.items(), cycle(colors), strict=False)
            ),
        ),
        index=pd.Index(ends, name="level of the interval"),
        name="truths it held",
        legend="above" if named is pit else "",
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        square=True,
        size=_SQUARE,
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
    picture = curves_picture(scores, columns=columns, nominal=nominal, colors=colors)
    return on_axes(picture, ax)


def curves_picture(
    scores: pd.DataFrame | Mapping[str, pd.DataFrame],
    *,
    columns: str | Sequence[str] | None = None,
    nominal: float | None = None,
    colors: Sequence[str] = PALETTE,
) -> Picture:
    """Return what `step_curves` draws."""
    frames = scores if isinstance(scores, Mapping) else {"scores": scores}
    single = frames is not scores
    wanted = _score_columns(frames, columns)
    if nominal is not None and not 0 < nominal < 1:
        raise ValueError(f"nominal must be a fraction such as 0.95; got {nominal!r}.")
    parts: list[Line | Level] = []
    for i, (method, frame) in enumerate(frames.items()):
        x = positions(frame.index)
        for j, (column, style) in enumerate(zip(wanted, cycle(_LINE_STYLES), strict=False)):
            y = real_array(frame[column], f"column {column!r}", ndim=1)
            k, label = (j, column) if single else (i, method if j == 0 else "")
            dash = "-" if single else style
            parts.append(
                Line(x=x, y=y, color=colors[k % len(colors)], label=label, dash=dash, order=2)
            )
    if not single and len(wanted) > 1:
        # A colour is a method, a style a score; empty lines put the styles into the legend.
        none = np.empty(0)
        for column, style in zip(wanted, cycle(_LINE_STYLES), strict=False):
            parts.append(Line(x=none, y=none, color="0.3", label=column, dash=style))
    if nominal is not None:
        text = f"nominal {100 * nominal:g} %"
        parts.append(Level(at=nominal, color="0.45", label=text, dash=DASHES))
    index = next(iter(frames.values())).index
    drawn = np.concatenate([part.y for part in parts if isinstance(part, Line)])
    return Picture(
        parts=tuple(parts),
        y_range=None if nominal is None else _around(nominal, drawn[np.isfinite(drawn)]),
        index=index.rename("step") if index.name is None else index,
        name=wanted[0] if len(wanted) == 1 else "",
        legend="above" if sum(bool(part.label) for part in parts) > 1 else "",
        most=None if nominal is None else 1.0,
        whole=True,
    )


def _around(nominal: float, shares: FloatArray) -> tuple[float, float]:
    """Return the ends of an axis of shares, far enough apart that one miss is no collapse."""
    low = min(shares.min(initial=1.0), nominal - _BESIDE)
    high = max(shares.max(initial=0.0), min(nominal + _BESIDE, 1.0))
    return float(low) - _MARGIN, float(high) + _MARGIN


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
        if not is_frame(frame):
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
