"""The templates of a report, and what is put into them. Nothing in them needs a network."""

import base64
import io
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

_NARROW = 4.2  # inches, for telephones: letters are then as large as those of the text


def packaged(file: str) -> str:
    """Return the text of a file of this folder."""
    return files("gpforecast.reporting").joinpath(file).read_text("utf-8")


def filled(file: str, /, fragments: dict[str, str], **texts: object) -> str:
    """Return a template with fragments of HTML in their places, and texts, which are escaped."""
    escaped = {key: escape(str(text)) for key, text in texts.items()}
    return Template(packaged(file)).substitute(fragments | escaped)


def listed(entries: Mapping[str, str]) -> str:
    """Return the entries of a list of terms and what is said of them."""
    return "".join(
        f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in entries.items()
    )


def facts(entries: Mapping[str, str]) -> str:
    """Return names and figures, as a list that is read at a glance."""
    pairs = "".join(
        f"<div><dt>{escape(key)}</dt><dd>{escape(text)}</dd></div>" for key, text in entries.items()
    )
    return f'<dl class="facts">{pairs}</dl>'


def settings(summary: str) -> str:
    """Return the lines of a forecaster's summary: a name of twelve letters or none, and a text."""
    lines = (escape(line) for line in summary.splitlines())
    return "".join(f"<dt>{line[:12].strip()}</dt><dd>{line[12:].strip()}</dd>" for line in lines)


def table(frame: "DataFrame", digits: int = 4, classes: str = "numbers") -> str:
    """Return a frame as a table."""
    written = f"{{:.{digits}g}}".format
    return frame.to_html(float_format=written, border=0, escape=True, classes=classes)


def picture(
    width: float,
    height: float,
    draw: Callable[["Axes"], object],
    *,
    alt: str,
    caption: str = "",
    n_panels: int = 1,
) -> str:
    """Return a figure whose pictures hold all of their data, and are drawn on axes.

    One that is wide is drawn twice: narrow screens show a narrow one, its panels below each other.
    """
    wide = _png(width, height, draw, (1, n_panels))
    narrow = ""
    if width > _NARROW:
        address = _png(_NARROW, max(height, 2.8) * n_panels, draw, (n_panels, 1))
        narrow = f'<source media="(max-width: 36rem)" srcset="{address}">'
    said = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    image = f'<picture>{narrow}<img src="{wide}" alt="{escape(alt)}"></picture>'
    return f"<figure>{image}{said}</figure>"


def _png(
    width: float, height: float, draw: Callable[["Axes"], object], panels: tuple[int, int]
) -> str:
    from matplotlib.figure import Figure  # needs no screen, as pyplot does

    figure, data = Figure(figsize=(width, height), layout="constrained"), io.BytesIO()
    draw(figure.subplots(*panels))
    figure.savefig(data, format="png", dpi=144, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode("ascii")
