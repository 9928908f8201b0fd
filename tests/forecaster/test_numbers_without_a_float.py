"""Whole numbers that no float holds, and other numbers beyond all use, are refused at once."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import LinearAR, NearestNeighbours, SparseGaussianProcess
from gpforecast.propagation import Cubature, ExactMoments, GaussianMixture, MonteCarlo
from gpforecast.transforms import BoxCox, Deterministic

HUGE = 10**400
WAVE = np.sin(np.arange(60) / 3.0)
TABLE = pd.DataFrame({"unique_id": "a", "ds": range(60), "y": WAVE})
FITTED = gf.Forecaster(2, model=LinearAR(), transforms=None).fit(WAVE)
F = FITTED.predict(3)

CALLS = {
    "interval": lambda: F.interval(HUGE),
    "band": lambda: F.band(HUGE),
    "to_frame": lambda: F.to_frame([HUGE]),
    "given": lambda: F.given({60: HUGE}),
    "sum": lambda: F.given(total={(60, 61): HUGE}),
    "sample": lambda: F.sample(HUGE),
    "levels": lambda: gf.forecast_panel(TABLE, 2, levels=[HUGE]),
    "n_jobs": lambda: gf.forecast_panel(TABLE, 2, n_jobs=HUGE, forecaster=FITTED),
    "max_rows": lambda: gf.Forecaster(max_rows=HUGE).fit(WAVE),
    "support": lambda: gf.Forecaster(support=(0, HUGE)).fit(WAVE),
    "n_inducing": lambda: gf.Forecaster(model=SparseGaussianProcess(n_inducing=HUGE)).fit(WAVE),
    "n_neighbors": lambda: gf.Forecaster(model=NearestNeighbours(n_neighbors=HUGE)).fit(WAVE),
    "n": lambda: gf.datasets.mackey_glass(HUGE),
    "n_paths": lambda: MonteCarlo(HUGE),
    "n_features": lambda: MonteCarlo(10, "function", n_features=HUGE),
    "n_components": lambda: GaussianMixture(HUGE),
    "n_nodes": lambda: Cubature("gauss_hermite", n_nodes=HUGE),
    "n_paths of moments": lambda: ExactMoments(function="path", n_paths=HUGE),
    "noise_var": lambda: gf.datasets.mackey_glass(100, noise_var=HUGE),
    "lmbda": lambda: BoxCox(HUGE),
    "period": lambda: Deterministic(fourier=1, period=HUGE),
    "trend": lambda: Deterministic(trend=HUGE).fit(WAVE),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_whole_number_that_no_float_holds_is_refused_in_a_sentence(call):
    with pytest.raises(
        ValueError, match=r"(must|are) .*beyond 1e308|needs at least|must be .* bounds"
    ) as caught:
        call()
    assert len(str(caught.value)) < 300


def test_more_draws_than_any_memory_holds_are_refused():
    with pytest.raises(ValueError, match=r"^n must be at most 1333333333, which takes 32 GB"):
        F.sample(10**12)
    with pytest.raises(ValueError, match=r"^n must be at most 4000000000"):
        gf.datasets.monthly_sales(10**12)
    with pytest.raises(ValueError, match=r"^n_paths must be at most 4000000000, which takes 32 GB"):
        FITTED.predict(3, propagation=MonteCarlo(10**12))


def test_more_paths_than_a_horizon_leaves_memory_for_are_refused():
    with pytest.raises(ValueError, match=r"^n_paths must be at most 8000000, which takes 32 GB"):
        FITTED.predict(498, propagation=MonteCarlo(10**9))  # two values before them


def test_inputs_without_a_row_are_refused():
    with pytest.raises(ValueError, match=r"^exog must have one row for each .*got 0 rows"):
        gf.Forecaster(lags=2).fit(WAVE, exog=[])
