"""The common model: which lags the series have in common, and which of them teach it."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.panel import pooled


@pytest.mark.parametrize(("n", "wanted"), [(8, [1, 7]), (9, [1])])
def test_a_lag_that_a_quarter_of_the_series_have_is_common(monkeypatch, n, wanted):
    monkeypatch.setattr(pooled, "select_lags", lambda y: [1, 7] if y[0] > 0.0 else [1])
    series = [np.full(40, 1.0 if i < 2 else -1.0) for i in range(n)]
    assert pooled.common_lags(series) == wanted


def test_series_of_small_values_teach_as_those_of_large_ones():
    waves = [np.sin(np.arange(40.0) / 2.0 + i) for i in range(2)]
    frames = [
        pd.concat(
            pd.DataFrame({"unique_id": i, "ds": range(40), "y": scale * wave})
            for i, wave in enumerate(waves)
        )
        for scale in (1e-6, 1.0)
    ]
    small, large = (
        gf.forecast_panel(one, 3, forecaster=gf.Forecaster(lags=3), mode="global", n_jobs=1).frame
        for one in frames
    )
    np.testing.assert_allclose(1e6 * small["mean"], large["mean"], rtol=1e-5, atol=1e-5)
