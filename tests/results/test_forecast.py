"""What a forecast answers: quantiles, samples, sums, scores, and some of its steps."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from forecast_cases import DATES, TRUTH, H, gaussian, sampled
from scipy.stats import multivariate_normal, norm

import gpforecast as gf
from gpforecast.common.wording import number
from gpforecast.results import EventForecast, Gaussian, Paths, Warped
from gpforecast.results.selection import NoSuchStepError
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
        (lambda f: f.interval(100), "a percentage such as 95; got 100"),
        (lambda f: f.quantile([0.5, 0.0]), "level must lie between"),
        (lambda f: f.to_frame([1]), "a percentage such as 95; got 1"),
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


# Some steps of a forecast, by label and by position


def monthly(h=24, last="1958-12"):
    history = pd.Series(np.arange(24.0), pd.date_range(end=last, periods=24, freq="MS"), name="y")
    root = np.random.default_rng(0).standard_normal((h, h))
    covariance = root @ root.T + np.eye(h)
    mean = np.linspace(1.0, 2.0, h)
    known = Gaussian(mean, covariance, np.diag(covariance) * 0.9, 0)
    index = pd.date_range("1959-01", periods=h, freq="MS")
    path = pd.Series(mean, index, name="trajectory")
    return gf.Forecast(known, index, history, propagation="exact", trajectory=path)


def test_a_year_of_a_forecast_is_the_joint_distribution_of_its_months():
    f = monthly()
    later = f["1960"]
    assert len(f) == 24
    assert len(later) == 12
    pd.testing.assert_frame_equal(
        later.covariance, f.covariance.loc["1960"].T.loc["1960"].T, check_freq=False
    )
    weights = np.repeat([0.0, 1.0], 12)
    assert later.sum().var == pytest.approx(f.aggregate(weights).var)
    assert later.trajectory.equals(f.trajectory["1960"])


@pytest.mark.parametrize(
    ("key", "n"),
    [
        ("1959-03", 1),
        (pd.Timestamp("1959-03-01"), 1),
        (slice("1959-03", "1959-06"), 4),
        (pd.date_range("1959-01", periods=24, freq="MS").month == 12, 2),
    ],
)
def test_keys_mean_what_they_mean_to_pandas(key, n):
    f = monthly()
    assert len(f[key]) == n
    assert f.loc[key].mean.tolist() == np.atleast_1d(f.mean.loc[key]).tolist()


def test_the_history_ends_right_before_the_first_step_that_is_selected():
    f = monthly()
    assert f.iloc[:3].history.equals(f.history)
    later = f["1960"].history
    assert later.index[-1] == pd.Timestamp("1959-12-01")
    assert later["1959"].isna().all()
    assert f.iloc[::2].history.empty
    f["1960"].plot()


@pytest.mark.parametrize("key", ["1962", "mean", 0, slice(0, 3)])
def test_a_label_that_is_no_step_is_refused_with_what_to_do(key):
    with pytest.raises(NoSuchStepError, match=r"goes from 1959-01-01 .* f\.iloc") as caught:
        monthly()[key]
    assert not str(caught.value).startswith('"')


def test_intervals_of_several_levels_stand_beside_each_other():
    f = monthly()
    both = f.interval([0.8, 0.95])
    for level in (0.8, 0.95):
        pd.testing.assert_frame_equal(both[level], f.interval(level), check_names=False)
    pd.testing.assert_frame_equal(f.interval([80, 95]), both)
    pd.testing.assert_frame_equal(f.to_frame(0.95), f.to_frame(levels=[95]))
    with pytest.raises(ValueError, match=r"such as 95; got 1\."):
        f.interval([0.8, 1])


# What a forecast of classes says of its probabilities, whatever made them


@dataclass(frozen=True, eq=False)
class Given:
    """Probabilities that are given, (1, h, C)."""

    probabilities: np.ndarray


def test_the_most_likely_class_is_that_of_its_own_step_and_the_first_of_equals():
    p = np.array([[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.4, 0.2, 0.4], [0.1, 0.2, 0.7]]])
    history = pd.Series(pd.Categorical(["low", "high"], ["low", "middle", "high"], ordered=True))
    f = EventForecast(Given(p), ("low", "middle", "high"), pd.RangeIndex(2, 6), history, "given")
    assert f.most_likely.tolist() == ["middle", "low", "low", "high"]
    assert f.to_frame()["most_likely"].tolist() == ["middle", "low", "low", "high"]


# Densities and scores of a forecast: its truth is aligned by the index


def test_logpdf_is_scipys():
    f = gaussian()
    expected = multivariate_normal(f.mean, f.covariance).logpdf(TRUTH)
    assert f.logpdf(TRUTH) == pytest.approx(expected, rel=1e-10)


def test_score_is_what_one_computes_by_hand():
    f = gaussian()
    e = TRUTH - f.mean
    z = e / f.std
    lower, upper = f.mean - 1.959964 * f.std, f.mean + 1.959964 * f.std
    inside80 = np.abs(z) < 1.2815516
    by_hand = {
        "mae": np.abs(e).mean(),
        "rmse": np.sqrt((e**2).mean()),
        "nlpd": -norm.logpdf(TRUTH, f.mean, f.std).mean(),
        # Gneiting and Raftery (2007), eq. 21
        "crps": (f.std * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))).mean(),
        "coverage_80": inside80.mean(),
        "coverage_95": ((lower < TRUTH) & (upper > TRUTH)).mean(),
        "interval_score_95": (
            upper - lower + 40 * np.maximum(lower - TRUTH, 0) + 40 * np.maximum(TRUTH - upper, 0)
        ).mean(),
    }
    score = f.score(TRUTH)
    assert list(score.index) == list(by_hand)
    assert score.name == "exact"
    np.testing.assert_allclose(score, list(by_hand.values()), rtol=1e-6)
    assert 0 < inside80.mean() < 1  # the truths were chosen so that this can tell


def test_truth_is_aligned_by_its_index():
    f = gaussian()
    full = f.score(TRUTH)
    pd.testing.assert_series_equal(f.score(TRUTH.iloc[::-1]), full)
    longer = pd.concat([f.history, TRUTH, pd.Series([0.0], index=DATES[-1:] + DATES.freq)])
    pd.testing.assert_series_equal(f.score(longer), full)
    pd.testing.assert_series_equal(f.score(TRUTH.to_numpy()), full)
    pd.testing.assert_series_equal(f.score(list(TRUTH)), full)
    pd.testing.assert_series_equal(f.score(TRUTH.reset_index(drop=True)), full)


def test_missing_truth_is_left_out():
    f = gaussian()
    holes = TRUTH.copy()
    holes.iloc[[0, 3]] = np.nan
    pd.testing.assert_series_equal(f.score(holes), f.score(holes.dropna()))
    pd.testing.assert_series_equal(f.score(holes.to_numpy()), f.score(holes.dropna()))
    assert f.logpdf(holes) == pytest.approx(f.logpdf(holes.dropna()))


@pytest.mark.parametrize(
    "index", [DATES + pd.Timedelta(365, unit="D"), DATES.tz_localize("UTC"), DATES.to_period("M")]
)
def test_truth_with_no_time_in_common_is_refused(index):
    with pytest.raises(ValueError, match=r"no time in common.*2024-03-01.*2024-03-06"):
        gaussian().score(pd.Series(TRUTH.to_numpy(), index=index))


def numbered(first):
    f = gaussian(pd.RangeIndex(first, first + H))
    return replace(f, history=pd.Series(5.0 + np.arange(first), name="load"))


@pytest.mark.parametrize("first", [4, 50])
def test_truth_with_its_index_reset_is_taken_in_order(first):
    # The horizon may be longer than the history, so that 0, 1, 2, ... runs into it.
    f = numbered(first)
    labelled = f.score(TRUTH.set_axis(f.index))
    pd.testing.assert_series_equal(f.score(TRUTH.reset_index(drop=True)), labelled)
    early = f.score(TRUTH.iloc[:3].reset_index(drop=True))
    pd.testing.assert_series_equal(early, f.score(TRUTH.iloc[:3].to_numpy()))


@pytest.mark.parametrize("first", [4, 50])
def test_whole_series_counted_from_0_is_scored_at_its_labels(first):
    f = numbered(first)
    for n in (1, 2, H, H + 3):
        future = np.r_[TRUTH.to_numpy(), 1.0, 2.0, 3.0][:n]
        whole = pd.Series(np.r_[f.history.to_numpy(), future])
        expected = f.score(future[:H])
        pd.testing.assert_series_equal(f.score(whole), expected)


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        (np.zeros(H + 1), "7 values but the forecast 6 steps"),
        ([np.nan] * 3, "nothing to score"),
        ([], "nothing to score"),
        (pd.Series([], dtype=float, index=DATES[:0]), "nothing to score"),
        (["a"], "real numbers"),
        (np.zeros((H, 2)), "one column"),
    ],
)
def test_truth_that_cannot_be_scored_is_refused(truth, words):
    for method in ("score", "logpdf"):
        with pytest.raises((ValueError, TypeError), match=words):
            getattr(gaussian(), method)(truth)
