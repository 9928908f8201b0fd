"""The templates of a report, and what is put into them. Nothing in them needs a network."""

import base64
import io
from collections.abc import Callable
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


def packaged(file: str) -> str:
    """Return the text of a file of this folder."""
    return files("gpforecast.reporting").joinpath(file).read_text("utf-8")


def filled(file: str, /, fragments: dict[str, str], **texts: object) -> str:
    """Return a template with fragments of HTML in their places, and texts, which are escaped."""
    escaped = {key: escape(str(text)) for key, text in texts.items()}
    return Template(packaged(file)).substitute(fragments | escaped)


def choices(summary: str) -> str:
    """Return the lines of a forecaster's summary: a name of twelve letters or none, and a text."""
    lines = (escape(line) for line in summary.splitlines())
    return "".join(f"<dt>{line[:12].strip()}</dt><dd>{line[12:].strip()}</dd>" for line in lines)


def table(frame: "DataFrame", digits: int = 4) -> str:
    """Return a frame as a table."""
    return frame.to_html(float_format=f"{{:.{digits}g}}".format, border=0, escape=True)


def picture(
    width: float, height: float, draw: Callable[["Axes"], object], n_panels: int = 1
) -> str:
    """Return the address of a picture that holds all of its data, and is drawn on axes."""
    from matplotlib.figure import Figure  # needs no screen, as pyplot does

    figure, data = Figure(figsize=(width, height), layout="constrained"), io.BytesIO()
    draw(figure.subplots(1, n_panels))
    figure.savefig(data, format="png", dpi=144, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode("ascii")
