"""The forecast command: what it prints, writes and notes."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cli_cases import quick, run, table

import gpforecast as gf


def test_forecast_prints_what_the_library_forecasts(data, capsys):
    path, y = data
    code, out, err = run(
        capsys, "forecast", path, "--value", "units", "--time", "month", "--horizon", 3,
        "--lags", "1,12", "--levels", 50, 90,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "month,mean,std,lo-90,lo-50,hi-50,hi-90"
    assert [line[:10] for line in out.splitlines()[1:]] == [
        "2024-01-01",
        "2024-02-01",
        "2024-03-01",
    ]
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
