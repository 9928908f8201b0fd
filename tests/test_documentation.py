"""The Python in the README and on every hand-written page runs, block after block.

So a reader would run it.
A block with ``:class: not-run`` needs something that is not installed everywhere, and is left out.
"""

import importlib
import os
import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from run_block import run

import gpforecast as gf
from gpforecast.propagation import curvature

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(
        page
        for folder in ("tutorials", "how-to", "explanation", "coming_from")
        for page in (DOCS / folder).glob("*.rst")
    ),
    DOCS / "index.rst",
]
SHOWN = [
    DOCS / "index.rst",
    *(
        page
        for page in PAGES
        if page.parent.name in ("tutorials", "how-to") and page.name != "index.rst"
    ),
]


def blocks(text, suffix):
    """The Python blocks of a page, in order, less those marked as not run."""
    if suffix == ".md":
        return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    found = []
    pattern = r"^\.\. code-block:: python\n((?:   :.*\n)*)\n((?:(?:   .*)?\n)+)"
    for options, body in re.findall(pattern, text + "\n", flags=re.MULTILINE):
        if ":class: not-run" not in options:
            found.append(re.sub(r"^   ", "", body, flags=re.MULTILINE))
    return found


def test_blocks_are_found_in_order_and_marked_ones_left_out():
    page = (
        "Title\n=====\n\n.. code-block:: python\n\n   a = 1\n\n   b = 2\n\nText.\n\n"
        ".. code-block:: python\n   :class: not-run\n\n   import nothing\n\n"
        ".. code-block:: python\n\n   c = a + b\n"
    )
    first, second = blocks(page, ".rst")
    assert first.split() == ["a", "=", "1", "b", "=", "2"]
    assert second.strip() == "c = a + b"
    assert blocks("x\n```python\ny = 1\n```\n", ".md") == ["y = 1\n"]


def code_of(page):
    return blocks(page.read_text("utf-8"), page.suffix)


@pytest.mark.parametrize(
    "page", [*filter(code_of, PAGES)], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_python_on_the_page_runs(page, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "MPLBACKEND", "Agg")
    names = {"__name__": "__page__"}
    shown = [
        run(block, names, f"{page.name}, block {k}") for k, block in enumerate(code_of(page), 1)
    ]
    plt.close("all")
    pictures = sum(len(output.figures) for output in shown)
    assert pictures or page not in SHOWN, "the page shows no picture: let one of its blocks draw"


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_every_tutorial_and_how_to_has_code_that_runs(page):
    assert code_of(page)


def test_no_line_of_code_is_longer_than_a_page_of_1280_pixels_is_wide():
    lines = [line for page in PAGES for block in code_of(page) for line in block.splitlines()]
    assert len(lines) > 500
    assert [line for line in lines if len(line) > 100] == []


def test_a_block_shows_what_it_prints_and_its_last_value_but_no_value_beside_a_picture():
    names = {}
    assert run("a = 1\nprint('one')\na + 1", names, "page").text == "one\n2"
    assert run("a = 3", names, "page").text == ""
    drawn = run("import matplotlib.pyplot as plt\nplt.plot([1, a])", names, "page")
    assert (drawn.text, len(drawn.figures), plt.get_fignums()) == ("", 1, [])
    live = run("from plotly.graph_objects import Figure\nFigure()", {}, "page")
    assert live.text == ""
    assert "plotly-graph-div" in live.interactive


def test_the_readme_claims_what_its_own_backtest_gives():
    """The line is run as it is printed, and once more by naive iteration."""
    text = (ROOT / "README.md").read_text("utf-8")
    (line,) = re.findall(r"^gf\.backtest\(.*?\)\.summary\(\)", text, flags=re.MULTILINE)
    series = gf.datasets.load_elnino()
    held = []
    for call in (line, line.replace("origins=50", "origins=50, propagation='naive'")):
        table = eval(call, {"gf": gf, "series": series})
        held += [table.loc[f"coverage_{level}", "average"] for level in (95, 50)]
    claim = re.search(
        r"95 % intervals held\s(\d+) % of what came, and 50 % intervals\s(\d+) %; naive iteration\s"
        r"of the same model, which passes on the mean\salone, held\s(\d+) % and\s(\d+) %",
        text,
    )
    assert [int(n) for n in claim.groups()] == [round(100 * part) for part in held]


def test_the_page_on_folded_maps_states_the_thresholds_and_the_defaults():
    text = " ".join((DOCS / "explanation" / "folded_maps.rst").read_text("utf-8").split())
    assert f"more than {curvature.FOLDED:g} of the standard deviation" in text
    assert f"grows beyond {curvature.WIDE:g} times" in text
    assert f"more than {curvature.STRAIGHT:g} at some step" in text
    assert f"``tolerance`` ({100 * gf.propagation.GaussianMixture().tolerance:g} %)" in text


def test_the_page_on_folded_maps_says_what_its_code_gives():
    page = DOCS / "explanation" / "folded_maps.rst"
    names: dict[str, object] = {}
    for block in code_of(page):
        exec(block, names)
    fc, text = names["fc"], page.read_text("utf-8")
    (note,) = fc.predict(20, propagation="exact").notes
    assert note.startswith("from step 6 on the forecast is no bell curve")
    for horizon in (3, 20):
        assert f"# {fc.predict(horizon).propagation}\n" in text


def test_every_name_and_file_on_the_page_of_the_sources_is_there():
    text = (DOCS / "explanation" / "sources.rst").read_text("utf-8")
    names = re.findall(r"(?<![:`])`([a-zA-Z_.]+)`(?!`)", text)
    assert len(set(names)) > 40
    for name in names:
        place = gpforecast = importlib.import_module("gpforecast")
        for part in name.split("."):
            if not hasattr(place, part):
                importlib.import_module(f"{place.__name__}.{part}")
            place = getattr(place, part)
        assert place is not gpforecast
    scripts = re.findall(r"``([a-z_/]+\.py)``", text)
    folders = (ROOT, ROOT / "benchmarks" / "accuracy")
    assert scripts
    assert [s for s in scripts if not any((f / s).exists() for f in folders)] == []
