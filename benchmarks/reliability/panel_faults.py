"""A panel on a local Dask cluster of two workers, which are killed, and a panel that is stopped.

- *worker killed*: one of the two is killed when half of the series are finished.
- *all workers killed*: both are.
- *process killed*: the calling process is killed when half of the parts are written, and the
  same call goes on from its folder (``resume=``).
- *worker killed by a series*: every worker that one series comes to is killed; it must be listed.

Every result is compared, to the last bit, with that of the same series one after the other. The
model is the cheapest, `LinearAR` with two lags, so that ten thousand series take minutes.

Run it from the project's root: ``python benchmarks/reliability/panel_faults.py``, and for the
figures in the documentation with ``--series 10000``. It needs the extra ``dask``.
"""

import argparse
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.panel import parts
from gpforecast.panel.parts import PanelPart, Parts
from gpforecast.storage import restore, storable

LENGTH, HORIZON = 30, 3
parts._SECONDS = 0.1  # between two writes to the folder: the series are cheap
DEADLY = 4.5  # standard deviations; no other value is as far out


@storable
@dataclass
class Deadly(gf.models.LinearAR):
    """Kills its process at one value, unless that is the calling one."""

    def fit(self, X, y):
        if np.abs(X).max() > DEADLY and multiprocessing.parent_process() is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


def table(n, deadly=False):
    y = np.random.default_rng(0).standard_normal(n * LENGTH)
    if deadly:
        y[LENGTH * (n // 2) + 5] = 100.0
    days = pd.date_range("2026-01-01", periods=LENGTH)
    return pd.DataFrame({"unique_id": np.repeat(np.arange(n), LENGTH), "ds": [*days] * n, "y": y})


def forecast(frame, folder=None):
    forecaster = gf.Forecaster(
        2, model=Deadly(), transforms=None, noise="process", support=None, outliers=None
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*could not be forecast")
        return gf.forecast_panel(frame, HORIZON, forecaster=forecaster, resume=folder)


@contextmanager
def cluster():
    """Two workers in processes of their own."""
    import dask
    from distributed import Client, LocalCluster

    given = {
        "distributed.scheduler.allowed-failures": 1,  # 3, and minutes, otherwise
        "distributed.deploy.lost-worker-timeout": "10 minutes",  # for machines that are busy
    }
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(given),
        LocalCluster(**options, silence_logs=50) as made,
        Client(made),
        joblib.parallel_config("dask"),
    ):
        yield made


@contextmanager
def at(position, action):
    """Do something when this series is finished."""
    add = Parts.add

    def added(self, here, outcome):
        add(self, here, outcome)
        if here == position:
            action()

    Parts.add = added
    try:
        yield
    finally:
        Parts.add = add


def killed(frame, n, workers):
    with cluster() as made, tempfile.TemporaryDirectory() as folder:

        def kill():
            for nanny in [*made.workers.values()][:workers]:
                os.kill(nanny.process.pid, signal.SIGKILL)

        with at(n // 2, kill):
            return forecast(frame, folder), 0


def stopped(frame, n):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--series", str(n), "--stop-in", folder]
        code = subprocess.run(command, check=False).returncode
        assert code == -signal.SIGKILL, code
        before = sum(len(outcomes_in(path)) for path in Path(folder).glob("part-*"))
        with cluster():
            return forecast(frame, folder), before


def outcomes_in(path):
    return restore(path, PanelPart).outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--series", type=int, default=300)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    parser.add_argument("--only", default="", help="faults whose name holds this")
    parser.add_argument("--stop-in", help=argparse.SUPPRESS)
    options = parser.parse_args()
    n = options.series
    frame = table(n)
    if options.stop_in:
        kill = partial(os.kill, os.getpid(), signal.SIGKILL)
        with at(n // 2, kill), joblib.parallel_config("sequential"):
            forecast(frame, options.stop_in)
    rows = []
    with joblib.parallel_config("sequential"):
        start = time.perf_counter()
        whole, deadly = forecast(frame), forecast(table(n, deadly=True))
        print(f"one after the other: {(time.perf_counter() - start) / 2:.0f} s")
    scenarios = {
        "worker killed": lambda: killed(frame, n, 1),
        "all workers killed": lambda: killed(frame, n, 2),
        "process killed": lambda: stopped(frame, n),
        "worker killed by a series": lambda: killed(table(n, deadly=True), n, 0),
    }
    for name, run in scenarios.items():
        if options.only not in name:
            continue
        start = time.perf_counter()
        panel, before = run()
        expected = (deadly if "by a series" in name else whole).frame
        listed = panel.failures["unique_id"]
        expected = expected[~expected["unique_id"].isin(listed)].reset_index(drop=True)
        rows.append(
            {
                "fault": name,
                "series": n,
                "forecast": panel.frame["unique_id"].nunique(),
                "listed as failed": len(listed),
                "from the folder": before,
                "identical": panel.frame.equals(expected),
                "seconds": round(time.perf_counter() - start, 1),
            }
        )
        print(rows[-1], flush=True)
    found = pd.DataFrame(rows)
    print(found.to_string(index=False))
    found.to_csv(options.output, index=False)


if __name__ == "__main__":
    main()
