"""How sure future inputs are: as variances, or as a joint covariance ordered step by step."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis
from gpforecast.series.calendars import DayOfWeek
from gpforecast.series.exogenous import Exogenous

DAYS = pd.date_range("2024-01-01", periods=30, freq="D")
RNG = np.random.default_rng(0)
VALUES = RNG.standard_normal((30, 2)) * [3.0, 0.5] + [10.0, -2.0]
LOADINGS = RNG.standard_normal((6, 6))
JOINT = LOADINGS @ LOADINGS.T  # of 3 steps of 2 inputs


def test_variances_are_the_diagonal_of_a_joint_covariance_that_is_taken_as_it_is():
    inputs = Exogenous.fit(VALUES, TimeAxis(DAYS))
    variances = JOINT.diagonal().reshape(3, 2)
    np.testing.assert_array_equal(inputs.covariance(variances, 3), np.diag(JOINT.diagonal()))
    np.testing.assert_array_equal(inputs.covariance(JOINT, 3), JOINT)


def test_columns_of_a_calendar_are_certain_beside_uncertain_inputs():
    inputs = Exogenous.fit(VALUES, TimeAxis(DAYS), [DayOfWeek()])
    S = inputs.covariance(JOINT, 3)
    q = len(inputs)
    of_user = np.concatenate([k * q + np.arange(2) for k in range(3)])
    np.testing.assert_array_equal(S[np.ix_(of_user, of_user)], JOINT)
    S[np.ix_(of_user, of_user)] = 0.0
    assert not S.any()


def test_scaled_covariances_are_those_of_scaled_inputs():
    inputs = Exogenous.fit(VALUES, TimeAxis(DAYS))
    drawn = RNG.multivariate_normal(np.zeros(6), JOINT, 50)
    scaled = np.array([inputs.scaled(path.reshape(3, 2)).ravel() for path in drawn])
    S = np.cov(drawn.T)
    np.testing.assert_allclose(inputs.scaled_covariance(S), np.cov(scaled.T), rtol=1e-10)


@pytest.mark.parametrize("shape", [(3, 3), (6, 5)])
def test_any_other_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"shape \(3, 2\), or a joint covariance, shape \(6, 6\)"):
        Exogenous.fit(VALUES, TimeAxis(DAYS)).covariance(np.zeros(shape), 3)
