"""The demo: a noisy chaotic series, every method scored on it, a picture and a table."""

import time
from argparse import Namespace

import pandas as pd

from gpforecast import Forecaster, datasets
from gpforecast.cli.commands import METHODS, backtests, check_writable, figure

# Enough to show how the methods differ, and few enough for Monte Carlo to be quick.
_ORIGINS, _PATHS = 40, 150


def demo(args: Namespace) -> None:
    """Fit the Mackey-Glass series, score every method, write a fan chart and a table.

    for example:
      gpforecast demo --output pictures --rows 300 --seed 1
    """
    began = time.perf_counter()
    picture, table = args.output / "fan_chart.png", args.output / "forecast.csv"
    args.output.mkdir(parents=True, exist_ok=True)
    check_writable(table, picture)
    rows, horizon = args.rows, args.horizon
    n = rows + horizon + 500  # 500 origins to choose from in the backtest
    series = datasets.mackey_glass(n, normalise=True, noise_var=1e-3, seed=args.seed)
    print(f"Mackey-Glass series: {rows} noisy values to learn from, {horizon} steps to forecast.")
    forecaster = Forecaster(lags=16).fit(series.iloc[:rows])
    noise = forecaster.model_.noise_var_**0.5 * series.iloc[:rows].std()
    fitted = f"Fitted a Gaussian process to {forecaster.n_rows_} rows of 16 lags"
    print(f"{fitted}; it finds noise of {noise:.3f} where {1e-3**0.5:.3f} was added.")
    print(f"Forecasting from {_ORIGINS} later origins with each method ...", flush=True)
    results = backtests(args, forecaster, series, METHODS, _ORIGINS, _PATHS)
    scores = {name: result.scores for name, result in results.items()}
    average = pd.DataFrame({name: table.mean() for name, table in scores.items()}).T
    last = pd.DataFrame({name: table.iloc[-1] for name, table in scores.items()}).T
    parts = {f"average of steps 1-{horizon}": average[["mae", "nlpd", "crps", "coverage_95"]]}
    parts[f"step {horizon}"] = last[["mae", "nlpd", "coverage_95"]]
    print(f"\n{pd.concat(parts, axis=1).to_string(float_format='{:.3f}'.format)}\n")
    print("The lower mae, nlpd and crps the better; coverage_95 should be 0.95.")
    if float(scores["exact"]["coverage_95"].mean()) > 0.97:
        print(
            "It is above: the noise here is in the measurement, and an autoregression feeds it\n"
            "back as if it moved the series (docs/explanation/when_error_bars_fail.rst)."
        )

    truth = series.iloc[rows : rows + horizon]
    forecast = forecaster.predict(horizon)
    frame = forecast.to_frame((80, 95))
    frame.insert(0, "truth", truth)
    frame.insert(2, "std", forecast.std)
    fan = figure()
    ax = forecast.plot(ax=fan.subplots(), truth=truth, n_history=min(rows, 150))
    ax.set_ylabel("Mackey-Glass series")
    fan.savefig(picture, dpi=150)
    frame.to_csv(table, index_label="time", float_format="%.10g")
    print(f"Wrote {picture}\nWrote {table}\nin {time.perf_counter() - began:.0f} s.")
