"""Where compiled functions are kept, and when what is kept is out of date."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpforecast

PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import gpforecast.numerics.compiled.delay as first
    assert first.__file__.startswith({copy!r}), first.__file__
    assert first.integrate_mackey_glass(1, 17.0, 0.2, 0.1, 10.0, 1.2, 0.0, 1.0, 17)[0] == 1.2
said = [w for w in caught if "NUMBA_CACHE_DIR" in str(w.message)]
assert len(said) == {warnings}, [str(w.message) for w in caught]
print("done")
"""


@pytest.fixture
def copy(tmp_path):
    """The package's compiled functions, on their own, in a directory of the test's."""
    source = Path(gpforecast.__file__).parent
    target = tmp_path / "copy" / "gpforecast"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source / "numerics" / "compiled", target / "numerics/compiled", ignore=ignore)
    for name in ("__init__.py", "numerics/__init__.py"):
        (target / name).write_text("")
    shutil.copytree(source / "common", target / "common", ignore=ignore)
    return target


def run(copy, home, program):
    # Even root cannot make a directory below a file: that is how the paths are made unwritable.
    home.write_text("")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home), "LOCALAPPDATA": str(home)}
    environment |= {"PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, env=environment, cwd=copy.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_functions_compile_where_no_directory_can_be_written_and_say_so_once(copy, tmp_path):
    (copy / "numerics/compiled/__pycache__").write_text("")
    assert run(copy, tmp_path / "home", PROGRAM.format(copy=str(copy), warnings=1)) == "done\n"


def test_functions_are_kept_beside_their_source_where_that_can_be_written(copy, tmp_path):
    assert run(copy, tmp_path / "home", PROGRAM.format(copy=str(copy), warnings=0)) == "done\n"
    assert list((copy / "numerics/compiled/__pycache__").glob("*.nbi"))


HELPER = """
from gpforecast.numerics.compiled.compiling import compiled

@compiled(helper=True)
def helper(x):
    return x + {summand}
"""
CALLER = """
from gpforecast.numerics.compiled.compiling import compiled
from gpforecast.numerics.compiled.helper import helper

@compiled()
def caller(x):
    return helper(x)
"""
CALL = """
from gpforecast.numerics.compiled.caller import caller
value = caller(1.0)
print(value, "from disk" if caller.stats.cache_hits else "compiled")
"""


def test_a_change_in_a_helper_reaches_the_functions_that_call_it(copy, tmp_path):
    folder, home = copy / "numerics/compiled", tmp_path / "home"
    (folder / "caller.py").write_text(CALLER)
    (folder / "helper.py").write_text(HELPER.format(summand="1.0"))
    assert run(copy, home, CALL) == "2.0 compiled\n"
    assert run(copy, home, CALL) == "2.0 from disk\n"
    kept = sorted(file.name for file in (folder / "__pycache__").iterdir())

    (folder / "helper.py").write_text(HELPER.format(summand="2.0"))
    assert run(copy, home, CALL) == "3.0 compiled\n"
    assert run(copy, home, CALL) == "3.0 from disk\n"
    # What was out of date has been replaced, not kept beside it.
    assert sorted(file.name for file in (folder / "__pycache__").iterdir()) == kept


FIRST_CALL = """
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
from gpforecast.numerics.compiled.delay import integrate_mackey_glass as integrate
integrate(1, 17.0, 0.2, 0.1, 10.0, 1.2, 0.0, 1.0, 17)
"""


def test_the_first_compilation_of_a_machine_is_announced_once(copy, tmp_path):
    once = run(copy, tmp_path / "home", FIRST_CALL)
    assert once.count("\n") == 1
    assert "once on this machine" in once
    assert run(copy, tmp_path / "home", FIRST_CALL) == ""
