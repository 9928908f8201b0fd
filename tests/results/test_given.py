"""A forecast given values, ranges and totals of its steps."""

import numpy as np
import pandas as pd
import pytest
from forecast_cases import DATES, PAST, gaussian, walk
from scipy.stats import multivariate_normal

import gpforecast as gf
from gpforecast.results import Censored, Forecast, Gaussian, Mixture, Paths, Support, Warped
from gpforecast.transforms import Log


def dense(m, S, B, c):
    """The conditional distribution by the joint one of (y, B y), with no algebra shared."""
    J = np.vstack([np.eye(len(m)), B])
    joint, mean = J @ S @ J.T, J @ m
    h = len(m)
    inverse = np.linalg.inv(joint[h:, h:])
    return (
        mean[:h] + joint[:h, h:] @ inverse @ (c - mean[h:]),
        joint[:h, :h] - joint[:h, h:] @ inverse @ joint[h:, :h],
    )


def test_values_and_totals_of_a_gaussian_are_given_by_the_dense_formula():
    f = gaussian()
    found = f.given({DATES[2]: 13.0}, total={("2024-03-04", "2024-03-06"): 30.0})
    B = np.array([[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], dtype=float)
    m, S = dense(f.mean.to_numpy(), f.covariance.to_numpy(), B, np.array([13.0, 30.0]))
    np.testing.assert_allclose(found.mean, m, rtol=1e-10)
    np.testing.assert_allclose(found.covariance, S, atol=1e-10)
    assert found.index is f.index
    assert (found.latent_var <= found.var + 1e-12).all()


def test_a_year_that_has_begun_counts_what_was_observed():
    f = walk()
    seen = PAST.iloc[12:].sum()
    found = f.given(total={"2024": seen + 50.0})
    assert found.mean.iloc[:2].sum() == pytest.approx(50.0)
    assert found.given(total={"2025": 400.0}).resample("YE").sum().mean.iloc[1] == pytest.approx(
        400
    )


def test_values_are_given_through_a_logarithm():
    S = np.array([[1.0, 0.6, 0.3], [0.6, 1.5, 0.5], [0.3, 0.5, 2.0]])
    z = Gaussian(np.array([0.1, 0.2, 0.3]), S, np.diag(S) / 2)
    f = Forecast(Warped(z, Log()), pd.RangeIndex(5, 8), pd.Series(np.ones(5)), "exact")
    found = f.given({6: np.e})
    m, cov = dense(z.mean, S, np.array([[0.0, 1.0, 0.0]]), np.array([1.0]))
    expected = np.exp(m + 0.5 * np.diag(cov))
    np.testing.assert_allclose(found.mean, expected, rtol=1e-9)


def test_parts_of_a_mixture_count_by_how_likely_each_made_what_is_given():
    rng = np.random.default_rng(3)
    parts, dense_parts, logs = [], [], []
    B, c = np.array([[1.0, 0.0, 1.0]]), np.array([2.0])
    for mean in (-1.0, 2.0):
        root = rng.standard_normal((3, 3))
        S = root @ root.T + np.eye(3)
        parts.append(Gaussian(np.full(3, mean), S, np.diag(S) / 2))
        dense_parts.append(dense(np.full(3, mean), S, B, c)[0])
        logs.append(multivariate_normal.logpdf(c, B @ np.full(3, mean), B @ S @ B.T))
    w = np.array([0.3, 0.7]) * np.exp(logs)
    w /= w.sum()
    found, log = Mixture(np.array([0.3, 0.7]), tuple(parts)).given(B, c)
    np.testing.assert_allclose(found.weights, w, rtol=1e-10)
    np.testing.assert_allclose(found.mean, w @ np.array(dense_parts), rtol=1e-10)
    np.testing.assert_allclose(log, np.log(np.array([0.3, 0.7]) @ np.exp(logs)), rtol=1e-10)


def test_ranges_are_those_of_a_million_walks():
    f = walk(8)
    found = f.given({"2024-12": (None, 22.0)}, total={("2025-01", "2025-06"): (125.0, 140.0)})
    rng = np.random.default_rng(4)
    walks = 22.0 + np.cumsum(0.3 + rng.standard_normal((8, 1_000_000)), axis=0)
    total = walks[2:].sum(axis=0)
    kept = walks[:, (walks[1] <= 22.0) & (total >= 125.0) & (total <= 140.0)]
    error = np.sqrt(kept.var(axis=1) * (1 / kept.shape[1] + 1 / 20_000))
    assert (abs(found.mean.to_numpy() - kept.mean(axis=1)) < 5 * error).all()
    np.testing.assert_allclose(found.std, kept.std(axis=1), rtol=0.05)
    assert "have a probability of" in found.notes[-1]
    share = float(found.notes[-1].split("probability of ")[1].split(";")[0])
    assert share == pytest.approx(kept.shape[1] / 1e6, rel=0.1)


def test_paths_of_a_gaussian_are_moved_onto_its_conditional_distribution():
    f = gaussian()
    paths = f.sample(200_000, seed=0).to_numpy()
    drawn = Forecast(Paths.of(paths, f.latent_var.to_numpy()), f.index, f.history, "monte_carlo")
    conditions = {"values": {DATES[2]: 13.0}, "total": {("2024-03-04", "2024-03-06"): 30.0}}
    exact, found = f.given(**conditions), drawn.given(**conditions)
    np.testing.assert_allclose(found.mean, exact.mean, atol=0.03)
    np.testing.assert_allclose(found.covariance, exact.covariance, atol=0.06)
    assert (found.paths.loc[DATES[2]] == 13.0).all()
    np.testing.assert_allclose(found.paths.iloc[3:].sum(), 30.0)
    assert "moved onto the values" in found.notes[-1]


def test_counts_are_given_as_ranges():
    d = Censored(Gaussian(np.array([1.0, 2.0]), np.eye(2), np.ones(2)), Support(0.0, whole=True))
    f = Forecast(d, pd.RangeIndex(3, 5), pd.Series(np.ones(3)), "exact")
    assert (f.given({3: (1.5, 2.5)}).paths.loc[3] == 2.0).all()
    with pytest.raises(ValueError, match="given as a range"):
        f.given({3: 2.0})


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({}, "nothing is given"),
        ({"values": {"2031-01": 3.0}}, "'2031-01' has no step of the forecast"),
        ({"values": {"2025": 3.0}}, "covers several steps, and a value is of one, such as"),
        ({"values": {"2025-01": (3.0, 2.0)}}, r"a finite number, or a range such as \(10, 20\)"),
        ({"values": {"2025-01": np.nan}}, "nothing is given"),
        ({"values": {"2025-01": 25.0}, "total": {("2025-01", "2025-01"): 26.0}}, "contradict"),
        ({"values": {"2025-01": (90.0, None)}}, "hold in only 0 of"),
        ({"total": {"2026": 3.0}}, "after the last of the forecast"),
        ({"total": {("2022-01", "2025-01"): 3.0}}, "before the first that is known"),
        ({"values": 23.5}, "by the labels of steps"),
    ],
)
def test_conditions_that_cannot_hold_are_refused(conditions, words):
    with pytest.raises((TypeError, ValueError), match=words):
        walk().given(**conditions)


def test_a_total_through_a_logarithm_is_given_by_draws_near_it():
    S = np.array([[0.3, 0.2, 0.1], [0.2, 0.3, 0.2], [0.1, 0.2, 0.3]])
    z = Gaussian(np.array([0.2, 0.3, 0.4]), S, np.diag(S) / 2)
    f = Forecast(Warped(z, Log()), pd.RangeIndex(5, 8), pd.Series(np.ones(5)), "exact")
    found = f.given(total={(5, 7): 6.0})
    np.testing.assert_allclose(found.paths.sum(), 6.0)
    rng = np.random.default_rng(1)
    y = np.exp(rng.multivariate_normal(z.mean, S, 2_000_000))
    near = y[abs(y.sum(axis=1) - 6.0) < 0.02]  # by brute force
    error = near.std(axis=0) * np.sqrt(1 / len(near) + 1 / 20_000)
    assert (abs(found.mean.to_numpy() - near.mean(axis=0)) < 5 * error + 0.005).all()
    both = f.given({6: 2.0}, total={(5, 7): 6.0})
    np.testing.assert_allclose(both.paths.loc[6], 2.0)
    np.testing.assert_allclose(both.paths.sum(), 6.0)
    assert "were moved onto them" in found.notes[-1]
    with pytest.raises(ValueError, match="such as a logarithm, whose values are above 0"):
        f.given({5: -1.0})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tz", [None, "Europe/Berlin"])
def test_quarters_and_periods_name_dates(tz):
    f = walk()
    index = f.index.to_timestamp().tz_localize(tz)
    past = PAST.to_timestamp().tz_localize(tz)
    dated = Forecast(f.distribution, index, past, "exact")
    expected = f.given({"2025-02": 25.0}, total={"2025Q3": 80.0}).mean.to_numpy()
    found = dated.given({"2025-02": 25.0}, total={"2025Q3": 80.0})
    np.testing.assert_allclose(found.mean, expected, rtol=1e-12)
    assert dated.given({index[3]: 25.0}).mean.iloc[3] == 25.0


@pytest.mark.filterwarnings("error")
def test_a_total_that_is_given_is_certain_and_a_step_that_is_given_is_not_scored():
    f = walk()
    quarter = f.given(total={"2025Q3": 80.0}).resample("QE").sum()
    assert quarter.std["2025Q3"] == 0.0
    assert quarter.interval(0.9).loc["2025Q3"].tolist() == pytest.approx([80.0, 80.0])
    month = f.given({"2025-03": 24.0})
    assert month.std["2025-03"] == 0.0
    assert month.probability(above=24.0)["2025-03"] == 0.0
    assert month.probability(above=23.9)["2025-03"] == 1.0
    truth = f.mean + 0.5
    others = month.score(truth.drop(pd.Period("2025-03", "M")))
    pd.testing.assert_series_equal(month.score(truth), others)
    assert np.isfinite(month.logpdf(truth))
    with pytest.raises(ValueError, match="values of all these steps were given"):
        month.score(truth.loc[["2025-03"]])


def test_steps_after_a_value_keep_their_own_noise():
    a, h = 0.9, 6
    k = np.arange(h)
    S = np.array([[sum(a ** (i + j - 2 * m) for m in range(min(i, j) + 1)) for j in k] for i in k])
    d = Gaussian(np.zeros(h), S, np.diag(S) - 1.0)  # an autoregression with noise 1
    found, _ = d.given(np.eye(h)[:1], np.array([1.0]))
    again = np.concatenate([[0.0], np.diag(S)[:-1] - 1.0])
    np.testing.assert_allclose(found.latent_var, again, atol=1e-12)


def test_values_of_a_calibrated_forecast_can_be_given():
    series = gf.datasets.load_elnino()[-240:]
    calibrated = gf.Forecaster(lags=12, transforms=Log(), calibrate="conformal").fit(series)
    f = calibrated.predict(8, propagation="monte_carlo")
    value = float(f.mean.iloc[4]) + 0.3
    found = f.given({f.index[4]: value})
    np.testing.assert_allclose(found.mean.iloc[4], value, rtol=1e-12)
    assert (found.mean.iloc[3:6] > f.mean.iloc[3:6]).all()  # neighbours follow
    assert found.std.iloc[5] < f.std.iloc[5]
