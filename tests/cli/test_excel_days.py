"""Days as Excel counts them are told from amounts by how they rise, not by their header."""

import numpy as np
import pandas as pd
import pytest

from tests.cli_cases import read, refusal

AMOUNTS = np.random.default_rng(0).integers(43_000, 47_000, 40).tolist()
SERIALS = list(range(45_000, 45_040))
WORKING = [day for day in range(45_000, 45_056) if day % 7 > 1][:40]
STARTS = pd.date_range("2023-01-01", periods=40, freq="MS")
MONTHS = (STARTS - pd.Timestamp("1899-12-30")).days.tolist()


def written(path, header, *columns):
    rows = [header, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_amounts_under_day_are_values(tmp_path):
    found = read(written(tmp_path / "a.csv", "day", AMOUNTS))
    assert found.series.tolist() == AMOUNTS
    dates = [f"2024-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(28)]
    found = read(written(tmp_path / "b.csv", "date,day", dates, AMOUNTS[:28]))
    assert found.series.tolist() == AMOUNTS[:28]


@pytest.mark.parametrize("serials", [SERIALS, SERIALS[::-1], WORKING, MONTHS])
def test_days_that_rise_as_times_do_need_an_option(tmp_path, serials):
    path = written(tmp_path / "c.csv", "day,sales", serials, AMOUNTS[: len(serials)])
    assert "--date-format excel" in refusal(path)
    assert read(path, date_format="excel").series.index[0].year in (2023, 2026)
