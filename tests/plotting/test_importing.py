"""Pictures are imported without matplotlib."""

import subprocess
import sys


def test_importing_the_pictures_does_not_import_matplotlib():
    code = "import sys, gpforecast.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
