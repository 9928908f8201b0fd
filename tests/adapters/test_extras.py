import subprocess
import sys

import pytest

from gpforecast.common.extras import missing_extra

PEERS = ("sklearn", "sktime", "skpro", "statsforecast", "mlforecast", "skforecast")

BLOCKED = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {library!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Absent())
try:
    import gpforecast.adapters.{library}
except ImportError as error:
    print(error)
"""


def python(code):
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return run.stdout.strip()


def test_importing_the_package_imports_no_peer():
    code = f"import sys, gpforecast; print([p for p in {PEERS} if p in sys.modules])"
    assert python(code) == "[]"


@pytest.mark.parametrize("library", ["sklearn", "sktime", "statsforecast"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(library):
    sentence = (
        f'gpforecast.adapters.{library} needs {library}; pip install "gpforecast[{library}]".'
    )
    assert python(BLOCKED.format(library=library)) == sentence


def test_a_library_that_misses_something_of_its_own_keeps_its_error():
    error = ModuleNotFoundError("No module named 'x'", name="x")
    assert missing_extra("gpforecast.adapters.sktime", "sktime", error) is error
