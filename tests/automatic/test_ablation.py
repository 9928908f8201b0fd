"""The table of what the ablation switches off."""

import ast
import csv
import importlib
from pathlib import Path

import pytest

import gpforecast.automatic

PACKAGE = Path(gpforecast.automatic.__file__).parent
TABLE = Path(__file__).parents[2] / "benchmarks" / "accuracy" / "ablation_switches.csv"
ROWS = [tuple(row[1:3]) for row in csv.reader(TABLE.read_text("utf-8").splitlines()[1:])]


def constants():
    """Return module and name of every constant that is no text."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        names = {
            target.id
            for node in ast.parse(path.read_text("utf-8")).body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for one in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for target in (one.elts if isinstance(one, ast.Tuple) else [one])
        }
        values = vars(importlib.import_module(f"gpforecast.automatic.{module}"))
        upper = [name for name in names if name.lstrip("_").isupper() and len(name) > 1]
        found |= {(module, name) for name in upper if not isinstance(values[name], str)}
    return found


def test_every_constant_of_the_automatic_choice_has_a_row_in_the_ablation():
    assert len(constants()) > 30
    assert constants() - {*ROWS} == set()


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_what_the_ablation_switches_off_exists(module, name):
    assert hasattr(importlib.import_module(f"gpforecast.automatic.{module}"), name)
