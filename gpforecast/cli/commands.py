"""The commands: `demo` and, on a file, `forecast`, `backtest` and `report`.

matplotlib is imported when something is drawn.
"""

import sys
from argparse import Namespace
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from gpforecast import Forecaster, backtest, datasets
from gpforecast.backtesting.verdict import SIMPLE
from gpforecast.cli import writing
from gpforecast.cli.options import METHODS, FileOptions, in_options, summary_in_options
from gpforecast.cli.read_file import label
from gpforecast.cli.read_series import Reading, read_series
from gpforecast.cli.writing import Style, as_text, figure, save_figure, write_table, writing_to
from gpforecast.common.kinds import has_dates
from gpforecast.common.validation import counted
from gpforecast.common.wording import in_digits, point
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.plotting import step_panels
from gpforecast.propagation import ExactMoments, MethodLike, MonteCarlo
from gpforecast.reporting import report
from gpforecast.reporting.totals import have_totals, units_of_a_total
from gpforecast.reporting.words import seasons_of, whole_horizon
from gpforecast.series import checked
from gpforecast.series.calendars import Holidays
from gpforecast.series.horizon import steps_of
from gpforecast.series.labels import time_at

# Enough draws and origins to show how the methods differ, few enough to take about a minute.
_DRAWS, _ORIGINS, _PATHS = 5, 20, 150
_NOISE_VAR = 1e-3
_SCORES = """\
mae is the average error, mse that of its squares, crps the average error with the width of the
intervals counted, nlpd the surprise at what came: the lower the better. coverage_80 is the share of
values that the 80 % intervals held, and should be 0.8. ± is a standard error, which allows for
forecasts that overlap."""


def demo(args: Namespace) -> None:
    """Fit the Mackey-Glass series, score every method, write a fan chart and a table.

    for example:
      gpforecast demo --output pictures --rows 300 --seed 1
    """
    picture, table = args.output / "fan_chart.png", args.output / "forecast.csv"
    args.output.mkdir(parents=True, exist_ok=True)
    writing.check_writable(table, picture, force=args.force)
    rows, horizon = args.rows, args.horizon
    n = rows + horizon + 500  # 500 origins to choose from in the backtest
    draws = [
        datasets.mackey_glass(n, normalise=True, noise_var=_NOISE_VAR, seed=args.seed + k)
        for k in range(_DRAWS)
    ]
    print(f"Mackey-Glass series: {rows} noisy values to learn from, {horizon} steps to forecast.")
    fitted = [Forecaster(lags=16).fit(series.iloc[:rows]) for series in draws]
    driven = [Forecaster(lags=16, noise="process").fit(series.iloc[:rows]) for series in draws]
    where = f"{_ORIGINS} later origins of {_DRAWS} series"
    print(f"Forecasting from {where} by every method ...", flush=True)

    methods: dict[str, tuple[list[Forecaster], MethodLike]] = {
        "default": (fitted, "auto"),
        "taylor": (fitted, "taylor"),
        "monte_carlo": (fitted, MonteCarlo(_PATHS, seed=args.seed)),
        "naive": (fitted, "naive"),
        "all noise in the process": (driven, "auto"),
        "and a new map at each step": (driven, ExactMoments(function="step")),
    }
    scores = {
        (name, k): backtest(fc, s, horizon, _ORIGINS, seed=args.seed, propagation=method).scores
        for name, (forecasters, method) in methods.items()
        for k, (fc, s) in enumerate(zip(forecasters, draws, strict=True))
    }
    every = pd.concat(scores)  # of each method, series and step
    average, last = (
        each.groupby(level=0, sort=False).mean() for each in (every, every.xs(horizon, level=2))
    )
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


def forecast_file(args: Namespace) -> None:
    r"""Forecast the values that follow a column of a file.

    FILE is a table with a row for each time: text such as CSV, Excel (.xlsx) or Parquet, packed by
    gzip or not; - is the standard input. How it is written is detected and printed in one line to
    the standard error; what can be read in two ways is refused, with the option that decides. The
    table of the forecast goes to the standard output unless --output is given. What all steps sum
    to is printed for money and counts, and what was selected and why with --summary, both to the
    standard error.

    for example:
      gpforecast forecast sales.csv --value units --time month --horizon 12
      gpforecast forecast sales.csv --value units --time month --horizon 12 --lags 1,2,12 \
          --levels 50 80 95 --output next.csv --plot next.png
      gpforecast forecast sensor.csv --value volts --horizon 100 --lags 16 --method monte_carlo
      gpforecast forecast sales.csv --value units --time month --horizon 12 --summary
    """
    _check_files(args)
    reading = _reading(args)
    series = reading.series
    future, propagation = _future(args, reading), _propagation(args.method, args.seed)
    forecaster = _forecaster(args).fit(series, reading.exog)
    forecast = forecaster.predict(args.horizon, exog=future, propagation=propagation)
    if args.summary:
        print(summary_in_options(forecaster.summary()), file=sys.stderr)
    for note in forecast.notes:
        if not args.summary or note not in forecaster.notes_:
            print(f"gpforecast: note: {in_options(' '.join(note.split()))}", file=sys.stderr)
    units, seasons = args.units or reading.currency, seasons_of(forecaster.transforms_)
    usual = have_totals(series, str(series.name), units=units)
    summed = usual if args.total is None else args.total
    if summed and (total := whole_horizon(forecast, units_of_a_total(units), seasons)):
        print(f"gpforecast: total: {total}", file=sys.stderr)
    frame = forecast.to_frame(args.levels)
    frame.insert(1, "std", forecast.std)
    frame.index.name = "row" if series.index.name is None else series.index.name
    style = Style() if args.plain_csv else Style.of(reading.sep, reading.decimal, reading.form)
    if args.output is None:
        sys.stdout.write(as_text(frame, style))
    else:
        print(write_table(frame, args.output, style))
    if args.plot is not None:
        fan = figure()
        forecast.plot(ax=fan.subplots(), levels=args.levels)
        said = sys.stderr if args.output is None else sys.stdout
        print(save_figure(fan, args.plot), file=said)


def backtest_file(args: Namespace) -> None:
    r"""Score forecasts from many origins of a file's column.

    The model learns from the first half of FILE and forecasts from origins in the second. It is
    trained again on the way as often as is cheap, or after every N values (--refit N). The scores
    of simple forecasts from the same origins are printed with its own. Several methods are
    compared with one training, if --refit does not say otherwise. FILE is read as by `gpforecast
    forecast`.

    for example:
      gpforecast backtest sales.csv --value units --time month --horizon 12
      gpforecast backtest sensor.csv --value volts --horizon 100 --lags 16 --origins 50 \
          --method exact --method taylor --output scores.csv --plot scores.png
    """
    _check_files(args)
    methods = args.method or ["auto"]
    names = METHODS if "all" in methods else tuple(dict.fromkeys(methods))
    reading = _reading(args)
    filled, forecaster = checked(reading.series).series, _forecaster(args)
    half = len(filled) // 2
    if half < 3 or args.horizon > len(filled) - half:
        what = f"half of the {len(filled)} values of {label(args.file)}; the other, at least 3, is"
        raise ValueError(f"--horizon {args.horizon} must fit in {what} learned from.")
    if len(names) > 1:  # one model for all methods
        forecaster.fitted_ = fit_to_first(half, forecaster, filled, reading.exog)
    results = {
        name: backtest(
            forecaster, reading.series, args.horizon, args.origins, seed=args.seed,
            exog=reading.exog, refit=args.refit, propagation=_propagation(name, args.seed),
        )
        for name in names
    }  # fmt: skip
    print(f"The first model learned from the first {half} of {len(filled)} values.")
    for name, result in results.items():
        table = result.summary().to_string(float_format=partial(in_digits, digits=4))
        steps, origins = counted(args.horizon, "step"), counted(len(result.origins), "origin")
        print(f"\ngpforecast (method {name}): {steps} from {origins}\n{table}")
        for sentence in result.verdicts:
            print(point(in_options(sentence)))
        for note in result.notes:
            print(f"note: {in_options(note)}")
    tested = next(iter(results.values()))
    simple = tested.beside().rename({"forecaster": f"gpforecast ({next(iter(results))})"})
    table = simple.to_string(float_format=partial(in_digits, digits=4))
    known = "; ".join(f"{name}: {text}" for name, text in SIMPLE.items() if name in simple.index)
    print(f"\ncompared with simple forecasts ({known}), averaged over all steps\n{table}")
    print(f"\n{_SCORES}")
    scores = {name: result.scores for name, result in results.items()}
    if args.output is not None:
        together = pd.concat(scores, names=["method", "step"])
        style = Style() if args.plain_csv else Style.of(reading.sep, reading.decimal)
        print(write_table(together, args.output, style))
    if args.plot is not None:
        panels = figure()
        step_panels(scores, ["mae", "nlpd", "coverage_95"], axes=panels.subplots(1, 3))
        print(save_figure(panels, args.plot))


def report_file(args: Namespace) -> None:
    """Write a web page about a column of a file: forecast, record and choices.

    The page says what is expected and what moves it, how forecasts from the series' own past have
    done compared with simple ones, and what was chosen. It is one file that needs no network. With
    --interactive its pictures tell their values where one points, and it is 5 MB larger. FILE is
    read as by `gpforecast forecast`.

    for example:
      gpforecast report sales.csv --value units --time month --horizon 12
      gpforecast report sensor.csv --value volts --horizon 100 --output sensor.html
      gpforecast report sales.csv --horizon 12 --title "Sales, north" --units "pieces a month"
    """
    if args.file == "-" and args.output is None:
        raise ValueError("--output must name the page if the data come from the standard input.")
    output = args.output or Path(args.file).with_suffix(".html")
    writing.check_writable(output, source=args.file, force=args.force)
    if output.suffix.lower() not in ("", ".html", ".htm"):
        raise ValueError(f"cannot write {output}: a report is a web page; name it .html.")
    reading = _reading(args)
    page = report(
        reading.series, args.horizon, forecaster=_forecaster(args), exog=reading.exog,
        future_exog=_future(args, reading), title=args.title,
        units=args.units or reading.currency or None,
        source=Path(label(args.file)).name, date=args.date,
        total=args.total, origins=args.origins, refit=args.refit, seed=args.seed,
        interactive=args.interactive,
    )  # fmt: skip
    with writing_to(output):
        output.write_text(in_options(page.html), "utf-8")
    print(f"Wrote {output}")


def _check_files(args: Namespace) -> None:
    writing.check_writable(args.output, args.plot, source=args.file, force=args.force)
    writing.check_drawable(args.plot)
    writing.check_table(args.output)


def _reading(args: Namespace) -> Reading:
    """Read the series, print what was detected, and make steps of the horizon."""
    named = {field.name: getattr(args, field.name) for field in fields(FileOptions)}
    if (args.exog_lags or args.forecast_exog) and not args.exog:
        raise ValueError("--exog-lags and --forecast-exog need --exog, which names the columns.")
    reading = read_series(args.file, FileOptions(**named))
    print(f"gpforecast: {' '.join(reading.detected.split())}", file=sys.stderr)
    axis = checked(reading.series).axis
    if has_dates(t := axis.index) and args.horizon in range(t[-1].year - 10, t[-1].year + 11):
        raise ValueError(
            f"--horizon {args.horizon} can be a year or a number of steps: pass a date such as "
            f"{args.horizon}-12, or a length such as '{args.horizon} days'."
        )
    args.horizon = steps_of(args.horizon, axis)
    if reading.exog is None:
        return reading
    times = axis.index.append(axis.future(args.horizon))  # a row that the file lacks is empty
    return replace(reading, exog=reading.exog.reindex(times))


def _future(args: Namespace, reading: Reading) -> pd.DataFrame | str | None:
    """Return the inputs over the horizon."""
    if reading.exog is None or args.forecast_exog:
        return "forecast" if args.forecast_exog else None
    future = reading.exog.iloc[-args.horizon :]
    lost = np.argwhere(future.isna().to_numpy())
    if len(lost):
        row, column = lost[0]
        raise ValueError(
            f"--exog must be known over the horizon, too; {str(future.columns[column])!r} of "
            f"{label(args.file)} is not at {time_at(future.index, row)}. Add rows after the last "
            f"value that hold it and nothing in {str(reading.series.name)!r}, or pass "
            f"--forecast-exog."
        )
    return future


def _forecaster(args: Namespace) -> Forecaster:
    place = args.holidays and args.holidays.split("-", 1)
    if place and len(place[0]) <= 3:  # a code; the names of countries are as they are written
        place = args.holidays.upper().split("-", 1)
    return Forecaster(
        args.lags,
        exog_lags=args.exog_lags,
        calendar=Holidays(*place) if place else None,
        strategy=args.strategy,
        max_horizon=args.horizon if args.strategy == "direct" else None,
        season_length=args.season_length,
        label=args.label,
        calibrate=args.calibrate,
    )


def _propagation(name: str, seed: int) -> str | MonteCarlo:
    return MonteCarlo(1000, seed=seed) if name == "monte_carlo" else name
