"""Interactive reports: one file, the same data, names that are text, and pictures for paper."""

import json
import re

import pytest
from page_cases import read, series

import gpforecast as gf

NAME = 'US$ <b>"x"</b></script><script>alert(1)</script> <!-- %{y} & co'


def made(**options):
    plain = {"transforms": None, "combine": None, "noise": "process"}
    fc = gf.Forecaster(lags=6, model=gf.models.LinearAR(), **plain)
    return gf.report(series(name=NAME), 12, forecaster=fc, origins=3, **options)


@pytest.fixture(scope="module")
def pages():
    return made(), made(interactive=True)


def figures(page):
    pattern = r'<script type="application/json">(.*?)</script>'
    return [json.loads(text) for text in re.findall(pattern, page.html, flags=re.DOTALL)]


def test_every_picture_is_a_figure_and_is_there_for_paper_too(pages):
    still, live = pages
    assert len(figures(live)) == 7  # two of them are panels of one still picture
    assert live.html.count("<img") == still.html.count("<img") == 6


def test_the_page_is_one_file_with_the_code_of_plotly_once(pages):
    still, live = pages
    assert "<script" not in still.html
    assert live.html.count("plotly.js v") == 1
    assert 4.0e6 < len(live.html) - len(still.html) < 6.0e6
    parser = read(re.sub(r"<script.*?</script>", "", live.html, flags=re.DOTALL))
    assert all(a.startswith("data:image/png;base64,") for a in parser.addresses)
    assert not re.search(r"<script[^>]*src", live.html)
    assert 'plotlyServerURL: ""' in live.html


def test_names_end_no_script_and_are_text(pages):
    _, live = pages
    assert live.html.count("<script") == live.html.count("</script>") == 2 + 7
    title = figures(live)[0]["layout"]["yaxis"]["title"]["text"]
    assert "&lt;/script&gt;" in title
    assert "<" not in title


def test_the_figure_holds_the_forecast_and_the_same_call_makes_the_same_page(pages):
    _, live = pages
    drawn = sorted(figures(live)[0]["data"], key=lambda trace: trace["legendrank"])
    names = [trace["name"] for trace in drawn if trace.get("showlegend")]
    assert names == ["observed", "mean forecast", "50 %", "80 %", "95 %"]
    assert made(interactive=True).html == live.html


def test_a_notebook_shows_it_in_a_frame(pages):
    still, live = pages
    assert live._repr_html_().startswith("<iframe srcdoc=")
    assert still._repr_html_() == still.html
