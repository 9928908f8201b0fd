"""The figure of ``against_peers.py``: time against N, and dots where there is only one size."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

_COLOURS = {
    "gpforecast": "#0b5fa5",
    "NumPy/BLAS": "#7a7a7a",
    "NumPy twin": "#b8b8b8",
    "GPflow": "#e07b00",
    "scikit-learn": "#c0392b",
    "GPy": "#8e44ad",
    "GPyTorch": "#2e8b57",
}


def _colour(library: str) -> str:
    # "GPyTorch" begins with "GPy", so the longest name that matches is used.
    fits = [name for name in _COLOURS if library.startswith(name)]
    return _COLOURS[max(fits, key=len)] if fits else "black"


def draw(rows: list[Any], path: Path) -> None:
    """Draw the rows of a run, whatever sections it had, one panel each."""
    kinds = list(dict.fromkeys(row.what for row in rows))
    n_columns = min(3, len(kinds))
    n_rows = -(-len(kinds) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(5.0 * n_columns, 3.8 * n_rows), squeeze=False
    )
    for ax, kind in zip(axes.flat, kinds, strict=False):
        of_kind = [row for row in rows if row.what == kind]
        if len({row.n for row in of_kind}) > 1:
            _lines(ax, of_kind)
        else:
            _dots(ax, of_kind)
        ax.set_title(kind, loc="left")
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes.flat[len(kinds) :]:
        ax.set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _lines(ax: Any, rows: list[Any]) -> None:
    for library in dict.fromkeys(row.library for row in rows):
        points = sorted((row.n, row.seconds) for row in rows if row.library == library)
        style = "--" if "conditional" in library or "blocks" in library else "-"
        style = ":" if library.startswith("arithmetic") else style
        n, seconds = zip(*points, strict=True)
        ax.loglog(n, seconds, style, marker="o", ms=4, color=_colour(library), label=library)
    sizes = sorted({row.n for row in rows})
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.set_xlabel("training rows N")
    ax.set_ylabel("seconds")
    ax.legend(frameon=False, fontsize=7, loc="upper left", ncols=2)
    ax.set_ylim(top=ax.get_ylim()[1] * 30)  # space for the legend


def _dots(ax: Any, rows: list[Any]) -> None:
    """Draw points, not bars: on a logarithmic axis a bar's length would mean nothing."""
    names = [row.library for row in rows]
    seconds = [row.seconds for row in rows]
    for y, (name, t) in enumerate(zip(names, seconds, strict=True)):
        ax.plot(t, y, "o", color=_colour(name), ms=9, mfc="none" if "," in name else None)
        ax.annotate(f"{t:.3g} s", (t, y), (10, 0), textcoords="offset points", va="center")
    ax.set_yticks(range(len(names)), names)
    ax.set_xscale("log")
    lowest, highest = np.floor(np.log10(min(seconds))), np.ceil(np.log10(2 * max(seconds)))
    ax.set_xlim(10**lowest, 10**highest)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="y", color="0.9")
    ax.set_axisbelow(True)
    ax.minorticks_off()
    ax.set_xlabel("seconds")
