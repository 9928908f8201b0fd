"""Small panels of series that several tests share."""

import numpy as np
import pandas as pd

import gpforecast as gf

LAGS = 3
FORECASTER = gf.Forecaster(lags=LAGS)
QUICK = gf.Forecaster(lags=LAGS, transforms=None, model=gf.models.LinearAR(), noise="process")


def series(level: float, n: int = 40, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(scale=0.1, size=n)
    return level * (3.0 + np.sin(np.arange(n) / 2.0) + noise)


def long(**values: np.ndarray) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"unique_id": name, "ds": np.arange(10, 10 + len(y)), "y": y})
        for name, y in values.items()
    ]
    return pd.concat(parts, ignore_index=True)


THREE = long(b=series(1.0), a=series(100.0, 50, 1), c=series(-0.01, 45, 2))
