"""Notes of the command line name options, and nothing that only Python has."""

import re

import pytest
from cli_cases import refused, run

from gpforecast.cli.hints import error_in_options, in_options, page_in_options, summary_in_options

NOTES = {
    "all values are at least 0; support=None lets the forecast go beyond":
        "all values are at least 0",
    "a season of 12 (season_length=1 leaves it out)":
        "a season of 12 (--season-length 1 leaves it out)",
    "to decide yourself: transforms=None takes the values as they are, transforms=[...] others":
        "",
    "to decide yourself: lags=12 takes the last 12 values, lags=[1, 12] what you name":
        "to decide yourself: --lags 12 takes the last 12 values, --lags 1,12 what you name",
    "not compared with past errors: gf.backtest does that, and calibrate=True corrects them by it":
        "not compared with past errors: gpforecast backtest does that, and --calibrate conformal "
        "corrects them by it",
    'correct them by itself: Forecaster(calibrate="conformal").':
        "correct them by itself: --calibrate conformal.",
    "the series depends on u 3 steps before; pass exog_lags=range(25) to let earlier inputs in":
        "the series depends on u 3 steps before; pass --exog-lags 0-24 to let earlier inputs in",
    "effect of one unit: weather=rain -19.12; propagation= takes the method of your choice":
        "effect of one unit: weather=rain -19.12; --method takes the method of your choice",
    "use the simple forecast; it is easier to explain. gf.Forecaster(4, transforms=None) makes it.":
        "use the simple forecast; it is easier to explain.",
    "missing in 'season_length=7', as in \"gf.x\"; season_length=7":
        "missing in 'season_length=7', as in \"gf.x\"; --season-length 7",
}  # fmt: skip


@pytest.mark.parametrize(("note", "said"), NOTES.items(), ids=map(str, range(len(NOTES))))
def test_a_note_keeps_what_the_command_line_can_do(note, said):
    assert in_options(note) == said


def test_points_of_a_summary_are_kept_in_order_and_details_as_they_are():
    text = (
        "Title\n\nWhat it averages\n  A sentence.\n  - a first point that goes on\n    and on"
        "\n  - to decide yourself: combine=None\n    leaves it out\n\nTechnical details\n"
        "  model  A(p=1)"
    )
    assert summary_in_options(text) == (
        "Title\n\nWhat it averages\n  A sentence.\n  - a first point that goes on and on"
        "\n\nTechnical details\n  model  A(p=1)"
    )


def test_what_a_forecast_prints_names_no_argument_of_python(data, capsys):
    code, _, err = run(capsys, "forecast", data[0], "--horizon", 2, "--summary")
    assert code == 0
    said = err.partition("Technical details")[0]
    assert "--lags 12 takes the last 12 values" in " ".join(said.split())
    assert not re.findall(r"\b[a-z_]{3,}=\S|\bgf\.", said)


def test_the_advice_and_reasons_of_a_page_name_options_and_its_details_stay():
    details = "\n\nTechnical details\n  calibrate=True, lags=12</pre>"
    page = (
        '<span class="what-to-do">What to do: Forecaster(calibrate=&quot;conformal&quot;).</span>'
        '<p class="note">Note: a &lt; b (season_length=1 leaves it out).</p>'
        "<pre>Title\n  - a &lt; b (season_length=1 leaves it out)" + details
    )
    assert page_in_options(page) == (
        '<span class="what-to-do">What to do: --calibrate conformal.</span>'
        '<p class="note">Note: a &lt; b (--season-length 1 leaves it out).</p>'
        "<pre>Title\n  - a &lt; b (--season-length 1 leaves it out)" + details
    )


def test_a_calibration_is_named_once_in_a_summary(data, capsys):
    words = ["forecast", data[0], "--horizon", 2, "--lags", 2, "--summary", "--calibrate"]
    code, _, err = run(capsys, *words, "conformal")
    assert code == 0
    assert "--calibrate conformal" in err
    assert "invalid choice" in refused(capsys, *words, "adaptive")


def test_a_note_that_a_summary_holds_is_said_once(capsys, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("units\n3\n5\n4\n6\n5\n")
    _, _, err = run(capsys, "forecast", path, "--horizon", 2, "--summary")
    assert err.count("the intervals are guesses") == 1


def test_names_in_quotes_stay_as_they_are_in_errors():
    said = "--value: f.csv has no column 'season_lenght'; it has 'season_length'. Did you mean {}?"
    for name in ("'season_length'", '"exog_lags"', "'it\"s season_length'"):
        assert error_in_options(said.format(name)) == said.format(name)
    assert error_in_options("season_length must be 'auto'") == "--season-length must be 'auto'"
