"""What is computed here to spare an import is what the slow library computes, to the last bit."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import t as student
from statsmodels.tsa.stattools import acf

from gpforecast.automatic import features, outliers
from gpforecast.automatic import thresholds as th


@pytest.mark.parametrize("n", [57, 100, 732])
def test_autocorrelations_are_those_of_statsmodels(n):
    z = np.cumsum(np.random.default_rng(n).standard_normal(n))
    expected = acf(z, nlags=n // 3, adjusted=True, fft=True)
    np.testing.assert_array_equal(features._autocorrelations(z, n // 3), expected)


@pytest.mark.parametrize("df", th.TAILS)
def test_density_of_student_is_that_of_scipy(df):
    x = 3.0 * np.abs(np.random.default_rng(0).standard_normal(200))
    # one rounding of a sum of terms of size up to ten
    np.testing.assert_allclose(outliers._log_density(x, df), student.logpdf(x, df), rtol=1e-14)


@pytest.mark.parametrize("df", [*th.TAILS, np.inf])
def test_quartile_of_student_is_that_of_scipy(df):
    assert outliers._quartile(df) == pytest.approx(float(student.ppf(0.75, df)), rel=1e-14)


@pytest.mark.parametrize("lags", [1, 5, 30])
def test_residuals_of_an_autoregression_are_those_of_a_filter(lags):
    rng = np.random.default_rng(lags)
    z, phi = rng.standard_normal(200), rng.standard_normal(lags)
    expected = lfilter(np.concatenate([[1.0], -phi]), [1.0], z) - 0.3
    np.testing.assert_allclose(
        outliers._residuals(z, phi, 0.3)[lags:], expected[lags:], rtol=1e-12, atol=1e-12
    )
