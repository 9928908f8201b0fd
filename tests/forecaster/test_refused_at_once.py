"""Arguments that can work with no series are refused at once, in a sentence."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.propagation import MonteCarlo

WAVE = np.sin(np.arange(60.0))


def table():
    return pd.DataFrame({"unique_id": "a", "ds": range(60), "y": WAVE})


def with_input(lags):
    exog = np.cos(np.arange(60.0))[:, None]
    return gf.Forecaster(exog_lags=lags).fit(WAVE, exog=exog)


REFUSED = {
    "lags": (lambda: gf.Forecaster(lags=range(1, 10**6)),
             "lags must be a list of integers.*at most 100000; got range"),
    "max_rows": (lambda: gf.Forecaster(max_rows="x"),
                 "max_rows must be a positive integer, \"auto\", or None for all rows; got 'x'"),
    "seed of paths": (lambda: MonteCarlo(seed="a"), "seed must be a whole number from 0 up.*'a'"),
    "seed of data": (lambda: gf.datasets.mackey_glass(9, seed="a"), "seed must be a whole number"),
    "n_jobs": (lambda: gf.forecast_panel(table(), 3, n_jobs="a"), "n_jobs must be a number of wo"),
    "exog_lags": (lambda: with_input([10**9]), "series has 60 values but exog_lags up to 10000000"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "said"), REFUSED.values(), ids=REFUSED)
def test_an_argument_that_fits_no_series_is_refused(call, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        call()


@pytest.mark.parametrize("horizon", [22_361, 2**70])
def test_a_horizon_whose_covariance_fits_nowhere_is_refused(horizon):
    fitted = gf.Forecaster(2, model=gf.models.LinearAR(), transforms=None).fit(WAVE)
    with pytest.raises(ValueError, match=rf"keeps a covariance of h\^2 numbers; got {horizon}\."):
        fitted.predict(horizon)
