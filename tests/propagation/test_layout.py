"""Nodes of a forecast, some known and some not, gathered for the inputs of a step."""

import numpy as np
import pytest

from gpforecast.propagation.layout import selected

PLACE = np.array([4, 0, 6, 5])


@pytest.mark.parametrize("row", [[2, -1, 4, 0], [-1, -1, -1, -1], [3, 1, 0, 2]])
@pytest.mark.parametrize("b", [1, 3])
def test_what_is_known_has_no_covariance(b, row):
    rng = np.random.default_rng(b)
    values, Sigma = rng.standard_normal((b, 9)), rng.standard_normal((b, 5, 5))
    u, S = selected(values, Sigma, PLACE, np.array(row))
    for k in range(b):
        for i in range(4):
            assert u[k, i] == values[k, PLACE[i]]
            for j in range(4):
                known = row[i] < 0 or row[j] < 0
                assert S[k, i, j] == (0.0 if known else Sigma[k, row[i], row[j]])
