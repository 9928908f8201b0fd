"""Events and ordered states of real series: EventForecaster beside logistic regression.

Each model learns from the first half of a series and forecasts from up to 200 origins in the
second. All have the same lags, as indicators, and the same inputs: those given, and sine and cosine
of the season of the index where the evidence takes them. Scores are averages over
origins, by step and over all steps (step 0): the log score in nats (smaller is better), Brier's,
and the ranked probability score. ``over_logistic`` is the log score less that of ``logistic``, and
``error`` the standard error of this difference, as if origins were independent.

``gp``           EventForecaster as it is: an ordinal Gaussian process, all pasts enumerated.
``gp, moments``  the same with moments of indicators fed back (``propagation="exact"``).
``rvc``          the same with a RelevanceVectorClassifier, for two classes.
``logistic``     scikit-learn's LogisticRegression of one step, iterated by the same enumeration.
``direct``       one LogisticRegression for each step, on the lags at the origin.
``shares``       the shares of the classes in the first half.

Prints a table and writes CSV. Run it from the project's root:
``python benchmarks/accuracy/event_series.py``; ``--quick`` is 20 origins of three series.
Nine series need the data of ``GPFORECAST_DATA``, and are left out without it.
"""

import argparse
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import gpforecast as gf
from gpforecast.events.enumeration import enumerated
from gpforecast.events.fitted import FittedEvents, States
from gpforecast.events.inputs import with_indicators
from gpforecast.events.methods import ObservedEvents

DATA = Path(os.environ.get("GPFORECAST_DATA", "nowhere"))


@dataclass
class Case:
    """A series of classes with its lags, and inputs known for the future."""

    series: pd.Series
    lags: int | list[int]
    horizon: int = 8
    exog: pd.DataFrame | None = None


def bands(values: pd.Series, edges: list[float], names: list[str]) -> pd.Series:
    return pd.cut(values, [-np.inf, *edges, np.inf], labels=names)


def season(index: pd.Index, period: float) -> pd.DataFrame:
    angle = 2.0 * np.pi * np.arange(len(index)) / period
    return pd.DataFrame({"sin": np.sin(angle), "cos": np.cos(angle)}, index)


def column(path: str, rows: int | None = None) -> pd.Series:
    return pd.read_csv(DATA / path).iloc[:rows, -1]


def cases() -> Iterator[tuple[str, Case]]:
    """Real series, with the lags of about one cycle, or of a year.

    The form of the default covariance was chosen by the one-step scores of some of the first ten,
    the numbers of its prior by other series (``event_priors.py``).
    """
    yield from first_cases()
    inflation, bills, spent = (
        gf.datasets.load_macrodata(name)[1:] for name in ("infl", "tbilrate", "realcons")
    )
    yield "inflation, 3 bands", Case(bands(inflation, [2, 5], ["low", "middle", "high"]), 4)
    yield "rises of the bill rate", Case(rises(bills), 8)
    yield "falls of consumption", Case(~rises(spent), 4)
    yield "rises of the Nile", Case(rises(gf.datasets.load_nile()), 6)
    if DATA.is_dir():
        yield "Lake Huron over 579", Case(column("classic/LakeHuron.csv") > 579, 4)
        spots = bands(column("classic/sunspot.month.csv", 1200), [20, 70], ["low", "mid", "high"])
        yield "monthly sunspots", Case(spots, 4)
        load = column("classic/taylor.csv", 1000) > 30000
        yield "load over 30000", Case(load, 6, exog=season(load.index, 48))
        yield "rises of sales", Case(rises(column("classic/BJsales.csv")), 6)
        gas = rises(column("classic/gas.csv"))
        yield "rises of gas", Case(gas, 12, exog=season(gas.index, 12))
        flown = column("classic/AirPassengers.csv")
        flown.index = pd.date_range("1949-01", periods=len(flown), freq="MS")
        yield "rises of passengers", Case(rises(flown), 12)


def rises(values: pd.Series) -> pd.Series:
    risen = values.diff().iloc[1:] > 0
    return risen.reset_index(drop=True) if isinstance(values.index, pd.RangeIndex) else risen


def first_cases() -> Iterator[tuple[str, Case]]:
    spots = gf.datasets.load_sunspots()
    yield "sunspots over 60", Case(spots > 60, 11)
    yield (
        "sunspots, 3 states",
        Case(bands(spots, [30, 90], ["quiet", "middle", "active"]), [1, 2, 3, 9, 10, 11]),
    )
    sea = gf.datasets.load_elnino()
    off = sea - sea.groupby(sea.index.month).transform("mean")
    yield "El Nino, 3 bands", Case(bands(off, [-0.5, 0.5], ["cold", "neutral", "warm"]), 6)
    gdp, jobless = (gf.datasets.load_macrodata(name) for name in ("realgdp", "unemp"))
    yield "falls of real GDP", Case(gdp.diff().dropna() < 0, 4)
    yield "rises of unemployment", Case(jobless.diff().dropna() > 0, 4)
    yield "Nile below 850", Case(gf.datasets.load_nile() < 850, 4)
    co2 = gf.datasets.load_co2(fill=False).diff()
    risen = (co2 > 0).astype(object).where(co2.notna())[1:]
    yield "weekly rises of CO2", Case(risen, 4, exog=season(risen.index, 52.18))
    if DATA.is_dir():
        warm = bands(column("classic/nottem.csv"), [42, 55], ["cold", "mild", "warm"])
        yield "Nottingham, 3 bands", Case(warm, 3, exog=season(warm.index, 12))
        yield "lynx over 1500", Case(column("classic/lynx.csv") > 1500, 10)
        yield "laser over 80", Case(column("laser/santafe_A_10093.csv", 1500) > 80, 8)


Predict = Callable[[FittedEvents, np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


def iterated(fitted: FittedEvents, codes, exog, origins, horizon) -> np.ndarray:
    """Logistic regression of one step, every past enumerated."""
    n, C, L = len(fitted.codes), len(fitted.classes), len(fitted.inputs.lags)
    X, y = rows(fitted, codes[:n], exog[:n])
    model = LogisticRegression(max_iter=5000).fit(X, y)
    layout = ObservedEvents(fitted, codes, exog).layout(origins, horizon)
    step = lambda raw: model.predict_proba(with_indicators(raw, L, C))  # noqa: E731
    return enumerated(layout, C, step).probabilities


def direct(fitted: FittedEvents, codes, exog, origins, horizon) -> np.ndarray:
    """One logistic regression for each step."""
    n, found = len(fitted.codes), []
    for lead in range(1, horizon + 1):
        X, y = rows(fitted, codes[:n], exog[:n], lead)
        at, _ = rows(fitted, codes, exog, lead, origins + lead - 1)
        found.append(LogisticRegression(max_iter=5000).fit(X, y).predict_proba(at))
    return np.stack(found, axis=1)


def rows(fitted: FittedEvents, codes, exog, lead=1, targets=None):
    """Return indicators of the lags before `lead` steps, the inputs at the target, and targets."""
    lags = np.array(fitted.inputs.lags) + lead - 1
    at = np.arange(lags[-1], len(codes)) if targets is None else targets
    raw = np.column_stack([codes[at[:, None] - lags], exog[at]])
    if targets is None:
        known = ~np.isnan(np.column_stack([raw, codes[at]])).any(axis=1)
        raw, at = raw[known], at[known]
    return with_indicators(raw, len(lags), len(fitted.classes)), codes[at]


def shares(fitted: FittedEvents, _codes, _exog, origins, horizon) -> np.ndarray:
    known = fitted.codes[~np.isnan(fitted.codes)].astype(int)
    p = np.bincount(known, minlength=len(fitted.classes)) / len(known)
    return np.broadcast_to(p, (len(origins), horizon, len(p)))


RIVALS: dict[str, Predict] = {"logistic": iterated, "direct": direct, "shares": shares}


def measured(name: str, case: Case, n_origins: int) -> Iterator[dict[str, object]]:
    """Yield the scores of every model at every step of one series."""
    forecaster = gf.EventForecaster(case.lags)
    options = {"origins": n_origins, "exog": case.exog}
    ours = {"gp": forecaster.backtest(case.series, case.horizon, **options)}
    result, n_classes = ours["gp"], len(ours["gp"].classes)
    options["origins"] = result.origins
    moments = gf.EventForecaster(case.lags, propagation="exact")
    ours["gp, moments"] = moments.backtest(case.series, case.horizon, **options)
    if n_classes == 2:
        sparse = gf.EventForecaster(case.lags, model=gf.models.RelevanceVectorClassifier())
        ours["rvc"] = sparse.backtest(case.series, case.horizon, **options)
    found = {label: backtest.probabilities for label, backtest in ours.items()}

    half = States.of(case.series, case.exog).first(len(case.series) // 2)
    fitted = forecaster.fit(half.on(half.codes, half.axis.index), half.exog).fitted_
    codes = States.of(case.series).codes
    given = fitted.exog.over(case.exog, case.series.index, "the series")
    exog = fitted.standardised(given)  # with the season, if the evidence took one
    for label, predict in RIVALS.items():
        found[label] = predict(fitted, codes, exog, result.origins, case.horizon)
    losses = {label: losses_of(result.truth, p) for label, p in found.items()}
    for label, own in losses.items():
        apart = own["log"] - losses["logistic"]["log"]
        for step in range(case.horizon + 1):
            at = slice(None) if step == 0 else slice(step - 1, step)
            values = {key: np.nanmean(loss[:, at]) for key, loss in own.items()}
            values["over_logistic"] = np.nanmean(apart[:, at])
            values["error"] = pd.Series(np.nanmean(apart[:, at], axis=1)).sem()
            yield {"series": name, "model": label, "step": step, **values}


def losses_of(truth: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """Return every loss of every forecast; no probability is taken to be below 1e-9."""
    floored = np.maximum(p, 1e-9)
    given = truth, floored / floored.sum(axis=-1, keepdims=True)
    return {
        "log": gf.scores.log_score(*given, axis=()),
        "brier": gf.scores.brier(*given, axis=()),
        "rps": gf.scores.ranked_probability(*given, axis=()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20 origins of three series")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    tables, every = [], list(cases())
    for name, case in every[:3] if options.quick else every:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of searches that end on a bound
            table = pd.DataFrame(measured(name, case, 20 if options.quick else 200))
        tables.append(table)
        print(f"{name}: log score by step (0: all)")
        print(table.pivot_table("log", "model", "step").round(3), "\n", flush=True)
    found = pd.concat(tables)
    every_step = found[found["step"] == 0]
    for values in ("log", "over_logistic", "error"):
        table = every_step.pivot_table(values, "series", "model", sort=False)
        print(f"over all steps: {values}\n", table.round(3), "\n")
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        found.to_csv(output, index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
