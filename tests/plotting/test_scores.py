"""Calibration, curves of scores over the steps, and what a model looks back at."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import legend_texts, line
from scipy.stats import norm

import gpforecast as gf
from gpforecast.plotting import (
    lag_relevance,
    observed_coverage,
    pit_histogram,
    reliability,
    step_curves,
    step_panels,
)

# Calibration, and curves of scores over the steps


STEPS = pd.RangeIndex(1, 6, name="step")
SCORES = {
    name: pd.DataFrame({"L1": k * np.arange(5.0), "coverage": 0.9}, index=STEPS)
    for k, name in enumerate(["exact", "naive"], start=1)
}


class Result:
    """Anything with an attribute ``pit``, as a backtest has."""

    pit = np.array([0.1, np.nan, 0.2, 0.9])


def test_bars_are_densities_and_missing_values_are_left_out():
    ax = pit_histogram(((np.arange(1000) + 0.5) / 1000).reshape(10, 100), bins=20)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], np.ones(20))
    ax = pit_histogram(Result(), bins=2)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], [4 / 3, 2 / 3])


def test_coverage_counts_truths_within_the_central_interval():
    pit = np.random.default_rng(0).uniform(size=500)
    levels = np.array([0.0, 0.3, 0.5, 0.95, 1.0])
    expected = [np.mean((pit >= 0.5 - k / 2) & (pit <= 0.5 + k / 2)) for k in levels]
    np.testing.assert_allclose(observed_coverage(pit, levels), expected)


def test_narrow_intervals_lie_below_the_diagonal_and_wide_ones_above():
    z, (_, given) = np.random.default_rng(0).standard_normal(2000), plt.subplots()
    ax = reliability({"narrow": norm.cdf(2 * z), "wide": norm.cdf(z / 2)}, ax=given)
    assert ax is given
    _, narrow, wide = (line.get_ydata() for line in ax.lines)
    assert (narrow[5:-5] < np.linspace(0, 1, 101)[5:-5]).all()
    assert (wide[5:-5] > np.linspace(0, 1, 101)[5:-5]).all()
    assert narrow[-1] == wide[-1] == 1.0


@pytest.mark.parametrize("draw", [pit_histogram, reliability])
def test_values_that_are_no_probabilities_are_refused(draw):
    for bad in ([0.3, 1.2], [-0.1, 0.3]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            draw(bad)
    with pytest.raises(ValueError, match="at least one value"):
        draw([np.nan])
    assert not plt.get_fignums()


def test_each_score_of_each_method_has_a_colour_and_whole_steps():
    ax = step_curves({name: frame.iloc[:2] for name, frame in SCORES.items()})
    assert legend_texts(ax) == ["exact L1", "exact coverage", "naive L1", "naive coverage"]
    assert len({artist.get_color() for artist in ax.lines}) == 4
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), SCORES["naive"]["L1"].iloc[:2])
    assert ax.get_xlabel() == "step"
    low, high = ax.get_xlim()
    assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [1, 2]
    assert legend_texts(step_curves(SCORES["exact"])) == ["L1", "coverage"]


def test_coverage_has_its_nominal_line():
    ax = step_curves(SCORES, columns="coverage", nominal=0.95)
    assert legend_texts(ax) == ["exact", "naive", "nominal 95 %"]
    assert list(line(ax, "nominal 95 %").get_ydata()) == [0.95, 0.95]
    assert ax.get_ylabel() == "coverage"


@pytest.mark.parametrize("shares", [[0.95, 0.93, 0.96], [1.0, 1.0, 1.0], [np.nan] * 3])
def test_one_miss_is_no_collapse_on_the_axis_of_coverage(shares):
    frame = pd.DataFrame({"coverage_95": shares}, index=[1, 2, 3])
    (ax,) = step_panels({"exact": frame}, "coverage_95")
    low, high = ax.get_ylim()
    assert low < 0.76
    assert 1.0 < high < 1.05
    assert max(tick for tick in ax.get_yticks() if tick <= high) <= 1.0


def heights(ax):
    return np.array([bar.get_height() for bar in ax.patches])


def labels(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


@pytest.fixture(scope="module")
def linear():
    """A model of y = 2 a - b + 0 c, inputs of spreads 1, 3 and 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 3.0, 1.0]
    y = X @ [2.0, -1.0, 0.0] + 1e-3 * rng.normal(size=200)
    return gf.models.LinearAR().fit(X, y), X


def test_of_a_linear_model_the_shares_are_squared_slopes_by_variances(linear):
    model, X = linear
    want = X.var(axis=0) * np.array([4.0, 1.0, 0.0])
    # The slopes are known to about 1e-3 / sqrt(200).
    np.testing.assert_allclose(heights(lag_relevance(model, X=X)), want / want.sum(), atol=1e-3)


def test_the_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(60, 2))
    model = gf.models.GaussianProcess().fit(X, np.sin(2 * X[:, 0]) + 0.2 * X[:, 1] ** 2)
    h = 1e-4
    raw = []
    for d in range(2):
        step = h * np.eye(2)[d]
        slope = (model.predict(X + step) - model.predict(X - step)) / (2 * h)
        raw.append(X[:, d].var() * np.mean(slope**2))
    got = heights(lag_relevance(model))
    # Noise-free data make large weights of both signs; a difference keeps few of their digits.
    np.testing.assert_allclose(got, np.array(raw) / sum(raw), rtol=1e-4)


def test_lengthscales_give_automatic_relevance_determination():
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 2.0]
    k = gf.covariances.SquaredExponential(lengthscales=[1.0, 4.0], variance=1.0)
    model = gf.models.GaussianProcess(k, noise_var=0.1, optimizer=None).fit(X, X[:, 0])
    want = X.var(axis=0) / np.array([1.0, 16.0])
    got = heights(lag_relevance(model, measure="lengthscale"))
    np.testing.assert_allclose(got, want / want.sum(), rtol=1e-12)


def test_inputs_beyond_the_lags_are_numbered():
    rng = np.random.default_rng(0)
    u = rng.normal(size=80)
    fc = gf.Forecaster(lags=[1, 4], transforms=None, exog_lags=[0]).fit(
        np.roll(u, 1) + 0.01 * rng.normal(size=80), exog=u
    )
    assert labels(lag_relevance(fc)) == ["1", "4", "input 3"]


def test_what_cannot_be_drawn_is_refused(linear):
    model, X = linear
    with pytest.raises(TypeError, match="call fit first"):
        lag_relevance(gf.Forecaster())
    with pytest.raises(ValueError, match="X must be given"):
        lag_relevance(model)
    with pytest.raises(ValueError, match="3 columns, one for each input"):
        lag_relevance(model, X=X[:, :2])
    with pytest.raises(ValueError, match="measure must be one of"):
        lag_relevance(model, X=X, measure="ard")
