"""Values, indexes and seeds at the edge: a forecast, or a sentence that says what to do."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

T = np.arange(80.0)
NOISE = np.random.default_rng(0).standard_normal(80)
WAVE = np.sin(T / 5.0) + 0.1 * NOISE


@pytest.mark.parametrize("size", [1e155, 1e300, 1e-170, 1e-300])
def test_values_whose_squares_are_no_numbers_are_refused(size):
    with pytest.raises(ValueError, match=r"whose squares are numbers.*Use larger or smaller units"):
        gf.Forecaster().fit(size * WAVE)


def test_inputs_and_new_values_of_such_a_size_are_refused_too():
    fc = gf.Forecaster(lags=2).fit(WAVE)
    with pytest.raises(ValueError, match="new_values must hold values whose squares"):
        fc.update([1e200])
    with pytest.raises(ValueError, match="exog must hold values whose squares"):
        gf.Forecaster(lags=2).fit(WAVE, exog=1e200 * NOISE)


@pytest.mark.parametrize("size", [1e140, 1e-140])
def test_large_and_small_units_change_nothing_else(size):
    small = gf.Forecaster(lags=2).fit(WAVE).predict(5)
    large = gf.Forecaster(lags=2).fit(size * WAVE).predict(5)
    np.testing.assert_allclose(large.mean / size, small.mean, rtol=1e-7)
    np.testing.assert_allclose(large.std / size, small.std, rtol=1e-7)


def test_a_wave_of_a_thousandth_upon_a_level_of_a_thousand_millions_is_forecast():
    f = gf.Forecaster().fit(1e9 + 1e-3 * np.sin(T / 5.0)).predict(5)
    truth = np.sin(np.arange(80.0, 85.0) / 5.0)
    np.testing.assert_allclose((f.mean.to_numpy() - 1e9) / 1e-3, truth, atol=1e-2)
    assert (f.std < 1e-4).all()


def test_what_is_masked_is_missing():
    values = np.where(T == 40.0, 1e20, NOISE)
    masked = gf.Forecaster(lags=2).fit(np.ma.masked_greater(values, 1e19))
    missing = gf.Forecaster(lags=2).fit(np.where(T == 40.0, np.nan, NOISE))
    np.testing.assert_array_equal(masked.history_, missing.history_)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint16"])
def test_labels_beyond_a_small_type_are_those_of_a_larger_one(dtype):
    last = np.iinfo(dtype).max
    index = pd.Index(np.arange(last - 79, last + 1), dtype=dtype)
    f = gf.Forecaster(lags=2).fit(pd.Series(NOISE, index)).predict(20)
    assert list(f.index) == list(range(last + 1, last + 21))


@pytest.mark.parametrize("first", [2**64 - 85, 2**63 - 85])
def test_whole_numbers_without_successors_are_refused(first):
    index = pd.Index([first + k for k in range(80)])
    with pytest.raises(ValueError, match="count from a smaller number"):
        gf.Forecaster(lags=2).fit(pd.Series(NOISE, index)).predict(20)


def test_numbers_that_would_not_grow_are_refused_as_labels():
    index = pd.Index(np.linspace(0.5, 1.0, 80) * np.finfo(float).max)
    fc = gf.Forecaster(lags=2).fit(pd.Series(NOISE, index))
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match="no numbers for the next 20 steps"),
    ):
        fc.predict(20)


@pytest.mark.parametrize(
    "index",
    [
        pd.PeriodIndex.from_ordinals(2**63 - 82 + np.arange(80), freq="D"),
        pd.to_timedelta(2**63 - 1 - 10**9 * np.arange(80)[::-1], unit="ns"),
    ],
)
def test_times_that_would_begin_again_at_the_lowest_number_are_refused(index):
    fc = gf.Forecaster(lags=2).fit(pd.Series(NOISE, index))
    with pytest.raises(ValueError, match=r"no (numbers|times) for the next 20 steps"):
        fc.predict(20)


def test_dates_beyond_those_of_their_unit_are_refused_with_a_remedy():
    dates = pd.date_range("2181-01-01", periods=80, freq="YS").as_unit("ns")
    fc = gf.Forecaster(lags=2, transforms=None)
    with pytest.raises(ValueError, match=r"ends at 2260.*no dates for the next 20.*as_unit\('s'\)"):
        fc.fit(pd.Series(NOISE, dates)).predict(20)
    later = fc.fit(pd.Series(NOISE, dates.as_unit("s"))).predict(20).index
    assert later[-1].year == 2280


def test_known_noise_beside_which_the_series_is_nothing_is_refused():
    y = np.append(1e-160 * np.random.default_rng(0).random(40), 1e-151)
    fc = gf.Forecaster(lags=1, transforms="log", model=gf.models.LinearAR(), noise=0.01)
    with pytest.raises(ValueError, match=r"got 0.01, beside which .* 1e-151, are nothing"):
        fc.fit(y)


def test_a_thousand_million_lags_are_refused_before_they_are_written_out():
    with pytest.raises(ValueError, match=r"lags must be at most 100000.*lags=\[1000000000\]"):
        gf.Forecaster(lags=10**9)


@pytest.mark.parametrize("seed", ["a", -1, 0.5])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number from 0 up"):
        gf.Forecaster(seed=seed)
    with pytest.raises(ValueError, match="seed must be a whole number from 0 up"):
        gf.Forecaster(lags=2).fit(NOISE).predict(2).sample(3, seed=seed)


@pytest.mark.parametrize("exog", [None, 3.0])
def test_simulating_no_inputs_is_refused(exog):
    with pytest.raises(ValueError, match="exog must hold the inputs at each time"):
        gf.Forecaster(lags=1).fit(WAVE, exog=NOISE).simulate(exog)


def test_a_number_too_large_for_a_float_is_refused():
    with pytest.raises(ValueError, match="numbers up to 1e308"):
        gf.Forecaster(lags=1).fit([1.0, 2.0, 10**400])


def test_six_known_values_of_eighty_are_forecast_within_reason():
    holes = np.where(T % 37 > 1, np.nan, NOISE)
    f = gf.Forecaster().fit(holes).predict(5)
    assert f.interval(0.95).abs().to_numpy().max() < 10.0 * np.nanmax(abs(holes))


def test_an_interval_a_hundred_times_as_wide_as_the_series_is_said():
    holes = np.where(
        np.random.default_rng(4).random(80) < 0.3, np.nan, np.exp(0.05 * T + 0.2 * NOISE)
    )
    steps = [gf.transforms.Log(), gf.transforms.Difference(), gf.transforms.Difference()]
    with pytest.warns(gf.NumericalWarning) as said:
        f = gf.Forecaster(transforms=steps).fit(holes).predict(20)
    assert any("knows next to nothing" in note or "run away" in note for note in f.notes)
    assert len(said) >= 1


def test_an_interval_far_wider_than_the_series_is_noted_without_a_warning():
    walk, twice = np.random.default_rng(1).standard_normal(40).cumsum(), ["difference"] * 2
    fc = gf.Forecaster(lags=1, transforms=twice, model=gf.models.LinearAR()).fit(walk)
    f = fc.predict(30)
    (note,) = (note for note in f.notes if "very wide" in note)
    reach = (f.quantile(0.975) - f.quantile(0.5)).to_numpy() / walk.std()
    first = int(np.argmax(reach > 30.0)) + 1
    assert f"from step {first} on" in note
    assert f"up to {10 * round(reach.max() / 10)} " in note
    assert not any("very wide" in note for note in fc.predict(first - 1).notes)


def test_of_paths_the_latent_variance_is_at_most_the_variance():
    for k in range(10):
        y = np.random.default_rng(k).standard_normal(40)
        f = gf.Forecaster(lags=1, propagation=gf.propagation.MonteCarlo(50, seed=k)).fit(y)
        f = f.predict(20)
        assert (f.latent_var <= f.var).all()


def test_dollars_in_a_name_are_no_formula():
    s = pd.Series(NOISE, name="cost $ of US$ per $a_{b")
    ax = gf.Forecaster(lags=2).fit(s).predict(5).plot()
    ax.figure.canvas.draw()
    assert ax.get_ylabel() == r"cost \$ of US\$ per \$a_{b"
