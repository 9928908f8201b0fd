"""Sentences of the library name options of the command line."""

import pytest
from cli_cases import run

from gpforecast.cli.options import in_options, summary_in_options

NOTES = {
    "a season of 12 (season_length=1 leaves it out)":
        "a season of 12 (--season-length 1 leaves it out)",
    "lags=12 takes the last 12 values, lags=[1, 12] what you name":
        "--lags 12 takes the last 12 values, --lags 1,12 what you name",
    "gf.backtest does that, and calibrate=True corrects them by it":
        "gpforecast backtest does that, and --calibrate conformal corrects them by it",
    'correct them: Forecaster(calibrate="conformal").': "correct them: --calibrate conformal.",
    "pass refit=20 or propagation=&quot;taylor&quot;": "pass --refit 20 or --method taylor",
    "exog='forecast' in predict forecasts them": "--forecast-exog forecasts them",
    "treated as missing; outliers=None keeps them":
        "treated as missing; outliers=None in Python keeps them",
    "season_length must be 'auto'": "--season-length must be 'auto'",
    "it has 'season_length'. Did you mean that": "it has 'season_length'. Did you mean that",
}  # fmt: skip


@pytest.mark.parametrize(("note", "shown"), NOTES.items(), ids=map(str, range(len(NOTES))))
def test_a_sentence_names_options(note, shown):
    assert in_options(note) == shown


def test_the_details_of_a_summary_stay_as_they_are():
    details = "\nTechnical details\n  model  A(lags=1)"
    assert summary_in_options("lags=2 takes two" + details) == "--lags 2 takes two" + details


def test_a_note_that_a_summary_holds_is_printed_once(capsys, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("units\n3\n5\n4\n6\n5\n")
    _, _, err = run(capsys, "forecast", path, "--horizon", 2, "--summary")
    assert err.count("the intervals are guesses") == 1
