"""Candidates, the judge, the prior and the mixture they make."""

import json
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from statsmodels.tsa.stattools import acf

import gpforecast as gf
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import (
    Autoregression,
    Structural,
    candidates,
    coefficients,
    linear_ahead,
    names,
    roles_of,
)
from gpforecast.automatic.judge import Scores, horizon_of, judge, origins_of
from gpforecast.automatic.learning import Lesson, learned_weights
from gpforecast.automatic.portfolio import every_candidate, portfolio_of, restricted
from gpforecast.automatic.prior import FEATURES, InTrials, Prior, features, shipped
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.transforms import (
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def sales(n=72, seed=0):
    """A level that grows, a season that grows with it, and noise that does too."""
    t = np.arange(n)
    return np.exp(4 + 0.02 * t + 0.3 * np.sin(2 * np.pi * t / 12) + 0.05 * noise(n, seed))


WIDE = np.full(len(FEATURES), 9.0)


def flat(kappa=1.0, **mass):
    """A prior that knows nothing, but for the log mass of some candidates."""
    B = np.zeros((len(names()), len(FEATURES)))
    for name, value in mass.items():
        B[names().index(name.replace("_", " ")), 0] = value
    width = np.zeros(len(FEATURES) + 2)
    return Prior(tuple(names()), B, kappa, width, 100.0, 0.0, -WIDE, WIDE)


@pytest.mark.parametrize(
    "steps",
    [
        [Difference()],
        [Difference(), DampedMean(1.0, halflife=8.0)],
        [SeasonalDifference(4), DampedMean(0.9)],
        [Log(), Difference(), DampedMean(0.9)],
    ],
    ids=str,
)
def test_a_candidate_forecasts_what_a_user_would_get_of_it(steps):
    y, horizon, origins = 50 + np.cumsum(1 + noise(40)), 6, np.array([25, 34])
    warp = Log() if Log() in steps else None
    candidate = Autoregression("", Compose(*steps), warp, (4,))
    mean, var = candidate.forecast(y, origins, horizon)
    for k, origin in enumerate(origins):
        chain = Compose(*steps).fit_at(y[:origin], gf.series.TimeAxis.rows(origin))
        n = origin - chain.n_lost
        lags = candidate.lags_after(chain, n).value
        model = candidate.model(lags, chain)
        options = {"combine": None, "noise": "process", "support": None}
        fc = gf.Forecaster(list(lags), model=model, transforms=steps, **options).fit(y[:origin])
        q = fc.predict(horizon, propagation="exact").distribution.quantile(norm.cdf([-1, 0, 1]))
        z = np.log(q) if warp else q
        np.testing.assert_allclose(mean[k], z[:, 1], rtol=1e-8)
        # One step is exact; later ones leave out what is of second order in the coefficients.
        std = 0.5 * (z[:, 2] - z[:, 0])
        np.testing.assert_allclose(np.sqrt(var[k, 0]), std[0], rtol=1e-6)
        np.testing.assert_allclose(np.sqrt(var[k]), std, rtol=0.05)


def test_a_linear_function_is_followed_to_first_order_in_its_coefficients():
    """Against slopes of the plug-in path by differences, and responses to single shocks."""
    lags, horizon, y = (1, 2, 5), 12, np.cumsum(noise(60)) + 0.5 * noise(60, 1)
    rows = gf.embedding.LagEmbedding(list(lags)).transform(y)
    f = gf.models.BayesianAR(strengths=(0.3,)).fit(rows.X, rows.y).predictive_.parts[0]

    def path(w, shock=None):
        z = [*y]
        for k in range(horizon):
            z.append(sum(w[i] * z[-lag] for i, lag in enumerate(lags)) + w[-1] + (k == shock))
        return np.array(z[len(y) :])

    w, step = np.append(f.linear, f.constant), 1e-5
    J = np.transpose([(path(w + d) - path(w - d)) / (2 * step) for d in step * np.eye(len(w))])
    shocks = np.transpose([path(w, k) - path(w) for k in range(horizon)])
    found = linear_ahead(f, lags, y, horizon)
    expected = J @ f.added @ f.added.T @ J.T + f.noise_var * shocks @ shocks.T
    np.testing.assert_allclose(found.mean[0], path(w), rtol=1e-12)
    np.testing.assert_allclose(found.covariance[0], expected, rtol=1e-6)
    np.testing.assert_allclose(found.latent_var[0], expected.diagonal() - f.noise_var, rtol=1e-6)


def test_every_lag_of_an_autoregression_has_a_coefficient_to_start_from():
    roles = {*roles_of((100, 1000)).values()}
    assert {"values", "changes", "values, long season left"} <= {*coefficients()}
    for expected in coefficients().values():
        assert {*expected} == roles
        assert all(scale > 0.0 for _, scale in expected.values())


def test_every_candidate_is_known_to_the_prior_that_comes_with_the_library():
    assert sorted(names()) == sorted(shipped().names)
    text = files("gpforecast.automatic").joinpath("prior.json").read_text("utf-8")
    assert tuple(json.loads(text)["features"]) == (*FEATURES, "disagreement", "entropy")
    every = every_candidate(np.exp(noise(400)), (24, 168), [None, Log()])
    assert {one.name for one in every} == set(names())
    assert [one.name for one in candidates(gf.series.TimeAxis.rows(20), (), [None])] == [
        "level", "line", "slope", "damped slope", "structural",
    ]  # fmt: skip


def test_the_judge_scores_all_candidates_at_the_same_origins():
    y = sales()
    origins, horizon = origins_of(72, 12, 18), 18
    tried = [Structural("a", 12), Structural("b", 12, Log()), Autoregression("c", Compose())]
    found = judge(tried, y, origins, horizon)
    truth = y[origins[:, None] + np.arange(horizon)]
    ahead = tried[0].member(y).ahead(y, origins, horizon)
    s = np.sqrt(np.einsum("bhh->bh", ahead.covariance))
    z = (truth - ahead.mean) / s
    crps = s * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    np.testing.assert_allclose(found.crps[0], crps, rtol=1e-9)
    of_z = np.sqrt(np.mean(z**2)), z.size, 0.0, 0.0
    np.testing.assert_allclose(found.of_mixture(np.eye(3)[0]), of_z, rtol=1e-9)
    own = tried[1].member(y).ahead(y, origins[:1], horizon)
    paths = np.exp(own.mean[0] + noise(40000)[:, None] * np.sqrt(own.covariance[0].diagonal()))
    by_paths = gf.scores.crps_samples(truth[0], paths.T, axis=())
    np.testing.assert_allclose(found.crps[1, 0], by_paths, rtol=0.03)
    assert found.mean[2] > 2 * found.mean[1]


def test_a_candidate_that_cannot_be_tried_has_no_weight():
    y = np.append(50 + noise(9), 51.0)
    long = Autoregression("growth", Compose(SeasonalDifference(12)), None, (12,))
    found = judge([long, Structural("structural")], y, np.array([8]), 2)
    assert found.mean[0] == np.inf > found.mean[1]
    share = flat().weights(["growth", "structural"], features(y, None), found.mean, found.n)
    np.testing.assert_allclose(share, [0.0, 1.0])


@pytest.mark.parametrize("n", [4, 9, 30, 200])
@pytest.mark.parametrize("period", [None, 4, 12])
def test_trial_forecasts_end_within_the_series(n, period):
    horizon = horizon_of(n, period)
    origins = origins_of(n, period, horizon)
    assert origins.max() == n - horizon
    assert (np.diff(origins) > 0).all()
    assert origins.min() > 0


def test_weights_are_those_of_the_formula():
    prior, phi = flat(kappa=0.02, line=1.0), np.eye(len(FEATURES))[0]
    w = prior.weights(["level", "line"], phi, np.array([1.0, 2.0]), 50.0)
    assert w[1] / w[0] == pytest.approx(np.e / 8, rel=3e-3)  # the floor of the ratio is 1e-3
    width = replace(prior, width=0.4 * np.ones(len(FEATURES) + 2), growth=0.3)
    assert width.factor(phi, InTrials(2.0, 0.0, 0.0, 0.0)) == pytest.approx((0.4, 0.3))
    shown = InTrials(2.0, 300.0, 0.5, 1.0)
    assert width.factor(phi, shown)[0] == pytest.approx(0.25 * 2.5 * 0.4 + 0.75 * np.log(2.0))


def test_what_cannot_be_tried_has_no_weight_where_scores_count_nothing():
    w = flat(0.0).weights(names()[:3], np.zeros(len(FEATURES)), np.array([1.0, np.inf, 2.0]), 4.0)
    np.testing.assert_allclose(w, [0.5, 0.0, 0.5])


def test_features_beyond_those_of_the_series_learned_from_count_as_their_ends():
    prior = flat(line=1.0)
    far, end = 20.0 * np.ones(len(FEATURES)), 9.0 * np.ones(len(FEATURES))
    np.testing.assert_array_equal(prior.log_mass(["line"], far), prior.log_mass(["line"], end))


def test_errors_of_a_mixture_are_normal_quantiles_of_its_distribution_function():
    """Truths drawn from the mixture itself have standardised errors of mean square 1."""
    rng, w, n = np.random.default_rng(0), np.array([0.3, 0.7]), 20000
    means, stds = np.array([[-1.0], [2.0]]), np.array([[0.5], [1.5]])
    which = rng.choice(2, size=n, p=w)
    truth = means[which, 0] + stds[which, 0] * rng.standard_normal(n)
    z = ((truth - means) / stds)[:, :, None]
    assert Scores(z, z).of_mixture(w).error == pytest.approx(1.0, abs=0.02)
    assert Scores(z, z).of_mixture(np.array([1.0, 0.0])).error > 2.0
    assert Scores(z, np.full_like(z, np.nan)).of_mixture(w)[:3] == (1.0, 0.0, 0.0)


def test_members_disagree_as_far_as_their_standardised_errors_do():
    z = np.array([[[0.0, 2.0]], [[0.0, -2.0]]])
    shown = Scores(np.abs(z), z).of_mixture(np.array([0.5, 0.5]))
    assert shown.disagreement == pytest.approx(0.5 * np.log1p(4.0))
    assert shown.entropy == pytest.approx(np.log(2.0))


def test_a_mixture_has_few_members_and_none_that_hardly_counts():
    w = restricted(np.array([0.5, 0.3, 0.19, 0.01]))
    np.testing.assert_allclose(w, np.array([0.5, 0.3, 0.19, 0.0]) / 0.99)
    assert (restricted(np.full(20, 0.05)) > 0.0).sum() == 8
    np.testing.assert_allclose(restricted(np.full(100, 0.01)).sum(), 1.0)


def shares(n):
    """A stationary series, and a prior by which a process is a further member."""
    y = gf.datasets.mackey_glass(n).to_numpy() + 0.2 * noise(n)
    return pd.Series(y), flat(0.0, level=9.0, process=8.0)


def test_a_limit_of_rows_holds_for_every_member():
    y, prior = shares(250)
    fc = gf.Forecaster(prior=prior, max_rows=60).fit(y)
    assert [len(one.rows.y) for one in (fc.fitted_, *fc.fitted_.others)] == [60, 60]
    assert isinstance(fc.fitted_.others[0].model, gf.models.AveragedGP)  # 60 rows are few


def test_a_process_keeps_lags_that_gaps_leave_rows_for():
    y, prior = shares(300)
    y[::3], y[1::5] = np.nan, np.nan
    fc = gf.Forecaster(prior=prior).fit(y)
    assert len(fc.fitted_.others) == 1
    assert len(fc.fitted_.others[0].rows.y) > 30


def test_what_the_prior_deems_impossible_is_not_tried():
    found = portfolio_of(sales(), (12,), [None, Log()], flat(level=6.0, structural=6.0))
    assert len(found.table) == 2
    assert found.main.name == "level"


def test_differences_are_left_out_where_they_would_hide_the_noise_of_measurements():
    found = portfolio_of(sales(), (), [None, Log()], flat(0.0, slope=9.0, log_line=8.0))
    assert found.before_others() == found.main.transforms
    assert Difference() in found.main.transforms.steps
    assert found.before_others(Difference, SeasonalDifference) == Compose(Log(), Deterministic(1))


def test_trials_know_the_dates_of_the_newest_values():
    index = pd.date_range("2019-01-01", "2024-07-01")
    dates = pd.DatetimeIndex(index.where(index.strftime("%m%d") != "0229", index.shift(-1)))
    shape = pd.Series(noise(365), pd.date_range("2021", periods=365).strftime("%m%d"))
    y = pd.Series(shape[dates.strftime("%m%d")].to_numpy() + 0.001 * noise(len(index), 1), index)
    y.iloc[[0, 1, -1]] = np.nan
    found = choose_transforms(y, seasons=(365,), prior=flat(growth=9.0)).value.portfolio
    assert found.main.name == "growth"
    assert found.rows[0][2] < 0.002


def test_the_crps_of_a_mixture_is_that_of_its_distribution_function():
    forecasts = [(np.array([0.3, 1.0]), np.array([1.0, 2.0]), False), None]
    forecasts.append((np.array([0.1, -0.2]), np.array([0.3, 0.5]), True))
    truth, w = np.array([1.1, -0.4]), np.array([0.4, 0.0, 0.6])
    lesson = Lesson.of(np.ones(1), np.array([1.0, np.inf, 1.0]), 9.0, forecasts, truth, 2.0)
    x, each = np.linspace(-30.0, 30.0, 600001), []
    for k, y in enumerate(truth):
        F = 0.4 * norm.cdf(x, forecasts[0][0][k], forecasts[0][1][k])
        logs = np.log(np.maximum(x, 1e-300))
        F += 0.6 * norm.cdf(logs, forecasts[2][0][k], forecasts[2][1][k])
        each.append(np.trapezoid((F - (x >= y)) ** 2, x))
    alone = [np.mean(gf.scores.crps(truth, m, s**2, axis=())) for m, s, _ in forecasts[:1]]
    alone.append(np.mean(gf.scores.crps_log_normal(truth, *_log_moments(forecasts[2]), axis=())))
    of_mixture = w @ lesson.a - 0.5 * w @ lesson.D @ w
    assert of_mixture * min(alone) == pytest.approx(np.mean(each), rel=0.02)  # 25 nodes
    assert lesson.size == pytest.approx(min(alone) / 2.0, rel=0.02)
    assert lesson.crps[1] == np.inf
    assert lesson.a[1] == 0.0


def _log_moments(forecast):
    mean, std, _ = forecast
    return mean, std**2


def lessons(n=60, seed=0):
    """Series whose first feature says which of two candidates forecasts better."""
    rng, found = np.random.default_rng(seed), []
    for sign in rng.choice([-1.0, 1.0], n):
        mean = [np.array([0.2 if sign > 0 else 3.0]), np.array([3.0 if sign > 0 else 0.2])]
        forecasts = [(m, np.ones(1), False) for m in mean]
        phi = np.array([1.0, sign])
        later, change = 0.3 * rng.standard_normal(1), rng.uniform(0.5, 2.0)
        found.append(Lesson.of(phi, np.ones(2), 4.0, forecasts, later, change))
    return found


def test_weights_are_learned_from_what_came_later():
    B, kappa = learned_weights(lessons(), ridge=1e-3)
    assert 0.0 <= kappa <= 0.1
    for sign in (-1.0, 1.0):
        logs = B @ np.array([1.0, sign])
        assert (logs[0] > logs[1] + 3.0) == (sign > 0)
    held, _ = learned_weights(lessons(), (np.ones((2, 2)), 3.0), ridge=1e6)
    np.testing.assert_allclose(held, 1.0, atol=1e-4)  # a strong ridge keeps where it started


def test_learned_weights_are_at_a_minimum_of_the_mean_scores_of_sets():
    every = lessons(seed=1)
    sets = ["large"] * 40 + ["small"] * 20
    B, kappa = learned_weights(every, ridge=0.1, sets=sets)

    def loss(B):
        scores = []
        for one in every:
            w = np.exp(B @ one.phi - kappa * 104.0 * np.log(one.crps / one.crps.min()))
            w /= w.sum()
            scores.append(np.sqrt(one.size) * (w @ one.a - 0.5 * w @ one.D @ w))
        means = np.log([np.mean(scores[:40]), np.mean(scores[40:])])
        return means @ [2 / 3, 1 / 3] + 0.1 * np.mean(B**2)

    for i in np.ndindex(B.shape):
        step = np.zeros_like(B)
        step[i] = 1e-4
        assert abs(loss(B + step) - loss(B - step)) / 2e-4 < 1e-4


def test_features_are_the_textbook_statistics():
    y = sales(90)
    phi = dict(zip(FEATURES, features(y, 12), strict=True))
    t, d = np.arange(90), np.diff(y)
    assert phi["log n"] == pytest.approx(np.log(90) - 4)
    assert phi["lag 1"] == pytest.approx(acf(y, nlags=1)[1])
    assert phi["season of differences"] == pytest.approx(acf(d, nlags=12)[12])
    assert phi["variance of the line"] == pytest.approx(np.corrcoef(t, y)[0, 1] ** 2)
    assert phi["lag 2 around the line"] == pytest.approx(
        acf(y - np.polyval(np.polyfit(t, y, 1), t), nlags=2)[2]
    )
    assert phi["log variation"] == pytest.approx(np.log(y.std() / y.mean() + 1e-3) + 1.5)
    chaos = [0.3]
    for _ in range(199):
        chaos.append(3.9 * chaos[-1] * (1 - chaos[-1]))
    of_chaos, of_noise = (
        dict(zip(FEATURES, features(z, None), strict=True)) for z in (np.array(chaos), noise(200))
    )
    assert of_chaos["noise"] < -2.0 < -0.6 < of_noise["noise"]
    assert of_chaos["unexplained"] > -0.7  # no linear function predicts it
    wave = dict(zip(FEATURES, features(np.sin(np.arange(90)), None), strict=True))
    assert of_noise["entropy"] > 0.85 > wave["entropy"]


def test_a_series_whose_season_grows_has_the_logarithm_and_its_season():
    y = pd.Series(sales(), pd.date_range("2019-01", periods=72, freq="MS"))
    fc = gf.Forecaster().fit(y)
    table = fc.candidates_
    assert table["weight"].sum() == pytest.approx(1.0)
    assert table["weight"].is_monotonic_decreasing
    assert "logarithm" in table["candidate"][0]
    log_members = [
        m.warp is not None and m.posterior.period == 12 for m in fc.fitted_.ensemble.members
    ]
    assert any(log_members)
    assert "weights of" in fc.summary()
    truth = np.exp(4 + 0.02 * np.arange(72, 84) + 0.3 * np.sin(2 * np.pi * np.arange(72, 84) / 12))
    f = fc.predict(12)
    assert np.mean(np.abs(f.mean / truth - 1)) < 0.06


def test_candidates_are_kept_with_the_forecaster(tmp_path):
    fc = gf.Forecaster().fit(pd.Series(sales()))
    fc.save(tmp_path / "fc")
    pd.testing.assert_frame_equal(gf.load(tmp_path / "fc").candidates_, fc.candidates_)
    assert gf.Forecaster(lags=2, transforms=None).fit(sales()).candidates_.empty


def test_a_structural_model_knows_what_came_before_every_origin():
    y = 100.0 + np.cumsum(noise(1200))
    origins = origins_of(len(y), 200, horizon_of(len(y), 200))
    assert origins[0] == len(y) - th.NEWEST
    mean, var = Structural("structural").forecast(y, origins, 1)
    np.testing.assert_allclose(mean[:, 0], y[origins - 1], atol=2.0)
    np.testing.assert_allclose(var[:, 0], var[-1, 0], rtol=0.1)


@pytest.mark.parametrize("factor", [2.0**-300, 2.0**300])
def test_the_choice_does_not_depend_on_the_unit(factor):
    y = pd.Series(sales(), pd.date_range("2019-01", periods=72, freq="MS"))
    one, other = (gf.Forecaster().fit(a * y).candidates_ for a in (1.0, factor))
    np.testing.assert_allclose(other["weight"], one["weight"], rtol=1e-4)
    np.testing.assert_allclose(other["crps"], factor * one["crps"], rtol=1e-4)
