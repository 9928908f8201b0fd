"""Forecasts of counts are not negative, however large the counts are."""

import numpy as np
import pandas as pd

import gpforecast as gf

WEEK = np.array([1.0, 1.1, 1.05, 1.0, 1.3, 0.7, 0.5])


def sold(outage=6, n=210, seed=3):
    """Sales of a shop with a week, and days without any."""
    rng = np.random.default_rng(seed)
    y = rng.poisson(40.0 * WEEK[np.arange(n) % 7]).astype(float)
    y[150 : 150 + outage] = 0.0
    return pd.Series(y, pd.date_range("2024-01-01", periods=n))


def test_counts_with_an_outage_have_no_negative_interval_and_the_summary_says_so():
    options = {"lags": 7, "model": gf.models.LinearAR(), "outliers": None}
    free = gf.Forecaster(support=None, **options).fit(sold()).predict(14)
    assert free.interval(0.999)["lower"].min() < 0.0
    fc = gf.Forecaster(**options).fit(sold())
    f = fc.predict(14)
    assert f.interval(0.999)["lower"].min() >= 0.0
    assert "not negative: all values are whole numbers from 0" in fc.summary()
    np.testing.assert_allclose(f.mean, free.mean, rtol=0.02)
