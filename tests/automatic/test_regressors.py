"""Where inputs enter: trial forecasts with their effects against those of a model with inputs."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.automatic.regressors import _horizon, choose_inputs
from gpforecast.series.exogenous import Exogenous


def test_columns_that_never_changed_have_no_say_in_where_inputs_enter():
    rng, n = np.random.default_rng(0), 140
    promo = pd.DataFrame({"promo": (rng.random(n) < 0.2).astype(float)})
    y = pd.Series(rng.standard_normal(n)) + 2.0 * promo["promo"]
    alone = choose_inputs(y, Exogenous.fit(promo, y.index))
    beside = choose_inputs(y, Exogenous.fit(promo.assign(open=1.0, size=1000.0), y.index))
    assert (alone.value is None) == (beside.value is None)
    assert beside.scores == pytest.approx(alone.scores, rel=1e-9)


def test_trials_are_of_the_horizon_that_is_planned_or_of_a_sixth_of_the_values():
    assert [_horizon(n, 0) for n in (3, 60, 1000)] == [1, 10, 16]
    assert _horizon(60, 24) == 24
