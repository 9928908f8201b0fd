"""A batch of origins forecast at once equals each forecast alone."""

import numpy as np
import pytest
from forecaster_cases import fitted, wave


def test_batch_of_origins_equals_forecasters_that_end_there():
    y = wave(120)
    fc = fitted([1, 4], y=y[:80])
    batch = fc.predict_from(y, [90, 85, 120], 6)
    for i, origin in enumerate([90, 85, 120]):
        single = fc.predict_from(y[:origin], [origin], 6)
        np.testing.assert_allclose(batch.mean[i], single.mean[0], rtol=1e-12)
        np.testing.assert_allclose(batch.covariance[i], single.covariance[0], rtol=1e-9)
    end = fc.predict_from(y[:80], [80], 6)
    f = fc.predict(6)
    np.testing.assert_allclose(end.mean[0], f.mean, rtol=1e-12)
    np.testing.assert_allclose(end.covariance[0], f.covariance, rtol=1e-9)


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_number_of_threads_does_not_change_a_batch(n_jobs):
    y = wave(120)
    fc = fitted(y=y[:80])
    batch = fc.predict_from(y, np.arange(85, 92), 5, n_jobs=n_jobs)
    plain = fc.predict_from(y, np.arange(85, 92), 5, n_jobs=1)
    # Matrix products of other shapes round otherwise: to the last digits of the largest entry.
    atol = 1e-12 * np.abs(plain.covariance).max()
    np.testing.assert_allclose(batch.covariance, plain.covariance, rtol=0, atol=atol)


@pytest.mark.parametrize("origins", [[2], [-1], [121], [], [20.5], [True], [[20]]])
def test_origins_outside_the_series_are_refused(origins):
    with pytest.raises(ValueError, match="origins must"):
        fitted().predict_from(wave(120), origins, 5)
