"""The README runs and states what it gives; pages have pictures, and the names on them exist.

The build of the documentation runs the Python of the pages.
"""

import importlib
import re
from pathlib import Path
from types import ModuleType

import joblib
import matplotlib.pyplot as plt
import pytest
from page_cases import few_pixels
from run_block import run

import gpforecast as gf
from gpforecast.pipeline.fit import fit_to_first

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [
    DOCS / "index.rst",
    *(
        page
        for folder in ("tutorials", "how-to", "explanation", "coming_from")
        for page in sorted((DOCS / folder).glob("*.rst"))
    ),
]
SHOWN = [
    page
    for page in PAGES
    if page.parent == DOCS
    or (page.parent.name in ("tutorials", "how-to") and page.name != "index.rst")
]


def test_python_in_the_readme_runs_and_its_backtest_gives_what_it_claims(tmp_path, monkeypatch):
    few_pixels(monkeypatch)
    monkeypatch.chdir(tmp_path)
    fit, fits = fit_to_first, {}  # those of the same values by the same model are made once

    def once(n, options, *given):
        key = joblib.hash((n, options))
        if key not in fits:
            fits[key] = fit(n, options, *given)
        return fits[key]

    monkeypatch.setattr("gpforecast.backtesting.run.fit_to_first", once)
    names = {"__name__": "__page__"}
    text = README.replace("origins=20)", "origins=2)")  # of the page, of which nothing is claimed
    text = re.sub(r"^(?=gf\.backtest)", "result = ", text, flags=re.MULTILINE)
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    shown = [run(block, names, f"README.md, block {k}") for k, block in enumerate(blocks, 1)]
    plt.close("all")
    assert any(output.figures for output in shown)
    (line,) = re.findall(r"^gf\.backtest\(.*?origins=50\)", README, flags=re.MULTILINE)
    naive = eval(line.replace("origins=50", "origins=50, propagation='naive'"), names)
    held = [
        round(100 * result.summary().loc[f"coverage_{level}", "average"])
        for result in (names["result"], naive)
        for level in (95, 50)
    ]
    claim = re.search(
        r"95 % intervals held\s(\d+) % of what came, and 50 % intervals\s(\d+) %; naive iteration\s"
        r"of the same model, which passes on the mean\salone, held\s(\d+) % and\s(\d+) %",
        README,
    )
    assert [int(n) for n in claim.groups()] == held


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_every_tutorial_and_how_to_draws_a_picture_of_its_code(page):
    pattern = r"^\.\. code-block:: python\n(?:   :.*\n)*   :alt: "
    assert re.search(pattern, page.read_text("utf-8"), flags=re.MULTILINE)


def test_no_line_of_code_is_longer_than_a_page_of_1280_pixels_is_wide():
    pattern = r"^\.\. code-block:: python\n(?:   :.*\n)*\n((?:(?:   .*)?\n)+)"
    code = [
        line.removeprefix("   ")
        for page in PAGES
        for block in re.findall(pattern, page.read_text("utf-8") + "\n", flags=re.MULTILINE)
        for line in block.splitlines()
    ]
    assert len(code) > 400
    assert [line for line in code if len(line) > 100] == []


def test_a_block_shows_what_it_prints_and_its_last_value_but_no_value_beside_a_picture():
    names = {}
    assert run("a = 1\nprint('one')\na + 1", names, "page").text == "one\n2"
    assert run("a = 3", names, "page").text == ""
    drawn = run("import matplotlib.pyplot as plt\nplt.plot([1, a])", names, "page")
    assert (drawn.text, len(drawn.figures), plt.get_fignums()) == ("", 1, [])
    live = run("from plotly.graph_objects import Figure\nFigure()", {}, "page")
    assert live.text == ""
    assert "plotly-graph-div" in live.interactive


def _named(name):
    """Return what a name of the package stands for."""
    place = importlib.import_module("gpforecast")
    for part in name.split("."):
        if not hasattr(place, part):
            importlib.import_module(f"{place.__name__}.{part}")
        place = getattr(place, part)
    return place


def test_every_name_of_the_reference_and_every_name_that_pages_link_to_exists():
    text = (DOCS / "reference" / "index.rst").read_text("utf-8")
    names = re.findall(r"^   ([a-zA-Z_][\w.]*)$", text, flags=re.MULTILINE)
    for page in PAGES:
        names += re.findall(r"(?<!`)`~?gpforecast\.([\w.]+)`(?!`)", page.read_text("utf-8"))
    names = {name for name in names if not name.startswith("adapters.")}  # need other libraries
    assert len(names) > 150
    assert gf not in map(_named, names)


def test_every_name_and_file_on_the_page_of_the_sources_exists():
    text = (DOCS / "explanation" / "sources.rst").read_text("utf-8")
    names = set(re.findall(r"(?<![:`])`([a-zA-Z_.]+)`(?!`)", text))
    assert len(names) > 40
    assert gf not in map(_named, names)
    scripts = re.findall(r"``([a-z_/]+\.py)``", text)
    folders = (ROOT, ROOT / "benchmarks" / "accuracy")
    assert scripts
    assert [s for s in scripts if not any((f / s).exists() for f in folders)] == []


def _defined_in(room):
    own = (n for n, one in vars(room).items() if getattr(one, "__module__", "") == room.__name__)
    return getattr(room, "__all__", [name for name in own if not name.startswith("_")])


def test_the_reference_has_every_public_name_once_and_every_name_that_it_calls_experimental():
    text = (DOCS / "reference" / "index.rst").read_text("utf-8")
    listed = re.findall(r"^   ([A-Za-z_][\w.]*)$", text, flags=re.MULTILINE)
    found = [id(_named(name)) for name in listed]
    assert len({*found}) == len(found)
    rooms = [gf, *(one for name in gf.__all__ if isinstance(one := getattr(gf, name), ModuleType))]
    missing = [
        f"{room.__name__}.{name}"
        for room in rooms
        for name in {*_defined_in(room)} - {"__version__"}
        if not isinstance(one := getattr(room, name), ModuleType) and id(one) not in found
    ]
    assert missing == []
    young = text.partition("They are\n")[2].partition(".. autosummary")[0]
    experimental = {*re.findall(r"(?<!`)`([\w.]+)`(?!`)", young)}
    assert "Prior" in experimental
    assert experimental <= {*listed}


def test_user_code_that_must_type_check_has_every_name_of_the_package():
    code = (ROOT / "tests" / "typed" / "user_code.py").read_text("utf-8")
    names = {*re.findall(r"\bgf\.(\w+)", code)} | {*re.findall(r"gpforecast\.(\w+)", code)}
    assert {*gf.__all__} - names == {"__version__"}
