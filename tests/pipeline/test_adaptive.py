"""Intervals that follow the errors of forecasts: by which rule, and without looking ahead."""

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import GaussianProcess
from gpforecast.pipeline.calibration import Adaptive, Calibration
from gpforecast.propagation.recursion import Propagated
from gpforecast.transforms import Difference, Log

LEVELS = np.array([0.5, 0.8, 0.95])


def started(h, half=(0.7, 1.3, 2.0)):
    knots = stats.norm.ppf(0.5 + LEVELS / 2)
    values = np.tile(half, (h, 1))
    return Adaptive.after(Calibration("conformal", np.ones(h), knots, values, 50))


def series(n=400, seed=0, changes=200):
    """An autoregression whose noise trebles."""
    return autoregression(n, 0.7, seed=seed, size=np.where(np.arange(n) < changes, 1.0, 3.0))


def forecaster(**options):
    model = gf.models.LinearAR()
    return gf.Forecaster(2, **{"transforms": None, "model": model, "noise": "process"} | options)


def adaptive(**options):
    return forecaster(calibrate="adaptive", **options)


def state(fc):
    made = fc.calibration_
    return made.values, made.excess, made.mean, made.half


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
    assert (missed <= (1 - LEVELS) * T + bound).all()
    assert missed[-1, -1] > 0.05 * T  # the adversary did succeed as far as that goes


def test_missing_truths_and_missing_forecasts_move_nothing():
    made = started(2)
    none = np.full(2, np.nan)
    for mean, value in ((none, 9.0), (none, 9.0), (np.zeros(2), np.nan)):
        made = made.followed(mean, np.ones(2), value)
        np.testing.assert_array_equal(made.excess, 0.0)
    assert made.followed(np.zeros(2), np.ones(2), 9.0).excess.min() > 0.0


@pytest.mark.parametrize("warp", [None, Log()])
def test_every_origin_of_a_batch_has_its_own_half_widths(warp):
    rng = np.random.default_rng(4)
    mean, root = rng.standard_normal((3, 2)), rng.standard_normal((3, 2, 2))
    S = root @ np.swapaxes(root, 1, 2)
    values = np.sort(rng.uniform(0.3, 3.0, (3, 2, 3)), axis=-1)
    knots = stats.norm.ppf(0.5 + LEVELS / 2)
    both = Calibration("adaptive", np.ones(2), knots, values, 50)
    p = Propagated(mean, S, np.einsum("bhh->bh", S))
    joint, truth = both.joint(p, warp), np.exp(mean)
    for b in range(3):
        one = Calibration("conformal", np.ones(2), knots, values[b], 50)
        alone = one.joint(Propagated(mean[[b]], S[[b]], p.latent_var[[b]]), warp)
        for get in (
            lambda d, _: d.quantile([0.1, 0.5, 0.975]),
            lambda d, y: d.crps(y),
            lambda d, y: d.nlpd(y),
            lambda d, y: d.logpdf(y),
            lambda d, y: d.over(np.array([1])).cdf(y[..., 1:]),
        ):
            np.testing.assert_allclose(get(joint, truth)[b], get(alone, truth[[b]])[0], rtol=1e-9)
            np.testing.assert_allclose(
                get(joint.at(b), truth[b]), get(alone.at(0), truth[b]), rtol=1e-9
            )


# update


def test_update_judges_the_forecasts_it_would_have_made():
    y = series(changes=150)
    fc = adaptive().fit(y[:150])
    plain = forecaster().fit(y[:150])
    excess = np.zeros(3)
    at = [place_of(fc.calibration_, level) for level in LEVELS]
    for t in range(150, 170):
        f, half = plain.predict(1), fc.calibration_.values[0, at]
        size = abs(y[t] - f.mean.iloc[0]) / f.std.iloc[0]
        excess += (size > half) - (1 - LEVELS)
        plain.update([y[t]])
        fc.update([y[t]])
    np.testing.assert_allclose(fc.calibration_.excess[0, at], excess, atol=1e-9)


def test_intervals_open_when_the_noise_grows():
    y = series()
    fc = adaptive().fit(y[:200])
    before = fc.calibration_.values[0, -2]
    fc.update(y[200:260])
    assert fc.calibration_.values[0, -2] > 1.5 * before


@pytest.mark.parametrize("transforms", [Difference(), Log()])
def test_an_affine_change_of_the_series_changes_nothing(transforms):
    y = np.exp(0.1 * series())
    by = (1000.0, 0.0) if isinstance(transforms, Log) else (1000.0, -300.0)
    model = GaussianProcess(gf.covariances.Linear(1.0), noise_var=0.1, optimizer=None)
    made = []
    for values in (y, by[0] * y + by[1]):
        fc = adaptive(transforms=transforms, model=model)
        made.append(fc.fit(values[:150]).update(values[150:180]))
    np.testing.assert_allclose(made[0].calibration_.excess, made[1].calibration_.excess, atol=1e-9)
    a, b = (fc.predict(12).to_frame() for fc in made)
    np.testing.assert_allclose(b, by[0] * a + by[1], rtol=1e-6)


def test_what_was_learned_is_saved_and_goes_on_after_loading(tmp_path):
    y = series()
    fc = adaptive().fit(y[:150]).update(y[150:170])
    fc.save(tmp_path / "fc")
    loaded = gf.load(tmp_path / "fc")
    pd.testing.assert_frame_equal(loaded.predict(9).to_frame(), fc.predict(9).to_frame())
    for a, b in zip(state(loaded.update(y[170:175])), state(fc.update(y[170:175])), strict=True):
        np.testing.assert_array_equal(a, b)


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
        fc = forecaster(calibrate=kind).fit(y[:400])
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
    plain = forecaster().fit(y[:150])
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
    plain = gf.backtest(forecaster(calibrate="conformal").fit(y[:150]), other, 3, origins=[100])
    width, fixed = (r.upper[95] - r.lower[95] for r in (result, plain))
    assert (width > 1.5 * fixed).all()
