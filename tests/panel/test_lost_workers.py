"""Processes that are lost: the other series are forecast all the same."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.storage import storable

KILLER = 4.5  # standard deviations: one value of one series is as far, and kills its process


@storable
@dataclass
class Killed(gf.models.LinearAR):
    """Kills its process at such a value, always or while a file is not there."""

    flag: str = ""

    def fit(self, X, y):
        if X.max() > KILLER and not (self.flag and Path(self.flag).exists()):
            if self.flag:
                Path(self.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


def table():
    rng = np.random.default_rng(0)
    parts = [
        pd.DataFrame({"unique_id": k, "ds": range(30), "y": rng.standard_normal(30)})
        for k in range(12)
    ]
    parts[7].loc[10, "y"] = 100.0
    return pd.concat(parts)


def forecast(flag, **options):
    model = Killed(flag=flag)
    forecaster = gf.Forecaster(
        2, transforms=None, model=model, noise="process", support=None, outliers=None
    )
    return gf.forecast_panel(table(), 2, forecaster=forecaster, **{"n_jobs": 2, **options})


@pytest.fixture(autouse=True)
def workers(monkeypatch):
    """Workers are started, and each task is one series."""
    monkeypatch.setattr("gpforecast.panel.workers._WORTH_WORKERS", 0.0)
    monkeypatch.setattr("gpforecast.panel.workers._CHUNK_SECONDS", 1e-9)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.filterwarnings("ignore:A worker stopped while some jobs:UserWarning")  # of loky
def test_a_series_that_kills_its_process_is_listed_and_the_others_are_forecast():
    with pytest.warns(UserWarning, match="1 of 12 series could not be forecast"):
        panel = forecast("")
    assert panel.failures["unique_id"].tolist() == [7]
    assert "the process that forecast it was lost twice" in panel.failures["reason"].iloc[0]
    assert panel.frame["unique_id"].unique().tolist() == [k for k in range(12) if k != 7]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_process_that_is_lost_once_costs_nothing(tmp_path):
    panel = forecast(str(tmp_path / "flag"))
    assert len(panel.failures) == 0
    assert panel.frame["unique_id"].unique().tolist() == list(range(12))
