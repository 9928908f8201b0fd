"""The generator and the bundled series."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gpforecast import datasets
from gpforecast.datasets import mackey_glass
from gpforecast.numerics.compiled.delay import integrate_mackey_glass

DATA = Path(__file__).parents[1] / "data"
compiled_only = pytest.mark.skipif(
    not hasattr(integrate_mackey_glass, "py_func"), reason="numba is switched off"
)


def test_mackey_glass_is_a_named_float_series_on_a_range():
    series = mackey_glass(10, burn_in=20)
    assert series.name == "mackey_glass"
    assert series.dtype == np.float64
    pd.testing.assert_index_equal(series.index, pd.RangeIndex(10))


@pytest.mark.parametrize("tau", [17.0, 17.3, 30.0])
def test_halving_the_step_hardly_moves_the_first_200_values(tau):
    change = mackey_glass(200, tau) - mackey_glass(200, tau, step=0.0125)
    assert change.abs().max() < 5e-8  # 1e-6 is asked for; 1e-9 to 1e-8 measured


def test_a_period_of_two_keeps_every_second_value():
    every = mackey_glass(39, burn_in=50)
    second = mackey_glass(20, burn_in=50, period=2.0)
    np.testing.assert_allclose(second, every.iloc[::2], rtol=1e-12)


def test_normalised_series_has_mean_0_and_variance_1():
    series = mackey_glass(500, normalise=True)
    assert abs(series.mean()) < 1e-13
    assert series.var(ddof=0) == pytest.approx(1.0, rel=1e-12)


def test_noise_is_added_after_the_normalisation_with_the_variance_asked_for():
    n, noise_var = 4000, 0.25
    clean = mackey_glass(n, normalise=True, step=0.1)
    noise = mackey_glass(n, normalise=True, step=0.1, noise_var=noise_var, seed=1) - clean
    # The variance of n Gaussian values has a standard error of var sqrt(2 / n).
    assert abs(noise.var() - noise_var) < 5 * noise_var * np.sqrt(2 / n)
    assert abs(noise.mean()) < 5 * np.sqrt(noise_var / n)


def test_chaos_separates_neighbours_and_a_short_delay_does_not():
    def spread(tau):
        close = mackey_glass(1500, tau, burn_in=0, step=0.1)
        other = mackey_glass(1500, tau, burn_in=0, step=0.1, x0=1.2 + 1e-6)
        return (close - other).abs().iloc[-100:].max()

    assert spread(17.0) > 1e-4
    assert spread(2.0) < 1e-6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": 0}, ValueError, "n must be a positive integer; got 0."),
        ({"tau": 0.0}, ValueError, "tau must be a positive number; got 0.0."),
        ({"x0": -1.0}, ValueError, "x0 must be a positive number"),
        ({"period": np.inf}, ValueError, "period must be a positive number; got inf"),
        ({"step": np.nan}, ValueError, "step must be a positive number; got nan"),
        ({"burn_in": -1}, ValueError, "burn_in must be 0 or a positive number; got -1."),
        ({"noise_var": -0.1}, ValueError, "noise_var must be 0 or a positive number"),
        ({"a": "0.2"}, ValueError, "a must be a positive number; got '0.2'."),
        ({"b": True}, ValueError, "b must be a positive number; got True."),
        ({"seed": "x"}, ValueError, "seed must be a whole number from 0 up"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0 up"),
        ({"step": 15.0, "b": 0.5}, ValueError, "step must be at most the decay time 1/b = 2,"),
        ({"x0": 1.0, "normalise": True}, ValueError, "normalise must be False for a constant"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        mackey_glass(**({"n": 5, "burn_in": 0, "noise_var": 1.0} | arguments))


@compiled_only
def test_the_file_in_data_is_what_the_generator_makes():
    table = pd.read_csv(DATA / "mackey_glass.csv")
    assert list(table.columns) == ["time", "value"]
    assert table["time"].tolist() == list(range(2000))
    made = mackey_glass(2000, normalise=True, noise_var=1e-3, seed=0)
    # Six decimals, and room for another processor's last digit, which chaos makes 1e8 times larger.
    np.testing.assert_allclose(table["value"], made, atol=2e-6)


@pytest.mark.parametrize(
    ("load", "name", "length", "first", "last", "freq"),
    [
        (datasets.load_sunspots, "sunspots", 309, "1700", "2008", "Y-DEC"),
        (datasets.load_nile, "nile", 100, "1871", "1970", "Y-DEC"),
        (datasets.load_elnino, "elnino", 732, "1950-01", "2010-12", "M"),
        (datasets.load_macrodata, "infl", 203, "1959Q1", "2009Q3", "Q-DEC"),
    ],
)
def test_bundled_series_have_a_regular_index_and_no_gaps(load, name, length, first, last, freq):
    series = load()
    assert series.name == name
    assert series.dtype == np.float64
    assert len(series) == length
    assert not series.isna().any()
    expected = pd.period_range(first, last, freq=freq)
    pd.testing.assert_index_equal(series.index, expected)


def test_bundled_values_fall_on_their_own_dates():
    assert datasets.load_sunspots()["1947"] == 151.6
    assert datasets.load_nile()["1913"] == 456.0  # the lowest flow of the record
    assert datasets.load_elnino()["1951-02"] == 25.28
    assert datasets.load_elnino()["2010-12"] == 22.07
    assert datasets.load_macrodata("realgdp")["1959Q2"] == 2778.801


def test_co2_gaps_are_filled_by_straight_lines_unless_refused():
    filled, raw = datasets.load_co2(), datasets.load_co2(fill=False)
    for series in (filled, raw):
        assert series.name == "co2"
        assert series.index.freqstr == "W-SAT"
        assert (len(series), str(series.index[0].date())) == (2284, "1958-03-29")
    assert raw.isna().sum() == 59
    assert not filled.isna().any()
    known = raw.dropna()
    line = np.interp(
        np.asarray(raw.index.astype("datetime64[s]").astype("int64"), dtype=float),
        np.asarray(known.index.astype("datetime64[s]").astype("int64"), dtype=float),
        known,
    )
    np.testing.assert_allclose(filled, line, rtol=1e-13)


def test_loaders_return_a_series_of_their_own():
    series = datasets.load_nile()
    series.iloc[0] = -1.0
    assert datasets.load_nile().iloc[0] == 1120.0


def test_sales_of_a_seed_start_alike_and_are_whole_numbers():
    table = datasets.monthly_sales(60, seed=0)
    pd.testing.assert_frame_equal(table[:24], datasets.monthly_sales(24, seed=0))
    assert (table["units"] % 1 == 0).all()
    assert set(table["promotion"]) == {0.0, 1.0}


def test_growth_season_and_promotions_of_simulated_sales_are_those_of_the_formula():
    """By least squares on 4000 months; the errors of a slope are those of white noise."""
    table = datasets.monthly_sales(4001, seed=0)
    log_units = np.log(table["units"])
    change = (log_units - np.resize(datasets._SHOP_YEAR, 4001)).diff().to_numpy()[1:]
    jump = table["promotion"].diff().to_numpy()[1:]
    X = np.column_stack([np.ones(4000), jump])
    drift, effect = np.linalg.lstsq(X, change, rcond=None)[0]
    noise = 0.012**2 + 2 * 0.02**2
    assert abs(drift - 0.006) < 5 * 0.012 / 4000**0.5 + 5 * 2 * 0.02 / 4000
    assert abs(effect - 0.1) < 5 * (noise / (jump**2).sum()) ** 0.5
    np.testing.assert_allclose((change - X @ [drift, effect]).var(), noise, rtol=0.12)
    assert abs(table["promotion"].mean() - 1 / 8) < 5 * (7 / 64 / 4001) ** 0.5
