"""What importing the package imports, which every program waits for."""

import json
import subprocess
import sys

PROGRAM = """
import importlib, json, pkgutil, sys, gpforecast as gf, gpforecast.datasets
from gpforecast.storage import registry

known = {*registry.KINDS, *registry.LATE}
loaded = {"import": [*sys.modules]}
assert gf.adapters.__name__ == "gpforecast.adapters" and "adapters" in dir(gf)
model = gf.models.LinearAR()
forecaster = gf.Forecaster(1, transforms=None, support=None, model=model)
forecaster.fit([1.0, 2.0, 1.5, 2.5, 1.0]).predict(1)
loaded["forecast"] = [*sys.modules]
import gpforecast.plotting
loaded["plotting"] = [*sys.modules]
import matplotlib, pandas as pd
matplotlib.use("Agg")
gf.plotting.fan_chart(pd.DataFrame({"mean": [1.0, 2.0]}))
import gpforecast.reporting
loaded["drawing"] = [*sys.modules]
for module in pkgutil.walk_packages(gf.__path__, "gpforecast."):
    if not module.name.startswith("gpforecast.adapters") and "__main__" not in module.name:
        importlib.import_module(module.name)
print(json.dumps([loaded, sorted({*registry.KINDS} - known)]))
"""
PEERS = ["mlforecast", "skforecast", "sklearn", "skpro", "sktime", "statsforecast"]
ROOMS = [
    "backtesting",
    "events",
    "models.noisy_input_gp",
    "models.sparse_bayes",
    "panel",
    "plotting",
    "reconciliation",
    "reporting",
    "vector",
]
SCIPY = ["scipy.linalg", "scipy.signal", "scipy.stats"]
LATE = {
    "import": ["matplotlib.pyplot", "numba", "statsmodels", "tqdm", *SCIPY, *PEERS]
    + [f"gpforecast.{room}" for room in ROOMS],
    "forecast": ["gpforecast.events", "narwhals", "polars", "tqdm"],
    "plotting": ["matplotlib"],
    "drawing": ["plotly"],
}


def test_what_is_used_late_is_imported_late_and_files_find_its_classes():
    command = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded, forgotten = json.loads(run.stdout)
    assert [
        (after, name) for after, late in LATE.items() for name in late if name in loaded[after]
    ] == []
    assert forgotten == []
