"""Whether error bars mean what they say: PIT histogram and reliability diagram."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer, real_array
from gpforecast.plotting.axes import INK, PALETTE, add_legend, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.0, 1.0, 101)


def pit_histogram(
    pit: Any, *, bins: int = 10, ax: "Axes | None" = None, color: str = PALETTE[0]
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
        Any matplotlib colour.

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
    ax = _square_axes() if ax is None else ax
    ax.hist(
        values, bins=n_bins, range=(0.0, 1.0), density=True, color=color, alpha=0.55,
        edgecolor="white", linewidth=1.0,
    )  # fmt: skip
    ax.axhline(1.0, **_nominal_style())
    quiet(ax)
    ax.set_xlim(0, 1)
    if not ax.get_xlabel():
        ax.set_xlabel("where the truth fell in its forecast")
    if not ax.get_ylabel():
        ax.set_ylabel("density")
    return ax


def reliability(pit: Any, *, ax: "Axes | None" = None, colors: tuple[str, ...] = PALETTE) -> "Axes":
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
    curves = {name: observed_coverage(values, _GRID) for name, values in named.items()}
    ax = _square_axes() if ax is None else ax
    ax.plot([0, 1], [0, 1], **_nominal_style())
    handles: list[Any] = []
    for i, (name, curve) in enumerate(curves.items()):
        handles += ax.plot(
            _GRID, curve, color=colors[i % len(colors)], linewidth=1.7, label=str(name)
        )
    quiet(ax)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_aspect("equal")
    if not ax.get_xlabel():
        ax.set_xlabel("level of the interval")
    if not ax.get_ylabel():
        ax.set_ylabel("truths it held")
    if isinstance(pit, Mapping):
        add_legend(ax, handles, np.empty(0))
    return ax


def observed_coverage(pit: Any, levels: Any) -> FloatArray:
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


def _probabilities(pit: Any) -> FloatArray:
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


def _nominal_style() -> dict[str, Any]:
    return {"color": INK, "linewidth": 0.9, "linestyle": (0, (4, 3)), "zorder": 1}


def _square_axes() -> "Axes":
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(4.6, 4.2), layout="constrained")[1]
