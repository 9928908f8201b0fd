"""Processes that are forked while a thread imports numba, or compiles."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, threading
import numpy as np
from gpforecast.numerics.compiled.basis import means

known = np.ones((1, 2)), np.ones((1, 128)), np.ones(2), np.ones(32), np.ones(2), 0.0
begun = threading.Event()
if {compiling}:
    from numba.core import event

    class Begun(event.Listener):
        def on_start(self, _):
            begun.set()

        def on_end(self, _):
            pass

    event.register("numba:compile", Begun())
else:
    begun.set()
thread = threading.Thread(target=means, args=known)
thread.start()
begun.wait(60.0)
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends it if it waits for ever
    means(*known)
    os._exit(0)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
thread.join()
print("ended with", code)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("compiling", [False, True], ids=["imports", "compiles"])
def test_a_child_that_is_forked_while_a_thread_compiles_waits_for_nothing(compiling, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM.format(compiling=compiling)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300.0,
    )
    assert run.stdout == "ended with 0\n", run.stderr
