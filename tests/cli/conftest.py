"""A file of monthly values for every command."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def data(tmp_path):
    """Write 60 months of a noisy cycle, and return the file and the series."""
    t = np.arange(60)
    y = 20 + 3 * np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(0).standard_normal(60)
    months = pd.period_range("2019-01", periods=60, freq="M")
    path = tmp_path / "sales.csv"
    pd.DataFrame({"month": months.astype(str), "units": y}).to_csv(path, index=False)
    series = pd.Series(pd.read_csv(path)["units"].to_numpy(), index=months.to_timestamp())
    return path, series
