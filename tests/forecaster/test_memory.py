"""Memory stays where it is, however many series have been fitted and forecast."""

import gc
import tracemalloc

import numpy as np

import gpforecast as gf

CHEAP = {
    "lags": 2,
    "model": gf.models.LinearAR(),
    "transforms": None,
    "noise": "process",
    "support": None,
    "outliers": None,
}


def in_use():
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_fits_forecasts_and_updates_leave_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)

    def run():
        for _ in range(20):
            fc = gf.Forecaster(**CHEAP).fit(rng.standard_normal(20))
            fc.predict(2).interval(0.9)
            fc.update(rng.standard_normal(1)).predict(2)
        fc.save(tmp_path / "fc")
        gf.load(tmp_path / "fc").predict(1)
        return in_use()

    tracemalloc.start()
    try:
        used = [run() for _ in range(9)]
    finally:
        tracemalloc.stop()
    # Caches that fill grow in some rounds; what a forecaster leaves behind grows in every round.
    assert np.diff(used).min() < 20 * 100, used  # bytes; one forecaster holds thousands
