"""What importing the package imports, which every program waits for."""

import subprocess
import sys

import pytest

LATE = ["matplotlib.pyplot", "scipy.signal", "scipy.stats", "sklearn", "statsmodels", "tqdm"]
ROOMS = ["gpforecast.events", "gpforecast.reconciliation", "gpforecast.vector"]
PROGRAM = "import sys, gpforecast; sys.exit({name!r} in sys.modules)"


@pytest.mark.parametrize("name", LATE + ROOMS)
def test_what_is_used_late_is_imported_late(name):
    command = [sys.executable, "-c", PROGRAM.format(name=name)]
    assert subprocess.run(command, check=False).returncode == 0
