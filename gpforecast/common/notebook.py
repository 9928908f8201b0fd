"""How objects look in a notebook."""

from collections.abc import Iterable, Sequence
from html import escape

import pandas as pd


def shown_in_html(
    caption: str, table: pd.DataFrame, notes: Iterable[str] = (), *, max_rows: int | None = None
) -> str:
    """Return a caption, a table and notes as HTML; an ellipsis stands for rows that are left out.

    Examples
    --------
    >>> shown = shown_in_html("a < b", pd.DataFrame({"mean": [1.0]}), ["few values"])
    >>> shown.splitlines()[0], shown.splitlines()[-1]
    ('<p>a &lt; b</p>', '<p>note: few values</p>')
    """
    rows = table.to_html(float_format="{:.6g}".format, border=0, na_rep="", max_rows=max_rows)
    lines_of_notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in notes)
    return f"<p>{escape(caption)}</p>\n{rows}{lines_of_notes}"


def folded_in_html(lines: Sequence[str], heading: str, text: str) -> str:
    """Return some lines as HTML, and a long text that is open only where one wants it.

    Examples
    --------
    >>> print(folded_in_html(["Forecaster(lags=2)", "a < b"], "Summary", "all of it"))
    <p>Forecaster(lags=2)<br>a &lt; b</p>
    <details><summary>Summary</summary><pre style="white-space: pre-wrap">all of it</pre></details>
    """
    head = "<br>".join(map(escape, lines))
    whole = f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'
    return f"<p>{head}</p>\n<details><summary>{escape(heading)}</summary>{whole}</details>"
