"""Series that are strange but possible, values at the edge, and forecasts that run away."""

import warnings

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted, wave

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.pipeline.plausible import runaway
from gpforecast.results import Paths
from gpforecast.transforms import Deterministic

# Series that are strange but possible: constant, very short, tiny, huge


@pytest.mark.parametrize("level", [0.0, 5.0, -1e6])
def test_constant_series_is_forecast_to_stay(level):
    f = gf.Forecaster(2).fit(np.full(30, level)).predict(10)
    np.testing.assert_allclose(f.mean, level, rtol=1e-9, atol=1e-9)
    assert (f.std > 0).all()
    assert (f.std < 1e-3 * (abs(level) or 1.0)).all()  # the smallest noise a model is given


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rate", [0.0, 0.02, 1.0])
@pytest.mark.parametrize(
    "options",
    [{}, {"transforms": [Deterministic(1)]}, {"model": gf.models.ReducedRankGP(n_support=5)}],
    ids=["default", "trend", "reduced rank"],
)
def test_zeros_and_ones_are_forecast_without_a_warning(options, rate):
    y = (np.random.default_rng(0).random(60) < rate).astype(float)
    f = gf.Forecaster(**options).fit(y).predict(5)
    assert np.isfinite(f.to_frame()).all(axis=None)


@pytest.mark.parametrize("lags", [1, 3])
def test_shortest_series_possible_is_forecast_within_reason(lags):
    y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])[: lags + 2]
    f = gf.Forecaster(lags).fit(y).predict(5)
    assert np.isfinite(f.mean).all()
    assert (f.std > 0).all()
    assert (f.mean > y.min() - 5 * np.ptp(y)).all()
    assert (f.mean < y.max() + 5 * np.ptp(y)).all()


@pytest.mark.parametrize("scale", [1e-150, 1e140])
def test_tiny_and_huge_units_are_no_trouble(scale):
    f, g = fitted().predict(5), fitted(y=scale * wave()).predict(5)
    np.testing.assert_allclose(g.mean / scale, f.mean, rtol=1e-8)
    np.testing.assert_allclose(g.std / scale, f.std, rtol=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("slope", [2.0, -0.1])
def test_a_straight_line_goes_on_and_its_intervals_are_narrow(n, slope):
    y = 50.0 + slope * np.arange(n + 6)
    f = gf.Forecaster().fit(y[:n]).predict(6)
    np.testing.assert_allclose(f.mean, y[n:], atol=0.02 * abs(slope))
    assert np.sqrt(f.var).max() < 0.25 * abs(slope)


def test_differences_that_are_all_the_same_leave_next_to_no_noise():
    y = 5.0 + 2.0 * np.arange(30)
    steps = [gf.transforms.Difference(), gf.transforms.DampedMean(1.0, halflife=10.0)]
    ar = gf.models.BayesianAR()
    f = gf.Forecaster(lags=2, transforms=steps, model=ar).fit(y).predict(5)
    np.testing.assert_allclose(f.mean, y[-1] + 2.0 * np.arange(1, 6), rtol=1e-9)
    assert np.sqrt(f.var).max() < 1e-4


def test_a_season_at_a_high_level_that_repeats_has_narrow_intervals():
    y = 1e6 + np.tile([3.0, -3.0, 1.0, 2.0], 6)
    fc = gf.Forecaster(transforms=gf.transforms.SeasonalDifference(4), combine=None)
    f = fc.fit(y).predict(4)
    np.testing.assert_allclose(f.mean, y[:4], atol=1e-3)
    assert f.std.max() < 0.06


# Values, indexes and seeds at the edge: a forecast, or a sentence that says what to do


T = np.arange(80.0)
NOISE = np.random.default_rng(0).standard_normal(80)
WAVE = np.sin(T / 5.0) + 0.1 * NOISE


LARGEST = pd.Index([2**63 - 85 + k for k in range(80)])
UNITS = "whose squares are numbers.*Use larger or smaller units"
LINEAR = gf.Forecaster(lags=2, model=gf.models.LinearAR())
REFUSED = [
    (lambda: gf.Forecaster().fit(1e155 * WAVE), UNITS),
    (lambda: gf.Forecaster().fit(1e-170 * WAVE), UNITS),
    (lambda: LINEAR.fit(pd.Series(NOISE, LARGEST)).predict(20), "ount from a smaller number"),
    (lambda: LINEAR.fit(WAVE, exog=NOISE).simulate(None), "exog must hold the inputs at each time"),
    (lambda: LINEAR.fit(WAVE, exog=NOISE).simulate(3.0), "exog must hold the inputs at each time"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_cannot_be_counted_squared_or_simulated_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_masked_is_missing():
    values = np.where(T == 40.0, 1e20, NOISE)
    masked = gf.Forecaster(lags=2).fit(np.ma.masked_greater(values, 1e19))
    missing = gf.Forecaster(lags=2).fit(np.where(T == 40.0, np.nan, NOISE))
    np.testing.assert_array_equal(masked.history_, missing.history_)


def test_dates_beyond_those_of_their_unit_are_refused_with_a_remedy():
    dates = pd.date_range("2181-01-01", periods=80, freq="YS").as_unit("ns")
    fc = gf.Forecaster(lags=2, transforms=None)
    with pytest.raises(
        ValueError, match=r"ends at 2260.*no labels for the next 20.*as_unit\('s'\)"
    ):
        fc.fit(pd.Series(NOISE, dates)).predict(20)
    later = fc.fit(pd.Series(NOISE, dates.as_unit("s"))).predict(20).index
    assert later[-1].year == 2280


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
    assert any("knows little" in note or "run away" in note for note in f.notes)
    assert len(said) >= 1


# Forecasts that run away are said to, whatever the model; and inputs that enter at once only


def exploding(n=60):
    """An unstable autoregression in its quiet beginning: its mean doubles every few steps."""
    t = np.arange(n)
    rng = np.random.default_rng(0)
    return pd.Series(1.08**t * np.cos(t) + 0.01 * rng.standard_normal(n))


def henon(n=400):
    x, y, values = 0.1, 0.1, []
    for _ in range(n):
        x, y = 1.0 - 1.4 * x * x + y, 0.3 * x
        values.append(x)
    return pd.Series(values[100:])


@pytest.mark.parametrize("propagation", ["exact", "naive", "monte_carlo"])
def test_a_mean_far_beyond_all_values_is_said_once(propagation):
    y = exploding()
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR(), propagation=propagation)
    with pytest.warns(NumericalWarning, match="standard deviations of the series beyond") as said:
        f = fc.fit(y).predict(60)
    assert len(said) == 1
    (note,) = [n for n in f.notes if "beyond all its values" in n]
    spread = y.std(ddof=0)
    off = np.maximum(f.mean - y.max(), y.min() - f.mean) / spread
    assert f"up to {float(f'{off.max():.2g}'):.0f} standard" in note
    assert note.startswith(f"from step {int(np.argmax(off > 10)) + 1} on")


def test_exact_moments_that_leave_a_chaotic_attractor_are_said():
    """Where the map is extrapolated, a Gaussian drops off the attractor: Monte Carlo does not."""
    fc = gf.Forecaster(2, transforms=None, propagation="exact").fit(henon())
    with pytest.warns(NumericalWarning, match='unless the series grows so fast.*"monte_carlo"'):
        assert fc.predict(40).mean.min() < -5.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = fc.predict(40, propagation=gf.propagation.MonteCarlo(100, seed=0))
    assert f.mean.abs().max() < 2.0


@pytest.mark.parametrize("response", [[0.0, 0.5, 0.3], [1.0]])
def test_earlier_inputs_are_let_in_where_simulations_are_better_with_them(response):
    """Intervals of a heated room were 3.5 times as wide as with its lags named."""
    rng = np.random.default_rng(0)
    u = rng.standard_normal(150)
    y = np.convolve(u, response)[:150] + 0.05 * rng.standard_normal(150)
    fc = gf.Forecaster(1, model=gf.models.LinearAR()).fit(y[:120], exog=u[:120])
    assert fc.predict(30, exog=u[120:]).score(y[120:])["rmse"] < 0.1


def test_a_mean_that_a_few_paths_run_away_with_is_said():
    """Quantiles do not show one path of a hundred."""
    paths = np.random.default_rng(0).standard_normal((1, 3, 100))
    paths[0, 1, 0] = 1e9
    known = np.array([[-1.0], [np.nan], [1.0]])
    with pytest.warns(NumericalWarning, match="from step 2 on the mean or the 95 % interval lies"):
        assert runaway(Paths.of(paths, paths.var(axis=-1)), known)
    paths[0, 1, 0] = 1e3
    assert runaway(Paths.of(paths, paths.var(axis=-1)), known) == ""


def test_several_series_that_run_away_are_named():
    y = pd.DataFrame({"calm": np.random.default_rng(1).standard_normal(60), "wild": exploding()})
    fc = gf.VectorForecaster(2, transforms=None, model=gf.models.LinearAR(), propagation="exact")
    fc.fit(y)
    assert not any("run away" in note for note in fc.predict(5).notes)
    with pytest.warns(NumericalWarning, match="95 % interval of 'wild' lies more than 1,000 times"):
        assert any("run away" in note for note in fc.predict(200).notes)
