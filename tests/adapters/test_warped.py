import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.adapters.replay import steps_of


def test_steps_of_a_warped_series_keep_the_warp():
    y = np.exp(0.3 * np.random.default_rng(0).normal(size=70) + np.sin(np.arange(70) / 3))
    options = {"transforms": gf.transforms.Log(), "lags": 3}
    fc = gf.Forecaster(**options).fit(y)
    shorter = gf.Forecaster(**options).fit(y[:60])
    own = fc.predict(1)
    moved = steps_of(fc, pd.Series(np.append(y, 1.0)), np.array([0, -70]))
    levels = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(moved.quantile(levels)[0], own.quantile(levels).iloc[0], rtol=1e-9)
    np.testing.assert_allclose(moved.mean[0], own.mean.iloc[0], rtol=1e-9)
    assert (moved.quantile(levels) > 0).all()
    ahead = steps_of(shorter, pd.Series(y), np.array([1, 2]))
    assert not ahead.is_gaussian
    assert (ahead.quantile([1e-6]) > 0).all()
