"""Scores against definitions computed another way, closed forms and invariances."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.integrate import quad

from gpforecast import scores

RNG = np.random.default_rng(0)
Y = RNG.normal(size=(6, 4))
M = RNG.normal(size=(6, 4))
V = RNG.uniform(0.1, 2.0, size=(6, 4))
LOWER, UPPER = M - 0.7, M + 0.9
HISTORY = RNG.normal(size=30).cumsum()

AVERAGED = {
    "mae": lambda y, **k: scores.mae(y, M, **k),
    "mse": lambda y, **k: scores.mse(y, M, **k),
    "rmse": lambda y, **k: scores.rmse(y, M, **k),
    "mase": lambda y, **k: scores.mase(y, M, HISTORY, **k),
    "smape": lambda y, **k: scores.smape(y, M, **k),
    "nlpd": lambda y, **k: scores.nlpd(y, M, V, **k),
    "crps": lambda y, **k: scores.crps(y, M, V, **k),
    "crps_log_normal": lambda y, **k: scores.crps_log_normal(np.exp(y), M, V, **k),
    "crps_samples": lambda y, **k: scores.crps_samples(y, np.stack([M, M + V], -1), **k),
    "pinball": lambda y, **k: scores.pinball(y, M, 0.3, **k),
    "coverage": lambda y, **k: scores.coverage(y, LOWER, UPPER, **k),
    "interval_score": lambda y, **k: scores.interval_score(y, LOWER, UPPER, 0.2, **k),
    "msis": lambda y, **k: scores.msis(y, LOWER, UPPER, HISTORY, **k),
}
every_average = pytest.mark.parametrize("score", AVERAGED.values(), ids=AVERAGED.keys())
# Zero, or far enough from it for products to keep their digits.
numbers = st.floats(-100, 100).map(lambda x: x if abs(x) > 1e-9 else 0.0)
positive = st.floats(0.01, 100)


# What all of them share


@every_average
def test_default_is_one_float(score):
    assert type(score(Y)) is float


@every_average
def test_axis_0_scores_each_column_alone(score):
    power = 2 if score is AVERAGED["rmse"] else 1  # roots do not average, their squares do
    curve = score(Y, axis=0)
    each = score(Y, axis=())
    assert curve.shape == (4,)
    np.testing.assert_allclose(curve**power, (each**power).sum(axis=0) / 6, rtol=1e-13)
    assert np.mean(curve**power) == pytest.approx(score(Y) ** power, rel=1e-13)


@every_average
def test_nan_in_gives_nan_out_and_spoils_its_own_column_only(score):
    holed = Y.copy()
    holed[2, 1] = np.nan
    assert np.isnan(score(holed))
    np.testing.assert_array_equal(np.isnan(score(holed, axis=0)), [False, True, False, False])


# A column beside a row is not paired each with each.
BY_VALUE = r"match value by value; got .*\(\d, \d\).*\.ravel\(\)"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: scores.mae(np.ones(3), np.ones(4)), ValueError,
         r"y_true and mean must have shapes that broadcast; got \(3,\), \(4,\)\."),
        (lambda: scores.mae([], []), ValueError, r"y_true must hold at least one value"),
        (lambda: scores.mse(["a"], [1.0]), TypeError, r"y_true must hold real numbers"),
        (lambda: scores.nlpd(0.0, 0.0, 0.0), ValueError, r"var must be positive; got 0\."),
        (lambda: scores.coverage([0, 0], [0, 3], [1, 2]), ValueError,
         r"lower must not be above upper; got 3 above 2 at position \(1,\)"),
        (lambda: scores.interval_score(0, 0, 1, 95), ValueError,
         r"alpha must be between 0 and 1, both excluded; got 95\. A percentage"),
        (lambda: scores.pinball(0, 0, [0.5, 1.0]), ValueError, r"level must be .*; got 1\."),
        (lambda: scores.mase(1, 1, [1.0, 2.0, 3.0], period=12), ValueError,
         r"history has 3 values but period=12 needs at least 13"),
        (lambda: scores.msis(1, 1, 1, [2.0] * 9), ValueError,
         r"history must change .*; got 9 values that repeat with period=1"),
        (lambda: scores.crps_samples(0.0, [1.0]), ValueError,
         r"samples must hold at least 2 samples along its last axis; got shape \(1,\)"),
        (lambda: scores.crps_samples(np.ones(3), np.ones((2, 9))), ValueError,
         r"samples less its last axis must have shapes that broadcast; got \(3,\), \(2,\)"),
        (lambda: scores.mae(np.ones(3), np.ones((3, 1))), ValueError, BY_VALUE),
        (lambda: scores.crps_samples(np.ones((3, 1)), np.ones((3, 5))), ValueError, BY_VALUE),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_series_out_of_step_are_refused():
    y = pd.Series([1.0, 2.0, 3.0], index=pd.period_range("2000", periods=3, freq="Y"))
    late = y.shift(freq="Y")
    with pytest.raises(ValueError, match=r"mean must have the index of y_true; got Period\('2001"):
        scores.mae(y, late)
    with pytest.raises(ValueError, match=r"samples must have the index of y_true"):
        scores.crps_samples(y, pd.DataFrame(np.ones((3, 5))))
    assert scores.mae(y, late.to_numpy()) == 0.0


def test_column_of_a_frame_is_matched_row_by_row():
    y = pd.Series([1.0, 2.0, 4.0])
    frame = pd.DataFrame({"mean": [1.0, 3.0, 2.0], "var": [1.0, 1.0, 4.0]})
    mean, var = frame["mean"], frame["var"]
    assert scores.mae(y, frame[["mean"]]) == scores.mae(frame[["mean"]], y) == 1.0
    assert scores.mae(y.to_numpy(), frame[["mean"]], axis=()).shape == (3,)
    assert scores.nlpd(y, frame[["mean"]], frame[["var"]]) == scores.nlpd(y, mean, var)
    assert scores.pit(y, frame[["mean"]], 1.0).shape == (3,)
    samples = pd.DataFrame(np.arange(12.0).reshape(3, 4))
    assert scores.crps_samples(y.to_frame(), samples) == scores.crps_samples(y, samples)


def test_values_are_repeated_along_the_largest_of_them():
    np.testing.assert_allclose(scores.mae(Y, M[0], axis=()), np.abs(Y - M[0]))
    np.testing.assert_allclose(scores.mae(Y[:, :1], M, axis=()), np.abs(Y[:, :1] - M))
    assert scores.mae(Y[0], [1.0], axis=()).shape == (4,)
    assert scores.crps_samples(Y[0], np.arange(5.0), axis=()).shape == (4,)
    assert scores.crps_samples(1.0, np.ones((6, 4, 5)), axis=()).shape == (6, 4)


def test_nullable_series_score_with_their_gaps_as_nan():
    y = pd.Series([1, None, 3], dtype="Int64")
    np.testing.assert_array_equal(scores.mae(y, 0.0, axis=()), [1.0, np.nan, 3.0])


# Points


@given(arrays(float, 5, elements=numbers), arrays(float, 5, elements=numbers))
def test_point_scores_follow_their_definitions(y, m):
    e = [a - b for a, b in zip(y, m, strict=True)]
    assert scores.mae(y, m) == pytest.approx(sum(abs(x) for x in e) / 5)
    assert scores.mse(y, m) == pytest.approx(sum(x * x for x in e) / 5)
    assert scores.rmse(y, m) == pytest.approx((sum(x * x for x in e) / 5) ** 0.5)


def test_smape_matches_a_hand_computed_case():
    assert scores.smape([100.0, 50.0], [110.0, 40.0]) == pytest.approx(
        100.0 * (10.0 / 105.0 + 10.0 / 45.0) / 2.0
    )


def test_mase_of_the_naive_forecast_inside_the_history_is_1():
    for period in (1, 7):
        naive = scores.mase(HISTORY[period:], HISTORY[:-period], HISTORY, period=period)
        assert naive == pytest.approx(1.0, rel=1e-14)


# Densities


def test_nlpd_is_minus_the_log_density():
    expected = -stats.norm(M, np.sqrt(V)).logpdf(Y)
    np.testing.assert_allclose(scores.nlpd(Y, M, V, axis=()), expected, rtol=1e-13)


def crps_by_quadrature(y, m, v):
    s = np.sqrt(v)
    below = quad(lambda x: stats.norm.cdf(x, m, s) ** 2, min(y, m) - 12 * s, y)[0]
    above = quad(lambda x: stats.norm.sf(x, m, s) ** 2, y, max(y, m) + 12 * s)[0]
    return below + above


@pytest.mark.parametrize("z", [-6.0, -1.0, 0.0, 0.3, 2.5, 8.0])
@pytest.mark.parametrize("v", [0.04, 9.0])
def test_crps_matches_the_integral_that_defines_it(z, v):
    y = 0.5 + z * np.sqrt(v)
    assert scores.crps(y, 0.5, v) == pytest.approx(crps_by_quadrature(y, 0.5, v), rel=1e-7)


@given(numbers, numbers)
def test_crps_of_a_forecast_without_spread_is_its_absolute_error(y, m):
    assert scores.crps(y, m, 1e-16) == pytest.approx(abs(y - m), abs=1e-8)


@given(numbers, numbers, positive, positive, numbers)
def test_crps_and_nlpd_change_units_as_stated(y, m, v, c, shift):
    there = (c * y + shift, c * m + shift, c**2 * v)
    assert scores.crps(*there) == pytest.approx(c * scores.crps(y, m, v), rel=1e-6, abs=1e-9)
    assert scores.nlpd(*there) == pytest.approx(scores.nlpd(y, m, v) + np.log(c), rel=1e-6)


def test_pit_of_the_quantiles_is_their_level():
    level = np.linspace(0.01, 0.99, 9)
    y = stats.norm.ppf(level, 3.0, 2.0)
    np.testing.assert_allclose(scores.pit(y, 3.0, 4.0), level, rtol=1e-12)


# Samples


@pytest.mark.parametrize(
    ("y", "mean", "s"),
    [(1.3, 0.0, 0.5), (0.2, 0.4, 0.8), (5.0, 1.0, 0.3), (0.0, 0.0, 0.5), (-1.0, 0.0, 0.5)],
)
def test_crps_of_a_log_normal_distribution_is_its_integral(y, mean, s):
    known = stats.lognorm(s, scale=np.exp(mean))
    below = quad(lambda x: known.cdf(x) ** 2, min(y, 0.0), y, epsabs=1e-10)[0] if y > 0 else 0.0
    above = quad(lambda x: known.sf(x) ** 2, y, known.isf(1e-13), epsabs=1e-10, points=[0.0])[0]
    assert scores.crps_log_normal(y, mean, s**2) == pytest.approx(below + above, rel=1e-7)


def test_a_log_normal_forecast_that_is_far_too_wide_is_as_bad_as_can_be():
    assert scores.crps_log_normal(1.0, 0.0, 60.0**2) == np.inf
    assert np.isnan(scores.crps_log_normal([1.0, np.nan], 0.0, 60.0**2))


@settings(max_examples=50)
@given(arrays(float, (3, 6), elements=numbers), arrays(float, 3, elements=numbers))
def test_crps_samples_matches_the_double_sum(x, y):
    near = np.abs(x - y[:, None]).mean(axis=1)
    pairs = np.abs(x[:, :, None] - x[:, None, :]).sum(axis=(1, 2))
    expected = near - pairs / (2 * 6 * 5)
    np.testing.assert_allclose(scores.crps_samples(y, x, axis=()), expected, atol=1e-11)


def test_crps_samples_of_a_heavy_tail_keep_every_digit_and_are_never_negative():
    x = np.exp(40 * np.random.default_rng(2).standard_normal((50, 9)))  # from 1e-50 to 1e50
    found = scores.crps_samples(1.0, x, axis=())
    for one, value in zip(x, found, strict=True):
        exact = [Fraction(v) for v in one]
        near = sum(abs(v - 1) for v in exact) / 9
        pairs = sum(abs(a - b) for a in exact for b in exact)
        assert value == pytest.approx(float(near - pairs / (2 * 9 * 8)), rel=1e-12)
    assert (found >= 0).all()


# Quantiles and intervals


def test_pinball_matches_its_two_branches():
    for y, q, level, expected in [(3, 1, 0.9, 1.8), (1, 3, 0.9, 0.2), (2, 2, 0.4, 0.0)]:
        assert scores.pinball(y, q, level) == pytest.approx(expected)


@given(arrays(float, 9, elements=numbers, unique=True), st.sampled_from([0.1, 0.5, 0.8]))
def test_pinball_is_least_at_the_sample_quantile(y, level):
    best = np.quantile(y, level, method="inverted_cdf")
    least = scores.pinball(y, best, level)
    assert all(least <= scores.pinball(y, q, level) + 1e-9 for q in y)


def test_twice_the_mean_pinball_over_levels_is_the_crps():
    level = (np.arange(4000) + 0.5) / 4000
    loss = scores.pinball(0.7, stats.norm.ppf(level), level)
    assert 2 * loss == pytest.approx(scores.crps(0.7, 0.0, 1.0), rel=1e-3)


def test_coverage_counts_both_ends_as_inside():
    y = [0.0, 1.0, 2.0, -0.1, 2.1]
    np.testing.assert_array_equal(scores.coverage(y, 0.0, 2.0, axis=()), [1, 1, 1, 0, 0])
    assert scores.coverage(y, -np.inf, np.inf) == 1.0


@given(numbers, numbers, positive, st.floats(0.01, 0.99))
def test_interval_score_is_the_sum_of_its_ends_pinball_losses(y, lower, width, alpha):
    upper = lower + width
    ends = scores.pinball(y, lower, alpha / 2) + scores.pinball(y, upper, 1 - alpha / 2)
    value = scores.interval_score(y, lower, upper, alpha)
    assert value == pytest.approx(2 / alpha * ends, rel=1e-9, abs=1e-9)


def test_msis_is_the_interval_score_over_the_scale_of_mase():
    scale = scores.mae(Y, M) / scores.mase(Y, M, HISTORY, period=4)
    expected = scores.interval_score(Y, LOWER, UPPER, 0.1) / scale
    assert scores.msis(Y, LOWER, UPPER, HISTORY, period=4, alpha=0.1) == pytest.approx(expected)
