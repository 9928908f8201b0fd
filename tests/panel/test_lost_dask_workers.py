"""Workers of a Dask cluster that are lost, and panels that stop and go on there."""

import os
import signal
import warnings

import joblib
import pandas as pd
import pytest
from panel.test_lost_workers import one_is_lost
from panel.test_resume import CHEAP
from panel.test_resume import table as many

import gpforecast as gf

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

# What dask and tornado leave open in passing, or deprecate among themselves.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Port .* is already in use"),
]


@pytest.fixture
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    # A local cluster gives up a worker that takes longer to come back, as on a busy machine.
    patience = {"distributed.deploy.lost-worker-timeout": "10 minutes"}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1, **patience}),
        distributed.LocalCluster(**options, silence_logs=50) as made,
        distributed.Client(made),
        joblib.parallel_config("dask"),
    ):
        yield made


def test_a_series_that_kills_its_workers_is_listed_and_the_others_are_forecast(
    cluster, tmp_path, monkeypatch
):
    monkeypatch.setattr("gpforecast.panel.workers._CHUNK_SECONDS", 2.0)  # chunks of several
    one_is_lost(tmp_path / "marks")


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("gpforecast.panel.workers._CHUNK_SECONDS", 0.05)
    monkeypatch.setattr("gpforecast.panel.parts._SECONDS", 0.0)
    options = {"forecaster": CHEAP, "levels": [80]}
    killed, add = [], gf.panel.parts.Parts.add

    def kill_one(self, position, outcome):
        add(self, position, outcome)
        if position == 14 and not killed:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker)
            os.kill(worker.process.pid, signal.SIGKILL)

    monkeypatch.setattr("gpforecast.panel.parts.Parts.add", kill_one)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "1 of .* could not be forecast")
        panel = gf.forecast_panel(many(), 2, resume=tmp_path, **options)
    with warnings.catch_warnings(), joblib.parallel_config("sequential"):
        warnings.filterwarnings("ignore", "1 of .* could not be forecast")
        whole = gf.forecast_panel(many(), 2, n_jobs=1, **options)
    assert len(killed) == 1
    pd.testing.assert_frame_equal(panel.frame, whole.frame, check_exact=True)
