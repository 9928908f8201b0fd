"""What a joint distribution answers: events, extremes, bands, totals and changes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from forecast_cases import MONTHS, PAST, H, gaussian, sampled, walk
from scipy.stats import norm

from gpforecast.results import Forecast, Gaussian, Paths


def independent(h=5):
    mean, var = np.linspace(0.0, 1.0, h), np.linspace(0.5, 2.0, h)
    index = pd.RangeIndex(10, 10 + h)
    return Forecast(Gaussian(mean, np.diag(var), var), index, pd.Series(np.zeros(10)), "exact")


# Events


def test_probabilities_of_single_steps_are_those_of_the_normal_distribution():
    f = gaussian()
    z = (11.0 - f.mean) / f.std
    np.testing.assert_allclose(f.probability(above=11.0), norm.sf(z), rtol=1e-12)
    np.testing.assert_allclose(f.probability(below=11.0), norm.cdf(z), rtol=1e-12)
    between = f.probability(above=10.0, below=11.0)
    np.testing.assert_allclose(between, norm.cdf(z) - norm.cdf((10.0 - f.mean) / f.std), atol=1e-14)
    assert between.index is f.index


def test_a_single_level_is_one_that_values_lie_above():
    f = independent()
    pd.testing.assert_frame_equal(f.first_passage(1.5), f.first_passage(above=1.5))
    for any_step in (False, True):
        named = f.probability(above=1.5, any_step=any_step)
        pd.testing.assert_series_equal(f.probability(1.5, any_step=any_step), named)


def test_a_total_has_the_probabilities_of_its_distribution():
    total = walk().sum()
    z = (400.0 - total.mean) / total.std
    assert abs(total.probability(400.0) - norm.sf(z)) < 1e-12
    assert abs(total.probability(below=400.0) - norm.cdf(z)) < 1e-12
    assert 0.0 < total.probability(above=390.0, below=400.0) < total.probability(below=400.0)
    drawn = sampled().sum()
    assert drawn.probability(above=1.0) == (drawn.samples > 1.0).mean()
    with pytest.raises(ValueError, match="an event needs a level"):
        total.probability()


def test_independent_steps_pass_a_level_by_the_product_of_their_probabilities():
    f = independent()
    found = f.first_passage(above=1.5, n=200_000, seed=1)
    stay = np.cumprod(1.0 - f.probability(above=1.5))
    np.testing.assert_allclose(found["by_then"], 1.0 - stay, atol=5 * found["error"].max())
    first = f.probability(above=1.5) * np.concatenate([[1.0], stay[:-1]])
    np.testing.assert_allclose(found["probability"], first, atol=5 * found["error"].max())


def test_a_monte_carlo_forecast_is_asked_by_its_own_paths():
    f = sampled()
    passed = (f.paths.to_numpy() > 1.5).any(axis=0).mean()
    assert f.first_passage(above=1.5)["by_then"].iloc[-1] == passed
    np.testing.assert_array_equal(f.maximum().samples, f.paths.max(axis=0))
    np.testing.assert_array_equal(f.minimum().samples, f.paths.min(axis=0))


def test_the_maximum_of_independent_steps_has_the_product_of_their_distributions():
    f = independent()
    for p in (0.1, 0.5, 0.9):
        q = f.maximum(n=100_000).quantile(p)
        product = float(np.prod(norm.cdf((q - f.mean) / f.std)))
        assert abs(product - p) < 5 * np.sqrt(p * (1 - p) / 100_000)


# Bands


def test_a_simultaneous_band_holds_whole_futures_as_often_as_it_says():
    f = walk()
    rng = np.random.default_rng(12)
    walks = 22.0 + np.cumsum(0.3 + rng.standard_normal((16, 500)), axis=0)
    for level in (0.8, 0.95):
        band = f.band(level)
        low, high = band["lower"].to_numpy()[:, None], band["upper"].to_numpy()[:, None]
        held = ((walks >= low) & (walks <= high)).all(axis=0).mean()
        assert abs(held - level) < 0.02
        narrow = f.interval(level)
        assert (band["upper"] > narrow["upper"]).all()
        pd.testing.assert_frame_equal(f.band(level, simultaneous=False), narrow)


# Images


def test_totals_so_far_are_sums_with_their_covariances():
    f = gaussian()
    total = f.cumsum()
    L = np.tri(H)
    np.testing.assert_allclose(total.mean, np.cumsum(f.mean), rtol=1e-13)
    np.testing.assert_allclose(total.covariance, L @ f.covariance.to_numpy() @ L.T, rtol=1e-12)
    assert total.index is f.index
    assert total.history.iloc[-1] == 0.0
    np.testing.assert_allclose(np.diff(total.history), f.history.iloc[1:])


def test_changes_year_on_year_take_the_history_as_observed():
    f = walk()
    change = f.change(12)
    known = PAST.to_numpy()[-12:]
    np.testing.assert_allclose(change.mean[:12], f.mean[:12] - known, rtol=1e-12)
    np.testing.assert_allclose(change.var.iloc[:12], f.var.iloc[:12])
    np.testing.assert_allclose(change.mean.iloc[12:], 12 * 0.3)
    np.testing.assert_allclose(change.var.iloc[12:], 12.0)  # of a random walk
    np.testing.assert_array_equal(change.history.dropna(), 12.0)


def test_growth_is_exact_within_the_history_and_drawn_beyond():
    f = walk(12)
    known = PAST.to_numpy()[-12:]
    growth = f.growth(12)
    np.testing.assert_allclose(growth.mean, f.mean / known - 1.0, rtol=1e-12)
    np.testing.assert_allclose(growth.std, f.std / known, rtol=1e-12)
    longer = walk(16).growth(12)
    np.testing.assert_allclose(longer.mean[:12], growth.mean, atol=0.05)
    assert longer.paths is not None


@pytest.mark.parametrize("dates", [False, True])
def test_calendar_totals_complete_what_has_begun_and_leave_out_what_does_not_end(dates):
    f = walk()
    rule, year = "YE", "2025"
    if dates:
        f = replace(f, index=f.index.to_timestamp(), history=f.history.to_timestamp())
    years = f.resample(rule)
    total = years.sum()
    assert [str(label)[:4] for label in total.index] == ["2024", year]
    here = PAST.to_numpy()[12:].sum()  # January to October 2024
    np.testing.assert_allclose(total.mean.iloc[0], here + f.mean.iloc[:2].sum(), rtol=1e-12)
    np.testing.assert_allclose(total.mean.iloc[1], f.mean.iloc[2:14].sum(), rtol=1e-12)
    A = np.zeros((2, 16))
    A[0, :2], A[1, 2:14] = 1.0, 1.0
    np.testing.assert_allclose(total.covariance, A @ f.covariance.to_numpy() @ A.T, rtol=1e-12)
    assert "2026" in total.notes[0]
    np.testing.assert_allclose(years.mean().mean, total.mean / 12.0, rtol=1e-12)
    np.testing.assert_allclose(years.mean().var, total.var / 144.0, rtol=1e-12)


def test_the_history_of_calendar_totals_are_those_of_complete_periods():
    f = walk()
    quarters = f.resample("QE").sum()
    assert str(quarters.index[0]) == "2024Q4"
    assert [str(label) for label in quarters.history.index] == [
        "2023Q1", "2023Q2", "2023Q3", "2023Q4", "2024Q1", "2024Q2", "2024Q3",
    ]  # fmt: skip
    assert quarters.history.iloc[0] == 1.0 + 2.0 + 3.0
    begun = walk(history=PAST.iloc[1:]).resample("QE").sum()  # from February on
    pd.testing.assert_series_equal(begun.history, quarters.history.iloc[1:])


# Refusals


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda f: f.probability(), "an event needs a level"),
        (lambda f: f.probability(above=float("nan")), "above must be a finite number"),
        (lambda f: f.probability(above=2.0, below=1.0), "no value is above 2 and below 1"),
        (lambda f: f.first_passage(above=1.0, n=0), "n must be"),
        (lambda f: f.band(100), "a percentage such as 95"),
        (lambda f: f.exceedance([np.inf]), "levels"),
        (lambda f: f.change(40), "goes beyond the start of the history"),
        (lambda f: f.growth(0), "periods must be"),
        (lambda f: f.resample("10YE"), "completes no period of '10YE'"),
    ],
)
def test_questions_without_an_answer_are_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask(walk())


def test_a_period_whose_past_is_missing_is_named_by_its_date():
    f = walk()
    gap = f.history.to_timestamp().mask(np.arange(len(PAST)) == len(PAST) - 1)
    dated = replace(f, index=f.index.to_timestamp(), history=gap)
    with pytest.raises(ValueError, match=r"the period \d{4}-\d\d-\d\d needs past values"):
        dated.resample("YE")


def test_a_band_of_paths_holds_its_level_of_them_and_too_few_are_refused():
    rng = np.random.default_rng(0)
    for n, level in ((4000, 0.95), (1000, 0.8)):
        paths = np.cumsum(rng.standard_normal((12, n)), axis=0)
        f = Forecast(Paths.of(paths, paths.var(axis=1)), pd.RangeIndex(12), PAST[:0], "monte_carlo")
        band = f.band(level)
        held = ((paths >= band[["lower"]].to_numpy()) & (paths <= band[["upper"]].to_numpy())).all(
            0
        )
        assert level <= held.mean() < level + 0.01
    few = Forecast(Paths.of(paths[:, :50], np.ones(12)), pd.RangeIndex(12), PAST[:0], "monte_carlo")
    with pytest.raises(ValueError, match="50 paths are too few for a band of all 12 steps"):
        few.band(0.95)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("rule", "words"), [("D", "shorter than the steps"), ("much", "Invalid frequency: much")]
)
def test_rules_that_are_no_longer_periods_are_refused(rule, words):
    f = walk()
    for one in (f, replace(f, index=f.index.to_timestamp(), history=f.history.to_timestamp())):
        with pytest.raises(ValueError, match=words):
            one.resample(rule)


@pytest.mark.filterwarnings("error")
def test_growth_over_forecasts_that_may_be_zero_is_refused():
    f = Forecast(walk().distribution.linear(np.eye(16), -22.0), MONTHS, PAST, "exact")
    with pytest.raises(ValueError, match="0 or of either sign"):
        f.growth(3)
    for ask in (lambda: f.maximum(n=1), lambda: f.first_passage(above=1.0, n=1)):
        with pytest.raises(ValueError, match="n must be"):
            ask()
