"""Interactive reports: one file, the same data, names that are text, and pictures for paper."""

import json
import re

import pytest
from page_cases import read, series

import gpforecast as gf
from gpforecast.cli import main

NAME = 'US$ <b>"x"</b></script><script>alert(1)</script> <!-- %{y} & co'


@pytest.fixture(scope="module")
def pages():
    options = {"forecaster": gf.Forecaster(lags=6), "origins": 8}
    y = series(name=NAME)
    return gf.report(y, 12, **options), gf.report(y, 12, interactive=True, **options)


def figures(page):
    pattern = r'<script type="application/json">(.*?)</script>'
    return [json.loads(text) for text in re.findall(pattern, page.html, flags=re.DOTALL)]


def test_every_picture_is_a_figure_and_is_there_for_paper_too(pages):
    still, live = pages
    assert len(figures(live)) == 7  # two of them are panels of one still picture
    assert live.html.count("<img") == still.html.count("<img") == 6
    for said in ("@media print", "prefers-color-scheme: dark", "aspect-ratio"):
        assert said in live.html


def test_the_page_is_one_file_with_the_code_of_plotly_once(pages):
    still, live = pages
    assert "<script" not in still.html
    assert live.html.count("plotly.js v") == 1
    assert 4.0e6 < len(live.html) - len(still.html) < 6.0e6
    outside = re.sub(r"<script.*?</script>", "", live.html, flags=re.DOTALL)
    parser = read(outside)
    assert all(a.startswith("data:image/png;base64,") for a in parser.addresses)
    assert not re.search(r"<script[^>]*src", live.html)
    assert 'plotlyServerURL: ""' in live.html
    assert "modeBarButtons: [[" in live.html


def test_names_end_no_script_and_are_text(pages):
    _, live = pages
    assert live.html.count("<script") == live.html.count("</script>") == 2 + 7
    assert "alert(1)</script>" not in live.html
    title = figures(live)[0]["layout"]["yaxis"]["title"]["text"]
    assert "&lt;/script&gt;" in title
    assert "<" not in title


def test_the_figure_holds_the_forecast(pages):
    _, live = pages
    drawn = sorted(figures(live)[0]["data"], key=lambda trace: trace["legendrank"])
    names = [trace["name"] for trace in drawn if trace.get("showlegend")]
    assert names == ["observed", "mean forecast", "50 %", "80 %", "95 %"]


def test_the_same_call_makes_the_same_page(pages):
    _, live = pages
    again = gf.report(
        series(name=NAME), 12, interactive=True, forecaster=gf.Forecaster(lags=6), origins=8
    )
    assert again.html == live.html


def test_a_notebook_shows_it_in_a_frame(pages):
    still, live = pages
    assert live._repr_html_().startswith("<iframe srcdoc=")
    assert "<script" not in live._repr_html_()
    assert still._repr_html_() == still.html


def test_command_line_writes_an_interactive_page(tmp_path, capsys):
    source = tmp_path / "sales.csv"
    series(60, name="sales").to_frame().to_csv(source, index_label="day")
    words = ["--horizon", "5", "--lags", "4", "--origins", "3", "--interactive"]
    assert main(["report", str(source), *words]) == 0
    assert "application/json" in (tmp_path / "sales.html").read_text("utf-8")
