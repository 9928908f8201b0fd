"""The command line as a process."""

import os
import subprocess
import sys


def test_process_ends_with_the_exit_code_and_bears_a_reader_that_leaves(data):
    path, _ = data
    python, words = [sys.executable, "-W", "error", "-m"], ["forecast", str(path)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    wrong = subprocess.run(
        [*python, "gpforecast", *words, "--seed", "x"],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("gpforecast: error: ")
    words = [*python, "gpforecast", *words, "--horizon", "2", "--lags", "1"]
    stayed = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        left = subprocess.run(
            words, stdout=nobody, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert left.returncode == 0
    assert left.stderr.startswith("gpforecast: read 'units' of ")
    assert left.stderr == stayed.stderr
