import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.plotting import correlation_heat_map, forecasts_by_origin, sample_paths


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def series():
    values = gf.datasets.mackey_glass(300, noise_var=1e-3, seed=0).to_numpy()
    return pd.Series(values, index=pd.date_range("2024-01-01", periods=300), name="x(t)")


@pytest.fixture(scope="module")
def forecast(series):
    return gf.Forecaster(lags=6).fit(series[:200]).predict(12)


@pytest.fixture(scope="module")
def tested(series):
    forecaster = gf.Forecaster(6, model=gf.models.LinearAR(), transforms=None, noise="process")
    return gf.backtest(forecaster, series, horizon=10, origins=15)


def test_paths_are_the_forecasts_own_and_start_at_the_last_observation(forecast, series):
    ax = sample_paths(forecast, n=5, seed=3, truth=series)
    observed, *paths, later = ax.lines
    drawn = np.array([line.get_ydata() for line in paths])
    np.testing.assert_array_equal(drawn[:, 0], np.full(5, forecast.history.iloc[-1]))
    np.testing.assert_array_equal(drawn[:, 1:].T, forecast.sample(5, seed=3).to_numpy())
    assert observed.get_ydata()[-1] == series.iloc[199]
    np.testing.assert_array_equal(later.get_ydata(), series.iloc[200:212])
    assert ax.get_ylabel() == "x(t)"


def test_heat_map_holds_the_correlations(forecast):
    ax = correlation_heat_map(forecast)
    S = forecast.covariance.to_numpy()
    root = np.sqrt(np.diag(S))
    np.testing.assert_allclose(ax.images[0].get_array(), S / np.outer(root, root), atol=1e-12)
    assert ax.images[0].get_clim() == (-1, 1)


def test_forecasts_are_drawn_where_they_were_made(tested, series):
    ax = forecasts_by_origin(tested, series, n=4, level=80)
    times = series.index
    means = {tuple(row) for row in tested.mean}
    starts = sorted(pd.Timestamp(line.get_xdata(orig=True)[0]) for line in ax.lines[1:])
    assert min(np.diff(starts)) >= pd.Timedelta(days=10)  # those that would overlap are left out
    assert starts[-1] == times[tested.origins.max()]
    assert 2 <= len(ax.collections) <= 4
    for line in ax.lines[1:]:
        assert tuple(line.get_ydata()) in means
        k = [tuple(row) for row in tested.mean].index(tuple(line.get_ydata()))
        assert line.get_xdata(orig=True)[0] == times[tested.origins[k]]


def test_bad_input_is_refused_before_a_figure_is_made(tested, series, forecast):
    with pytest.raises(ValueError, match="the one that was backtested"):
        forecasts_by_origin(tested, series[:100])
    with pytest.raises(ValueError, match=r"level must be one of .*50, 80, 95"):
        forecasts_by_origin(tested, series, level=90)
    with pytest.raises(TypeError, match="one path a column; got int"):
        sample_paths(3)
    with pytest.raises(ValueError, match="empty frame"):
        sample_paths(pd.DataFrame())
    with pytest.raises(ValueError, match="positive variances"):
        correlation_heat_map([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="n must be a positive integer"):
        sample_paths(forecast, n=0)
    assert not plt.get_fignums()
