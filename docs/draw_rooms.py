"""Draw the rooms (subpackages) of the package, top to bottom, from the settings of import-linter.

python docs/draw_rooms.py rooms.png
"""

import ast
import re
import sys
import textwrap
import tomllib
from pathlib import Path

from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]


def layers() -> list[list[str]]:
    """Return the rooms of each layer, from the top to the bottom."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = (
        c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers"
    )
    return [re.findall(r"\w+", layer) for layer in contract["layers"]]


def purpose(room: str) -> str:
    """Return the first line of a room's docstring."""
    folder = ROOT / "gpforecast" / room
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return docstring.split("\n\n")[0].replace("\n", " ").replace("`", "")


def draw() -> Figure:
    """Return the picture: one row for each layer; a room imports only from the rows below it."""
    rows = layers()
    figure = Figure(figsize=(9, 0.66 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 1), ylim=(0, len(rows)))
    axes.axis("off")
    for i, rooms in enumerate(rows):
        y = len(rows) - 1 - i
        for j, room in enumerate(rooms):
            left, width = j / len(rooms) + 0.005, 1 / len(rooms) - 0.01
            shade = 0.95 - 0.25 * i / len(rows)
            axes.add_patch(_box(left, y + 0.08, width, 0.84, (shade, shade, 1.0)))
            axes.text(left + 0.012, y + 0.68, room, weight="bold", size=9, va="center")
            text = "\n".join(textwrap.wrap(purpose(room), round(118 * width))[:2])
            axes.text(left + 0.012, y + 0.46, text, size=7.5, va="top", linespacing=1.1)
    return figure


def _box(x: float, y: float, width: float, height: float, color: tuple[float, ...]):
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.02"
    return FancyBboxPatch((x, y), width, height, boxstyle=style, fc=color, ec="0.4", lw=0.8)


if __name__ == "__main__":
    draw().savefig(sys.argv[1], dpi=150)
