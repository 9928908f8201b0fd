"""A long series: sparse Gaussian processes on all rows, and a full one on a part of them.

Mackey-Glass with observation noise (variance 0.01 of a normalised series), 40,000 rows of 16 lags;
every model forecasts 100 steps by exact moments from 40 origins in the 3000 values that follow.
Sparse models have 200 inducing inputs; "sd" is a full Gaussian process on 1000 rows drawn from all,
and the other one is on the last 1000. Measurement noise is found by default.

Seconds are processor time; for a forecast from one origin, the best of several. Run it from the
project's root: ``python benchmarks/accuracy/long_series.py``; ``study.py`` has its options.
"""

import time
from collections.abc import Iterator
from functools import partial

import pandas as pd
from study import Case, peak_megabytes, run

import gpforecast as gf

LAGS, HORIZON, N_TEST = 16, 100, 3000
GP = gf.models.GaussianProcess
Sparse = gf.models.SparseGaussianProcess


def contestants(n: int, n_inducing: int, n_full: int):
    """Yield a name, a model and how many of the last rows it is trained on."""
    yield f"gp, last {n_full}", GP(), n_full
    yield "sd", Sparse(approximation="sd", n_inducing=n_full, seed=0), n
    for kind in ("vfe", "fitc"):
        for how in ("fixed", "moved"):
            model = Sparse(
                approximation=kind, n_inducing=n_inducing, optimise_inducing=how == "moved", seed=0
            )
            yield f"{kind}, {how}", model, n


def measure(model, series: pd.Series, n_rows: int, n_origins: int) -> dict[str, float]:
    """Train on rows that end N_TEST before the end, and score forecasts of what follows."""
    past = series.iloc[: len(series) - N_TEST].iloc[-(n_rows + LAGS) :]
    fc = gf.Forecaster(LAGS, model=model, max_rows=None)
    wall, used = time.perf_counter(), time.process_time()
    fc.fit(past)
    used, wall = time.process_time() - used, time.perf_counter() - wall
    peak = peak_megabytes()  # of this model and of those before it
    fc.predict(2)  # compiled functions are loaded, the model's matrices laid out
    forecast = []
    for _ in range(5):
        start = time.process_time()
        fc.predict(HORIZON)
        forecast.append(time.process_time() - start)
    result = gf.backtest(fc, series, horizon=HORIZON, origins=n_origins, seed=0)
    scores = result.scores
    return {
        "rows": n_rows,
        "training s": used,
        "training wall s": wall,
        "peak MB": peak,
        "forecast s": min(forecast),
        "noise var": fc.model_.noise_var_,
        "mse": float(scores["mse"].mean()),
        "nlpd": float(scores["nlpd"].mean()),
        "nlpd at 100": float(scores["nlpd"].iloc[-1]),
        "evaluations": fc.model_.report_.n_evaluations,
        "converged": fc.model_.report_.converged,
    }


def cases(quick: bool) -> Iterator[Case]:
    n, M, n_full, n_origins = (4000, 50, 300, 20) if quick else (40_000, 200, 1000, 40)
    series = gf.datasets.mackey_glass(n + LAGS + N_TEST, normalise=True, noise_var=0.01, seed=0)
    for name, model, n_rows in contestants(n, M, n_full):
        yield {"model": name}, partial(measure, model, series, n_rows, n_origins)


if __name__ == "__main__":
    run(__file__, cases, ["model"])
