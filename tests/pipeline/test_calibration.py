"""Spread corrected by earlier errors: once at the fit, or following them."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from series_cases import autoregression

import gpforecast as gf
from gpforecast.covariances import Linear
from gpforecast.models import GaussianProcess
from gpforecast.pipeline.calibration import Adaptive, Calibration
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.warped import distribution_of
from gpforecast.transforms import Log

# Spread corrected by earlier errors: what it corrects, and that it leaves alone what is right


LEVELS = [0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99]
KINDS = ["variance", "conformal"]
MEAN = np.array([[1.0, 2.0, 0.5]])
ROOT = np.array([[0.5, 0, 0], [0.4, 0.3, 0], [-0.2, 0.5, 0.6]])
COVARIANCE = (ROOT @ ROOT.T)[None]
GAUSSIAN = Propagated(MEAN, COVARIANCE, 0.6 * np.einsum("bhh->bh", COVARIANCE))


def settled(n):
    return autoregression(n + 50, 0.7)[50:]


def forecaster(noise_var, **options):
    """A linear map with a given noise; the truth is 1 - 0.7^2 = 0.51 of a series' variance."""
    model = GaussianProcess(Linear(1.0), noise_var=noise_var, optimizer=None)
    return gf.Forecaster(1, transforms=None, model=model, **options)


def conformal(values=((0.5, 1.0, 3.0), (0.7, 1.5, 2.0), (1.0, 2.0, 4.0))):
    knots = stats.norm.ppf(0.5 + np.array([0.5, 0.8, 0.95]) / 2)
    return Calibration("conformal", np.ones(3), knots, np.array(values), 40)


# What is learned


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_noise_is_mended_to_nominal_coverage(kind):
    y = settled(3000)
    fc = forecaster(0.05, calibrate=kind).fit(y[:1200])
    corrected = gf.backtest(fc, y, horizon=10, origins=300).summary()["average"]
    plain = gf.backtest(forecaster(0.05).fit(y[:1200]), y, horizon=10, origins=300)
    wrong = plain.summary()["average"]
    assert abs(wrong["coverage_80"] - 0.8) > 0.15
    assert abs(corrected["coverage_80"] - 0.8) < 0.05
    assert abs(corrected["coverage_95"] - 0.95) < 0.03
    assert corrected["nlpd"] < wrong["nlpd"] - 0.1


def test_variance_factors_are_root_mean_squares_where_they_are_the_same_at_all_steps():
    r = np.random.default_rng(0).standard_normal((400, 6)) * 2.5
    r[5:9, 2] = np.nan
    factors = Calibration.of("variance", r).factors
    np.testing.assert_allclose(factors, 2.5, rtol=0.06)
    one = Calibration.of("variance", r[:, :1]).factors
    np.testing.assert_allclose(one, np.sqrt((r[:, 0] ** 2).mean()), rtol=1e-12)


@pytest.mark.parametrize("n", [25, 118])
def test_conformal_ranks_count_the_value_to_come(n):
    # Where n + 1 times the level is just above a whole number, n times it is not.
    r = np.random.default_rng(n).standard_t(3, (n, 1))
    made = Calibration.of("conformal", r)
    ordered = np.sort(np.abs(r[:, 0]))
    levels = [level for level in LEVELS if np.ceil(round((n + 1) * level, 9)) <= n]
    ranks = [int(np.ceil(round((n + 1) * level, 9))) for level in levels]
    assert any(
        rank > np.ceil(round(n * level, 9)) for rank, level in zip(ranks, levels, strict=True)
    )
    np.testing.assert_allclose(made.values[0], ordered[np.array(ranks) - 1], rtol=1e-3)


def test_conformal_errors_are_put_together_over_steps_within_a_quarter_of_each_other():
    r = np.arange(1.0, 13.0)[None] ** 2 * np.linspace(1.0, 1.001, 40)[:, None]  # one size a step
    widest = Calibration.of("conformal", r).values[:, -1]
    # The largest size is that of the last step k' with k' <= 1.25 k.
    last = [max(k for k in range(1, 13) if k <= 1.25 * step) for step in range(1, 13)]
    np.testing.assert_allclose(widest, np.square(last), rtol=2e-3)
    narrowest = Calibration.of("conformal", 1.0 / r).values[:, -1]
    np.testing.assert_allclose(1.0 / narrowest, [
        min(k for k in range(1, 13) if k >= step / 1.25) ** 2 for step in range(1, 13)
    ], rtol=2e-3)  # fmt: skip


def test_variance_factors_are_averages_over_steps_of_a_weight_that_falls_with_the_step():
    rng, b, h = np.random.default_rng(3), 30, 8
    r = rng.standard_normal((b, h)) * np.arange(1.0, h + 1.0)
    squares, expected = (r**2).mean(axis=0), []
    for k in range(1, h + 1):
        near = [np.exp(-0.5 * (np.log(k / other) / 0.5) ** 2) for other in range(1, h + 1)]
        weights = [w * max(b / other, 1.0) for w, other in zip(near, range(1, h + 1), strict=True)]
        expected.append(np.sqrt(np.dot(weights, squares) / sum(weights)))
    np.testing.assert_allclose(Calibration.of("variance", r).factors, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_beyond_those_seen_are_treated_as_the_last(kind):
    y = settled(80)
    fc = forecaster(0.05, calibrate=kind).fit(y)
    plain = forecaster(0.05).fit(y).predict(60)
    f, seen = fc.predict(60), fc.calibration_.horizon
    assert seen < 60
    for level in (0.5, 0.95):
        width = f.interval(level) - np.array(f.mean)[:, None]
        ratio = width["upper"] / (plain.interval(level)["upper"] - plain.mean)
        np.testing.assert_allclose(ratio[seen - 1 :], ratio.iloc[seen - 1], rtol=1e-9)


def test_too_short_a_series_is_not_calibrated_and_says_so():
    kind = "conformal"
    y = settled(40)
    fc = forecaster(0.5, calibrate=kind).fit(y)
    assert fc.calibration_ is None
    (note,) = fc.notes_
    assert note == (
        "the intervals were not corrected: 40 values are too few, calibrate needs at least 50"
    )
    assert note in " ".join(fc.summary().split())
    pd.testing.assert_frame_equal(
        fc.predict(5).to_frame(), forecaster(0.5).fit(y).predict(5).to_frame()
    )


def test_calibration_is_noted():
    y = settled(100)
    for kind in KINDS:
        fc = forecaster(0.1, calibrate=kind).fit(y)
        assert f'intervals were corrected (calibrate="{kind}")' in fc.summary()
        assert f"calibrate='{kind}'" in repr(fc)


# What it does to a distribution


def test_variance_factors_scale_the_joint_covariance_and_paths():
    d = np.array([2.0, 0.5, 3.0])
    paths = MEAN[..., None] + ROOT @ np.random.default_rng(0).standard_normal((1, 3, 50))
    p = Propagated(GAUSSIAN.mean, GAUSSIAN.covariance, GAUSSIAN.latent_var, paths)
    made = Calibration("variance", d, np.empty(0), np.empty((3, 0)), 40).joint(p, None)
    np.testing.assert_allclose(made.covariance[0], np.diag(d) @ COVARIANCE[0] @ np.diag(d))
    np.testing.assert_allclose(made.latent_var, GAUSSIAN.latent_var * d**2)
    np.testing.assert_allclose(
        made.paths - MEAN[..., None], d[:, None] * (paths - MEAN[..., None]), rtol=1e-12
    )


@pytest.mark.parametrize("warp", [None, Log()])
def test_conformal_quantiles_are_those_it_learned(warp):
    joint = conformal().joint(GAUSSIAN, warp).at(0)
    sd = np.sqrt(np.diag(COVARIANCE[0]))
    upper = MEAN[0][:, None] + sd[:, None] * conformal().values
    lower = MEAN[0][:, None] - sd[:, None] * conformal().values
    q = np.array([0.5, 0.8, 0.95])
    back = (lambda z: z) if warp is None else np.exp
    np.testing.assert_allclose(joint.quantile(0.5 + q / 2), back(upper), rtol=1e-9)
    np.testing.assert_allclose(joint.quantile(0.5 - q / 2), back(lower), rtol=1e-9)


def test_conformal_joint_density_is_that_of_its_samples_gaussian_scores():
    joint = conformal().joint(GAUSSIAN, None).at(0)
    sd = np.sqrt(np.diag(COVARIANCE[0]))
    y = np.array([1.3, 1.1, 2.9])
    x, jacobian = np.empty(3), 0.0
    for k in range(3):  # by interpolation, one step at a time
        at = np.concatenate([[0.0], conformal().values[k]])
        to = np.concatenate([[0.0], conformal().knots])
        r = (y[k] - MEAN[0, k]) / sd[k]
        assert abs(r) < at[-1]
        x[k] = np.sign(r) * np.interp(abs(r), at, to)
        i = np.searchsorted(at, abs(r))
        jacobian += np.log((to[i] - to[i - 1]) / (at[i] - at[i - 1]))
    expected = stats.multivariate_normal(MEAN[0], COVARIANCE[0]).logpdf(MEAN[0] + sd * x) + jacobian
    assert joint.logpdf(y) == pytest.approx(expected, rel=1e-10)


def test_a_remapping_by_the_gaussians_own_half_widths_changes_nothing():
    knots = conformal().knots
    same = Calibration("conformal", np.ones(3), knots, np.tile(knots, (3, 1)), 40)
    for warp in (None, Log()):
        a, b = same.joint(GAUSSIAN, warp).at(0), distribution_of(GAUSSIAN, warp).at(0)
        truth = np.array([1.2, 3.0, 0.4])
        np.testing.assert_allclose(a.mean, b.mean, rtol=1e-9)
        np.testing.assert_allclose(a.covariance, b.covariance, rtol=1e-9)
        np.testing.assert_allclose(a.latent_var, b.latent_var, rtol=1e-9)
        np.testing.assert_allclose(a.crps(truth), b.crps(truth), rtol=1e-6)
        np.testing.assert_allclose(a.nlpd(truth), b.nlpd(truth), rtol=1e-9)


@pytest.mark.parametrize("calibrate", ["conformal", "adaptive", "variance"])
def test_no_correlation_of_a_calibrated_forecast_within_a_support_is_above_one(calibrate):
    fc = gf.Forecaster(lags=[1, 12], model=gf.models.BayesianAR(), calibrate=calibrate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        f = fc.fit(np.exp(0.5 * np.arange(150.0))).predict(60)
    std = f.std.to_numpy()
    correlation = f.covariance.to_numpy() / std / std[:, None]
    assert np.linalg.eigvalsh(correlation).min() > -1e-9


# Intervals that follow the errors of forecasts: by which rule, and without looking ahead


TRACKED = np.array([0.5, 0.8, 0.95])


def started(h, half=(0.7, 1.3, 2.0)):
    knots = stats.norm.ppf(0.5 + TRACKED / 2)
    values = np.tile(half, (h, 1))
    return Adaptive.after(Calibration("conformal", np.ones(h), knots, values, 50))


def series(n=400, seed=0, changes=200):
    """An autoregression whose noise trebles."""
    return autoregression(n, 0.7, seed=seed, size=np.where(np.arange(n) < changes, 1.0, 3.0))


def linear(**options):
    model = gf.models.LinearAR()
    return gf.Forecaster(2, **{"transforms": None, "model": model, "noise": "process"} | options)


def adaptive(**options):
    return linear(calibrate="adaptive", **options)


def place_of(made, level):
    return int(np.argmin(np.abs(2 * stats.norm.cdf(made.knots) - 1 - level)))


# The rule


def test_half_widths_follow_a_plain_loop_of_the_tracker():
    h, rng = 4, np.random.default_rng(0)
    y, mean = rng.standard_t(3, 80), rng.standard_normal((80, h))
    std = rng.uniform(0.5, 2.0, (80, h))
    y[[7, 30]] = np.nan
    made, got = started(h), []
    for t in range(80):
        made = made.followed(mean[t], std[t], y[t])
        got.append(made.values)
    # Level .95 of step 3: the forecast of y[t] was made before y[t - 2].
    q, x, widths = [2.0], 0.0, []
    for t in range(80):
        if t >= 2 and not np.isnan(y[t]):
            miss = abs(y[t] - mean[t - 2, 2]) > std[t - 2, 2] * q[t - 2]
            x += miss - 0.05
        widths.append(2.0 * np.exp(0.1 / np.sqrt(3) * x))
        q.append(widths[-1])
    alone = [now[2, 2] > 1.01 * now[2, 1] for now in got]
    assert all(alone)  # or the oracle would have to know of other levels
    np.testing.assert_allclose(np.array(got)[:, 2, 2], widths, rtol=1e-12)


@pytest.mark.parametrize("h", [1, 5])
def test_no_sequence_can_make_intervals_miss_more_than_the_bound(h):
    made, most, T = started(h), 50.0, 3000
    missed = np.zeros((h, 3))
    issued = []
    for t in range(T):
        # An adversary who knows all widths: just outside the widest of them, while that may be.
        issued.append(made.values)
        half = issued[max(t - h + 1, 0)][-1, -1]
        error = half * (1.0 + 1e-9) if half < most else 0.0
        for k in range(min(h, t + 1)):
            missed[k] += error > issued[t - k][k]
        made = made.followed(np.zeros(h), np.ones(h), error)
    k = np.arange(1, h + 1)[:, None]
    bound = np.log(most / np.array([0.7, 1.3, 2.0])) * np.sqrt(k) / 0.1 + k
    assert (missed <= (1 - TRACKED) * T + bound).all()
    assert missed[-1, -1] > 0.05 * T  # the adversary did succeed as far as that goes


def test_missing_truths_and_missing_forecasts_move_nothing():
    made = started(2)
    none = np.full(2, np.nan)
    for mean, value in ((none, 9.0), (none, 9.0), (np.zeros(2), np.nan)):
        made = made.followed(mean, np.ones(2), value)
        np.testing.assert_array_equal(made.excess, 0.0)
    assert made.followed(np.zeros(2), np.ones(2), 9.0).excess.min() > 0.0


# update


def test_update_judges_the_forecasts_it_would_have_made():
    y = series(changes=150)
    fc = adaptive().fit(y[:150])
    plain = linear().fit(y[:150])
    excess = np.zeros(3)
    at = [place_of(fc.calibration_, level) for level in TRACKED]
    for t in range(150, 170):
        f, half = plain.predict(1), fc.calibration_.values[0, at]
        size = abs(y[t] - f.mean.iloc[0]) / f.std.iloc[0]
        excess += (size > half) - (1 - TRACKED)
        plain.update([y[t]])
        fc.update([y[t]])
    np.testing.assert_allclose(fc.calibration_.excess[0, at], excess, atol=1e-9)


def test_with_inputs_an_update_leaves_the_intervals_and_says_so():
    y, u = series(), np.sin(np.arange(400.0))
    fc = adaptive().fit(y[:150], exog=u[:150])
    values = fc.calibration_.values
    fc.update(y[150:160], exog=u[150:160]).update(y[160:170], exog=u[160:170])
    np.testing.assert_array_equal(fc.calibration_.values, values)
    assert sum("only where there are no inputs" in note for note in fc.notes_) == 1


# backtest


def test_backtest_follows_where_the_noise_changes():
    y = series(900, changes=450)
    found = {}
    for kind in ("conformal", "adaptive"):
        fc = linear(calibrate=kind).fit(y[:400])
        found[kind] = gf.backtest(fc, y, 6, origins=300).summary()["average"]
    assert found["conformal"]["coverage_95"] < 0.75
    assert found["adaptive"]["coverage_95"] > 0.88
    assert found["adaptive"]["crps"] < found["conformal"]["crps"]


@pytest.mark.parametrize("refit", [None, 25])
def test_backtest_knows_no_error_before_its_time(refit):
    y = series(320)
    origins = np.array([230, 260, 249, 250])
    options = {"train_fraction": 0.6, "refit": refit}

    def bounds(values):
        result = gf.backtest(adaptive(), values, 8, origins, **options)
        return result.lower[95], result.upper[95]

    changed = y.copy()
    changed[250:] *= 30.0  # known at the origin 260 alone
    (low, high), (new_low, new_high) = bounds(y), bounds(changed)
    same = origins <= 250
    np.testing.assert_array_equal(low[same], new_low[same])
    assert (high - low)[1, 0] < (new_high - new_low)[1, 0]
    changed[246:] = y[246:] + 100.0  # not known at the origin 230
    new_low, new_high = bounds(changed)
    np.testing.assert_array_equal(low[0], new_low[0])
    assert (high - low)[2, 0] < (new_high - new_low)[2, 0]


def test_backtest_at_an_origin_is_the_forecast_after_followed_values():
    y = series()
    fc = adaptive().fit(y[:150])
    made = fc.calibration_
    plain = linear().fit(y[:150])
    h = made.horizon
    ahead = plain.predict_from(y, np.arange(150, 190), h)
    for b in range(40):
        made = made.followed(ahead.mean[b], ahead.std[b], y[150 + b])
    result = gf.backtest(fc, y, 5, origins=[190])
    one = plain.predict_from(y, [190], 5)
    upper = one.mean[0] + one.std[0] * made.values[:5, place_of(made, 0.95)]
    np.testing.assert_allclose(result.upper[95][0], upper, rtol=1e-9)


def test_a_backtest_goes_on_from_what_updates_have_learned():
    y = series(changes=160)
    fc = adaptive().fit(y[:150]).update(y[150:200])
    first = gf.backtest(fc, y, 3, origins=[200])
    np.testing.assert_allclose(first.upper[95][0], fc.predict(3).interval(0.95)["upper"])
    # Forecasts made before position 200 are judged too, with those that the model makes after it.
    longer = gf.backtest(fc, y, 3, origins=[201]).upper[95]
    made = copy.deepcopy(fc).update(y[200:201]).calibration_
    free = copy.deepcopy(fc)
    free.fitted_ = replace(fc.fitted_, calibration=None)
    one = free.predict_from(y, [201], 3)
    upper = one.mean[0] + one.std[0] * made.values[:3, place_of(made, 0.95)]
    np.testing.assert_allclose(longer[0], upper, rtol=1e-9)


def test_another_series_is_followed_from_its_beginning():
    y, other = series(), 5.0 * series(120, seed=9)
    fc = adaptive().fit(y[:150]).update(y[150:160])
    result = gf.backtest(fc, other, 3, origins=[100])
    plain = gf.backtest(linear(calibrate="conformal").fit(y[:150]), other, 3, origins=[100])
    width, fixed = (r.upper[95] - r.lower[95] for r in (result, plain))
    assert (width > 1.5 * fixed).all()
