"""What is said of outliers that are far beyond all else."""

import numpy as np
import pytest

import gpforecast as gf


@pytest.mark.parametrize("size", [1e9, 1e20, 1e100])
def test_what_was_expected_instead_of_a_huge_outlier_keeps_its_digits(size):
    y = 162.0 + 5.0 * np.random.default_rng(0).standard_normal(80)
    y[40] = size
    (note,) = (n for n in gf.Forecaster().fit(y).predict(1).notes if "outlier among" in n)
    assert 140.0 < float(note.split(" where about ")[1].split(" was ")[0]) < 180.0
