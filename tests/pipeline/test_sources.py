"""The values that a forecast is made from: all others may change without changing it."""

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Difference, SeasonalDifference

CHAINS = {
    "values": [],
    "differences": [Difference()],
    "a season": [SeasonalDifference(12)],
    "both": [Difference(), SeasonalDifference(12)],
}


@pytest.mark.parametrize("strategy", ["iterated", "direct"])
@pytest.mark.parametrize("horizon", [1, 15])
@pytest.mark.parametrize("steps", CHAINS.values(), ids=CHAINS)
def test_only_sources_change_a_forecast(steps, horizon, strategy):
    rng = np.random.default_rng(0)
    y = 10 + np.sin(np.arange(150) * np.pi / 6) + 0.3 * rng.standard_normal(150)
    more = {"strategy": "direct", "max_horizon": 15} if strategy == "direct" else {}
    fc = gf.Forecaster(
        [1, 2, 11],
        transforms=steps,
        model=gf.models.LinearAR(),
        combine=None,
        noise="process",
        **more,
    ).fit(y)
    sources = fc.fitted_.sources(horizon, TimeAxis.rows(150 + horizon))
    usual = fc.predict_from(y, [150], horizon).mean[0]
    changes = []
    for back in range(1, 40):
        moved = y.copy()
        moved[-back] += 1.0
        if np.abs(fc.predict_from(moved, [150], horizon).mean[0] - usual).max() > 1e-9:
            changes.append(back)
    assert set(changes) <= set(sources.tolist())
    if strategy == "iterated":  # and each of them does
        assert set(changes) == set(sources.tolist())
