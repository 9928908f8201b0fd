import subprocess
import sys

from gpforecast.common.extras import missing_extra

LIBRARIES = ("sklearn", "sktime", "statsforecast")
BLOCKED = f"""
import importlib, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {LIBRARIES}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Absent())
for library in {LIBRARIES}:
    try:
        importlib.import_module("gpforecast.adapters." + library)
    except ImportError as error:
        print(error)
"""


def test_a_missing_library_is_named_with_the_command_that_installs_it():
    run = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True, timeout=120
    )
    assert run.stdout.splitlines() == [
        f'gpforecast.adapters.{library} needs {library}; pip install "gpforecast[{library}]".'
        for library in LIBRARIES
    ]


def test_a_library_that_misses_something_of_its_own_keeps_its_error():
    error = ModuleNotFoundError("No module named 'x'", name="x")
    assert missing_extra("gpforecast.adapters.sktime", "sktime", error) is error
