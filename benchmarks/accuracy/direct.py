"""Iterated and direct forecasts of the same series, by the same model.

The published experiment on Mackey-Glass (see ``examples/backtest_mackey_glass.py``): 100 rows of 16
lags at random from 8000 values with noise of variance 0.001, 200 origins in the 4000 values after
them, 100 steps. Iterated forecasts go by exact moments, along one function, step by step as in the
papers, or with measurement noise and process noise apart; direct ones have a model for each
of the 100 leads. Then the same with 500 rows, and with 100 rows without noise. Real series are
forecast 12 steps from every origin in the later part, with transforms and lags chosen
automatically, the same ones for both. The file has means over draws by step, with standard errors
(ten draws, of 500 rows five).

Run it from the project's root: ``python benchmarks/accuracy/direct.py``; ``study.py`` has its
options.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from study import Case, Row, column, run

import gpforecast as gf

HORIZON, ORIGINS, N_FIRST, LEADS = 100, 200, 8000, 12
PARTS = {  # rows, the variance of the noise, and draws
    "Mackey-Glass, 100 rows": (100, 1e-3, 10),
    "Mackey-Glass, 500 rows": (500, 1e-3, 5),
    "Mackey-Glass without noise, 100 rows": (100, 0.0, 10),
}
LOSSES = ["mse", "nlpd"]
COLUMNS = [*LOSSES, "crps", "coverage_95"]
PROCESS = {"noise": "process", "propagation": "exact"}
STRATEGIES = {
    "iterated": PROCESS,
    "iterated step by step": PROCESS
    | {"propagation": gf.propagation.ExactMoments(function="step")},
    "iterated, measurement noise": PROCESS | {"noise": "measurement"},
    "direct": PROCESS | {"strategy": "direct"},
}


def real_series() -> Iterator[tuple[str, pd.Series, int]]:
    """Yield names and series, and how many values are known at the first origin."""
    yield "sunspots", gf.datasets.load_sunspots(), 200
    yield "El Nino", gf.datasets.load_elnino(), 500
    yield "air passengers", column("classic/AirPassengers"), 84


def measure(
    series: pd.Series, n: int, origins, horizon: int, seed: int = 0, **options
) -> list[Row]:
    """Return the scores of every step."""
    if "strategy" in options:
        options["max_horizon"] = horizon
    began = time.process_time()
    fc = gf.Forecaster(**options).fit(series[:n])
    seconds = time.process_time() - began
    found = gf.backtest(fc, series, horizon, origins, seed=seed).scores[COLUMNS]
    return found.reset_index().assign(fit_seconds=seconds).to_dict("records")


def cases(quick: bool) -> Iterator[Case]:
    for title, (n_rows, noise_var, draws) in PARTS.items():
        for draw in range(1 if quick else draws):
            y = gf.datasets.mackey_glass(12_000, normalise=True, noise_var=noise_var, seed=draw)
            model = {"lags": 16, "model": gf.models.GaussianProcess(), "max_rows": n_rows}
            for name, options in STRATEGIES.items():
                if noise_var or "noise" not in name:
                    names = {"series": title, "strategy": name, "draw": draw}
                    rest = (y, N_FIRST, 20 if quick else ORIGINS, HORIZON, draw)
                    yield names, partial(measure, *rest, **model, **options)
    for title, y, n in real_series():
        for name in ("iterated", "direct"):
            names = {"series": title, "strategy": name, "draw": 0}
            rest = (y, n, np.arange(n, len(y) - LEADS + 1), LEADS)
            yield names, partial(measure, *rest, combine=None, **STRATEGIES[name])


def over_draws(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard error over draws, a row for each series, strategy and step."""
    grouped = table.groupby(["series", "strategy", "step"], sort=False)
    found = grouped[[*COLUMNS, "fit_seconds"]].mean()
    return found.join(grouped[LOSSES].sem().add_suffix("_error")).assign(draws=grouped.size())


if __name__ == "__main__":
    run(__file__, cases, ["series", "strategy"], summary=over_draws)
