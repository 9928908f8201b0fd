"""A long series: sparse Gaussian processes on all rows, and a full one on a part of them.

Mackey-Glass with observation noise (variance 0.01 of a normalised series), 40,000 rows of 16 lags;
every model forecasts 100 steps by exact moments from 40 origins in the 3000 values that follow.
The claims: a sparse model with 200 inducing inputs is trained within 3 minutes on two cores,
forecasts 100 steps in less than 0.1 s, and its mean negative log predictive density over those
steps is lower than that of a full Gaussian process on the last 1000 rows.

``--large`` trains one sparse model, all its settings the defaults (200 inducing inputs that move,
200 iterations), on 200,000 rows instead, and prints the peak memory of the process. The claim is
that it stays below 4 GB.

Seconds are processor time; for a forecast from one origin, the best of several. Prints a table
and writes it as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/long_series.py``; ``--quick`` is a small version.
"""

import argparse
import resource
import time
import warnings
from pathlib import Path

import pandas as pd

import gpforecast as gf

LAGS, HORIZON, N_TEST = 16, 100, 3000
GP = gf.models.GaussianProcess
Sparse = gf.models.SparseGaussianProcess


def peak_megabytes() -> float:
    """Return the largest memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)  # the report says as much
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="4000 rows, 50 inducing inputs")
    parser.add_argument("--large", action="store_true", help="200,000 rows, one model")
    parser.add_argument("--models", nargs="+", help="some of the models, by name")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    n, M, n_full, n_origins = (4000, 50, 300, 20) if options.quick else (40_000, 200, 1000, 40)
    path = Path(__file__).with_suffix(".csv")
    models = list(contestants(n, M, n_full))
    if options.large:
        n = 200_000
        models = [("vfe, defaults", Sparse(seed=0), n)]
        path = path.with_stem("long_series_large")
    output = options.output or (None if options.quick else path)
    series = gf.datasets.mackey_glass(n + LAGS + N_TEST, normalise=True, noise_var=0.01, seed=0)
    print(f"{n} rows of {LAGS} lags, {M} inducing inputs, {n_origins} origins")
    print(f"before the first model: {peak_megabytes():.0f} MB")
    head = (
        f"{'':<18}{'train s':>9}{'peak MB':>9}{'forecast s':>12}{'noise':>9}{'MSE':>9}{'NLPD':>9}"
    )
    print(head + f"{'at 100':>9}")
    found = []
    for name, model, n_rows in models:
        if options.models and name not in options.models:
            continue
        row = measure(model, series, n_rows, n_origins)
        found.append({"model": name, **row})
        print(
            f"{name:<18}{row['training s']:9.1f}{row['peak MB']:9.0f}{row['forecast s']:12.4f}"
            f"{row['noise var']:9.4f}"
            f"{row['mse']:9.4f}{row['nlpd']:9.3f}{row['nlpd at 100']:9.3f}",
            flush=True,
        )
        if output:
            pd.DataFrame(found).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
