"""Densities and scores of a forecast: its truth is aligned by the index."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from forecast_cases import DATES, TRUTH, H, gaussian
from scipy.stats import multivariate_normal, norm


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
