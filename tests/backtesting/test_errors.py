"""Standard errors of averages over forecasts that overlap."""

import numpy as np

from gpforecast.backtesting.errors import standard_error


def test_an_infinite_average_has_no_standard_error():
    losses, origins = np.random.default_rng(0).standard_normal((6, 1)), np.arange(50, 56)
    assert np.isfinite(standard_error(losses, origins, None, 2))
    losses[2] = np.inf
    assert np.isnan(standard_error(losses, origins, None, 2))
