"""Where compiled functions are kept, and when what is kept is out of date."""

import gc
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba.core import event

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


STALE = """
import gpforecast.numerics.compiled.caller as module
from pathlib import Path
helper = Path(module.__file__).with_name("helper.py")
helper.write_text(helper.read_text().replace("1.0", "2.0"))
print(module.caller(1.0))
"""


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [40])
def test_damaged_machine_code_is_compiled_again_and_kept(copy, tmp_path, kind, left):
    folder, home = copy / "numerics/compiled", tmp_path / "home"
    (folder / "caller.py").write_text(CALLER)
    (folder / "helper.py").write_text(HELPER.format(summand="1.0"))
    assert run(copy, home, CALL) == "2.0 compiled\n"
    for file in (folder / "__pycache__").glob(f"caller*.{kind}"):
        file.write_bytes(file.read_bytes()[:left])
    assert run(copy, home, CALL) == "2.0 compiled\n"
    assert run(copy, home, CALL) == "2.0 from disk\n"


def test_flipped_bits_of_machine_code_are_noticed_before_it_runs(copy, tmp_path):
    """Pickle reads such a file without a complaint; running it is a segmentation fault."""
    folder, home = copy / "numerics/compiled", tmp_path / "home"
    (folder / "caller.py").write_text(CALLER)
    (folder / "helper.py").write_text(HELPER.format(summand="1.0"))
    assert run(copy, home, CALL) == "2.0 compiled\n"
    (file,) = (folder / "__pycache__").glob("caller*.nbc")
    whole = file.read_bytes()
    for share in (0.3, 0.7):
        damaged = bytearray(whole)
        damaged[int(share * len(whole))] ^= 16
        file.write_bytes(bytes(damaged))
        assert run(copy, home, CALL) == "2.0 compiled\n"
        assert run(copy, home, CALL) == "2.0 from disk\n"


def test_processes_that_compile_at_once_on_a_cold_cache_agree_and_leave_it_whole(copy, tmp_path):
    folder, home = copy / "numerics/compiled", tmp_path / "home"
    (folder / "caller.py").write_text(CALLER)
    (folder / "helper.py").write_text(HELPER.format(summand="1.0"))
    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(run, [copy] * 3, [home] * 3, [CALL] * 3))
    assert {line.split()[0] for line in said} == {"2.0"}
    assert run(copy, home, CALL) == "2.0 from disk\n"


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


@pytest.mark.parametrize("before", [True, False])
def test_garbage_collection_waits_for_our_functions_alone_and_is_then_as_it_was(before):
    def compiling(module):
        return event.trigger_event(
            "numba:compile", {"dispatcher": SimpleNamespace(__module__=module)}
        )

    was = gc.isenabled()
    (gc.enable if before else gc.disable)()
    try:
        for other in ("someone.else", None):  # numba's own classes have none
            with compiling(other):
                assert gc.isenabled() == before
        with suppress(ValueError), compiling("gpforecast.numerics.compiled.gram"):
            assert not gc.isenabled()
            with compiling("numba.np.arrayobj"), compiling("gpforecast.numerics.compiled.panels"):
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == before
    finally:
        (gc.enable if was else gc.disable)()
