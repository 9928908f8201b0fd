"""The demo: noisy chaotic series, every method scored on them, a picture and a table."""

from argparse import Namespace

import pandas as pd

from gpforecast import Forecaster, backtest, datasets
from gpforecast.cli.writing import check_writable, figure, save_figure
from gpforecast.propagation import ExactMoments, MethodLike, MonteCarlo

# Enough draws and origins to show how the methods differ, few enough to take about a minute.
_DRAWS, _ORIGINS, _PATHS = 5, 20, 150
_NOISE_VAR = 1e-3


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
    draws = [
        datasets.mackey_glass(n, normalise=True, noise_var=_NOISE_VAR, seed=args.seed + k)
        for k in range(_DRAWS)
    ]
    print(f"Mackey-Glass series: {rows} noisy values to learn from, {horizon} steps to forecast.")
    fitted = [Forecaster(lags=16).fit(series.iloc[:rows]) for series in draws]
    driven = [Forecaster(lags=16, noise="process").fit(series.iloc[:rows]) for series in draws]
    print(
        f"Forecasting from {_ORIGINS} later origins of {_DRAWS} series by every method ...",
        flush=True,
    )

    paths = MonteCarlo(_PATHS, seed=args.seed)
    methods: dict[str, tuple[list[Forecaster], MethodLike]] = {
        "default": (fitted, "auto"),
        "taylor": (fitted, "taylor"),
        "monte_carlo": (fitted, paths),
        "naive": (fitted, "naive"),
        "all noise in the process": (driven, "auto"),
        "and a new map at each step": (driven, ExactMoments(function="step")),
    }
    scores = {}
    for name, (forecasters, method) in methods.items():
        tables = [
            backtest(fc, s, horizon, _ORIGINS, seed=args.seed, propagation=method).scores
            for fc, s in zip(forecasters, draws, strict=True)
        ]
        scores[name] = sum(tables[1:], tables[0]) / _DRAWS
    average = pd.DataFrame({name: table.mean() for name, table in scores.items()}).T
    last = pd.DataFrame({name: table.iloc[-1] for name, table in scores.items()}).T
    parts = {f"average of steps 1-{horizon}": average[["mae", "nlpd", "crps", "coverage_95"]]}
    parts[f"step {horizon}"] = last[["mae", "nlpd", "coverage_95"]]
    print(f"\n{pd.concat(parts, axis=1).to_string(float_format='{:.3f}'.format)}\n")
    print(
        "Lower is better of mae, nlpd (negative log density) and crps; coverage_95 should be 0.95."
    )

    truth = draws[0].iloc[rows : rows + horizon]
    forecast = fitted[0].predict(horizon)
    frame = forecast.to_frame((80, 95))
    frame.insert(0, "truth", truth)
    frame.insert(2, "std", forecast.std)
    fan = figure()
    ax = forecast.plot(ax=fan.subplots(), truth=truth, n_history=min(rows, 150))
    ax.set_ylabel("Mackey-Glass series")
    print(save_figure(fan, picture))
    frame.to_csv(table, index_label="time", float_format="%.10g")
    print(f"Wrote {table}")
