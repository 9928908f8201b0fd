"""The few pieces of HTML that a report is made of. Nothing in them needs a network."""

import base64
import io
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


def page(title: str, body: str) -> str:
    """Return a whole HTML document."""
    style = files("gpforecast.reporting").joinpath("style.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{text('title', title)}\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def text(tag: str, words: str, role: str = "") -> str:
    """Return an element of plain text, such as a heading or a paragraph."""
    return block(tag, escape(words), role=role)


def block(tag: str, *parts: str, role: str = "") -> str:
    """Return an element around parts that are HTML already; its role is a class of the style."""
    named = f' class="{role}"' if role else ""
    return f"<{tag}{named}>{''.join(parts)}</{tag}>"


def section(heading: str, *parts: str) -> str:
    """Return a heading and what follows it."""
    return "\n".join(["<section>", text("h2", heading), *parts, "</section>"])


def facts(pairs: Mapping[str, str]) -> str:
    """Return short facts, each a name and a value, side by side."""
    cells = (block("div", text("dt", k), text("dd", v)) for k, v in pairs.items())
    return block("dl", *cells, role="facts")


def choices(summary: str) -> str:
    """Return the lines of a forecaster's summary: a name of twelve letters or none, and a text."""
    lines = ((line[:12].strip(), line[12:].strip()) for line in summary.splitlines())
    return block("dl", *(text("dt", k) + text("dd", v) for k, v in lines), role="choices")


def table(frame: "DataFrame", digits: int = 4) -> str:
    """Return a frame as a table that scrolls sideways on a narrow screen."""
    shown = frame.to_html(float_format=f"{{:.{digits}g}}".format, border=0, escape=True)
    return block("div", shown, role="scroll")


def picture(figure: "Figure", alt: str, caption: str) -> str:
    """Return a figure drawn into the page itself."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=144, metadata={"Software": None})
    source = base64.b64encode(data.getvalue()).decode("ascii")
    image = f'<img src="data:image/png;base64,{source}" alt="{escape(alt)}">'
    return block("figure", image, text("figcaption", caption))


def folded(summary: str, content: str) -> str:
    """Return content that shows when its summary is clicked."""
    return block("details", text("summary", summary), content)
