"""The demo: noisy chaotic series, every method scored on them, a picture and a table."""

from argparse import Namespace

import pandas as pd

from gpforecast import Forecaster, backtest, datasets
from gpforecast.cli.writing import check_writable, figure, save_figure
from gpforecast.propagation import MethodLike, MonteCarlo

# Enough origins to show how the methods differ, few enough to take about a minute.
_ORIGINS, _PATHS = 100, 150


def demo(args: Namespace) -> None:
    """Fit the Mackey-Glass series, score every method, write a fan chart and a table.

    for example:
      gpforecast demo --output pictures --rows 300 --seed 1
    """
    picture, table = args.output / "fan_chart.png", args.output / "forecast.csv"
    args.output.mkdir(parents=True, exist_ok=True)
    check_writable(table, picture, force=args.force)
    rows, horizon = args.rows, args.horizon
    n = rows + horizon + 500  # 500 origins to choose from in the backtest
    series = datasets.mackey_glass(n, normalise=True, noise_var=1e-3, seed=args.seed)
    print(f"Mackey-Glass series: {rows} noisy values to learn from, {horizon} steps to forecast.")
    fitted = Forecaster(lags=16).fit(series.iloc[:rows])
    print(f"Forecasting from {_ORIGINS} later origins with every method ...", flush=True)
    methods: dict[str, MethodLike] = {
        "default": "auto",
        "taylor": "taylor",
        "monte_carlo": MonteCarlo(_PATHS, seed=args.seed),
        "naive": "naive",
    }
    scores = {
        name: backtest(
            fitted, series, horizon, _ORIGINS, seed=args.seed, propagation=method
        ).scores.mean()
        for name, method in methods.items()
    }
    average = pd.DataFrame(scores).T[["mae", "nlpd", "crps", "coverage_95"]]
    print(f"\naverages of steps 1-{horizon}\n{average.to_string(float_format='{:.3f}'.format)}\n")
    print("The lower mae, nlpd and crps the better; coverage_95 should be 0.95.")

    truth = series.iloc[rows : rows + horizon]
    forecast = fitted.predict(horizon)
    frame = forecast.to_frame((80, 95))
    frame.insert(0, "truth", truth)
    frame.insert(2, "std", forecast.std)
    fan = figure()
    ax = forecast.plot(ax=fan.subplots(), truth=truth, n_history=min(rows, 150))
    ax.set_ylabel("Mackey-Glass series")
    print(save_figure(fan, picture))
    frame.to_csv(table, index_label="time", float_format="%.10g")
    print(f"Wrote {table}")
