"""Whether error bars mean what they say: PIT histogram and reliability diagram."""

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer, real_array
from gpforecast.plotting.axes import DASHES, INK, PALETTE, add_legend, axes_or_new, quiet

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

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
        handles += ax.plot(_GRID, curve, color=color, linewidth=1.7, label=name)
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
