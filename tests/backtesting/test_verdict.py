"""Verdicts in words: their errors against theory and simulation, and what they say."""

import pickle
import re
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest
from backtest_cases import backtest_of, plain, wave

import gpforecast as gf
from gpforecast.backtesting.coverage import coverage
from gpforecast.backtesting.errors import error_of_mean
from gpforecast.backtesting.result import scored
from gpforecast.backtesting.verdict import comparison
from gpforecast.results.distribution import Gaussian


def test_the_error_of_separate_forecasts_is_that_of_any_average():
    losses = np.random.default_rng(0).standard_normal((15, 4))
    error, n_separate = error_of_mean(losses, np.arange(15) * 4)
    each = losses.mean(axis=1)
    assert error == pytest.approx(each.std(ddof=1) / np.sqrt(15))
    assert n_separate == pytest.approx(15)


def test_the_error_of_forecasts_that_overlap_is_that_of_many_simulated_ones():
    """Six steps from every origin of 120 independent losses: the average varies as estimated."""
    rng, h, origins = np.random.default_rng(1), 6, np.arange(115)
    means, variances = [], []
    for _ in range(500):
        each = rng.standard_normal(120)
        losses = each[origins[:, None] + np.arange(h)]
        means.append(losses.mean())
        variances.append(error_of_mean(losses, origins)[0] ** 2)
    ratio = np.mean(variances) / np.var(means)
    assert 0.8 < ratio < 1.25  # three standard errors of the simulated variance, and its own


@pytest.mark.parametrize("h", [1, 12])
def test_right_intervals_are_seldom_blamed_and_narrow_ones_are(h):
    rng, origins = np.random.default_rng(2), np.sort(np.arange(0, 180, 4))
    blamed, found = 0, 0
    for _ in range(60):
        errors = rng.standard_normal(192)
        blamed += bool(coverage(backtest_of(errors, origins, h)).finding)
        found += coverage(backtest_of(errors, origins, h, std=0.5)).finding == "narrow"
    assert blamed <= 10  # about 5 % are expected, some more from few values
    assert found >= 55


@pytest.mark.parametrize(
    ("n_held", "said"),
    [(218, "slightly narrow"), (228, "as wide"), (200, "too narrow"), (150, "far too narrow"),
     (240, "wider than needed")],
)  # fmt: skip
def test_the_verdict_names_the_share_the_number_and_the_fault(n_held, said):
    """240 values from 20 forecasts that do not overlap; what is missed is spread evenly."""
    errors = np.zeros(240)
    errors[np.linspace(0, 239, 240 - n_held).astype(int)] = 5.0
    found = coverage(backtest_of(errors, np.arange(0, 240, 12), 12))
    assert found.sentence.startswith(
        f"95 % intervals held {100 * n_held / 240:.0f} % of 240 values: {said}"
    )
    assert bool(found.advice) == (not said.startswith("as wide"))


@pytest.mark.parametrize(
    ("n_outside", "said"), [(0, "100 %"), (1, "over 99 %"), (209, "under 1 %"), (210, "0 %")]
)
def test_one_value_of_many_keeps_a_share_from_being_all_or_nothing(n_outside, said):
    errors = np.where(np.arange(210) < n_outside, 9.0, 0.0)
    found = coverage(backtest_of(errors, np.arange(210), 1))
    assert f"95 % intervals held {said} of 210 values" in found.sentence


def test_intervals_whose_edges_are_shared_by_many_values_are_not_called_too_wide():
    """A tenth of the values lies just at the edge: narrower intervals would hold only 90 %."""
    errors = np.zeros(240)
    errors[::10] = 1.95997
    tested = backtest_of(errors, np.arange(0, 240, 12), 12)
    tested.upper[95.0] = tested.upper[95.0] + 1e-4  # rounded up, as whole numbers are
    found = coverage(tested)
    assert found.held == 1.0
    assert found.factor >= 1.0
    assert found.verdict == "they cannot be narrower, as many values are equal"
    assert not found.advice


def test_the_factor_is_that_of_the_spread():
    errors = np.random.default_rng(3).standard_normal(4000)
    found = coverage(backtest_of(errors, np.arange(0, 4000, 4), 4, std=0.5))
    assert found.factor == pytest.approx(2.0, rel=0.06)  # a 95 % quantile of 4000 values
    assert f"Intervals {found.factor:.2g} times as wide" in found.advice


def test_few_forecasts_are_not_judged_unless_they_fail_by_more_than_chance_can_do():
    """Four forecasts that share most of their values are worth little more than one."""
    errors, origins = np.zeros(30), np.array([0, 1, 2, 3])
    errors[:4] = 9.0
    found = coverage(backtest_of(errors, origins, 12))
    assert found.held == pytest.approx(1 - 10 / 48)
    assert found.verdict == "too few separate tests to judge"
    assert found.advice == "What to do: test shorter forecasts, or a longer series."
    assert "points" in found.sentence
    few = coverage(backtest_of(np.full(13, 9.0), np.array([0, 1]), 12), 50.0)
    assert few.sentence.endswith("too few separate tests to judge.")  # chance moves it as it likes
    errors[:5] = 9.0
    half = coverage(backtest_of(errors, origins, 12))
    assert half.verdict.startswith("perhaps too narrow, but there are too few separate tests")
    failed = coverage(backtest_of(np.full(30, 9.0), origins, 12))
    assert failed.verdict == "far too narrow"
    assert "expect values outside the interval" in failed.advice


def random_walk_forecasts(rng, span, h, n):
    """Right forecasts of a random walk from n of so many origins, h steps each."""
    walk = rng.standard_normal(span + h + 1).cumsum()
    origins = np.sort(rng.choice(span, n, replace=False))
    ahead = np.arange(1, h + 1)
    truth = walk[origins[:, None] + ahead]
    mean = np.repeat(walk[origins][:, None], h, axis=1)
    var = np.broadcast_to(ahead.astype(float), (n, h))
    cov = np.broadcast_to(np.diag(ahead.astype(float)), (n, h, h))
    return scored(Gaussian(mean, cov, var), truth, origins, "exact")


@pytest.mark.parametrize(("span", "n"), [(20, 20), (80, 60), (200, 60)])
def test_right_forecasts_whose_errors_last_are_seldom_blamed(span, n):
    """From 1.3, 3 and 7 separate forecasts: 5 % of 200 are 10, and chance leaves 20."""
    rng = np.random.default_rng(4)
    tested = [random_walk_forecasts(rng, span, 30, n) for _ in range(200)]
    for level in (80.0, 95.0):
        findings = [coverage(one, level).finding for one in tested]
        assert findings.count("narrow") <= 10
        assert findings.count("wide") <= 10


def test_intervals_that_miss_every_second_forecast_are_blamed_after_a_few():
    """Six separate forecasts, of which three hold nothing: right ones do so once in 450 cases."""
    errors = np.repeat([0.0, 9.0, 0.0, 9.0, 9.0, 0.0], 12)
    found = coverage(backtest_of(errors, np.arange(0, 72, 12), 12))
    assert found.error == pytest.approx(np.sqrt(0.95 * 0.05 / 6))
    assert found.verdict == "far too narrow"


def test_a_test_that_can_prove_little_says_so():
    """Five separate forecasts, of one of which intervals held five twelfths."""
    errors = np.concatenate([np.zeros(53), np.full(7, 9.0)])
    found = coverage(backtest_of(errors, np.arange(0, 60, 12), 12))
    assert found.held == pytest.approx(53 / 60)
    assert found.verdict == "nothing speaks against them, but the test is weak"


@pytest.mark.parametrize(("n_failed", "said"), [(2, "as wide"), (4, "perhaps too narrow. Chance")])
def test_a_share_close_to_what_chance_can_do_is_not_called_right(n_failed, said):
    """40 forecasts of 3 steps: chance can move the share by 7 points, and it lies 5 below."""
    errors = np.zeros(120)
    errors[: 3 * n_failed] = 9.0
    found = coverage(backtest_of(errors, np.arange(0, 120, 3), 3))
    assert f"held {100 - 100 * n_failed / 40:.0f} % of 120 values: {said}" in found.sentence
    assert found.finding == ""
    assert found.advice.startswith("What to do: rely on them only with care") == (n_failed == 4)


def test_intervals_that_hold_nearly_too_much_are_perhaps_too_wide():
    errors = np.random.default_rng(0).standard_normal(60)
    found = coverage(backtest_of(errors, np.arange(60), 1, std=1.6))
    assert found.sentence.startswith("95 % intervals held 100 % of 60 values: perhaps wider than")
    assert found.advice.startswith("What to do: nothing, if it is better to be safe; to know more,")


@pytest.mark.parametrize(
    ("origins", "more"),
    [(20, "from more origins (origins=97), shorter forecasts"), (97, "shorter forecasts")],
)
def test_more_origins_are_advised_where_there_are_more(origins, more):
    tested = gf.backtest(plain(), wave(200), horizon=4, origins=origins, refit=None)
    assert coverage(tested).more == f"{more}, or a longer series"
    assert coverage(replace(tested, series=None)).more == "shorter forecasts, or a longer series"


def test_a_finding_of_few_tests_is_not_called_unknown_one_line_later():
    errors = np.full(30, 9.0)
    wide, narrow = backtest_of(errors, np.array([0, 1, 2, 3]), 12).verdicts[:2]
    assert "95 % intervals held 0 % of 48 values: far too narrow. Chance alone" in wide
    assert narrow == "80 % intervals held 0 % of 48 values."


def test_values_that_are_missing_do_not_count():
    errors = np.zeros(240)
    errors[::7] = np.nan
    found = coverage(backtest_of(errors, np.arange(0, 240, 12), 12))
    assert found.n_values == np.isfinite(errors).sum()


def test_summaries_and_the_report_say_the_same_sentences_below_the_scores():
    tested = gf.backtest(plain(), wave(), horizon=4, origins=30)
    sentences = [coverage(tested, 95.0).sentence, coverage(tested, 80.0).sentence]
    sentences.append(comparison(tested)[0])
    assert sentences[2]
    pairs = zip(tested.verdicts, sentences, strict=True)
    assert all(said.startswith(sentence) for said, sentence in pairs)
    for shown in (repr(tested.summary()), repr(tested)):
        assert all(said in " ".join(shown.split()) for said in tested.verdicts)
        assert (
            max(map(len, shown[shown.index("  - ") :].partition("\nnote")[0].splitlines())) <= 100
        )
    for shown in (tested.summary()._repr_html_(), tested._repr_html_()):
        assert all(f"<li>{escape(said)}</li>" in shown for said in tested.verdicts)
    page = gf.report(wave(), 4, forecaster=plain(), origins=30)
    for said in (coverage(page.backtest).sentence, comparison(page.backtest)[0]):
        assert f"<li>{escape(said)}" in page.html.replace("\xa0", " ")
        assert said in " ".join(page.backtest.verdicts)


def test_what_is_made_from_a_summary_is_a_plain_table():
    table = gf.backtest(plain(), wave(), horizon=2, origins=4).summary()
    for made in (table.round(2), table.T, table.copy(), pickle.loads(pickle.dumps(table))):
        assert type(made) is pd.DataFrame
    pd.testing.assert_frame_equal(table.copy(), pickle.loads(pickle.dumps(table)))


def test_a_backtest_that_knows_no_series_has_its_coverage_alone_and_one_without_truth_nothing():
    errors = np.zeros(240)
    alone = backtest_of(errors, np.arange(0, 240, 12), 12)
    assert [said[:14] for said in alone.verdicts] == ["95 % intervals", "80 % intervals"]
    none = backtest_of(np.full(240, np.nan), np.arange(0, 240, 12), 12)
    assert none.verdicts == ()
    assert "<ul>" not in none.summary()._repr_html_()


def test_overlaps_are_those_of_all_pairs_in_any_order():
    rng = np.random.default_rng(0)
    origins, h = rng.integers(0, 300, 90), 7
    weights = np.maximum(0.0, 1.0 - np.abs(origins[:, None] - origins) / h)
    n_separate = error_of_mean(rng.standard_normal((90, h)), origins)[1]
    assert n_separate == pytest.approx(90**2 / weights.sum(), rel=1e-12)


def test_errors_that_were_far_larger_are_not_called_about_as_good_where_few_forecasts_decide():
    """Eight lags on a random walk of 60 values, beside its last value."""
    y = np.random.default_rng(1).standard_normal(60).cumsum()
    lags = gf.Forecaster(8, model=gf.models.LinearAR(), transforms=None)
    tested = gf.backtest(lags, y, horizon=6, origins=30)
    table = tested.beside()["crps"]
    said, advice = comparison(tested)
    size = f"{100 * (table['forecaster'] / table['naive'] - 1):.0f} % larger than"
    assert f"{size} those of the best simple forecast, the last value repeated" in said
    assert said.endswith("but there are too few separate tests to be sure.")
    assert "about as well" not in said
    assert "use either" not in advice
    assert "use the simple forecast until" in advice


def test_a_constant_series_gets_no_factor_of_nought_and_no_comparison():
    tested = gf.backtest(gf.Forecaster(), np.full(60, 7.1), horizon=6)
    said = " ".join(tested.verdicts)
    assert "0 times as wide" not in said
    assert "the forecasts were all but exact" in said
    assert "simple forecast" not in said


def widening(rng, n, h, growth):
    """Forecasts N(0, 1) from n origins, whose errors are as told until the last quarter."""
    errors = rng.standard_normal((n, h)) * np.where(np.arange(h) < h - h // 4, 1.0, growth)
    cov = np.broadcast_to(np.eye(h), (n, h, h))
    return scored(
        Gaussian(np.zeros((n, h)), cov, np.ones((n, h))), errors, h * np.arange(n), "exact"
    )


def test_intervals_that_fail_at_the_last_steps_alone_are_told():
    rng, told, wrong = np.random.default_rng(3), 0, 0
    for _ in range(40):
        usual = widening(rng, 30, 12, 1.0)
        wrong += any(said.startswith("Over the last") for said in usual.verdicts)
        late = widening(rng, 30, 12, 1.45)
        said = [
            one
            for one in late.verdicts
            if one.startswith("Over the last 3 steps alone, 95 % intervals held only")
        ]
        told += bool(said)
        assert all("that far ahead. What to do:" in one for one in said)
        if coverage(late).verdict.endswith("narrow"):
            assert not said  # the whole says it
    assert told >= 4
    assert wrong <= 2
    assert coverage(late, first=9).n_values == 90


def test_wide_intervals_are_not_called_right_beside_inner_ones_that_are_too_narrow():
    sizes = np.repeat([0.3, 1.5, 3.0], [72, 39, 9])  # within 1.28: 60 %, within 1.96: 92.5 %
    errors = sizes * (-1.0) ** np.arange(120)
    wide, narrow = backtest_of(errors, np.arange(120), 1).verdicts
    assert "80 % intervals held 60 % of 120 values: far too narrow." in narrow
    assert ": perhaps a little narrow. Chance alone can move this figure by about 4 points." in wide


def test_advice_to_use_a_linear_autoregression_names_the_forecaster_that_makes_it():
    t = np.arange(300)
    y = np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(0).standard_normal(300)
    y = pd.Series(y, pd.period_range("2000-01", periods=300, freq="M"))
    bad = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR())
    tested = gf.backtest(bad, y, horizon=12, origins=30)
    linear = tested.baselines["linear"]
    advice = comparison(tested)[1]
    assert advice.endswith(linear.notes[0])
    call = linear.notes[0].removesuffix(" makes the simple forecast.")
    same = gf.backtest(eval(call, {"gf": gf}), y, horizon=12, origins=30)
    assert np.array_equal(same.origins, linear.origins)
    np.testing.assert_allclose(same.crps, linear.crps, rtol=1e-12)


def test_who_has_corrected_intervals_is_not_advised_to_correct_them():
    tested = backtest_of(np.repeat([0.3, 1.5, 3.0], [60, 20, 40]), np.arange(120), 1)
    given = replace(tested, trained=np.full(120, 100))  # as from a Forecaster
    correct = 'Forecaster(calibrate="conformal") corrects them by past errors'
    assert coverage(given).advice.endswith(f"{correct}.")
    beside = coverage(replace(given, combined=True)).advice
    assert f"{correct}; as it forecasts without the structural models" in beside
    few = replace(given, trained=np.full(120, 48))
    for plainer in (tested, few, replace(given, corrected=True)):
        assert coverage(plainer).advice.endswith("times as wide would have held 95 %.")
    some = coverage(replace(given, corrected=True, n_uncorrected=30)).advice
    assert some.endswith("too short to correct those of 30 of 120 forecasts by past errors.")


def test_who_asked_for_corrected_intervals_of_too_few_values_is_told_so():
    y = np.random.default_rng(0).standard_normal(120).cumsum()
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR(), calibrate="conformal")
    never = gf.backtest(fc, y[:48], horizon=2, origins=12)
    assert not never.corrected
    assert never.n_uncorrected == 12
    assert coverage(never).correction.startswith("The series was too short to correct them")
    later = gf.backtest(fc, y, horizon=2, origins=30, train_fraction=0.1, refit=20)
    assert later.corrected
    assert later.n_uncorrected == (later.trained < 49).sum() > 0
    fitted = gf.backtest(fc.fit(y[:30]), y, horizon=2, origins=30)
    assert fitted.n_uncorrected == 30


def test_49_values_are_what_a_correction_needs():
    y = np.random.default_rng(0).standard_normal(50).cumsum()
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR(), calibrate="conformal")
    assert fc.fit(y[:49]).calibration_ is not None
    assert fc.fit(y[:48]).calibration_ is None


def test_structural_models_are_known_to_forecast_beside():
    y = np.random.default_rng(0).standard_normal(60).cumsum()
    assert gf.backtest(gf.Forecaster().fit(y[:40]), y, horizon=2, origins=5).combined
    assert not gf.backtest(plain(), y, horizon=2, origins=5).combined


def test_several_series_are_not_advised_to_calibrate_which_they_cannot():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((80, 2)), columns=["a", "b"])
    tested = gf.VectorForecaster(lags=1).backtest(frame, 2, origins=10)["a"]
    narrow = replace(tested, lower={k: v + 9 for k, v in tested.lower.items()})
    assert "calibrate" not in coverage(replace(narrow, pit=np.zeros((10, 2)))).advice


def test_a_backtest_knows_whether_its_intervals_were_corrected():
    fc = gf.Forecaster(1, model=gf.models.LinearAR(), transforms=None, calibrate="variance")
    assert gf.backtest(fc, wave(), horizon=4, origins=5).corrected


@pytest.mark.parametrize(("shift", "word"), [(0.8, "high"), (-0.8, "low"), (0.0, "")])
def test_forecasts_that_are_mostly_too_high_or_too_low_are_said_to_be(shift, word):
    errors = np.random.default_rng(0).standard_normal(240) - shift
    said = [one for one in backtest_of(errors, 12 * np.arange(20), 12).verdicts if "too " in one]
    leaning = [one for one in said if "on average, which chance does not explain" in one]
    assert len(leaning) == bool(word)
    if word:
        size = float(re.search(r"by ([\d.]+) on average", leaning[0])[1])
        assert f"Forecasts were too {word} by" in leaning[0]
        assert size == pytest.approx(abs(errors.mean()), rel=0.01)


def test_a_small_lean_within_wide_intervals_is_not_told():
    """Errors that are all of one sign, a fiftieth of what the intervals allow for."""
    errors = np.random.default_rng(0).standard_normal(240) - 0.8
    assert any("on average" in one for one in backtest_of(errors, 12 * np.arange(20), 12).verdicts)
    wide = backtest_of(errors, 12 * np.arange(20), 12, std=50.0)
    assert not any("on average" in one for one in wide.verdicts)
