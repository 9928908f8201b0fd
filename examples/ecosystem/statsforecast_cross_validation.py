"""Compare a Gaussian process with statsforecast's models in its cross-validation.

Run it with ``pip install ".[statsforecast]"``, then
``python examples/ecosystem/statsforecast_cross_validation.py [--quick]``.
"""

import sys

import pandas as pd
from statsforecast import StatsForecast
from statsforecast.models import AutoETS, SeasonalNaive

import gpforecast as gf
from gpforecast.adapters.statsforecast import GPForecaster

QUICK = "--quick" in sys.argv

elnino = gf.datasets.load_elnino()
table = pd.DataFrame({"unique_id": "El Niño", "ds": elnino.index, "y": elnino.to_numpy()})
table["ds"] = pd.to_datetime(table["ds"].astype(str))

models = [
    GPForecaster(lags=[1, 2, 3, 12, 13], alias="GP"),
    AutoETS(season_length=12, alias="ETS"),
    SeasonalNaive(season_length=12, alias="naive"),
]
windows = StatsForecast(models=models, freq="MS").cross_validation(
    df=table, h=12, n_windows=4 if QUICK else 12, step_size=12, level=[90], refit=False
)

scores = {}
for name in ("GP", "ETS", "naive"):
    low, high = windows[f"{name}-lo-90"], windows[f"{name}-hi-90"]
    scores[name] = {
        "MAE (°C)": gf.scores.mae(windows["y"], windows[name]),
        "coverage of 90 %": gf.scores.coverage(windows["y"], low, high),
        "width of 90 % (°C)": (high - low).mean(),
        "interval score": gf.scores.interval_score(windows["y"], low, high, alpha=0.1),
    }
print(pd.DataFrame(scores).T.round(3).to_string())
