"""Run the Python of a page block by block, as a notebook runs its cells."""

import ast
import contextlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Output fits in the column of a page.
TABLES = ("display.width", 96, "display.max_columns", 12, "display.max_rows", 12)


@dataclass(frozen=True)
class Output:
    """What a block shows: its printed lines with its last value, and its pictures."""

    text: str
    figures: "tuple[Figure, ...]"
    interactive: str = ""  # HTML of a figure of plotly, whose code the page has


def run(code: str, names: dict[str, object], where: str) -> Output:
    """Run a block of a page; later blocks see the `names` that it sets.

    Its last line, if it is an expression, is shown as a notebook shows it: as a value, unless the
    block has drawn a picture.
    """
    tree = ast.parse(code, where)
    last = tree.body[-1]
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed), pd.option_context(*TABLES):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), where, "exec"), names)
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
        else:
            exec(compile(tree, where, "exec"), names)
        figures = tuple(plt.figure(number) for number in plt.get_fignums())
        plt.close("all")
        interactive = type(value).__module__.startswith("plotly.")
        if value is not None and not figures and not interactive:
            print(repr(value))
    shown = _page_part(value) if interactive else ""
    return Output(printed.getvalue().rstrip(), figures, shown)


def _page_part(figure: Any) -> str:
    """Return a figure of plotly as HTML, as wide as the page is when all of it is there."""
    fit = "addEventListener('load', () => Plotly.Plots.resize('{plot_id}'));"
    return figure.to_html(
        full_html=False, include_plotlyjs=False, config={"responsive": True}, post_script=fit
    )
