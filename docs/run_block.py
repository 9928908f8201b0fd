"""Run the Python of a page block by block, as a notebook runs its cells."""

import ast
import contextlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
        if value is not None and not figures:
            print(repr(value))
    return Output(printed.getvalue().rstrip(), figures)
