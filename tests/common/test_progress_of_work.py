"""What bars our own work shows, and that they change nothing."""

import joblib
import numpy as np
import pandas as pd
import pytest
from bars import Recorder

import gpforecast as gf
from gpforecast.common import progress
from gpforecast.models import GaussianProcess

SERIES = gf.datasets.mackey_glass(120, noise_var=1e-3, seed=0)
TABLE = pd.concat(
    pd.DataFrame({"unique_id": name, "ds": np.arange(60), "y": np.sin(np.arange(60) / 3) + name})
    for name in range(6)
)


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(progress, "_tqdm", lambda: recorder)
    return recorder


def test_a_forecaster_shows_stage_after_stage_and_never_two_at_once(recorder):
    fc = gf.Forecaster(progress=True, calibrate="variance").fit(SERIES)
    fc.predict(10)
    first = [one.desc.split(" on ")[0] for one in recorder.bars]
    assert list(dict.fromkeys(first)) == [
        "choosing transforms", "training", "comparing kinds of noise", "calibrating", "forecasting",
    ]  # fmt: skip
    assert recorder.most_open == 1
    assert recorder.named("forecasting")[0].n == recorder.named("forecasting")[0].total == 10


@pytest.mark.parametrize("backend", [None, "threading", "loky"])
def test_a_panel_shows_its_series_and_nothing_of_each(backend, recorder, capfd):
    chatty = gf.Forecaster(lags=3, transforms=None, model=GaussianProcess(progress=True))
    options = {"n_jobs": 1} if backend is None else {}
    context = joblib.parallel_config(backend or "threading", n_jobs=1 if backend is None else 2)
    with context:
        gf.forecast_panel(TABLE, 2, forecaster=chatty, progress=True, **options)
    assert [(one.desc, one.total) for one in recorder.bars] == [("forecasting", 6)]
    assert recorder.bars[0].n == 6
    assert capfd.readouterr() == ("", "")  # of workers too


def test_fit_predict_and_backtest_print_and_warn_of_nothing(capfd):
    fc = gf.Forecaster().fit(SERIES[:90])
    fc.predict(10)
    gf.backtest(fc, SERIES, horizon=5, origins=10)
    assert capfd.readouterr() == ("", "")
