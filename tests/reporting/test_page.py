import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from page_cases import read, series

import gpforecast as gf
from gpforecast.cli import main


@pytest.fixture(scope="module")
def page():
    return gf.report(series(), 12, forecaster=gf.Forecaster(lags=6), origins=8)


def test_page_is_whole_and_needs_no_network(page):
    parser = read(page.html)
    assert len(parser.addresses) == 6 + 4  # the four wide pictures are there for telephones too
    assert all(a.startswith("data:image/png;base64,") for a in parser.addresses)
    assert not re.search(r"url\(|@import|<script", page.html)
    assert 'name="viewport"' in page.html


def test_page_says_what_was_chosen_what_is_expected_and_how_it_did(page):
    text = " ".join(read(page.html).text)
    for line in page.forecaster.summary().splitlines():
        assert " ".join(line.split()) in " ".join(text.split())
    held = 100 * page.backtest.scores["coverage_95"].mean()
    assert f"95 % intervals held {held:.0f} % of {page.backtest.truth.size} values: " in text
    for note in page.backtest.notes:
        assert note in text
    assert f"{page.forecast.mean.iloc[0]:.4f}" in text


def test_the_page_says_which_steps_were_not_tested(page):
    said = (
        "goes on to 72 days: what lies more than 25 days ahead was not tested, because the "
        "series is too short to learn from its first half and make several forecasts of 72 days"
    )
    assert said in gf.report(series(), 72, forecaster=gf.Forecaster(lags=3), origins=4).html
    assert "was not tested" not in page.html


@pytest.mark.parametrize("h", [12, 26])
def test_the_whole_horizon_is_tested_where_several_forecasts_of_it_can_be_made(h):
    whole = gf.report(series(60), h, forecaster=gf.Forecaster(lags=3, transforms=None), origins=50)
    assert whole.backtest.mean.shape == (30 - h + 1, h)
    assert "was not tested" not in whole.html


def test_scores_are_plain_numbers_with_their_thousands_set_apart():
    large = gf.report(
        12_345.0 * (10.0 + series(60)), 6, forecaster=gf.Forecaster(3, transforms=None), origins=8
    )
    assert not re.search(r"<td>[^<]*e\+", large.html)
    mae = large.backtest.beside()["mae"]["forecaster"]
    assert mae > 1000
    assert f"<td>{float(f'{mae:.3g}'):,.0f}</td>" in large.html


def test_the_picture_by_step_is_explained_wherever_its_panels_stand(page):
    assert "By how far ahead: the average error, and the share of values that" in page.html
    assert "Left, or above" not in page.html


def test_its_backtest_learned_from_the_first_half_alone(page):
    assert page.backtest.origins.min() >= 0.5 * 150
    assert page.backtest.mean.shape == (8, 12)
    assert (page.backtest.trained <= page.backtest.origins).all()


def test_the_first_paragraph_says_once_that_the_last_month_may_not_be_over():
    y = 50.0 + np.random.default_rng(0).standard_normal(60)
    y = pd.Series(y, index=pd.period_range("2020-01", periods=60, freq="M"))
    said = "so low that its month may not have been over yet."
    forecaster = gf.Forecaster(lags=1, outliers=None)
    assert said not in gf.report(y, 3, forecaster=forecaster, origins=2).html
    y.iloc[-1] = 18.0
    html = gf.report(y, 3, forecaster=forecaster, origins=2).html
    assert html.count(said) == 1
    assert f"last known value, of 2024-12, is 18.0, {said}" in html
    assert html.index(said) < html.index("<img")


def test_a_short_series_has_a_page_without_a_record():
    page = gf.report(series(20), 3, forecaster=gf.Forecaster(lags=6, transforms=None))
    assert page.backtest is None
    assert "too short for forecasts from its own past" in page.html
    assert len(read(page.html).addresses) == 2 + 2


def test_a_series_with_gaps_has_a_record_all_the_same():
    y = series()
    y.iloc[[20, 100, 101]] = np.nan
    rows = y.drop(y.index[[50, 120]])
    page = gf.report(rows, 5, forecaster=gf.Forecaster(lags=3, transforms=None), origins=8)
    assert page.backtest is not None
    assert page.backtest.mean.shape == (8, 5)
    text = "".join(read(page.html).text)
    assert "150, 5 missing" in text
    assert "too short" not in text


def test_what_hinders_a_backtest_is_told():
    y = series(60)
    y.iloc[:36] = np.where(np.arange(36) % 3, np.nan, y.iloc[:36])  # no 3 values in a row
    page = gf.report(y, 5, forecaster=gf.Forecaster(lags=3, transforms=None))
    assert page.backtest is None
    text = "".join(read(page.html).text)
    assert "There are no forecasts from the past of the series: " in text
    assert "too short" not in text


def test_time_steps_are_drawn_in_seconds():
    y = series().set_axis(pd.timedelta_range("0s", periods=150, freq="10s"))
    page = gf.report(y, 5, forecaster=gf.Forecaster(lags=3, transforms=None), origins=8)
    read(page.html)
    ax = page.forecast.plot()
    assert ax.lines[0].get_xdata()[-1] == 1490.0
    assert ax.get_xlabel() == "time (seconds)"
    plt.close(ax.figure)


def test_a_name_is_text_and_never_markup():
    page = gf.report(
        series(40, name="<script>alert(1)</script> & co"), 3, forecaster=gf.Forecaster(lags=2)
    )
    assert "<script" not in page.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co" in page.html


def test_the_forecaster_that_is_given_is_left_alone():
    given = gf.Forecaster(lags=3)
    gf.report(series(60), 4, forecaster=given, origins=3)
    assert not hasattr(given, "model_")


def test_command_line_writes_the_page(tmp_path, capsys):
    source = tmp_path / "sales.csv"
    series(60).to_frame().to_csv(source, index_label="day")
    code = main(["report", str(source), "--time", "day", "--horizon", "5", "--lags", "4"])
    assert code == 0
    written = tmp_path / "sales.html"
    assert str(written) in capsys.readouterr().out
    assert read(written.read_text("utf-8")).text


def test_command_line_refuses_before_any_work(tmp_path, capsys):
    source = tmp_path / "sales.csv"
    series(60).to_frame().to_csv(source, index_label="day")
    code = main(["report", str(source), "--horizon", "5", "--output", str(tmp_path)])
    assert code == 2
    assert "it is a folder" in capsys.readouterr().err


def test_a_report_is_printed_in_a_line(page):
    shown = repr(page)
    assert shown == (
        f"Report on 'sales', 12 steps ahead: a page of {len(page.html)} characters; write it to a "
        f"file by .save(path)"
    )


def driven(n=130):
    rng = np.random.default_rng(0)
    u = pd.DataFrame({"valve": rng.uniform(-1, 1, n)})
    y = np.zeros(n)
    for t in range(1, n):
        y[t] = 0.7 * y[t - 1] + 0.5 * u["valve"][t - 1] + 0.02 * rng.standard_normal()
    return pd.Series(y, name="flow"), u


def test_a_report_takes_the_inputs_of_a_driven_series():
    y, u = driven()
    fc = gf.Forecaster(1, exog_lags=[1], model=gf.models.LinearAR())
    made = gf.report(y[:120], 10, forecaster=fc, exog=u[:120], future_exog=u[120:], origins=5)
    expected = fc.fit(y[:120], u[:120]).predict(10, exog=u[120:])
    pd.testing.assert_series_equal(made.forecast.mean, expected.mean)
    assert made.backtest.losses["mae"].mean() < 0.1  # without its inputs it is at 0.3
    read(made.html)


def test_a_report_never_drops_inputs_unsaid():
    y, u = driven()
    fc = gf.Forecaster(1, exog_lags=[1], model=gf.models.LinearAR()).fit(y, u)
    with pytest.raises(ValueError, match=r"'valve'.*pass exog=\.\.\. .*future_exog=.* leave fore"):
        gf.report(y, 10, forecaster=fc)
    with pytest.raises(ValueError, match="exog is given but future_exog is not"):
        gf.report(y, 10, forecaster=fc, exog=u)
    with pytest.raises(ValueError, match="future_exog is given but exog is not"):
        gf.report(y, 10, future_exog=u)


def test_the_page_begins_with_the_forecast_goes_on_with_its_record_and_ends_with_settings(page):
    order = ["data up to 2024-05-29", "we expect", "What moves it", "Twenty futures",
             "95 % intervals held", "Beside simple forecasts", "What is modelled",
             "For whoever runs it again"]  # fmt: skip
    text = " ".join(read(page.html).text)
    places = [text.index(said) for said in order]
    assert places == sorted(places)


def test_the_page_names_source_units_and_date_and_asks_no_clock():
    told = {"source": "sales.csv", "units": "pieces a day", "date": "1 April 2031"}
    fc = gf.Forecaster(lags=3, transforms=None)
    page = gf.report(series(25), 3, forecaster=fc, **told)
    text = " ".join(read(page.html).text)
    for said in told.values():
        assert said in text
    assert "(pieces a day)" in page.html
    plain = gf.report(series(25), 3, forecaster=fc)
    assert "report of" not in plain.html
    assert str(pd.Timestamp.now().year) not in " ".join(read(plain.html).text)


def test_totals_are_given_where_they_mean_something():
    fc, known = gf.Forecaster(lags=2, transforms=None), series(25, name="y")
    counts = known.round()
    said = "we expect a total of about"
    assert said not in gf.report(known, 3, forecaster=fc).html
    assert said in gf.report(counts, 3, forecaster=fc).html
    assert said not in gf.report(counts, 3, forecaster=fc, units="°C").html
    assert said not in gf.report(counts, 3, forecaster=fc, total=False).html
    assert said in gf.report(known, 3, forecaster=fc, total=True).html


def test_the_command_line_tells_the_page_what_it_is_told(tmp_path, capsys):
    source = tmp_path / "sales.csv"
    series(60).to_frame().to_csv(source, index_label="day")
    words = ["--title", "North", "--units", "kg", "--date", "today", "--refit", "9", "--lags", "2"]
    assert main(["report", str(source), "--horizon", "5", "--origins", "4", *words]) == 0
    text = " ".join(read((tmp_path / "sales.html").read_text("utf-8")).text)
    for said in ("North", "kg", "report of today", "sales.csv", "from sales.csv"):
        assert said in text
    assert "chosen for speed" not in text
    code = main(["report", str(source), "--horizon", "5", "--refit", "often"])
    assert code == 2
    assert "--refit: must be a positive integer" in capsys.readouterr().err


def test_the_page_is_for_paper_telephones_and_the_dark(page):
    for said in ("@media print", "prefers-color-scheme: dark", "max-width: 36rem"):
        assert said in page.html


def test_lines_do_not_break_between_a_number_and_its_unit(page):
    broken = re.sub(r"<(script|style|pre)\b.*?</\1>", "", page.html, flags=re.DOTALL)
    assert not re.search(r"\d %", broken)
    assert "95\xa0% intervals held" in broken
    euros = gf.report(series(25), 3, forecaster=gf.Forecaster(2, transforms=None), units="EUR")
    assert re.search(r"we expect about [\d.]+\xa0EUR,", euros.html)


def test_paper_has_the_numbers_that_are_folded_away_on_a_screen(page):
    folded, paper = re.findall(r"The numbers.*?(<table.*?</table>)", page.html, re.DOTALL)
    assert folded == paper
    assert ".paper { display: none; }" in page.html
    assert ".paper { display: block; }" in page.html.partition("@media print")[2]


def test_all_numbers_of_a_table_have_the_same_decimals():
    large = gf.report(9_995.0 * series(60), 6, forecaster=gf.Forecaster(3, transforms=None))
    numbers = re.search(r"The numbers.*?</table>", large.html, re.DOTALL)[0]
    cells = re.findall(r"<td>([\d.,]+)</td>", numbers)
    assert len(cells) == 30
    assert len({len(cell.partition(".")[2]) for cell in cells}) == 1
    assert f"{large.forecast.mean.iloc[0]:,.0f}" in cells


def test_captions_say_what_is_drawn(page):
    assert "Before it are the newest 60 of 150 values." in page.html
    assert "now and then one leaves the bands" in page.html
    assert "The newest of these forecasts and earlier ones that do not overlap it" in page.html
    short = gf.report(series(25), 3, forecaster=gf.Forecaster(2, transforms=None))
    assert "the newest" not in short.html
    one = gf.report(series(), 12, forecaster=gf.Forecaster(6), origins=1)
    assert "This forecast, with its 95\xa0% interval; the thin line" in one.html
