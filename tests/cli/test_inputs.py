"""Inputs, holidays and horizons as dates: the command line forecasts what the library does."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from cli_cases import quick as linear
from cli_cases import read, refused, run, table, whole_run
from page_cases import few_pixels

import gpforecast as gf

N, AHEAD = 90, 6
quick = partial(linear, transforms=[gf.transforms.InputEffects()])
WORDS = ["--value", "units", "--lags", 2, "--horizon"]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    few_pixels(monkeypatch)
    monkeypatch.setattr("gpforecast.cli.commands.Forecaster", quick)


@pytest.fixture(scope="module")
def shop():
    """Return daily sales with promotions, weather and price, the last six in the future."""
    rng = np.random.default_rng(3)
    days = pd.date_range("2024-01-01", periods=N + AHEAD, name="day")
    frame = pd.DataFrame(
        {
            "units": np.nan,
            "promo": (rng.uniform(size=len(days)) < 0.2).astype(float),
            "price": 5 + rng.standard_normal(len(days)).round(2),
            "weather": rng.choice(["sun", "rain"], len(days), p=[0.7, 0.3]),
        },
        index=days,
    )
    units = 50 + 20 * frame["promo"] - 4 * frame["price"] - 9 * (frame["weather"] == "rain")
    frame["units"] = (units + rng.standard_normal(len(days))).round(2)
    return frame


@pytest.fixture
def file(shop, tmp_path):
    """Write the sales up to the last known one, with the inputs after it."""
    path = tmp_path / "shop.csv"
    shop.assign(units=shop["units"].where(np.arange(len(shop)) < N)).to_csv(path)
    return path


def test_inputs_are_those_of_the_library(shop, file, capsys):
    code, out, err = whole_run(
        capsys, "forecast", file, "--exog", "promo,weather", "--exog", "price",
        "--horizon", AHEAD, "--lags", 2,
    )  # fmt: skip
    assert code == 0
    assert "shop.csv by 'day': 90 values" in err  # the only numbers that are left
    assert "with 'promo', 'weather', 'price', known for 6 rows more)" in err
    exog = shop[["promo", "weather", "price"]]
    f = quick(2).fit(shop["units"][:N], exog=exog).predict(AHEAD, exog=exog)
    np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-5)
    np.testing.assert_allclose(table(out)["std"], f.std, rtol=1e-5)
    assert np.abs(f.mean - shop["units"][N:]).mean() < 2.0


def test_an_empty_cell_where_all_others_hold_one_mark_is_none(shop, file):
    for text, inputs in (("x", {0.0, 1.0}), ("1", {0.0, 1.0}), ("0", {0.0}), ("9.99", {9.99})):
        cells = np.where(shop["promo"] > 0, text, "")
        shop.assign(promo=cells).to_csv(file)
        found = read(file, value="units", exog=("promo",)).exog["promo"]
        assert {*found.dropna()} == inputs
        assert found.hasnans == (len(inputs) == 1)


def test_inputs_keep_to_their_times_when_rows_are_sorted_and_joined(file):
    exog = ("promo", "weather")
    whole = read(file, value="units", exog=exog)
    assert "not used: 'price' (--exog takes inputs)" in whole.detected
    shuffled = pd.read_csv(file).sample(frac=1, random_state=0)
    pd.concat([shuffled, shuffled[:20]]).to_csv(file, index=False)
    for duplicates in ("mean", "last"):
        found = read(file, value="units", exog=exog, sort=True, duplicates=duplicates)
        pd.testing.assert_frame_equal(found.exog, whole.exog, check_freq=False)
        pd.testing.assert_series_equal(found.series, whole.series, check_freq=False)
    with pytest.raises(ValueError, match="must name different columns"):
        read(file, value="units", exog=("promo", "promo"))


def test_counted_rows_have_a_future(shop, file, capsys):
    _, out, _ = run(capsys, "forecast", file, *WORDS, 4, "--exog", "promo", "--count")
    exog = shop[["promo"]].reset_index(drop=True)
    fc = quick(2).fit(shop["units"][:N].reset_index(drop=True), exog=exog)
    expected = fc.predict(4, exog=exog[N : N + 4]).mean
    np.testing.assert_allclose(table(out)["mean"], expected, rtol=1e-5)


def test_a_row_that_is_not_there_is_one_with_empty_cells(file, capsys):
    """Without its row, a gap was bridged in the series and refused in its inputs."""
    words = ["forecast", file, *WORDS, 3, "--exog", "promo"]
    whole = pd.read_csv(file)
    whole.drop(index=[30, 31]).to_csv(file, index=False)
    _, without_rows, _ = run(capsys, *words)
    whole.loc[[30, 31], ["units", "promo", "price", "weather"]] = np.nan
    whole.to_csv(file, index=False)
    assert run(capsys, *words)[1] == without_rows


def test_blank_days_of_the_week_are_as_days_without_rows(file, capsys):
    """The units of Mondays are blank: steps are the other days, of which five are ahead."""
    whole = pd.read_csv(file, parse_dates=["day"])
    monday = whole["day"].dt.day_of_week == 0
    whole["units"] = whole["units"].mask(monday)
    words = ["forecast", file, "--exog", "promo", *WORDS]
    whole[~monday].to_csv(file, index=False)
    _, without_rows, _ = run(capsys, *words, 5)
    whole.to_csv(file, index=False)
    _, out, err = whole_run(capsys, *words, 5)
    assert out == without_rows
    assert "known for 5 rows more, there is never a value on a Monday" in err
    said = refused(capsys, *words, 7)
    assert "--exog must be known over the horizon, too; 'promo' of" in said
    assert "is not at 2024-04-06. Add rows" in said


def test_an_unknown_future_is_refused_or_forecast(shop, file, capsys):
    said = refused(capsys, "forecast", file, *WORDS, 9, "--exog", "weather")
    assert "--exog must be known over the horizon, too; 'weather' of" in said
    assert "is not at 2024-04-06. Add rows" in said
    words = [*WORDS, 9, "--exog", "price", "--forecast-exog"]
    _, out, _ = whole_run(capsys, "forecast", file, *words)
    f = quick(2).fit(shop["units"][:N], exog=shop[["price"]]).predict(9, exog="forecast")
    np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-5)


@pytest.mark.parametrize("place", ["de-by", "Germany-BY"])
def test_lags_of_inputs_and_holidays_are_those_of_the_library(shop, file, capsys, place):
    pytest.importorskip("holidays")
    words = [*WORDS, 3, "--exog", "price", "--exog-lags", "0-2", "--holidays", place]
    _, out, _ = run(capsys, "forecast", file, *words)
    calendar = gf.calendars.Holidays("DE", "BY")
    fc = quick(2, exog_lags=[0, 1, 2], calendar=calendar)
    f = fc.fit(shop["units"][:N], exog=shop[["price"]]).predict(3, exog=shop[["price"]])
    np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-5)


@pytest.mark.parametrize(
    ("first", "label", "held"),
    [
        (lambda day: f"{day:%G-W%V}", None, "2023-W52"),
        (lambda day: f"{day + pd.Timedelta(6, 'D'):%Y-%m-%d}", None, "2023-12-31"),
        (lambda day: f"{day - pd.Timedelta(1, 'D'):%Y-%m-%d}", "start", "2023-12-24"),
    ],
    ids=["ISO", "ending on Sundays", "beginning on Sundays"],
)
def test_a_holiday_is_in_the_week_that_holds_it(tmp_path, capsys, first, label, held):
    pytest.importorskip("holidays")
    mondays = pd.date_range("2020-01-06", "2023-10-30", freq="W-MON")
    busy = [
        any((day + pd.Timedelta(k, "D")).strftime("%m%d") == "1225" for k in range(7))
        for day in mondays
    ]
    y = 100 + 60 * np.array(busy) + np.random.default_rng(0).normal(0, 2, len(mondays))
    path = tmp_path / "weeks.csv"
    pd.DataFrame({"week": map(first, mondays), "visits": y}).to_csv(path, index=False)
    words = ["--value", "visits", "--lags", 1, "--horizon", 12, "--holidays", "US"]
    words += [] if label is None else ["--label", label]
    _, out, err = run(capsys, "forecast", path, *words)
    peak = pd.Timestamp(table(out)["mean"].idxmax())
    at = pd.to_datetime(f"{held}-1", format="%G-W%V-%u") if "W" in held else pd.Timestamp(held)
    assert peak == at
    assert ("--label" in err) == (label is None)


def test_an_input_that_is_no_number_is_refused_with_its_option(file, capsys):
    whole = pd.read_csv(file, dtype=str)
    whole.loc[4, "price"] = "cheap"
    whole.to_csv(file, index=False)
    said = refused(capsys, "forecast", file, *WORDS, 3, "--exog", "price")
    assert "'cheap' in column 'price', line 6 of " in said
    said = refused(capsys, "forecast", file, *WORDS, 3, "--exog", "units")
    assert "must name different columns" in said


def test_backtests_and_reports_know_the_inputs(file, capsys, tmp_path):
    words = [file, *WORDS, 3, "--exog", "promo,weather,price"]
    _, out, _ = run(capsys, "backtest", *words, "--origins", 3, "--refit", "never")
    mae = float(next(line for line in out.splitlines() if line.startswith("mae")).split()[1])
    assert mae < 2.0  # 8 without the inputs
    page = tmp_path / "page.html"
    code, *_ = run(capsys, "report", *words, "--origins", 2, "--output", page)
    assert code == 0
    assert "effects of the inputs" in page.read_text("utf-8")


def test_a_horizon_may_be_a_date_or_a_length(file, capsys):
    words = ["forecast", file, *WORDS]
    _, out, _ = run(capsys, *words, 5)
    for horizon in ("2024-04-04", "5 days"):
        assert run(capsys, *words, horizon)[1] == out
    said = refused(capsys, *words, "2024-01-31")
    assert "horizon must reach the first step after the last value" in said
    assert "such as 2026-12, or a length such as '2026 days'" in refused(capsys, *words, 2026)
