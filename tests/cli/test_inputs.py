"""Inputs, holidays and horizons as dates: the command line forecasts what the library does."""

import numpy as np
import pandas as pd
import pytest
from cli_cases import read, refused, run, table, whole_run

import gpforecast as gf

N, AHEAD = 90, 6


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
    f = gf.Forecaster(2).fit(shop["units"][:N], exog=exog).predict(AHEAD, exog=exog)
    np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-5)
    np.testing.assert_allclose(table(out)["std"], f.std, rtol=1e-5)
    assert np.abs(f.mean - shop["units"][N:]).mean() < 2.0


def test_columns_that_are_not_read_are_named(file, capsys):
    _, _, err = whole_run(
        capsys, "forecast", file, "--value", "units", "--exog", "promo", "--horizon", 2,
        "--lags", 2,
    )  # fmt: skip
    assert "not used: 'price', 'weather' (--exog takes inputs))" in err


def test_an_empty_cell_beside_one_mark_says_that_there_is_none(shop, file, capsys):
    words = ["--value", "units", "--exog", "promo", "--horizon", 3, "--lags", 2]
    _, expected, _ = run(capsys, "forecast", file, *words)
    for mark in ("x", "1", "yes"):
        marked = shop.assign(
            promo=np.where(shop["promo"] > 0, mark, ""),
            units=shop["units"].where(np.arange(len(shop)) < N),
        )
        marked.to_csv(file)
        assert run(capsys, "forecast", file, *words)[1] == expected


def test_inputs_keep_to_their_times_when_rows_are_sorted_and_joined(shop, file):
    exog = ("promo", "weather")
    whole = read(file, value="units", exog=exog)
    shuffled = pd.read_csv(file).sample(frac=1, random_state=0)
    pd.concat([shuffled, shuffled[:20]]).to_csv(file, index=False)
    for duplicates in ("mean", "first", "last"):
        found = read(file, value="units", exog=exog, sort=True, duplicates=duplicates)
        pd.testing.assert_frame_equal(found.exog, whole.exog, check_freq=False)
        pd.testing.assert_series_equal(found.series, whole.series, check_freq=False)


def test_rows_that_are_counted_have_inputs(file):
    found = read(file, value="units", exog=("promo",), count=True)
    assert len(found.series) == N
    assert found.exog.index.equals(pd.RangeIndex(N + AHEAD))


def test_counted_rows_have_a_future(shop, file, capsys):
    words = ["--value", "units", "--exog", "promo", "--count", "--horizon", 4, "--lags", 2]
    _, out, _ = run(capsys, "forecast", file, *words)
    exog = shop[["promo"]].reset_index(drop=True)
    fc = gf.Forecaster(2).fit(shop["units"][:N].reset_index(drop=True), exog=exog)
    expected = fc.predict(4, exog=exog[N : N + 4]).mean
    np.testing.assert_allclose(table(out)["mean"], expected, rtol=1e-5)


@pytest.mark.parametrize("last", [["--exog", "promo"], ["--exog", "price", "--forecast-exog"]])
def test_a_row_that_is_not_there_is_one_with_empty_cells(file, capsys, last):
    """Without its row, a gap was bridged in the series and refused in its inputs."""
    words = ["forecast", file, "--value", "units", "--horizon", 3, "--lags", 2, *last]
    whole = pd.read_csv(file)
    kept = np.delete(np.arange(N + AHEAD), [30, 31])
    whole.iloc[kept].to_csv(file, index=False)
    _, without_rows, _ = run(capsys, *words)
    whole.loc[[30, 31], ["units", "promo", "price", "weather"]] = np.nan
    whole.to_csv(file, index=False)
    _, with_empty_cells, _ = run(capsys, *words)
    assert without_rows == with_empty_cells


def test_blank_days_of_the_week_are_as_days_without_rows(shop, file, capsys):
    """The units of Mondays are blank: steps are the other days, of which five are ahead."""
    whole = pd.read_csv(file, parse_dates=["day"])
    monday = whole["day"].dt.day_of_week == 0
    whole["units"] = whole["units"].mask(monday)
    words = ["forecast", file, "--value", "units", "--exog", "promo", "--lags", 2, "--horizon"]
    whole[~monday].to_csv(file, index=False)
    _, without_rows, _ = run(capsys, *words, 5)
    whole.to_csv(file, index=False)
    _, out, err = whole_run(capsys, *words, 5)
    assert out == without_rows
    assert "known for 5 rows more, there is never a value on a Monday" in err
    said = refused(capsys, *words, 7)
    assert "missing for 2 of them, first for 2024-04-06" in said
    assert "or pass --horizon 5, or pass --forecast-exog" in said


def test_a_future_row_that_is_not_there_is_named(file, capsys):
    pd.read_csv(file).drop(index=N + 1).to_csv(file, index=False)
    words = ["forecast", file, "--value", "units", "--horizon", 3, "--lags", 2]
    said = refused(capsys, *words, "--exog", "promo")
    assert "missing for 1 of them, first for 2024-04-01" in said
    said = refused(capsys, *words, "--exog", "weather")
    assert "--forecast-exog" not in said  # which forecasts numbers


def test_an_unknown_future_is_refused_or_forecast(shop, file, capsys):
    words = ["--value", "units", "--horizon", 9, "--lags", 2]
    said = refused(capsys, "forecast", file, *words, "--exog", "promo")
    assert "'promo' must be known for 9 steps after the last value; a cell or a row is" in said
    assert "missing for 3 of them, first for 2024-04-06. Fill them in, in rows with an" in said
    assert "pass --forecast-exog" in said
    _, out, err = whole_run(capsys, "forecast", file, *words, "--exog", "price", "--forecast-exog")
    assert "note: --forecast-exog leaves out 6 rows of inputs after the last value" in err
    f = gf.Forecaster(2).fit(shop["units"][:N], exog=shop[["price"]]).predict(9, exog="forecast")
    np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-5)
    holes = pd.read_csv(file)
    holes.loc[N + 1, "price"] = np.nan
    holes.to_csv(file, index=False)
    said = refused(capsys, "forecast", file, "--value", "units", "--horizon", 3, "--exog", "price")
    assert "'price' must be known for 3 steps" in said
    assert "missing for 1 of them, first for 2024-04-01" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--exog", "nothing"], "shop.csv has no column 'nothing'"),
        (["--exog", "units"], "--exog: 'units' holds the times or the values"),
        (["--exog", "day"], "--exog: 'day' holds the times or the values"),
        (["--exog", "promo,promo"], "--exog names column 'promo' twice"),
        (["--exog-lags", "0,1"], "--exog-lags is given but --exog is not"),
        (["--forecast-exog"], "--forecast-exog is given but --exog is not"),
        (["--exog", "promo", "--exog-lags", "x"], "must be steps back from the value"),
        (["--holidays", "XX"], "such as 'DE' or 'US', and subdivision one of its states; got 'XX'"),
    ],
)
def test_mistakes_with_inputs_are_refused(file, capsys, words, said):
    if "--holidays" in words:
        pytest.importorskip("holidays")
    error = refused(capsys, "forecast", file, "--value", "units", "--horizon", 2, *words)
    assert said in error


def test_categories_that_cannot_be_forecast_are_refused_in_options(file, capsys):
    words = ["--value", "units", "--exog", "weather", "--forecast-exog", "--horizon", 2]
    said = refused(capsys, "forecast", file, *words)
    assert "--forecast-exog forecasts numbers, but the column 'weather' holds categories" in said


def test_a_category_that_was_never_seen_is_refused_in_options(file, capsys):
    rows = pd.read_csv(file)
    rows.loc[N + 1, "weather"] = "snow"
    rows.to_csv(file, index=False)
    words = ["--value", "units", "--exog", "weather", "--horizon", 3]
    said = refused(capsys, "forecast", file, *words)
    assert "snow" in said
    assert "or fit with it" not in said


def test_a_number_in_an_input_that_cannot_be_read_is_of_that_option(shop, file, capsys):
    cells = shop["price"].astype(str)
    cells.iloc[4] = "cheap"
    shop.assign(price=cells).to_csv(file)
    words = ["--value", "units", "--exog", "price", "--horizon", 2]
    said = refused(capsys, "forecast", file, *words)
    assert "--exog: 'cheap' in column 'price', line 6 of " in said


def test_lags_of_inputs_are_those_of_the_library(shop, file, capsys):
    words = ["--value", "units", "--exog", "price", "--horizon", 3, "--lags", 2]
    for given, lags in (("0-2", [0, 1, 2]), ("1", [1])):
        _, out, _ = run(capsys, "forecast", file, *words, "--exog-lags", given)
        fc = gf.Forecaster(2, exog_lags=lags).fit(shop["units"][:N], exog=shop[["price"]])
        f = fc.predict(3, exog=shop[["price"]])
        np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-5)


def test_holidays_are_those_of_the_calendar(shop, file, capsys):
    pytest.importorskip("holidays")
    words = ["--value", "units", "--horizon", 3, "--lags", 2]
    _, out, _ = run(capsys, "forecast", file, *words, "--holidays", "de-by")
    fc = gf.Forecaster(2, calendar=gf.calendars.Holidays("DE", "BY")).fit(shop["units"][:N])
    np.testing.assert_allclose(table(out)["mean"], fc.predict(3).mean, rtol=1e-5)


def test_backtests_and_reports_know_the_inputs(shop, file, capsys, tmp_path):
    words = [file, "--value", "units", "--exog", "promo,weather,price", "--horizon", 3, "--lags", 2]
    _, out, _ = run(capsys, "backtest", *words, "--origins", 8, "--refit", "never")
    mae = float(next(line for line in out.splitlines() if line.startswith("mae")).split()[1])
    assert mae < 2.0  # 8 without the inputs
    page = tmp_path / "page.html"
    code, *_ = run(capsys, "report", *words, "--origins", 4, "--output", page)
    assert code == 0
    assert "effects of the inputs" in page.read_text("utf-8")


@pytest.mark.parametrize(("horizon", "steps"), [("2024-04-03", 4), ("5 days", 5), ("2024-04", 31)])
def test_a_horizon_may_be_a_date_or_a_length(data, file, capsys, horizon, steps):
    words = ["--value", "units", "--lags", 2]
    _, out, _ = run(capsys, "forecast", file, *words, "--horizon", horizon)
    assert len(table(out)) == steps
    assert run(capsys, "forecast", file, *words, "--horizon", steps)[1] == out
    assert "horizon must reach the first step after the last value" in refused(
        capsys, "forecast", file, *words, "--horizon", "2024-01-31"
    )


def test_a_horizon_of_a_backtest_may_be_a_length(file, capsys):
    words = ["--value", "units", "--lags", 2, "--origins", 3, "--refit", "never"]
    _, out, _ = run(capsys, "backtest", file, *words, "--horizon", "1 week")
    assert "7 steps from 3 origins" in out


def test_only_a_mark_beside_empty_cells_is_a_sign(shop, file):
    for text, inputs in (("x", {0.0, 1.0}), ("1", {0.0, 1.0}), ("0", {0.0}), ("9.99", {9.99})):
        cells = np.where(shop["promo"] > 0, text, "")
        shop.assign(promo=cells).to_csv(file)
        found = read(file, value="units", exog=("promo",)).exog["promo"]
        assert {*found.dropna()} == inputs
        assert found.hasnans == (len(inputs) == 1)


def test_inputs_are_known_as_far_as_all_of_them_are(file):
    partly = pd.read_csv(file)
    partly.loc[N + 2, "price"] = np.nan
    partly.to_csv(file, index=False)
    assert "known for 2 rows more" in read(file, value="units", exog=("promo", "price")).said
    assert "known for 6 rows more" in read(file, value="units", exog=("promo",)).said


def test_a_horizon_that_is_none_is_told_what_it_may_be(file, capsys):
    said = refused(capsys, "forecast", file, "--value", "units", "--horizon", "March 2025")
    assert "a positive integer, a date such as 2026-12, or a length such as '18 months'" in said
