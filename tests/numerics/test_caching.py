"""Compiled functions where nothing can be cached."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpforecast
from gpforecast.numerics.compiled.caching import compiled

PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import gpforecast.numerics.compiled.exponential as first
    import gpforecast.numerics.compiled.panels
said = [w for w in caught if "NUMBA_CACHE_DIR" in str(w.message)]
assert first.__file__.startswith({copy!r}), first.__file__
assert len(said) == {warnings}, [str(w.message) for w in caught]
assert first.exp_remainder(0.0) == 0.0
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
    (target / "common").mkdir()
    (target / "common/__init__.py").write_text("")
    shutil.copy(source / "common/types.py", target / "common")
    return target


def run(copy, home, *, warnings):
    # Even root cannot make a directory below a file: that is how the paths are made unwritable.
    home.write_text("")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home), "LOCALAPPDATA": str(home)}
    environment |= {"PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    program = PROGRAM.format(copy=str(copy), warnings=warnings)
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=environment, cwd=copy.parent, capture_output=True, text=True, check=False
    )


def test_functions_compile_where_no_directory_can_be_written_and_say_so_once(copy, tmp_path):
    (copy / "numerics/compiled/__pycache__").write_text("")
    result = run(copy, tmp_path / "home", warnings=1)
    assert result.stdout == "done\n", result.stderr


def test_functions_are_kept_beside_their_source_where_that_can_be_written(copy, tmp_path):
    result = run(copy, tmp_path / "home", warnings=0)
    assert result.stdout == "done\n", result.stderr
    assert list((copy / "numerics/compiled/__pycache__").glob("*.nbi"))


def test_any_other_refusal_of_the_compiler_is_passed_on(monkeypatch):
    def refuse(**_):
        raise RuntimeError("something else")

    monkeypatch.setattr("gpforecast.numerics.compiled.caching.njit", refuse)
    with pytest.raises(RuntimeError, match="something else"):
        compiled(lambda x: x)
