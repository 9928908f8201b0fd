"""The forecast and backtest commands, and the demonstration: what they print, write and note."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cli_cases import quick, run, table

import gpforecast as gf
from gpforecast.cli.options import in_options, summary_in_options

# The forecast command: what it prints, writes and notes


def test_forecast_prints_what_the_library_forecasts(data, capsys):
    path, y = data
    code, out, err = run(
        capsys, "forecast", path, "--value", "units", "--time", "month", "--horizon", 3,
        "--lags", "1,12", "--levels", 50, 90,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "month,mean,std,lo-90,lo-50,hi-50,hi-90"
    months = ["2024-01,", "2024-02,", "2024-03,"]  # as the file has them
    assert [line[:8] for line in out.splitlines()[1:]] == months
    f = gf.Forecaster([1, 12]).fit(y).predict(3)
    expected = f.to_frame((50, 90))
    np.testing.assert_allclose(table(out)[expected.columns], expected, rtol=1e-6)
    np.testing.assert_allclose(table(out)["std"], f.std, rtol=1e-6)


def test_the_summary_goes_to_the_standard_error(data, capsys):
    path, _ = data
    words = ["forecast", path, "--horizon", 2, "--lags", 2]
    _, out, err = run(capsys, *words, "--summary")
    assert err.startswith("units: 60 monthly values, 2019-01 to 2023-12\n")
    assert "\n  lags         1, 2\n" in err
    assert out == run(capsys, *words)[1]


def test_forecast_writes_a_table_and_a_picture_and_says_so(data, capsys, tmp_path):
    path, _ = data
    out_csv, png = tmp_path / "next.csv", tmp_path / "next.png"
    code, out, err = run(
        capsys, "forecast", path, "--time", "month", "--horizon", 4, "--lags", 2,
        "--output", out_csv, "--plot", png,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"Wrote {out_csv} (4 rows)", f"Wrote {png}",
    ]  # fmt: skip
    assert list(pd.read_csv(out_csv).columns) == [
        "month", "mean", "std", "lo-95", "lo-80", "hi-80", "hi-95",
    ]  # fmt: skip
    assert len(pd.read_csv(out_csv)) == 4
    assert png.read_bytes()[1:4] == b"PNG"
    assert png.stat().st_size > 10_000


def test_rows_are_counted_on_request(data, capsys):
    path, _ = data
    code, out, _ = run(capsys, "forecast", path, "--horizon", 2, "--lags", 2, "--count")
    assert code == 0
    assert list(table(out).index) == [60, 61]
    assert table(out).index.name == "row"


@pytest.mark.parametrize(
    ("method", "propagation"),
    [("taylor", "taylor"), ("monte_carlo", gf.propagation.MonteCarlo(1000, seed=0))],
    ids=["taylor", "monte_carlo"],
)
@pytest.mark.parametrize("strategy", ["iterated", "direct"])
def test_methods_and_strategies_are_those_of_the_library(
    method, propagation, strategy, data, capsys, monkeypatch
):
    monkeypatch.setattr("gpforecast.cli.commands.Forecaster", quick)
    path, y = data
    words = ["--horizon", 3, "--lags", 2, "--method", method, "--strategy", strategy]
    _, out, _ = run(capsys, "forecast", path, *words)
    most = 3 if strategy == "direct" else None
    fc = quick(2, strategy=strategy, max_horizon=most).fit(y)
    f = fc.predict(3, propagation=propagation)
    np.testing.assert_allclose(table(out)["mean"], f.mean, rtol=1e-6)
    np.testing.assert_allclose(table(out)["std"], f.std, rtol=1e-6)


def test_numerical_warning_is_one_line_and_no_python_warning(tmp_path, capsys, monkeypatch):
    path = tmp_path / "data.csv"
    pd.DataFrame({"y": np.sin(np.arange(30.0))}).to_csv(path, index=False)
    fit = gf.Forecaster.fit

    def worried_fit(self, *args):
        for _ in range(2):
            warnings.warn("a jitter\nwas added", gf.NumericalWarning, stacklevel=2)
        return fit(self, *args)

    monkeypatch.setattr(gf.Forecaster, "fit", worried_fit)
    code, out, err = run(capsys, "forecast", path, "--horizon", 1, "--lags", 1)
    assert code == 0
    assert err == "gpforecast: warning: a jitter was added\n"
    assert len(out.splitlines()) == 2


def test_rows_left_out_are_noted(tmp_path, capsys, monkeypatch):
    path = tmp_path / "data.csv"
    pd.DataFrame({"y": np.sin(np.arange(1030.0))}).to_csv(path, index=False)
    monkeypatch.setattr("gpforecast.cli.commands.Forecaster", _quick_forecaster)
    _, _, err = run(capsys, "forecast", path, "--horizon", 1, "--lags", 1)
    assert err.startswith("gpforecast: note: the model learned from 20 of 1029 rows, chosen at")


def _quick_forecaster(lags, **_):
    return gf.Forecaster(lags, model=gf.models.GaussianProcess(optimizer=None), max_rows=20)


def test_the_season_is_named_by_an_option(data, capsys):
    path, y = data
    words = ["forecast", path, "--horizon", 3, "--count", "--season-length", 12]
    expected = gf.Forecaster(season_length=12).fit(y.to_numpy()).predict(3).mean
    np.testing.assert_allclose(table(run(capsys, *words)[1])["mean"], expected, rtol=1e-6)


# Sentences of the library name options of the command line


NOTES = {
    "a season of 12 (season_length=1 leaves it out)":
        "a season of 12 (--season-length 1 leaves it out)",
    "lags=12 takes the last 12 values, lags=[1, 12] what you name":
        "--lags 12 takes the last 12 values, --lags 1,12 what you name",
    'gf.backtest does that, and calibrate="conformal" corrects them by it':
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


# The backtest command: a summary, every step, the same origins for all methods


def test_backtest_prints_a_summary_and_writes_every_step(data, capsys, tmp_path):
    path, y = data
    scores, png = tmp_path / "scores.csv", tmp_path / "scores.png"
    code, out, err = run(
        capsys, "backtest", path, "--value", "units", "--time", "month", "--horizon", 4,
        "--lags", 3, "--origins", 5, "--method", "exact", "--method", "naive",
        "--output", scores, "--plot", png, "--seed", 2,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "first 30 of 60 values" in out
    assert out.count("4 steps from 5 origins") == 2
    assert "coverage_95" in out
    written = pd.read_csv(scores)
    assert list(written["method"]) == ["exact"] * 4 + ["naive"] * 4
    assert list(written["step"]) == [1, 2, 3, 4] * 2
    options = {"horizon": 4, "origins": 5, "seed": 2}
    expected = gf.backtest(gf.Forecaster(3), y, **options, refit=None).scores
    np.testing.assert_allclose(written.loc[:3, expected.columns], expected, rtol=1e-6, atol=1e-9)
    assert png.read_bytes()[1:4] == b"PNG"


def test_a_file_without_some_months_is_tested_with_missing_values(
    data, capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr("gpforecast.cli.commands.Forecaster", quick)
    path, y = data
    table = pd.read_csv(path).drop(index=[20, 41])
    table.to_csv(path, index=False)
    words = ["backtest", path, "--time", "month", "--horizon", 3, "--lags", 3, "--origins", 5]
    for method in ([], ["--method", "exact", "--method", "naive"]):
        code, out, _ = run(capsys, *words, *method, "--output", tmp_path / "scores.csv", "--force")
        assert code == 0
        assert "the first 30 of 60 values" in out
        assert "note: 2 times were missing from the index, the first 2020-09; with them, 2" in out
    written = pd.read_csv(tmp_path / "scores.csv")
    rows = y.drop(y.index[[20, 41]])
    expected = gf.backtest(quick(3), rows, 3, 5, refit=None, propagation="exact").scores
    np.testing.assert_allclose(written["mae"][:3], expected["mae"], rtol=1e-6)


def test_one_method_is_trained_as_often_as_is_cheap_and_stands_beside_simple_ones(data, capsys):
    path, y = data
    words = ["backtest", path, "--time", "month", "--horizon", 4, "--lags", 3, "--origins", 6]
    code, out, _ = run(capsys, *words)
    assert code == 0
    tested = gf.backtest(gf.Forecaster(3), y, horizon=4, origins=6)
    assert f"note: {tested.notes[0].replace('refit=', '--refit ')}" in out
    assert tested.notes[0].startswith("trained ")
    assert any(line.startswith("gpforecast (auto) ") for line in out.splitlines())
    assert "naive: the last value" in out
    for name, crps in tested.beside()["crps"].drop("forecaster").items():
        (row,) = [line for line in out.splitlines() if line.startswith(name + " ")]
        assert f"{crps:.4g}" in row


def test_all_methods_are_tested_from_the_same_origins(data, capsys, monkeypatch):
    path, _ = data
    seen = []
    original = gf.backtest

    def spy(*args, **options):
        seen.append(original(*args, **options))
        return seen[-1]

    monkeypatch.setattr("gpforecast.cli.commands.backtest", spy)
    code, _, _ = run(
        capsys, "backtest", path, "--horizon", 2, "--lags", 2, "--origins", 4, "--method", "all"
    )
    assert code == 0
    assert [r.propagation for r in seen] == ["exact", "taylor", "cubature", "naive", "monte_carlo"]
    for result in seen:
        np.testing.assert_array_equal(result.origins, seen[0].origins)


# The demonstration prints its scores and writes its files


def test_demo_prints_scores_of_every_method_and_writes_its_two_files(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gpforecast.cli.commands._ORIGINS", 3)
    monkeypatch.setattr("gpforecast.cli.commands._DRAWS", 2)
    monkeypatch.setattr("gpforecast.cli.commands._PATHS", 20)
    folder = tmp_path / "new" / "folder"
    code, out, err = run(capsys, "demo", "--output", folder, "--rows", 60, "--horizon", 10)
    assert (code, err) == (0, "")
    for method in ("default", "taylor", "monte_carlo", "naive", "all noise in", "and a new map"):
        (line,) = [line for line in out.splitlines() if line.startswith(method)]
        assert np.isfinite([float(number) for number in line.split()[-7:]]).all()
    assert str(folder / "fan_chart.png") in out
    assert (folder / "fan_chart.png").read_bytes()[1:4] == b"PNG"
    written = pd.read_csv(folder / "forecast.csv")
    assert list(written.columns) == [
        "time", "truth", "mean", "std", "lo-95", "lo-80", "hi-80", "hi-95",
    ]  # fmt: skip
    assert list(written["time"]) == list(range(60, 70))
    series = gf.datasets.mackey_glass(570, normalise=True, noise_var=1e-3, seed=0)
    np.testing.assert_allclose(written["truth"], series.iloc[60:70], rtol=1e-9)
