"""The page: whole, without a network, and what it says is what the objects hold."""

import re

import numpy as np
import pandas as pd
import pytest
from cli_cases import quick
from matplotlib.figure import Figure
from page_cases import read, series

import gpforecast as gf
from gpforecast.cli import main


def linear(lags=3, **options):
    options = {"transforms": None, "combine": None, "noise": "process"} | options
    return gf.Forecaster(lags, model=gf.models.LinearAR(), **options)


@pytest.fixture(autouse=True)
def _no_pixels(monkeypatch):
    """Pages of a single test have pictures that are drawn and not rendered."""
    monkeypatch.setattr(Figure, "savefig", lambda _figure, file, **_: file.write(b"pixels"))


def text_of(page):
    return " ".join(" ".join(read(page.html).text).split())


@pytest.fixture(scope="module")
def page():
    return gf.report(series(), 12, forecaster=linear(6), origins=4)


@pytest.fixture(scope="module")
def short():
    """Return a page without a record, of counts in a unit."""
    return gf.report(
        series(25, name="<script> & co").round(), 3, forecaster=linear(),
        source="sales.csv", units="pieces a day", date="1 April 2031",
    )  # fmt: skip


def test_page_is_whole_and_needs_no_network(page):
    parser = read(page.html)
    assert len(parser.addresses) == 6 + 4  # the four wide pictures are there for telephones too
    assert all(a.startswith("data:image/png;base64,") for a in parser.addresses)
    assert not re.search(r"url\(|@import|<script", page.html)
    for said in ('name="viewport"', "@media print", "color-scheme: dark", "max-width: 36rem"):
        assert said in page.html


def test_a_page_is_saved_as_one_and_inputs_have_a_future(page, tmp_path):
    with pytest.raises(ValueError, match=r"a report is a web page; name it \.html"):
        page.save(tmp_path / "page.pdf")
    with pytest.raises(FileNotFoundError, match="Create its folder first"):
        page.save(tmp_path / "nowhere" / "page.html")
    with pytest.raises(ValueError, match="future_exog must hold the inputs over the horizon"):
        gf.report(series(), "12 days", exog=np.ones(150))


def test_page_says_what_was_chosen_what_is_expected_and_how_it_did(page):
    text = text_of(page)
    for line in page.forecaster.summary().splitlines():
        assert " ".join(line.split()) in text
    held = 100 * page.backtest.scores["coverage_95"].mean()
    assert f"95 % intervals held {held:.0f} % of {page.backtest.truth.size} values: " in text
    assert all(note in text for note in page.backtest.notes)
    assert f"{page.forecast.mean.iloc[0]:.4f}" in text


def test_a_note_of_the_fit_is_on_the_page_once():
    y = series().copy()
    y.iloc[100] += 1e3
    assert text_of(gf.report(y, 3, origins=1)).count("1 outlier among") == 1


def test_the_page_begins_with_the_forecast_goes_on_with_its_record_and_ends_with_settings(page):
    order = ["to 2024-05-29", "we expect", "What moves it", "Before it are the newest 60",
             "Twenty futures", "95 % intervals held", "Simple forecasts", "What was chosen",
             "Technical details"]  # fmt: skip
    places = [text_of(page).find(said) for said in order]
    assert -1 not in places
    assert places == sorted(places)


def test_its_backtest_learned_from_the_first_half_alone(page):
    assert page.backtest.origins.min() >= 0.5 * 150
    assert page.backtest.mean.shape == (4, 12)
    assert (page.backtest.trained <= page.backtest.origins).all()


def test_the_whole_horizon_is_tested_where_several_forecasts_of_it_can_be_made(page):
    whole = gf.report(series(60), 26, forecaster=linear(), origins=50)
    assert whole.backtest.mean.shape == (30 - 26 + 1, 26)
    assert "was not tested" not in whole.html
    long = text_of(gf.report(series(), 72, forecaster=linear(), origins=4))
    assert "goes on to 72 days: what lies more than 25 days ahead was not tested" in long


def test_the_first_paragraph_says_once_that_the_last_month_may_not_be_over():
    y = 50.0 + np.random.default_rng(0).standard_normal(60)
    y = pd.Series(y, index=pd.period_range("2020-01", periods=60, freq="M"))
    y.iloc[-1] = 18.0
    html = gf.report(y, 3, forecaster=linear(1, outliers=None), origins=2).html
    said = "last known value, of 2024-12, is 18.0, so low that its month may not have been over yet"
    assert html.count(said) == 1
    assert html.index(said) < html.index("<img")


def test_a_page_without_a_record_says_why(short):
    assert short.backtest is None
    assert "too short for forecasts from its own past" in short.html
    assert len(read(short.html).addresses) == 2 + 2
    y = series(60)
    y.iloc[:36] = np.where(np.arange(36) % 3, np.nan, y.iloc[:36])  # no 3 values in a row
    made = gf.report(y, 5, forecaster=linear())
    assert made.backtest is None
    assert "There are no forecasts from the past of the series: " in made.html


def test_a_series_with_gaps_has_a_record_all_the_same():
    y = series()
    y.iloc[[20, 100, 101]] = np.nan
    made = gf.report(y.drop(y.index[[50, 120]]), 5, forecaster=linear(), origins=8)
    assert made.backtest.mean.shape == (8, 5)
    assert "5 missing" in text_of(made)


def test_names_are_text_and_source_units_and_date_are_given(short):
    assert "<script" not in short.html
    assert "&lt;script&gt; &amp; co" in short.html
    text = text_of(short)
    assert "sales.csv" in text
    assert "report of 1 April 2031" in text
    assert re.search(r"we expect a total of about [\d.]+ pieces, and", text)
    plain = gf.report(series(25, name="y"), 3, forecaster=linear())
    assert "report of" not in plain.html
    assert "a total of" not in plain.html


def test_the_forecaster_that_is_given_is_left_alone_and_a_report_is_printed_in_a_line():
    given = linear()
    made = gf.report(series(25), 4, forecaster=given)
    assert not hasattr(given, "model_")
    assert repr(made).startswith("Report on 'sales', 4 steps ahead: a page of")


def test_the_command_line_writes_the_page_it_is_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gpforecast.cli.commands.Forecaster", quick)
    source, target = tmp_path / "sales.csv", tmp_path / "sales.html"
    series(60).to_frame().to_csv(source, index_label="day")
    call = ["report", str(source), "--horizon", "5"]
    words = ["--title", "North", "--units", "kg", "--date", "today", "--refit", "9", "--lags", "2"]
    assert main([*call, "--origins", "4", *words, "--interactive"]) == 0
    assert str(target) in capsys.readouterr().out
    html = target.read_text("utf-8")
    assert "application/json" in html
    for said in ("North", "kg", "report of today", "from sales.csv"):
        assert said in html
    assert main([*call, "--output", str(tmp_path)]) == 2
    assert "it is a folder" in capsys.readouterr().err


def test_a_report_takes_the_inputs_of_a_driven_series_and_never_drops_them():
    rng, n = np.random.default_rng(0), 130
    u, y = pd.DataFrame({"valve": rng.uniform(-1, 1, n)}), np.zeros(n)
    for t in range(1, n):
        y[t] = 0.7 * y[t - 1] + 0.5 * u["valve"][t - 1] + 0.02 * rng.standard_normal()
    fc = linear(1, exog_lags=[1])
    made = gf.report(y[:120], 10, forecaster=fc, exog=u[:120], future_exog=u[120:], origins=5)
    expected = fc.fit(y[:120], u[:120]).predict(10, exog=u[120:])
    np.testing.assert_array_equal(made.forecast.mean, expected.mean)
    assert made.backtest.losses["mae"].mean() < 0.1  # without its inputs it is at 0.3
    with pytest.raises(ValueError, match=r"'valve'.*pass exog=.*leave forecaster out"):
        gf.report(y, 10, forecaster=fc)
    with pytest.raises(ValueError, match="exog"):
        gf.report(y, 10, forecaster=fc, exog=u)
    with pytest.raises(ValueError, match="exog"):
        gf.report(y[:120], 10, forecaster=linear(), future_exog=u[120:])


def test_numbers_have_the_same_decimals_and_thousands_set_apart_and_paper_has_them_too():
    large = gf.report(9_995.0 * series(60), 6, forecaster=linear(), origins=4)
    folded, paper = re.findall(r"The numbers.*?(<table.*?</table>)", large.html, re.DOTALL)
    assert folded == paper
    cells = re.findall(r"<td>([\d.,]+)</td>", folded)
    assert len(cells) == 30
    assert len({len(cell.partition(".")[2]) for cell in cells}) == 1
    assert f"{large.forecast.mean.iloc[0]:,.0f}" in cells
    mae = large.backtest.beside()["mae"]["forecaster"]
    assert f"<td>{float(f'{mae:.3g}'):,.0f}</td>" in large.html
