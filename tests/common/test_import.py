"""What importing the package imports, which every program waits for."""

import subprocess
import sys

LATE = [
    "matplotlib.pyplot",
    "numba",
    "scipy.linalg",
    "scipy.signal",
    "scipy.stats",
    "sklearn",
    "statsmodels",
    "tqdm",
]
ROOMS = [
    "gpforecast.backtesting",
    "gpforecast.events",
    "gpforecast.models.noisy_input_gp",
    "gpforecast.models.sparse_bayes",
    "gpforecast.panel",
    "gpforecast.plotting",
    "gpforecast.reconciliation",
    "gpforecast.reporting",
    "gpforecast.vector",
]
PROGRAM = f"import sys, gpforecast; sys.exit(str({ {*LATE, *ROOMS} } & sys.modules.keys() or ''))"

REGISTERED = """
import gpforecast, importlib, pkgutil, sys
from gpforecast.storage import registry
known = {*registry.KINDS, *registry.LATE}
for module in pkgutil.walk_packages(gpforecast.__path__, "gpforecast."):
    if not module.name.startswith("gpforecast.adapters") and "__main__" not in module.name:
        importlib.import_module(module.name)
sys.exit(f"forgotten: {sorted({*registry.KINDS} - known)}" if {*registry.KINDS} - known else 0)
"""


def test_what_is_used_late_is_imported_late():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_files_find_classes_of_modules_that_are_imported_late():
    done = subprocess.run(
        [sys.executable, "-c", REGISTERED], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
