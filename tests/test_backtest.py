"""Forecasts from many origins: which, how good, and that none looks ahead."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast import scores
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.overlap import longest_run, seen_before
from gpforecast.propagation import MonteCarlo


def fixed():
    """A Gaussian process that keeps the hyperparameters it is given."""
    covariance = SquaredExponential(lengthscales=2.0, variance=1.5)
    return GaussianProcess(covariance, noise_var=0.05, optimizer=None)


def wave(n=120, seed=0):
    t = np.arange(n)
    noise = 0.2 * np.random.default_rng(seed).standard_normal(n)
    return pd.Series(5 * np.sin(2 * np.pi * t / 12) + np.cos(2 * np.pi * t / 5) + noise)


def fitted(n=60, **options):
    return gf.Forecaster(3, model=fixed(), **options).fit(wave().iloc[:n])


@pytest.mark.parametrize("method", ["exact", "taylor", "naive"])
def test_scores_equal_those_of_forecasts_made_one_by_one(method):
    y, fc = wave(), fitted()
    result = gf.backtest(fc, y, horizon=8, origins=10, seed=1, propagation=method)
    assert result.truth.shape == result.mean.shape == result.var.shape == (10, 8)
    assert result.propagation == method
    each = []
    for i, origin in enumerate(result.origins):
        # The same model, told the values up to the origin and no more.
        known = y.iloc[:origin]
        one = fc.predict_from(known, [origin], 8, propagation=method)
        truth = y.iloc[origin : origin + 8].to_numpy()
        mean, var = one.mean[0], np.diag(one.covariance[0])
        np.testing.assert_allclose(result.mean[i], mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.var[i], var, rtol=1e-8)
        np.testing.assert_array_equal(result.truth[i], truth)
        half = 1.959963984540054 * np.sqrt(var)
        each.append(
            {
                "mae": np.abs(truth - mean),
                "mse": (truth - mean) ** 2,
                "nlpd": scores.nlpd(truth, mean, var, axis=()),
                "crps": scores.crps(truth, mean, var, axis=()),
                "coverage_95": np.abs(truth - mean) <= half,
            }
        )
    for name in each[0]:
        losses = np.array([e[name] for e in each], dtype=float)
        np.testing.assert_allclose(result.losses[name], losses, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(result.scores[name], losses.mean(axis=0), rtol=1e-6, atol=1e-9)
        spread = losses.std(axis=0, ddof=1) / np.sqrt(10)
        np.testing.assert_allclose(result.standard_errors[name], spread, rtol=1e-6, atol=1e-9)


def test_tables_are_by_step_and_summary_by_score():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=12)
    names = ["mae", "mse", "nlpd", "crps", "coverage_50", "coverage_80", "coverage_95"]
    assert list(result.scores.columns) == list(result.standard_errors.columns) == names
    assert list(result.scores.index) == [1, 2, 3, 4, 5]
    assert result.scores.index.name == "step"
    summary = result.summary()
    assert list(summary.columns) == ["average", "± average", "step 5", "± step 5"]
    np.testing.assert_allclose(summary["average"], result.scores.mean(), rtol=1e-12)
    np.testing.assert_allclose(summary["step 5"], result.scores.loc[5], rtol=1e-12)
    by_origin = result.losses["mae"].mean(axis=1)
    assert summary.loc["mae", "± average"] == pytest.approx(by_origin.std(ddof=1) / np.sqrt(12))
    last = result.standard_errors.loc[5]
    np.testing.assert_allclose(summary["± step 5"], last, rtol=1e-12, atol=1e-15)
    assert repr(result).startswith("Backtest of 5 steps from 12 origins (exact)")


def test_single_origin_has_scores_but_no_standard_error():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=1)
    assert np.isfinite(result.scores).all(axis=None)
    assert result.summary()["± average"].isna().all()
    assert result.standard_errors.isna().all(axis=None)


def test_pit_is_the_gaussian_distribution_function_at_the_truth():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=12)
    assert result.pit.shape == (12, 5)
    low, high = result.lower[50.0], result.upper[50.0]
    np.testing.assert_array_equal(
        (result.pit > 0.25) & (result.pit < 0.75), (result.truth > low) & (result.truth < high)
    )


def test_plot_draws_the_scores_it_is_asked_for():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=5)
    (ax,) = result.plot("mae")
    np.testing.assert_allclose(ax.lines[0].get_ydata(), result.scores["mae"])
    assert len(result.plot()) == 3
    assert list(result.plot(["crps"], axes=ax)) == [ax]
    with pytest.raises(ValueError, match="columns"):
        result.plot("nonsense")


# Which origins


def test_origins_are_drawn_after_the_training_values_without_repetition():
    y = wave()
    result = gf.backtest(fitted(60), y, horizon=10, origins=1000)
    # Every place there is: from the first value not seen to the last with a whole horizon.
    assert list(result.origins) == list(range(60, 111))
    some = gf.backtest(fitted(60), y, horizon=10, origins=9, seed=2).origins
    assert len(set(some)) == 9
    assert list(some) == sorted(some)
    assert min(some) >= 60
    again = gf.backtest(fitted(60), y, horizon=10, origins=9, seed=2).origins
    np.testing.assert_array_equal(some, again)
    other = gf.backtest(fitted(60), y, horizon=10, origins=9, seed=3).origins
    assert list(other) != list(some)


def test_training_values_are_found_wherever_in_the_series_they_lie():
    y = wave()
    middle = gf.Forecaster(3, model=fixed()).fit(y.iloc[20:70])
    assert gf.backtest(middle, y, horizon=10, origins=1000).origins.min() == 70
    late = gf.backtest(middle, y.iloc[10:], horizon=10, origins=1000).origins
    assert late.min() == 60
    with pytest.raises(ValueError, match="no origin is left"):
        gf.backtest(middle, y.iloc[25:65], horizon=10)


def earliest(fc, series):
    return gf.backtest(fc, series, horizon=5, origins=1000).origins.min()


@pytest.mark.parametrize("first", [1, 20, 50])
@pytest.mark.parametrize("labelled", [True, False])
def test_training_values_are_found_where_the_series_begins_among_them(first, labelled):
    late = wave().iloc[first:]
    assert earliest(fitted(60), late if labelled else late.to_numpy()) == 60 - first


@pytest.mark.parametrize("level", [0.0, 1e4])
def test_training_values_are_found_in_single_precision(level):
    y = wave() + level
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.astype(np.float32)) == 60
    assert earliest(fc, y.astype(np.float32).to_numpy()[10:]) == 50
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60].astype(np.float32))
    assert earliest(fc, y) == 60


def test_training_values_at_the_end_of_the_series_leave_no_origin():
    fc = gf.Forecaster(3, model=fixed()).fit(wave().iloc[60:])
    with pytest.raises(ValueError, match=r"seen 80.*no origin is left"):
        gf.backtest(fc, wave().to_numpy()[:80], horizon=5)


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-01-01", periods=120, freq="D"),
        pd.date_range("2024-01-01", periods=120, freq="h", tz="Europe/Berlin"),
        pd.period_range("2000-01", periods=120, freq="M"),
        pd.timedelta_range("0s", periods=120, freq="30s"),
    ],
    ids=["days", "zoned hours", "months", "durations"],
)
def test_times_tell_what_was_seen_whatever_the_values(index):
    y = wave().set_axis(index)
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    for series in (y, y.iloc[7:], y.round(1).iloc[7:], y.iloc[59:]):
        start = len(y) - len(series)
        assert earliest(fc, series) == max(60 - start, 3)
    # Its values alone are another matter: these are not those of the fit.
    assert earliest(fc, y.round(1).to_numpy()) == 3


def test_numbers_tell_what_was_seen_if_the_values_are_the_same():
    # Without noise, values alone cannot tell which cycle they are of.
    y = pd.Series(np.sin(2 * np.pi * np.arange(120) / 12), index=np.arange(1900, 2020))
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.iloc[1:]) == 59
    assert earliest(fc, wave(120, seed=1).set_axis(y.index)) == 3


def test_training_values_are_found_in_long_and_repetitive_series():
    many = np.zeros(200_000)
    many[100_000] = 1.0
    history = pd.Series(many[:150_000])
    assert seen_before(history, pd.Series(many)) == 150_000
    assert seen_before(history, pd.Series(many[70_000:])) == 80_000


@pytest.mark.parametrize("kind", ["noise", "counts", "cycle", "constant"])
def test_search_finds_what_comparing_everywhere_finds(kind):
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = int(rng.integers(20, 60))
        y = {
            "noise": rng.standard_normal(n),
            "counts": rng.integers(0, 2, n).astype(float),
            "cycle": np.sin(2 * np.pi * np.arange(n) / 4),
            "constant": np.ones(n),
        }[kind]
        first, last = np.sort(rng.integers(0, n, 2))
        history = y[first : last + 1]
        start = int(rng.integers(0, last + 1))
        ends = [
            e
            for e in range(1, n - start + 1)
            if np.allclose(y[start:][max(e - len(history), 0) : e], history[-e:], rtol=0, atol=1e-9)
        ]
        best = max(ends, key=lambda e: (min(e, len(history)), -e))
        assert longest_run(history, y[start:], 1e-9) == best
        if kind == "noise" and last - max(first, start) > 0:
            assert best == last + 1 - start


def test_another_series_is_used_from_the_first_place_the_lags_allow():
    result = gf.backtest(fitted(60), wave(50, seed=1), horizon=10, origins=1000)
    assert result.origins.min() == 3
    assert result.origins.max() == 40


def test_origins_can_be_given():
    result = gf.backtest(fitted(60), wave(), horizon=10, origins=[100, 75])
    assert list(result.origins) == [100, 75]
    np.testing.assert_array_equal(result.truth[1], wave().iloc[75:85])


@pytest.mark.parametrize(
    ("origins", "words"),
    [
        ([59], "between 60 .* and 110"),
        ([111], "between 60 .* and 110"),
        ([], "number of them or a list"),
        ([70.0], "number of them or a list"),
        (0, "origins must be a positive integer"),
        (True, "number of them or a list"),
        (2.5, "number of them or a list"),
        ("all", "number of them or a list"),
    ],
)
def test_origins_that_make_no_sense_are_refused(origins, words):
    with pytest.raises(ValueError, match=words):
        gf.backtest(fitted(60), wave(), horizon=10, origins=origins)


@pytest.mark.parametrize("horizon", [0, 2.5, True])
def test_horizon_must_be_a_positive_integer(horizon):
    with pytest.raises(ValueError, match="horizon must be a positive integer"):
        gf.backtest(fitted(), wave(), horizon=horizon)


def test_series_without_room_for_an_origin_is_refused():
    with pytest.raises(ValueError, match=r"65 values.*seen 60.*no origin is left"):
        gf.backtest(fitted(60), wave().iloc[:65], horizon=6)
    assert gf.backtest(fitted(60), wave().iloc[:66], horizon=6).origins.tolist() == [60]


@pytest.mark.parametrize("series", [[], np.full(80, np.nan), ["a"] * 80])
def test_bad_series_is_refused(series):
    with pytest.raises((ValueError, TypeError), match="series"):
        gf.backtest(fitted(60), series, horizon=6)


# The forecaster


def test_unfitted_forecaster_learns_from_the_first_part_and_stays_unfitted():
    y, fc = wave(), gf.Forecaster(3, model=fixed())
    result = gf.backtest(fc, y, horizon=10, origins=1000)
    assert not hasattr(fc, "model_")
    assert result.origins.min() == 60
    same = gf.backtest(fitted(60), y, horizon=10, origins=1000)
    np.testing.assert_allclose(result.mean, same.mean, rtol=1e-12)
    later = gf.backtest(fc, y, horizon=10, origins=1000, train_fraction=0.75)
    assert later.origins.min() == 90


@pytest.mark.parametrize("fraction", [0.0, 1.0, 1.5, -1, np.nan])
def test_train_fraction_must_lie_between_0_and_1(fraction):
    with pytest.raises(ValueError, match="train_fraction"):
        gf.backtest(gf.Forecaster(3), wave(), horizon=10, train_fraction=fraction)


def test_fitted_forecaster_is_not_changed():
    fc = fitted()
    state, before = dict(vars(fc)), fc.predict(5)
    gf.backtest(fc, wave(), horizon=10, origins=5, propagation="naive")
    assert vars(fc) == state
    pd.testing.assert_frame_equal(fc.predict(5).covariance, before.covariance)


def test_updated_forecaster_is_tested_after_what_it_was_updated_with():
    y = wave()
    fc = fitted(60).update(y.iloc[60:80])
    assert gf.backtest(fc, y, horizon=10, origins=1000).origins.min() == 80


@pytest.mark.parametrize("method", ["exact", MonteCarlo(50, seed=0)])
def test_forecast_does_not_look_beyond_its_origin(method):
    y = wave()
    fc = fitted()
    changed = y.copy()
    changed.iloc[80:] = -100.0
    a = gf.backtest(fc, y, horizon=10, origins=[80], propagation=method)
    b = gf.backtest(fc, changed, horizon=10, origins=[80], propagation=method)
    np.testing.assert_array_equal(a.mean, b.mean)
    np.testing.assert_array_equal(a.var, b.var)
    assert (b.truth == -100).all()
    changed.iloc[79] = -100.0
    c = gf.backtest(fc, changed, horizon=10, origins=[80], propagation=method)
    assert not np.allclose(a.mean, c.mean)


def test_unfitted_forecaster_does_not_learn_from_its_tests():
    y = wave()
    changed = y.copy()
    changed.iloc[60:] += 50.0
    fc = gf.Forecaster(3)
    a = gf.backtest(fc, y, horizon=10, origins=[60])
    b = gf.backtest(fc, changed, horizon=10, origins=[60])
    np.testing.assert_array_equal(a.mean, b.mean)


# Monte Carlo


def test_monte_carlo_is_scored_by_its_paths():
    y, fc = wave(), fitted()
    method = MonteCarlo(60, seed=4)
    where = [70, 85, 100]
    result = gf.backtest(fc, y, horizon=6, origins=where, propagation=method)
    paths = fc.predict_from(y, where, 6, propagation=method).paths
    assert result.propagation == "monte_carlo"
    for level in (50, 80, 95):
        tail = 0.5 - level / 200
        low, high = np.quantile(paths, [tail, 1 - tail], axis=-1)
        np.testing.assert_allclose(result.lower[level], low, rtol=1e-12)
        np.testing.assert_allclose(result.upper[level], high, rtol=1e-12)
    np.testing.assert_allclose(result.mean, paths.mean(axis=-1), rtol=1e-12)
    np.testing.assert_allclose(result.crps, scores.crps_samples(result.truth, paths, axis=()))


# Exogenous inputs


def driven(index):
    rng = np.random.default_rng(0)
    u = rng.standard_normal(len(index))
    y = np.zeros(len(index))
    for t in range(1, len(y)):
        y[t] = 0.5 * y[t - 1] + np.tanh(u[t]) + 0.05 * rng.standard_normal()
    return pd.Series(y, index=index), pd.DataFrame({"u": u}, index=index)


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(120),
        pd.date_range("2024-01-01", periods=120, freq="h"),
        pd.Index(0.5 * np.arange(120)),
    ],
    ids=["range", "dates", "numbers"],
)
def test_inputs_are_known_at_every_origin(index):
    y, exog = driven(index)
    fc = gf.Forecaster(1, model=fixed())
    options = {"horizon": 8, "origins": 1000}
    result = gf.backtest(fc, y, exog=exog, **options)
    blind = gf.backtest(fc, y, **options)
    assert result.scores["mae"].mean() < 0.5 * blind.scores["mae"].mean()
    as_array = gf.backtest(fc, y, exog=exog.to_numpy(), **options)
    np.testing.assert_allclose(as_array.mean, result.mean, rtol=1e-12)


def test_missing_inputs_are_asked_for():
    y, exog = driven(pd.RangeIndex(120))
    fc = gf.Forecaster(1, model=fixed()).fit(y.iloc[:60], exog.iloc[:60])
    with pytest.raises(ValueError, match=r"pass exog.*whole series"):
        gf.backtest(fc, y, horizon=8)


def test_a_class_instead_of_a_forecaster_is_refused():
    with pytest.raises(TypeError, match="forecaster must be a Forecaster"):
        gf.backtest(gf.Forecaster, np.arange(100.0), 5)


# --- training again on the way --------------------------------------------------------------------


def test_refitting_equals_training_by_hand_on_what_came_before_each_origin():
    y = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    origins = [100, 140, 118, 85]  # 85 is served by the first training, on 80 values; 118 by 100's
    model = gf.models.GaussianProcess()
    result = gf.backtest(gf.Forecaster(4, transforms=None, model=model), y, 6, origins, refit=20)
    fc = gf.Forecaster(4, transforms=None, model=model).fit(y[:80])
    for start, members in ((80, [3]), (100, [0, 2]), (140, [1])):
        if start > 80:
            warm = fc.model_.warm_started()
            fc = gf.Forecaster((1, 2, 3, 4), transforms=None, model=warm).fit(y[:start])
        for place in members:
            by_hand = fc.predict_from(y, [origins[place]], 6)
            np.testing.assert_allclose(result.mean[place], by_hand.mean[0], rtol=1e-9)
            var = np.diag(by_hand.covariance[0])
            np.testing.assert_allclose(result.var[place], var, rtol=1e-7)
    np.testing.assert_array_equal(result.origins, origins)


def test_refitting_keeps_inputs_lags_and_limits():
    rng = np.random.default_rng(0)
    x = pd.DataFrame({"x": rng.standard_normal(200)})
    y = pd.Series(0.5 * x["x"].shift(1, fill_value=0.0) + 0.1 * rng.standard_normal(200))
    fc = gf.Forecaster([1, 3], exog_lags=[1], model=gf.models.LinearAR(), max_rows=60)
    fc.fit(y[:100], x[:100])
    result = gf.backtest(fc, y, 5, [150], exog=x, refit=10)
    by_hand = gf.Forecaster([1, 3], exog_lags=[1], model=gf.models.LinearAR(), max_rows=60)
    by_hand.fit(y[:150], x[:150])
    f = by_hand.predict(5, exog=x[150:155])
    np.testing.assert_allclose(result.mean[0], f.mean, rtol=1e-10)
    np.testing.assert_allclose(result.var[0], f.var, rtol=1e-10)


def test_refitting_needs_the_history_in_the_series():
    y = gf.datasets.mackey_glass(300, noise_var=1e-3, seed=0)
    fc = gf.Forecaster(4).fit(y[:200])
    with pytest.raises(ValueError, match="does not hold what the forecaster was fitted to"):
        gf.backtest(fc, y.iloc[200:].to_numpy(), 5, 8, refit=20)


def test_refitting_changes_the_forecasts_and_leaves_the_forecaster_alone():
    y = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    fc = gf.Forecaster(4).fit(y[:80])
    before = fc.predict(5).mean
    once = gf.backtest(fc, y, 5, [90, 150])
    again = gf.backtest(fc, y, 5, [90, 150], refit=30)
    assert np.abs(once.mean - again.mean).max() > 1e-6
    pd.testing.assert_series_equal(fc.predict(5).mean, before)


@pytest.mark.parametrize("model", [gf.models.LinearAR(), gf.models.RelevanceVectorMachine()])
def test_any_model_can_be_refitted(model):
    y = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    paths = gf.propagation.MonteCarlo(20, seed=0)
    result = gf.backtest(gf.Forecaster(4, model=model), y, 5, 8, refit=25, propagation=paths)
    assert np.isfinite(result.mean).all()


def test_refit_must_be_a_number_of_values():
    y = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    with pytest.raises(ValueError, match="refit must be a positive integer; got 0"):
        gf.backtest(gf.Forecaster(4), y, 5, 8, refit=0)


# Missing values


def holed(n=120):
    y = wave(n)
    y.iloc[[20, 21, 50, 77, 78, 90, 110]] = np.nan
    return y


@pytest.mark.parametrize("transforms", [None, gf.transforms.Difference()])
def test_missing_truths_have_no_score_and_origins_may_follow_gaps(transforms):
    y = holed()
    fc = gf.Forecaster(3, model=fixed(), transforms=transforms)
    result = gf.backtest(fc, y, horizon=6, origins=[70, 79, 91, 100], train_fraction=0.5)
    known = result.origins[:, None] + np.arange(6)
    np.testing.assert_array_equal(np.isnan(result.truth), y.isna().to_numpy()[known])
    for name, loss in result.losses.items():
        np.testing.assert_array_equal(np.isnan(loss), np.isnan(result.truth))
        at_step = [loss[~np.isnan(loss[:, k]), k].mean() for k in range(6)]
        np.testing.assert_allclose(result.scores[name], at_step, rtol=1e-12)
    assert np.isfinite(result.mean).all()
    fc = gf.Forecaster(3, model=fixed(), transforms=transforms).fit(y.iloc[:60])
    one = fc.predict_from(y.iloc[:79], [79], 6)
    np.testing.assert_allclose(result.mean[1], one.mean[0], rtol=1e-9)


def test_a_step_whose_truth_is_always_missing_has_no_score():
    y = wave(100)
    y.iloc[[72, 82]] = np.nan
    result = gf.backtest(fitted(60), y, horizon=4, origins=[70, 80])
    assert result.scores["mae"].isna().tolist() == [False, False, True, False]
    assert result.standard_errors["mae"].isna().tolist() == [False, False, True, False]
    assert result.summary()["average"].notna().all()


def test_what_was_seen_is_found_in_spite_of_gaps():
    y = holed()
    result = gf.backtest(gf.Forecaster(3, model=fixed()).fit(y.iloc[:80]), y, 5, 200)
    assert result.origins.min() == 80
    values = gf.backtest(gf.Forecaster(3, model=fixed()).fit(y.to_numpy()[:80]), y.to_numpy(), 5, 9)
    assert values.origins.min() >= 80


def test_a_series_of_nothing_known_is_refused():
    with pytest.raises(ValueError, match="series must hold at least one value"):
        gf.backtest(gf.Forecaster(3), np.full(50, np.nan), 5)


# As a notebook shows it


def test_a_notebook_shows_the_summary_as_a_small_table():
    html = gf.backtest(fitted(), wave(), horizon=4, origins=5)._repr_html_()
    assert html.count("<table") == 1
    assert "Backtest of 4 steps from 5 origins (exact)" in html
    assert all(f"<th>{name}</th>" in html for name in ("mae", "crps", "coverage_80", "coverage_95"))
    assert "<img" not in html


@pytest.mark.parametrize("gap", [[5], [50], [50, 51, 70, 79], [20, 79]])
@pytest.mark.parametrize("labels", ["years", "rows"])
def test_a_history_with_gaps_is_found_in_the_series_whose_gaps_were_filled(gap, labels):
    rng = np.random.default_rng(0)
    index = pd.RangeIndex(1900, 2020)
    y = pd.Series(np.sin(np.arange(120) / 3) + 0.1 * rng.standard_normal(120), index=index)
    history = y.iloc[:80].copy()
    history.iloc[gap] = np.nan
    other = y.iloc[10:] if labels == "years" else y.iloc[10:].reset_index(drop=True)
    assert seen_before(history, other) == 70
    other.iloc[[3, 66, 75]] = np.nan  # and what the series lacks itself
    assert seen_before(history, other) == 70
    assert seen_before(history, pd.Series(rng.standard_normal(50))) == 0
    assert seen_before(history, other * np.nan) == 0


def test_no_origin_lies_in_a_history_with_a_gap():
    rng = np.random.default_rng(0)
    index = pd.RangeIndex(1900, 2020)
    y = pd.Series(np.sin(np.arange(120) / 3) + 0.1 * rng.standard_normal(120), index=index)
    history = y.iloc[:80].copy()
    history.iloc[50] = np.nan
    fc = gf.Forecaster(3, transforms=None, model=gf.models.LinearAR()).fit(history)
    result = gf.backtest(fc, y.iloc[10:], horizon=5, origins=200)
    assert result.origins.min() == 70
