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
from gpforecast.backtesting.baselines import Baselines
from gpforecast.backtesting.coverage import coverage
from gpforecast.backtesting.errors import error_of_mean
from gpforecast.backtesting.result import Backtest
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


@pytest.mark.parametrize(
    ("n_held", "said"),
    [(228, "as wide"), (200, "too narrow"), (240, "wider than needed")],
)
def test_the_verdict_names_the_share_the_number_and_the_fault(n_held, said):
    """240 values from 20 forecasts that do not overlap; what is missed is spread evenly."""
    errors = np.zeros(240)
    errors[np.linspace(0, 239, 240 - n_held).astype(int)] = 5.0
    found = coverage(backtest_of(errors, np.arange(0, 240, 12), 12))
    assert found.sentence.startswith(
        f"95 % intervals held {100 * n_held / 240:.0f} % of 240 values: {said}"
    )
    assert bool(found.advice) == (not said.startswith("as wide"))


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
    assert failed.verdict == "too narrow"
    assert "expect values outside the interval" in failed.advice


@pytest.mark.parametrize(
    ("origins", "more"),
    [(20, "from more origins (origins=97), shorter forecasts"), (97, "shorter forecasts")],
)
def test_more_origins_are_advised_where_there_are_more(origins, more):
    tested = gf.backtest(plain(), wave(200), horizon=4, origins=origins, refit=None)
    assert coverage(tested).more == f"{more}, or a longer series"
    assert coverage(replace(tested, series=None)).more == "shorter forecasts, or a longer series"


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


def test_a_constant_series_gets_no_factor_of_nought_and_no_comparison():
    tested = gf.backtest(gf.Forecaster(), np.full(60, 7.1), horizon=6)
    said = " ".join(tested.verdicts)
    assert "0 times as wide" not in said
    assert "the forecasts were all but exact" in said
    assert "simple forecast" not in said


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
    assert f"{correct}; test it in the same way first" in beside
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


def test_intervals_that_fail_at_the_last_steps_alone_are_named():
    errors = np.zeros((30, 12))
    errors[::4, 9:] = 9.0
    cov = np.broadcast_to(np.eye(12), (30, 12, 12))
    late = Backtest.of(
        Gaussian(np.zeros((30, 12)), cov, np.ones((30, 12))), errors, 12 * np.arange(30), "exact"
    )
    (sentence,) = [one for one in late.verdicts if one.startswith("Over the last 3 steps alone")]
    assert "that far ahead. What to do:" in sentence
    assert coverage(late, first=9).n_values == 90


def test_too_few_tests_to_compare_still_say_the_figure():
    errors = np.random.default_rng(0).standard_normal(13)
    origins = np.arange(2)
    tested, naive = (backtest_of(size * errors, origins, 12) for size in (3.0, 1.0))
    tested = replace(tested, series=pd.Series(np.zeros(13)), trained=np.full(2, 9))
    vars(tested)["baselines"] = Baselines(naive=naive)
    own, other = tested.crps.mean(), naive.crps.mean()
    said, advice = comparison(tested)
    size = f"{own / other:.2g} times" if own > 2 * other else f"{100 * (own / other - 1):.0f} % lar"
    assert f"were {size}" in said
    assert said.endswith("but there are too few separate tests to be sure.")
    assert advice.startswith("What to do: use the simple forecast until")


def test_a_comparison_says_that_simple_forecasts_know_no_inputs():
    y = wave()
    exog = pd.DataFrame({"x": np.arange(len(y)) % 5.0}, index=y.index)
    options = {"horizon": 4, "origins": 20, "refit": None}
    known = gf.backtest(plain(), y, **options, exog=exog)
    assert " (which knows no inputs)" in comparison(known)[0]
    assert "inputs" not in comparison(gf.backtest(plain(), y, **options))[0]
