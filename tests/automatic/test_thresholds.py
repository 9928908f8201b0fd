"""Every threshold of the automatic choices is in one folder, and explained there."""

import ast
import re
from itertools import takewhile
from pathlib import Path

import pytest

import gpforecast.automatic
from gpforecast.automatic import thresholds

ROOM = Path(gpforecast.automatic.__file__).parent
BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "accuracy"
STRUCTURAL = {0, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 100}  # halves, months of a year, per cent
CALENDAR = {7, 24, 48, 52, 96, 168, 336, 365, 672}  # steps in a day, a week and a year


def documented(path):
    """Yield name and description (or None) of every constant: the comment lines ``#:`` above it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for statement in ast.parse("\n".join(lines)).body:
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            above = lines[: statement.lineno - 1][::-1]
            described = [*takewhile(lambda line: line.startswith("#: "), above)][::-1]
            yield target.id, " ".join(line[3:] for line in described) or None


FILES = sorted(path for path in (ROOM / "thresholds").glob("*.py") if path.name != "__init__.py")
THRESHOLDS = [threshold for path in FILES for threshold in documented(path)]


@pytest.mark.parametrize(("name", "text"), THRESHOLDS, ids=[name for name, _ in THRESHOLDS])
def test_a_threshold_has_a_unit_a_sentence_and_the_benchmark_that_set_it(name, text):
    assert name.isupper()
    assert text is not None
    found = re.fullmatch(
        r"(?P<unit>[A-Z][^.]*)\. (?P<sentence>[A-Z].*\.) Set by (?P<file>\S+\.py)\.",
        text,
    )
    assert found, text
    assert len(found["sentence"].split()) > 3
    assert (BENCHMARKS / found["file"]).exists()


def test_no_threshold_comes_twice_or_is_left_unused():
    names = [name for name, _ in THRESHOLDS]
    assert len(names) == len(set(names))
    code = "".join(p.read_text(encoding="utf-8") for p in ROOM.rglob("*.py"))
    assert [name for name in names if f"th.{name}" not in code] == []
    assert {name for name in vars(thresholds) if name.isupper()} == set(names)


OTHERS = sorted(path for path in ROOM.rglob("*.py") if path.parent.name != "thresholds")


def is_number(node):
    if isinstance(node, (ast.Tuple, ast.List)):
        return bool(node.elts) and all(map(is_number, node.elts))
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: str(path.relative_to(ROOM)))
def test_no_other_file_holds_a_number_to_choose_by(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = [s for s in tree.body if isinstance(s, (ast.Assign, ast.AnnAssign))]
    assert [ast.unparse(s) for s in constants if s.value is not None and is_number(s.value)] == []
    numbers = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and is_number(n)}
    tiny = {number for number in numbers if 0 < number < 1e-200}  # against a division by zero
    assert numbers - STRUCTURAL - CALENDAR - tiny <= set()
