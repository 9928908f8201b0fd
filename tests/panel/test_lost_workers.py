"""Processes that are lost, and panels that are interrupted."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.storage import storable

# Processes that are lost: the other series are forecast all the same


KILLER = 4.5  # standard deviations: one value of one series is as far, and kills its process


@storable
@dataclass
class Killed(gf.models.LinearAR):
    """Kills its process at such a value, and marks each time in a file."""

    marks: str = ""

    def fit(self, X, y):
        if X.max() > KILLER:
            with Path(self.marks).open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


def table():
    rng = np.random.default_rng(0)
    parts = [
        pd.DataFrame({"unique_id": k, "ds": range(30), "y": rng.standard_normal(30)})
        for k in range(8)
    ]
    parts[5].loc[10, "y"] = 100.0
    return pd.concat(parts)


def forecast(marks, **options):
    """Forecast a panel of eight, of which one kills its process."""
    quick = {"transforms": None, "noise": "process", "support": None, "outliers": None}
    forecaster = gf.Forecaster(2, model=Killed(marks=str(marks)), **quick)
    return gf.forecast_panel(table(), 2, forecaster=forecaster, **options)


def one_is_lost(marks, **options):
    """Whether the series that kills its process is listed, and the others are forecast."""
    with pytest.warns(UserWarning, match="1 of 8 series could not be forecast"):
        panel = forecast(marks, **options)
    assert panel.failures["unique_id"].tolist() == [5]
    assert "the process that forecast it was lost twice" in panel.failures["reason"].iloc[0]
    assert panel.frame["unique_id"].unique().tolist() == [k for k in range(8) if k != 5]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.filterwarnings("ignore:A worker stopped while some jobs:UserWarning")  # of loky
def test_a_series_that_kills_its_process_twice_is_listed_and_the_others_are_forecast(
    tmp_path, monkeypatch
):
    # Workers are started, and each task is one series.
    monkeypatch.setattr("gpforecast.panel.workers._WORTH_WORKERS", 0.0)
    monkeypatch.setattr("gpforecast.panel.workers._CHUNK_SECONDS", 1e-9)
    one_is_lost(tmp_path / "marks", n_jobs=2)
    assert (tmp_path / "marks").read_text() == "xx"


# A panel that is interrupted stops; what compiled code makes of an interrupt is one, too


TWO = pd.DataFrame(
    {
        "unique_id": ["a"] * 30 + ["b"] * 30,
        "ds": [*range(30)] * 2,
        "y": [float(k % 7) for k in range(60)],
    }
)


class InterruptedWhileCompiled(gf.models.LinearAR):
    def fit(self, X, y):  # noqa: ARG002
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise SystemError("returned a result with an exception set") from interrupt


class Broken(gf.models.LinearAR):
    def fit(self, X, y):  # noqa: ARG002
        raise SystemError("broken")


def test_an_interrupt_within_compiled_code_stops_the_panel():
    with pytest.raises(KeyboardInterrupt):
        gf.forecast_panel(TWO, 3, forecaster=gf.Forecaster(2, model=InterruptedWhileCompiled()))


def test_another_error_is_listed_and_the_panel_goes_on():
    with pytest.raises(ValueError, match="broken"):
        gf.forecast_panel(TWO, 3, forecaster=gf.Forecaster(2, model=Broken()))
