"""The backtest command: a summary, every step, the same origins for all methods."""

import numpy as np
import pandas as pd
from cli_cases import quick, run

import gpforecast as gf


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
