"""The demonstration prints its scores and writes its files."""

import numpy as np
import pandas as pd
from cli_cases import run

import gpforecast as gf


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
