"""The build runs the Python of a page and shows, below each block, what it prints and draws.

It does so for every ``.. code-block:: python`` of a page, from top to bottom and in one namespace.
``:class: not-run`` leaves a block out, ``:alt:`` describes its pictures to those who cannot see
them, with ``|`` between two, and ``:size: 6 4`` draws them at so many inches. An error in a block,
or a picture without a description, stops a strict build.
"""

import contextlib
import os
import re
import shutil
import textwrap
import traceback
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from run_block import run
from sphinx.application import Sphinx
from sphinx.directives.code import CodeBlock

GENERATED = ("reference/generated/", "gallery/")
PIXELS_PER_INCH = 90  # of a figure on the page; its file has twice as many
LETTERS = 100  # in a line of output, as the longest of a summary


class ShownCode(CodeBlock):
    """A code block followed by its output."""

    option_spec: ClassVar[dict[str, Any]] = {
        **CodeBlock.option_spec,
        "alt": directives.unchanged,
        "size": directives.positive_int_list,
    }

    def run(self) -> list[nodes.Node]:
        """Return the block alone, or in a container with its output."""
        code = super().run()
        classes = self.options.get("class", [])
        python = self.arguments[:1] == ["python"]
        if not python or "not-run" in classes or self.env.docname.startswith(GENERATED):
            return code
        try:
            output = self._output()
        except Exception:
            error = self.state_machine.reporter.error(
                f"the code of this page fails:\n{traceback.format_exc(limit=-3)}", line=self.lineno
            )
            return [*code, error]
        return [nodes.container("", *code, *output, classes=["shown-code", *classes])]

    def _output(self) -> list[nodes.Node]:
        page = self.env.docname
        folder = Path(self.env.doctreedir, "shown", page)
        memory = self.env.temp_data
        if "names of the page" not in memory:  # its first block
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            memory["names of the page"] = {"__name__": "__page__"}
        names = memory["names of the page"]
        # Files that a page writes are there for its later blocks, and nowhere else.
        with contextlib.chdir(folder):
            shown = run("\n".join(self.content), names, f"{page}.rst, line {self.lineno}")
        output: list[nodes.Node] = []
        if shown.text:
            lines = "\n".join(map(_wrapped, shown.text.splitlines()))
            text = nodes.literal_block(lines, lines, classes=["output"])
            text["language"] = "none"
            output.append(text)
        if shown.interactive:
            code = os.path.relpath("_static/plotly.min.js", Path(page).parent)
            html = f'<script src="{code}"></script>{shown.interactive}'
            output.append(nodes.raw("", html, format="html"))
        described = self.options.get("alt", "").split("|")
        n = len(shown.figures)
        if n and (len(described) != n or not all(map(str.strip, described))):
            raise ValueError(
                f":alt: must describe each of {n} pictures, with | between; got {described}"
            )
        for figure, alt in zip(shown.figures, described, strict=False):
            number = memory["pictures of the page"] = memory.get("pictures of the page", 0) + 1
            file = folder / f"{page.replace('/', '-')}-{number}.png"
            figure.set_size_inches(self.options.get("size", figure.get_size_inches()))
            figure.savefig(file, dpi=2 * PIXELS_PER_INCH, bbox_inches="tight", facecolor="white")
            output.append(
                nodes.image(
                    uri=os.path.relpath(file, Path(self.env.doc2path(page)).parent),
                    alt=alt.strip(),
                    width=f"{PIXELS_PER_INCH * figure.get_size_inches()[0]:.0f}px",
                    classes=["picture"],
                )
            )
        return output


def _wrapped(line: str) -> str:
    """Wrap a line, and indent what follows like the text behind its first column."""
    if len(line) <= LETTERS:
        return line
    indent = re.match(r"\s*(?:\S+\s{2,})?", line).end()
    return textwrap.fill(
        line, LETTERS, drop_whitespace=True, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace the directive ``code-block``."""
    app.add_directive("code-block", ShownCode, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
