"""What a forecast answers: quantiles, samples, sums."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from distribution_cases import KINDS
from forecast_cases import TRUTH, H, gaussian, sampled
from scipy.stats import norm

import gpforecast as gf
from gpforecast.results import Forecast, Gaussian, Paths, Warped
from gpforecast.transforms import Log

# Moments and quantiles


def test_var_and_std_are_those_of_the_diagonal():
    f = gaussian()
    np.testing.assert_array_equal(f.var, np.diag(f.covariance))
    np.testing.assert_allclose(f.std**2, f.var, rtol=1e-14)
    assert (f.var.name, f.std.name, f.median.name) == ("var", "std", "median")
    assert f.horizon == H
    assert f.index is f.mean.index


def test_quantiles_of_a_gaussian_forecast_are_scipys():
    f = gaussian()
    q = [0.05, 0.5, 0.9]
    frame = f.quantile(q)
    assert list(frame.columns) == q
    expected = norm.ppf(np.array(q), f.mean.to_numpy()[:, None], f.std.to_numpy()[:, None])
    np.testing.assert_allclose(frame, expected, rtol=1e-12)
    one = f.quantile(0.9)
    assert isinstance(one, pd.Series)
    np.testing.assert_allclose(one, frame[0.9], rtol=1e-14)
    np.testing.assert_allclose(f.median, f.mean, rtol=1e-14)


def test_quantiles_of_a_monte_carlo_forecast_are_those_of_its_paths():
    f = sampled()
    np.testing.assert_allclose(
        f.quantile([0.1, 0.9]), np.quantile(f.paths, [0.1, 0.9], axis=1).T, rtol=1e-14
    )
    np.testing.assert_allclose(f.median, f.paths.median(axis=1), rtol=1e-14)
    assert (f.median < f.mean).all()  # the paths are skewed: no Gaussian would say so


@pytest.mark.parametrize("make", [gaussian, sampled])
def test_interval_is_between_the_quantiles_that_leave_out_its_tails(make):
    f = make()
    interval = f.interval(0.8)
    assert list(interval.columns) == ["lower", "upper"]
    np.testing.assert_allclose(interval, f.quantile([0.1, 0.9]), rtol=1e-9)
    assert f.interval().equals(f.interval(0.95))


@pytest.mark.parametrize(
    ("level", "words"),
    [(95, r"between 0 and 1; got 95. Did you mean 0\.95"), (0, "got 0"), (1.0, "got 1.0"),
     (-0.5, "got -0.5"), (np.nan, "nan")],
)  # fmt: skip
def test_level_that_is_no_probability_is_refused(level, words):
    with pytest.raises(ValueError, match=words):
        gaussian().interval(level)


@pytest.mark.parametrize("q", [0, 1, 1.5, [0.5, 0.0], [[0.5]], np.nan])
def test_quantile_of_no_probability_is_refused(q):
    with pytest.raises(ValueError, match="q "):
        gaussian().quantile(q)


def test_to_frame_has_mean_and_nested_bands_in_order():
    f = gaussian()
    frame = f.to_frame((95, 50, 80))
    expected = ["mean", "lo-95", "lo-80", "lo-50", "hi-50", "hi-80", "hi-95"]
    assert list(frame.columns) == expected
    assert (frame[expected[1:]].diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    np.testing.assert_allclose(frame[["lo-80", "hi-80"]], f.interval(0.8), rtol=1e-12)
    assert list(f.to_frame().columns) == ["mean", "lo-95", "lo-80", "hi-80", "hi-95"]
    assert list(f.to_frame([99.5]).columns) == ["mean", "lo-99.5", "hi-99.5"]
    assert list(f.to_frame([]).columns) == ["mean"]


@pytest.mark.parametrize(("level", "words"), [(0.95, "mean 95"), (100, "between 0 and 100")])
def test_levels_of_a_frame_are_in_percent(level, words):
    with pytest.raises(ValueError, match=words):
        gaussian().to_frame([level])


# Samples and sums


def test_samples_of_a_gaussian_forecast_have_its_mean_and_covariance():
    f, n = gaussian(), 20_000
    drawn = f.sample(n, seed=1)
    assert drawn.shape == (H, n)
    assert drawn.index is f.index
    S = f.covariance.to_numpy()
    assert (np.abs(drawn.mean(axis=1) - f.mean) < 5 * np.sqrt(f.var / n)).all()
    # The variance of a sample covariance of Gaussians is (S_ii S_jj + S_ij^2) / n.
    band = 5 * np.sqrt((np.outer(np.diag(S), np.diag(S)) + S**2) / n)
    assert (np.abs(np.cov(drawn) - S) < band).all()


def test_samples_of_a_monte_carlo_forecast_are_its_paths():
    f = sampled()
    drawn = f.sample(50, seed=0)
    known = {tuple(path) for path in f.paths.to_numpy().T}
    columns = [tuple(path) for path in drawn.to_numpy().T]
    assert set(columns) <= known
    assert len(set(columns)) == 50  # without repetition
    assert f.sample(1000, seed=0).shape == (H, 1000)


@pytest.mark.parametrize("make", [gaussian, sampled])
def test_seed_repeats_the_samples(make):
    f = make()
    pd.testing.assert_frame_equal(f.sample(5, seed=3), f.sample(5, seed=3))
    assert not f.sample(5, seed=3).equals(f.sample(5, seed=4))
    again = f.sample(5, seed=np.random.default_rng(3))
    pd.testing.assert_frame_equal(f.sample(5, seed=3), again)


@pytest.mark.parametrize("n", [0, 2.5, True])
def test_number_of_samples_must_be_a_positive_integer(n):
    with pytest.raises(ValueError, match="n must be a positive integer"):
        gaussian().sample(n)


def test_aggregate_is_linear_algebra():
    f = gaussian()
    w = np.array([1.0, -1, 0.5, 0, 2, 0.1])
    total = f.aggregate(w)
    assert total.mean == pytest.approx(sum(w * f.mean), rel=1e-13)
    direct = sum(w[i] * w[j] * f.covariance.iloc[i, j] for i in range(H) for j in range(H))
    assert total.var == pytest.approx(direct, rel=1e-12)
    assert total.std == pytest.approx(np.sqrt(direct), rel=1e-12)
    assert total.samples is None
    assert total.quantile(0.9) == pytest.approx(norm.ppf(0.9, total.mean, total.std), rel=1e-12)
    assert total.interval(0.8) == pytest.approx((total.quantile(0.1), total.quantile(0.9)))


def test_sum_takes_correlations_into_account():
    f = gaussian()
    assert f.sum().mean == pytest.approx(f.mean.sum())
    assert f.sum().var == pytest.approx(f.covariance.to_numpy().sum())
    assert f.sum().var != pytest.approx(f.var.sum())


def test_aggregate_of_paths_has_the_quantiles_of_their_sums():
    f = sampled()
    totals = f.paths.sum().to_numpy()
    total = f.sum()
    np.testing.assert_allclose(total.samples, totals, rtol=1e-12)
    assert total.quantile(0.95) == pytest.approx(np.quantile(totals, 0.95))
    assert total.mean == pytest.approx(totals.mean())
    assert total.var == pytest.approx(totals.var(ddof=1))


@pytest.mark.parametrize("weights", [[1.0], np.ones((H, 1)), [np.nan] * H, ["a"] * H])
def test_weights_must_be_one_number_a_step(weights):
    with pytest.raises((ValueError, TypeError), match="weights"):
        gaussian().aggregate(weights)


# Whatever distribution it is


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_forecast_can_be_any_distribution_and_answers_by_it_alone(make):
    d = make().at(1)
    index = pd.RangeIndex(20, 20 + len(d.mean))
    f = Forecast(d, index, pd.Series(np.ones(20)), "exact")
    truth = pd.Series(d.quantile([0.6])[:, 0], index=index)
    np.testing.assert_array_equal(f.mean, d.mean)
    np.testing.assert_array_equal(f.covariance, d.covariance)
    np.testing.assert_array_equal(f.quantile([0.1, 0.7]), d.quantile([0.1, 0.7]))
    np.testing.assert_array_equal(f.std**2, np.sqrt(d.var) ** 2)
    frame = f.to_frame([50, 99])
    np.testing.assert_allclose(frame["lo-50"], d.quantile([0.25])[:, 0], rtol=1e-12)
    assert (frame.drop(columns="mean").diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)
    assert list(f.to_frame([]).columns) == ["mean"]
    assert f.score(truth)["crps"] == pytest.approx(d.crps(truth.to_numpy()).mean())
    assert f.score(truth)["coverage_80"] == 1.0
    assert f.logpdf(truth.iloc[1:]) == pytest.approx(
        float(d.over(np.arange(1, len(index))).logpdf(truth.to_numpy()[1:]))
    )
    assert f.sum().mean == pytest.approx(d.mean.sum())
    assert f.sum().interval(0.5)[0] < f.sum().quantile(0.5) < f.sum().interval(0.5)[1]
    assert f.sample(3, seed=0).shape == (len(index), 3)
    assert (f.paths is None) == (d.paths is None)
    assert f.joint is f.distribution is d


def test_views_are_made_once_and_changing_one_changes_no_answer():
    f = gaussian()
    before = f.quantile(0.5).copy()
    assert f.mean is f.mean
    assert f.covariance is f.covariance
    f.mean.iloc[0] = 1e9
    pd.testing.assert_series_equal(f.quantile(0.5), before)


# The look


def test_repr_names_the_method_and_shows_the_ends_and_the_notes():
    f = gf.Forecaster(2, max_rows=10).fit(np.sin(np.arange(30.0))).predict(20)
    text = repr(f)
    assert text.startswith("Forecast of 20 steps (auto: exact)")
    assert "lo-95" in text
    assert "the model learned from 10 of 28 rows" in text
    assert len(text.splitlines()) < 12


def test_plot_draws_on_the_axes_it_is_given():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert gaussian().plot(ax=ax, truth=TRUTH, levels=(80,)) is ax
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["observed", "mean forecast", "80 %", "observed later"]
    assert ax.get_ylabel() == "load"


def test_forecast_cannot_be_changed():
    with pytest.raises(AttributeError):
        gaussian().propagation = "naive"


def test_a_notebook_shows_the_first_and_last_rows():
    y = np.random.default_rng(0).standard_normal(60)
    f = gf.Forecaster(3, model=gf.models.LinearAR()).fit(y).predict(40)
    html = f._repr_html_()
    assert "Forecast of 40 steps (auto: exact)" in html
    assert html.count("<tr") == 1 + 3 + 1 + 3  # the head, both ends and the ellipsis between
    assert "<th>60</th>" in html
    assert "<th>99</th>" in html
    assert "<th>80</th>" not in html
    noted = replace(f, notes=("a < b",))._repr_html_()
    assert "note: a &lt; b" in noted


# Warped forecasts


def test_a_warped_forecast_offers_its_gaussian_in_the_units_of_the_warp():
    z = Gaussian(np.zeros(H), np.eye(H), np.ones(H))
    image = Warped(z, Log())
    exact = replace(gaussian(), distribution=image)
    assert exact.warped is image
    drawn = np.exp(np.random.default_rng(0).standard_normal((H, 50)))
    by_paths = replace(exact, distribution=Paths.of(drawn, image.latent_var, image))
    assert by_paths.warped.gaussian is z
    assert gaussian().warped is None
    assert sampled().warped is None
