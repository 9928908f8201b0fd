"""How much is flagged: limits of tail probabilities, and expectations without a change."""

import numpy as np
import pandas as pd
import pytest
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.pipeline.retrospective import limit_of_discoveries


def test_the_limit_of_discoveries_is_that_of_benjamini_and_hochberg():
    rng = np.random.default_rng(0)
    p = rng.permutation(np.concatenate([[1e-5, 0.002, 0.0041, 0.009], rng.uniform(0.2, 1.0, 16)]))
    p[5:5] = np.nan  # not judged: counts nowhere
    p = np.insert(p, 3, np.nan)
    known, q = np.sort(p[~np.isnan(p)]), 0.05
    passing = [value for k, value in enumerate(known, 1) if value <= q * k / len(known)]
    assert len(passing) == 4
    assert limit_of_discoveries(p, q) == max(passing)
    # None is rejected: the largest limit at which one value alone would have been.
    assert limit_of_discoveries(rng.uniform(0.2, 1.0, 20), q) == pytest.approx(q / 20)
    assert limit_of_discoveries(np.full(4, np.nan), q) == q


@pytest.mark.parametrize("warp", [None, gf.transforms.Log()])
def test_where_nothing_has_changed_expectations_are_those_of_one_step_forecasts(warp):
    z = autoregression(260, 0.8, seed=2)
    y = pd.Series(np.exp(z), pd.date_range("2024-01-01", periods=260, freq="D"))
    options = {"transforms": warp, "support": None, "combine": None, "noise": "process"}
    fc = gf.Forecaster(1, model=LinearAR(), outliers=None, **options).fit(y[:200])
    found = fc.surprise(y[200:], false_alarms=1e-12).to_frame()
    ahead = fc.predict_from(y, np.arange(200, 260), 1)
    np.testing.assert_allclose(found["mean"], ahead.mean[:, 0], rtol=1e-9)
    np.testing.assert_allclose(found["std"], np.sqrt(ahead.var[:, 0]), rtol=1e-9)
    assert not found["flagged"].any()
