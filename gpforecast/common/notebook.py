"""How objects look in a notebook."""

from collections.abc import Iterable
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
    said = "".join(f"\n<p>note: {escape(note)}</p>" for note in notes)
    return f"<p>{escape(caption)}</p>\n{rows}{said}"
