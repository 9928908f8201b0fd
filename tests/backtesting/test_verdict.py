"""How good forecasts from many origins are: scores, simple forecasts, verdicts in words."""

from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest
from backtest_cases import backtest_of, fitted, plain, wave

import gpforecast as gf
from gpforecast import scores
from gpforecast.backtesting.baselines import baselines, random_walk
from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.scored import error_of_mean
from gpforecast.backtesting.verdict import comparison, coverage
from gpforecast.propagation import MonteCarlo

# How good forecasts from many origins are: scores, tables, pictures


@pytest.mark.parametrize("method", ["exact", "naive"])
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
        if not name.startswith("coverage"):
            steps = range(1, 1 + losses.shape[1])
            errors = [overlap_error(losses[:, s - 1], result.origins, s) for s in steps]
            np.testing.assert_allclose(result.standard_errors[name], errors, rtol=1e-6, atol=1e-9)


def overlap_error(each, origins, ahead):
    """Return the standard error of an average of b losses, by their matrix of weights."""
    apart = np.abs(origins[:, None] - origins[None, :])
    b, n = len(each), len(each) ** 2 / np.maximum(0.0, 1.0 - apart / ahead).sum()
    return np.sqrt(((each - each.mean()) ** 2).sum() / (b - b / n) / n)


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
    by_origin = overlap_error(result.losses["mae"].mean(axis=1), result.origins, 5)
    assert summary.loc["mae", "± average"] == pytest.approx(by_origin)
    last = result.standard_errors.loc[5]
    np.testing.assert_allclose(summary["± step 5"], last, rtol=1e-12, atol=1e-15)
    assert repr(result).startswith("Backtest of 5 steps from 12 origins (auto: exact)")


def test_single_origin_has_scores_but_no_standard_error():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=1)
    assert np.isfinite(result.scores).all(axis=None)
    assert result.summary()["± average"].isna().all()
    assert result.standard_errors.isna().all(axis=None)


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


@pytest.mark.parametrize(
    "options",
    [{"transforms": gf.transforms.LearnedWarp(), "propagation": "mixture"}, {"transforms": None}],
)
def test_a_forecast_without_width_has_errors_and_no_density(options):
    y = np.where(np.arange(50) == 47, 1e4, 1.0)
    forecaster = gf.Forecaster(2, model=gf.models.NearestNeighbours(), **options)
    bt = gf.backtest(forecaster, y, horizon=2, origins=4)
    assert bt.summary().loc["mae", "average"] == 0.0
    assert np.isnan(bt.nlpd[bt.var == 0.0]).all()
    assert (bt.var == 0.0).any()


# Verdicts in words: their errors against theory and simulation, and what they say


def test_the_error_of_separate_forecasts_is_that_of_any_average():
    losses = np.random.default_rng(0).standard_normal((15, 4))
    error, n_separate = error_of_mean(losses, np.arange(15) * 4)
    each = losses.mean(axis=1)
    assert error == pytest.approx(each.std(ddof=1) / np.sqrt(15))
    assert n_separate == pytest.approx(15)


@pytest.mark.parametrize(
    ("n_held", "said"), [(228, "not shown"), (200, "too narrow"), (240, "wider than needed")]
)
def test_the_verdict_names_the_share_the_number_and_the_fault(n_held, said):
    """240 values from 20 forecasts that do not overlap; what is missed is spread evenly."""
    errors = np.full(240, 0.5)
    errors[np.linspace(0, 239, 240 - n_held).astype(int)] = 5.0
    found = coverage(backtest_of(errors, np.arange(0, 240, 12), 12))
    assert found.sentence.startswith(
        f"95 % intervals held {100 * n_held / 240:.0f} % of 240 values: {said}"
    )
    assert bool(found.advice) == (not said.startswith("not shown"))


@pytest.mark.parametrize(("width", "called"), [(1.0, (0.0, 0.05)), (0.6, (0.5, 1.0))])
def test_levels_are_judged_together_where_each_alone_proves_little(width, called):
    """Five forecasts of which each level alone would prove 95 % intervals too narrow less often."""
    rng, found = np.random.default_rng(0), []
    for _ in range(100):
        errors = np.convolve(rng.standard_normal(65), np.full(6, 6**-0.5), "valid")[:60]
        found.append(coverage(backtest_of(errors, np.arange(0, 60, 12), 12, width)))
    narrow = np.array([one.finding == "narrow" for one in found])
    alone = np.array([one.held - one.level < -one.chance for one in found])
    assert called[0] <= narrow.mean() <= called[1]
    assert (narrow >= alone).all()
    assert narrow.sum() > alone.sum() + 5 or width == 1.0
    assert any("as all levels together show" in one.sentence for one in found) or width == 1.0


def test_overlaps_are_those_of_all_pairs_in_any_order():
    rng = np.random.default_rng(0)
    origins, h = rng.integers(0, 300, 90), 7
    weights = np.maximum(0.0, 1.0 - np.abs(origins[:, None] - origins) / h)
    n_separate = error_of_mean(rng.standard_normal((90, h)), origins)[1]
    assert n_separate == pytest.approx(90**2 / weights.sum(), rel=1e-12)


def test_intervals_that_cannot_be_narrower_are_not_called_too_wide():
    errors = np.zeros(240)
    errors[::10] = 1.95997  # a tenth of the values lies just at the edge
    tested = backtest_of(errors, np.arange(0, 240, 12), 12)
    tested.upper[95.0] = tested.upper[95.0] + 1e-4  # rounded up, as whole numbers are
    found = coverage(tested)
    assert found.held == 1.0
    assert found.finding == ""
    constant = gf.backtest(gf.Forecaster(), np.full(60, 7.1), horizon=6)
    assert not any("What to do" in said for said in constant.verdicts)


def test_a_backtest_shows_its_table_verdicts_and_notes():
    tested = gf.backtest(plain(), wave(), horizon=4, origins=30)
    assert len(tested.verdicts) == 3
    shown = " ".join(repr(tested).split())
    assert all(said in shown for said in (*tested.verdicts, *tested.notes))
    html = tested._repr_html_()
    assert all(f"<li>{escape(said)}</li>" in html for said in tested.verdicts)
    errors = np.zeros(240)
    alone = backtest_of(errors, np.arange(0, 240, 12), 12)
    assert [said[:14] for said in alone.verdicts] == ["95 % intervals", "80 % intervals"]
    assert backtest_of(np.full(240, np.nan), np.arange(0, 240, 12), 12).verdicts == ()


def test_advice_to_use_a_linear_autoregression_names_the_forecaster_that_makes_it():
    t = np.arange(300)
    y = np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(0).standard_normal(300)
    y = pd.Series(y, pd.period_range("2000-01", periods=300, freq="M"))
    bad = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR(), noise="process")
    tested = gf.backtest(bad, y, horizon=12, origins=15)
    linear = tested.baselines["linear"]
    _, advice = comparison(tested, tested.baselines)
    assert advice.endswith(linear.notes[0])
    call = linear.notes[0].removesuffix(" makes the simple forecast.")
    same = gf.backtest(eval(call, {"gf": gf}), y, horizon=12, origins=15)
    np.testing.assert_allclose(same.crps, linear.crps, rtol=1e-12)


def test_a_difference_that_chance_explains_is_called_so():
    errors, origins = np.random.default_rng(0).standard_normal(13), np.arange(2)
    tested, naive = (backtest_of(size * errors, origins, 12) for size in (3.0, 1.0))
    said, advice = comparison(tested, {"naive": naive})
    assert f"were {tested.crps.mean() / naive.crps.mean():.2g} times those" in said
    assert said.endswith("that can be chance.")
    assert "use the simple one until" in advice
    assert "use either" in comparison(naive, {"naive": tested})[1]


def test_intervals_are_corrected_where_the_series_is_long_enough_and_advised_to_be_elsewhere():
    tested = backtest_of(np.repeat([0.3, 1.5, 3.0], [60, 20, 40]), np.arange(120), 1)
    given = replace(tested, trained=np.full(120, 100))  # as from a Forecaster
    assert 'calibrate="conformal"' in coverage(given).advice
    for other in (tested, replace(given, corrected=True)):
        assert coverage(other).advice.endswith("times as wide would have held 95 %.")
    y = np.random.default_rng(0).standard_normal(120).cumsum()
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR(), calibrate="conformal")
    assert not gf.backtest(fc, y[:48], horizon=2, origins=12).corrected
    assert gf.backtest(fc, y, horizon=2, origins=30, train_fraction=0.1, refit=20).corrected


@pytest.mark.parametrize(("shift", "word"), [(0.8, "high"), (-0.8, "low"), (0.0, "")])
def test_forecasts_that_are_mostly_too_high_or_too_low_are_said_to_be(shift, word):
    errors = np.random.default_rng(0).standard_normal(240) - shift
    said = backtest_of(errors, 12 * np.arange(20), 12).verdicts
    leaning = [one for one in said if "on average, which chance does not explain" in one]
    assert len(leaning) == bool(word)
    if word:
        assert f"Forecasts were too {word} by" in leaning[0]


# Simple forecasts beside a backtest: closed forms, the same origins, nothing of the future


def by_hand(values, origin, k, m):
    """The last value of a place in the season, and its variance, by going back one at a time."""
    steps = [(values[t] - values[t - m]) ** 2 for t in range(m, origin)]
    s2, at, back = np.nanmean(steps), origin + k, 0
    while at >= origin or np.isnan(values[at]):
        at, back = at - m, back + 1
    return values[at], back * s2


@pytest.mark.parametrize("period", [1, 4])
def test_random_walks_have_the_last_known_value_and_a_variance_that_grows(period):
    values = np.random.default_rng(0).standard_normal(40).cumsum()
    values[[17, 18, 29]] = np.nan
    origins = np.array([19, 30, 33])
    found = random_walk(values, origins, 9, period)
    for row, origin in enumerate(origins):
        for k in range(9):
            mean, var = by_hand(values, origin, k, period)
            np.testing.assert_allclose(found.mean[row, k], mean)
            np.testing.assert_allclose(found.var[row, k], var)


def test_steps_of_a_random_walk_depend_on_each_other_as_its_sums_do():
    """Steps of one place share their changes: A A' with the sums A, written out."""
    values = np.random.default_rng(1).standard_normal(30)
    found = random_walk(values, np.array([20]), 7, 3)
    A = np.array([[float(k >= i and (k - i) % 3 == 0) for i in range(7)] for k in range(7)])
    s2 = np.mean((values[3:20] - values[:17]) ** 2)
    np.testing.assert_allclose(found.covariance[0], s2 * A @ A.T)


MONTHS = pd.period_range("2000-01", periods=120, freq="M")


def test_baselines_look_at_nothing_beyond_their_origin():
    y = wave().set_axis(MONTHS)
    later = y.copy()
    later.iloc[80:] = 1000.0
    a = gf.backtest(gf.Forecaster(3, model=gf.models.LinearAR()), y, 10, [72, 80]).baselines
    b = gf.backtest(gf.Forecaster(3, model=gf.models.LinearAR()), later, 10, [72, 80]).baselines
    assert list(a) == list(b) == ["naive", "seasonal naive", "linear"]
    for name in a:
        np.testing.assert_allclose(a[name].mean, b[name].mean)
        np.testing.assert_allclose(a[name].var, b[name].var)


def test_the_linear_one_learns_from_the_same_values_as_the_forecaster():
    y = wave().set_axis(MONTHS)
    first = gf.Forecaster(3, model=gf.models.LinearAR()).fit(y[:60])
    linear = gf.backtest(first, y, 6, [64, 90]).baselines["linear"]
    assert linear.trained.tolist() == [60, 60]
    # A season and one more would be 13 lags; 60 values give five to each of 12.
    fc = gf.Forecaster(12, transforms=None, model=gf.models.LinearAR(), noise="process")
    expected = fc.fit(y[:60]).predict_from(y, [64, 90], 6)
    np.testing.assert_allclose(linear.mean, expected.mean)


def test_the_table_compares_averages_over_the_same_values():
    y = wave()
    y.iloc[[75, 76]] = np.nan
    tested = gf.backtest(fitted(60), y, 6, [64, 73])
    table = tested.beside()
    assert table.index[0] == "forecaster"
    shared = ~np.isnan(tested.truth)
    assert table.loc["forecaster", "crps"] == pytest.approx(tested.crps[shared].mean())
    errors = np.abs(tested.truth - tested.baselines["naive"].mean)[shared]
    assert table.loc["naive", "mae"] == pytest.approx(errors.mean())


def test_a_constant_series_and_a_short_one_have_baselines():
    where = np.array([20, 30])
    flat = baselines(pd.Series(np.full(40, 7.0)), where, 3, where, kind=Backtest)
    assert list(flat) == ["naive"]
    assert flat["naive"].losses["mae"].max() == 0.0
    assert flat["naive"].losses["coverage_95"].min() == 1.0
    short = gf.backtest(gf.Forecaster(1, transforms=None, model=gf.models.LinearAR()), wave(9), 2)
    assert "linear" not in short.beside().index


@pytest.mark.parametrize(("first", "there"), [(23, False), (24, True)])
def test_the_season_of_a_calendar_is_repeated_once_it_was_seen_twice(first, there):
    months = pd.period_range("2000-01", periods=40, freq="M")
    noise = pd.Series(np.random.default_rng(1).standard_normal(40), months)
    where = np.array([first, 30])
    assert ("seasonal naive" in baselines(noise, where, 3, where, kind=Backtest)) is there
