"""Single-line mutants of rooms: which of them do the tests of the room notice?

A mutant is a copy of the package with one small change: a comparison moved by one, a sign turned, a
constant raised, a ``not`` dropped, a clip left out, ``min`` for ``max``. Where tests stay green,
they say nothing about that line, or the line does nothing. Run it with ``python
benchmarks/reliability/mutants.py gpforecast/propagation --number 40 --seed 0``. The working tree is
left alone. The tests in ``tests/<room>`` run first, those named like the changed file before the
others, then the doctests of the file and what ``--also`` names; the first failure ends it. A mutant
counts as noticed, too, when it takes four times the processor time of the unchanged tests. What is
compiled is compiled again, in a cache of its own. Prints the survivors. Tests are written for the
survivors of one seed; what they are worth is told by another.
"""

import argparse
import ast
import difflib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPERATORS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Pow: ("**", "*"),
}  # fmt: skip
SWAPPED = {
    "min": "max",
    "minimum": "maximum",
    "fmin": "fmax",
    "argmin": "argmax",
    "nanmin": "nanmax",
}
SWAPPED |= {new: old for old, new in SWAPPED.items()}
LONGEST = 3600  # seconds of the unchanged tests
Span = tuple[int, int, int, int]  # first line and column, last line and column


@dataclass(frozen=True)
class Mutant:
    path: Path  # from the root
    line: int  # from 1
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}\n- {self.before.strip()}\n+ {self.after.strip()}"


def between(left: ast.expr, right: ast.expr) -> Span:
    return left.end_lineno, left.end_col_offset, right.lineno, right.col_offset


def whole(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def changes(node: ast.AST) -> Iterator[tuple[Span, str, str]]:
    """Changes of a node: in which part of the text what becomes what; all of it, if empty."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            yield between(left, right), *OPERATORS[type(operator)]
    elif isinstance(node, ast.BoolOp):
        yield between(node.values[0], node.values[1]), *OPERATORS[type(node.op)]
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield between(node.left, node.right), *OPERATORS[type(node.op)]
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        yield between(node.target, node.value), *OPERATORS[type(node.op)]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield whole(node), "not" if isinstance(node.op, ast.Not) else "-", ""
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield whole(node), "", str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield whole(node), "", "0" if node.value == 1 else repr(node.value + 1)
    elif isinstance(node, ast.Call):
        function, first = ast.unparse(node.func), ast.unparse(node.args[0]) if node.args else ""
        *owner, name = function.rsplit(".", 1)
        if name in SWAPPED:
            *_, line, end = whole(node.func)
            yield (line, end - len(name), line, end), name, SWAPPED[name]
        elif name == "clip" and owner:
            yield whole(node), "", f"({first if owner == ['np'] else owner[0]})"


def nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All that computes: no types, no messages of errors, no texts."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.keyword) and node.arg in {"stacklevel", "strict"}:
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns"}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from nodes(child)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a file that change a single line."""
    text = (ROOT / path).read_text()
    lines = text.splitlines()
    for node in nodes(ast.parse(text)):
        for (first, start, last, end), old, new in changes(node):
            if first == last:
                line = lines[first - 1].encode()  # columns are counted in bytes
                part = line[start:end].decode()
                part = part.replace(old, new, 1) if old else new
                after = line[:start].decode() + part + line[end:].decode()
                yield Mutant(path, first, lines[first - 1], after)


def tests_of(room: Path, path: Path, also: list[str]) -> list[str]:
    """The tests of a room, those named like the file first."""
    files = [str(p.relative_to(ROOT)) for p in sorted(ROOT.glob(f"tests/{room.name}/**/test_*.py"))]

    def unlike(file: str) -> float:
        return -difflib.SequenceMatcher(None, Path(file).stem[5:], path.stem).ratio()

    return [*sorted(files, key=unlike), str(path), *also]


def run(copy: Path, tests: list[str], seconds: int, cache: Path | None = None) -> tuple[int, float]:
    """Exit status (0: all passed) and processor time of tests."""
    environment = os.environ | {"PYTHONPATH": str(copy)}
    if cache:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", *tests],
        cwd=copy,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def score(room: Path, number: int, seed: int, also: list[str]) -> None:
    """Make mutants of a room, test each and print the survivors."""
    files = sorted(p.relative_to(ROOT) for p in (ROOT / room).rglob("*.py"))
    every = [mutant for file in files for mutant in mutants_of(file)]
    chosen = random.Random(seed).sample(every, min(number, len(every)))
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for entry in ROOT.iterdir():
            if entry.name in {"gpforecast", "tests"}:
                shutil.copytree(entry, copy / entry.name)
            elif not entry.name.startswith("."):
                (copy / entry.name).symlink_to(entry)
        print(f"{room}: {len(chosen)} of {len(every)} mutants", flush=True)
        status, unchanged = run(copy, tests_of(room, room, also), LONGEST)
        if status:
            raise SystemExit(f"the unchanged tests of {room} fail; mend them first.")
        print(f"{unchanged:.0f} s of processor time without a change", flush=True)
        for index, mutant in enumerate(chosen):
            source, cache = copy / mutant.path, copy / "cache"
            old = source.read_text()
            lines = old.splitlines(keepends=True)
            lines[mutant.line - 1] = mutant.after + "\n"
            source.write_text("".join(lines))
            # Files of the same size and second would be taken for each other.
            os.utime(source, (index, 1_000_000_000 + 2 * index))
            compiled = "@compiled" in old
            limit = int(4 * unchanged + (300 if compiled else 30))
            status, _ = run(
                copy, tests_of(room, mutant.path, also), limit, cache if compiled else None
            )
            shutil.rmtree(cache, ignore_errors=True)
            shutil.copy2(ROOT / mutant.path, source)
            killed += status != 0
            if status == 0:
                print(mutant, flush=True)
    print(f"{room}: {killed} of {len(chosen)} killed\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rooms", nargs="+", type=Path, help="folders such as gpforecast/scores")
    parser.add_argument("--number", type=int, default=20, help="of mutants in each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--also", nargs="*", default=[], help="further tests, run last")
    arguments = parser.parse_args()
    for room in arguments.rooms:
        score(room, arguments.number, arguments.seed, arguments.also)


if __name__ == "__main__":
    main()
