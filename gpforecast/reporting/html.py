"""The templates of a report, and what is put into them. Nothing in them needs a network."""

import base64
import io
from collections.abc import Callable
from functools import partial
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from gpforecast.common.wording import grouped
from gpforecast.plotting.matplotlib_drawing import on_panels
from gpforecast.plotting.picture import Picture
from gpforecast.plotting.plotly_drawing import page_data, plotly_code

if TYPE_CHECKING:
    from pandas import DataFrame

_NARROW = 4.2  # inches, for telephones: letters are then as large as those of the text


def packaged(file: str) -> str:
    """Return the text of a file of this folder."""
    return files("gpforecast.reporting").joinpath(file).read_text("utf-8")


def filled(file: str, /, fragments: dict[str, str], **texts: object) -> str:
    """Return a template with fragments of HTML in their places, and texts, which are escaped."""
    escaped = {key: escape(str(text)) for key, text in texts.items()}
    return Template(packaged(file)).substitute(fragments | escaped)


def table(frame: "DataFrame", decimals: int | None = None, classes: str = "numbers") -> str:
    """Return a frame as a table; its numbers have so many decimals, or four digits."""
    written: Callable[[float], str] = partial(grouped, digits=4)
    if decimals is not None:
        written = f"{{:,.{decimals}f}}".format
    name = frame.index.name
    headed = frame if name is None else frame.rename_axis(index=None, columns=str(name))
    return headed.to_html(float_format=written, border=0, escape=True, classes=classes)


def picture(
    width: float,
    height: float,
    *pictures: Picture,
    alt: str,
    interactive: bool = False,
) -> str:
    """Return an image of pictures side by side, which holds all of their data.

    One that is wide is drawn twice: narrow screens show a narrow one, its panels below each other.
    An interactive one is added to it: paper, and screens without scripts, show the others.
    """
    wide = _png(width, height, pictures, (1, len(pictures)))
    narrow = ""
    if width > _NARROW:
        address = _png(_NARROW, max(height, 2.8) * len(pictures), pictures, (len(pictures), 1))
        narrow = f'<source media="(max-width: 36rem)" srcset="{address}">'
    image = f'<picture>{narrow}<img src="{wide}" alt="{escape(alt)}"></picture>'
    live = _interactive(width / len(pictures) / height, pictures, alt) if interactive else ""
    return f"{live}{image}"


def scripts() -> str:
    """Return plotly's code, and what draws the interactive pictures of a page."""
    return f"<script>{plotly_code()}</script>\n<script>{packaged('interactive.js')}</script>"


def _interactive(shape: float, pictures: "tuple[Picture, ...]", alt: str) -> str:
    """Return places for plotly's figures, each with its data, in which no mark ends the script."""
    places = []
    for one in pictures:
        data = page_data(one).replace("<", "\\u003c").replace(">", "\\u003e")
        places.append(
            f'<div class="live" style="aspect-ratio: {shape:.3g}" role="img" '
            f'aria-label="{escape(alt)}"><script type="application/json">{data}</script></div>'
        )
    return f'<div class="interactive">{"".join(places)}</div>'


def _png(
    width: float, height: float, pictures: "tuple[Picture, ...]", panels: tuple[int, int]
) -> str:
    from matplotlib.figure import Figure  # needs no screen, as pyplot does

    figure, data = Figure(figsize=(width, height), layout="constrained"), io.BytesIO()
    on_panels(pictures, figure.subplots(*panels))
    figure.savefig(data, format="png", dpi=144, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode("ascii")
