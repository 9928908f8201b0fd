"""Spread corrected by earlier errors: what it corrects, and that it leaves alone what is right."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from series_cases import autoregression

import gpforecast as gf
from gpforecast.covariances import Linear
from gpforecast.models import GaussianProcess
from gpforecast.pipeline.calibration import Calibration
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.warped import distribution_of
from gpforecast.transforms import Log

LEVELS = [0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99]
KINDS = ["variance", "conformal"]
MEAN = np.array([[1.0, 2.0, 0.5]])
ROOT = np.array([[0.5, 0, 0], [0.4, 0.3, 0], [-0.2, 0.5, 0.6]])
COVARIANCE = (ROOT @ ROOT.T)[None]
GAUSSIAN = Propagated(MEAN, COVARIANCE, 0.6 * np.einsum("bhh->bh", COVARIANCE))


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
    y, noise_var = autoregression(3050, 0.7)[50:], 0.05
    fc = forecaster(noise_var, calibrate=kind).fit(y[:1200])
    corrected = gf.backtest(fc, y, horizon=10, origins=300).summary()["average"]
    plain = gf.backtest(forecaster(noise_var).fit(y[:1200]), y, horizon=10, origins=300)
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
@pytest.mark.parametrize("transforms", [gf.transforms.Difference(), Log()])
def test_a_scaled_series_has_a_scaled_forecast(kind, transforms):
    y = np.exp(0.3 * autoregression(170, 0.7, seed=1)[50:])
    options = {"transforms": transforms, "calibrate": kind}
    model = GaussianProcess(Linear(1.0), noise_var=0.1, optimizer=None)
    a = gf.Forecaster(2, model=model, **options).fit(y).predict(40).to_frame()
    b = gf.Forecaster(2, model=model, **options).fit(1000 * y).predict(40).to_frame()
    np.testing.assert_allclose(b, 1000 * a, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_beyond_those_seen_are_treated_as_the_last(kind):
    y = autoregression(130, 0.7)[50:]
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
    y = autoregression(90, 0.7)[50:]
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


def test_calibration_is_noted_saved_and_loaded(tmp_path):
    y = autoregression(150, 0.7)[50:]
    for kind in KINDS:
        fc = forecaster(0.1, calibrate=kind).fit(y)
        assert f'intervals were corrected (calibrate="{kind}")' in fc.summary()
        assert f"calibrate='{kind}'" in repr(fc)
        fc.save(tmp_path / "fc")
        loaded = gf.load(tmp_path / "fc")
        pd.testing.assert_frame_equal(loaded.predict(9).to_frame(), fc.predict(9).to_frame())


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


@pytest.mark.parametrize("warp", [None, Log()])
def test_conformal_density_is_the_derivative_of_its_distribution(warp):
    joint = conformal().joint(GAUSSIAN, warp).at(0)
    for step in range(3):
        one = joint.over(np.array([step]))
        p = np.array([0.01, 0.2, 0.4, 0.7, 0.97])
        y = one.quantile(p)[0]
        for level, value in zip(p, y, strict=True):
            assert one.pit(np.array([value]))[0] == pytest.approx(level, rel=1e-8)
            h = 1e-5
            slope = (one.pit(np.array([value + h])) - one.pit(np.array([value - h])))[0] / (2 * h)
            assert one.logpdf(np.array([value])) == pytest.approx(np.log(slope), abs=1e-5)
            assert one.nlpd(np.array([value]))[0] == pytest.approx(-np.log(slope), abs=1e-5)


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


@pytest.mark.parametrize("warp", [None, Log()])
def test_conformal_moments_and_crps_are_those_of_its_quantile_function(warp):
    joint = conformal().joint(GAUSSIAN, warp).at(0)
    truth = np.array([1.5, 2.5, 0.7]) if warp is None else np.array([4.0, 6.0, 1.0])
    cuts = np.sort(np.concatenate([stats.norm.cdf(s * conformal().knots) for s in (-1, 1)]))
    for k in (0, 2):
        one = joint.over(np.array([k]))

        def q(p, one=one):
            return one.quantile(np.atleast_1d(p))[0, 0]

        def pinball(p, q=q, y=truth[k]):
            return 2 * ((y < q(p)) - p) * (q(p) - y)

        options = {"points": [*cuts, 1e-6, 1 - 1e-6], "limit": 400, "epsabs": 1e-10}
        mean = integrate.quad(q, 0, 1, **options)[0]
        var = integrate.quad(lambda p, q=q: q(p) ** 2, 0, 1, **options)[0] - mean**2
        below = float(one.pit(truth[[k]])[0])
        edges = [0.0, *sorted([*cuts, below]), 1.0]
        crps = sum(integrate.quad(pinball, a, b, limit=200)[0] for a, b in pairwise(edges))
        rough = 3e-3 if warp is None else 3e-2  # of 96 nodes over kinks
        assert one.mean[0] == pytest.approx(mean, rel=rough)
        assert one.var[0] == pytest.approx(var, rel=5 * rough)
        assert one.crps(truth[[k]])[0] == pytest.approx(crps, rel=5 * rough)


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
