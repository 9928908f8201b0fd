"""What a forecast answers: quantiles, samples, sums."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from forecast_cases import H, gaussian, sampled
from scipy.stats import norm

import gpforecast as gf
from gpforecast.common.wording import number
from gpforecast.results import Gaussian, Paths, Warped
from gpforecast.transforms import Log

# Moments and quantiles


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


@pytest.mark.parametrize("make", [gaussian, sampled])
def test_interval_is_between_the_quantiles_that_leave_out_its_tails(make):
    f = make()
    interval = f.interval(0.8)
    assert list(interval.columns) == ["lower", "upper"]
    np.testing.assert_allclose(interval, f.quantile([0.1, 0.9]), rtol=1e-9)
    assert f.interval().equals(f.interval(0.95))


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


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (lambda f: f.interval(95), r"Did you mean 0\.95"),
        (lambda f: f.quantile([0.5, 0.0]), "level must lie between"),
        (lambda f: f.to_frame([0.95]), "mean 95"),
        (lambda f: f.sample(0), "n must be a positive integer"),
        (lambda f: f.aggregate([1.0]), "weights"),
    ],
)
def test_options_out_of_range_are_refused(refused, words):
    with pytest.raises(ValueError, match=words):
        refused(gaussian())


# Samples and sums


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


def test_aggregate_of_paths_has_the_quantiles_of_their_sums():
    f = sampled()
    totals = f.paths.sum().to_numpy()
    total = f.sum()
    np.testing.assert_allclose(total.samples, totals, rtol=1e-12)
    assert total.quantile(0.95) == pytest.approx(np.quantile(totals, 0.95))
    assert total.mean == pytest.approx(totals.mean())
    assert total.var == pytest.approx(totals.var(ddof=1))


# Whatever distribution it is


# The look


def test_a_summary_has_the_first_the_middle_and_the_last_step_and_the_notes():
    f = replace(gaussian(), notes=("rows were left out",))
    said = " ".join(f.summary().split())
    assert said.startswith("load: forecast of 6 steps, 2024-03-01 to 2024-03-06 (exact)")
    for step in (0, 2, 5):
        low, high = f.interval(0.95).iloc[step]
        mean, low, high = (number(v, (high - low) / 4) for v in (f.mean.iloc[step], low, high))
        assert f"For 2024-03-0{step + 1} we expect about {mean}, and with 95 % probab" in said
        assert f"between {low} and {high}." in said
    assert said.endswith("Notes - rows were left out")


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
