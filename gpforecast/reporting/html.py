"""The few pieces of HTML that a report is made of. Nothing in them needs a network."""

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

STYLE = """
:root { --ink: #222; --quiet: #666; --rule: #ddd; --accent: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1.25rem 4rem; color: var(--ink);
  background: #fff; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.5rem 0 0.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 0.5rem; border-bottom: 1px solid var(--rule);
  padding-bottom: 0.25rem; }
p.lead { color: var(--quiet); margin: 0 0 1rem; }
p { max-width: 44rem; }
figure { margin: 1rem 0; }
figure img { display: block; width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: 0.9rem; margin-top: 0.25rem; max-width: 44rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr));
  gap: 1rem; align-items: start; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem;
  margin: 1rem 0; padding: 0; }
.facts div { border-left: 3px solid var(--accent); padding: 0.1rem 0 0.1rem 0.6rem; }
.facts dt { color: var(--quiet); font-size: 0.8rem; }
.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
thead th { border-bottom: 2px solid var(--ink); }
tbody th { text-align: left; font-weight: 500; }
dl.choices { display: grid; grid-template-columns: max-content minmax(0, 1fr);
  gap: 0.3rem 1.25rem; margin: 1rem 0; max-width: 52rem; }
dl.choices dt { color: var(--quiet); }
dl.choices dd { margin: 0; overflow-wrap: anywhere; }
details summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 3rem; color: var(--quiet); font-size: 0.85rem; }
@media (max-width: 30rem) { body { padding: 1rem 0.75rem 3rem; font-size: 15px; }
  th, td { padding: 0.25rem 0.5rem; } }
@media print { details > * { display: block; } }
"""


def page(title: str, body: str) -> str:
    """Return a whole HTML document."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def heading(title: str, lead: str) -> str:
    """Return the title of a page and a line below it."""
    return f'<h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p>'


def footer(text: str) -> str:
    """Return the last line of a page."""
    return f"<footer>{escape(text)}</footer>"


def section(heading: str, *parts: str) -> str:
    """Return a heading and what follows it."""
    return f"<section>\n<h2>{escape(heading)}</h2>\n" + "\n".join(parts) + "\n</section>"


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def facts(pairs: dict[str, Any]) -> str:
    """Return short facts, each a name and a value, side by side."""
    cells = (
        f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>"
        for name, value in pairs.items()
    )
    return '<dl class="facts">' + "".join(cells) + "</dl>"


def choices(summary: str) -> str:
    """Return the lines of a forecaster's summary: a name of twelve letters or none, and a text."""
    rows = []
    for line in summary.splitlines():
        name, text = line[:12].strip(), line[12:].strip()
        rows.append(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>")
    return '<dl class="choices">' + "".join(rows) + "</dl>"


def table(frame: "DataFrame", digits: int = 4) -> str:
    """Return a frame as a table that scrolls sideways on a narrow screen."""
    text: str = frame.to_html(float_format=f"{{:.{digits}g}}".format, border=0, escape=True)
    return f'<div class="scroll">{text}</div>'


def picture(figure: "Figure", alt: str, caption: str = "") -> str:
    """Return a figure drawn into the page itself."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=144, metadata={"Software": None})
    source = base64.b64encode(data.getvalue()).decode("ascii")
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    image = f'<img src="data:image/png;base64,{source}" alt="{escape(alt)}">'
    return f"<figure>{image}{below}</figure>"


def side_by_side(*parts: str) -> str:
    """Return parts beside each other, or below each other on a narrow screen."""
    return '<div class="pair">' + "".join(parts) + "</div>"


def folded(summary: str, content: str) -> str:
    """Return content that shows when its summary is clicked."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"
