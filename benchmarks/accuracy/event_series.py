"""Events and ordered states of real series: EventForecaster and logistic regression.

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

Run it from the project's root: ``python benchmarks/accuracy/event_series.py``; ``study.py`` has its
options.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from study import Case, Row, column, run

import gpforecast as gf
from gpforecast.events.distributions import enumerated, with_indicators
from gpforecast.events.fitted import FittedEvents, States

HORIZON = 8
Task = tuple[str, pd.Series, int | list[int], pd.DataFrame | None]  # name, classes, lags, inputs


def bands(values: pd.Series, edges: list[float], names: list[str]) -> pd.Series:
    return pd.cut(values, [-np.inf, *edges, np.inf], labels=names)


def season(index: pd.Index, period: float) -> pd.DataFrame:
    angle = 2.0 * np.pi * np.arange(len(index)) / period
    return pd.DataFrame({"sin": np.sin(angle), "cos": np.cos(angle)}, index)


def rises(values: pd.Series) -> pd.Series:
    risen = values.diff().iloc[1:] > 0
    return risen.reset_index(drop=True) if isinstance(values.index, pd.RangeIndex) else risen


def tasks() -> Iterator[Task]:
    """Yield real series, with the lags of about one cycle, or of a year.

    The form of the default covariance was chosen by the one-step scores of some of the first ten.
    """
    macro = gf.datasets.load_macrodata
    spots, sea, nile = (getattr(gf.datasets, f"load_{n}")() for n in ("sunspots", "elnino", "nile"))
    yield "sunspots over 60", spots > 60, 11, None
    states = bands(spots, [30, 90], ["quiet", "middle", "active"])
    yield "sunspots, 3 states", states, [1, 2, 3, 9, 10, 11], None
    off = sea - sea.groupby(sea.index.month).transform("mean")
    yield "El Nino, 3 bands", bands(off, [-0.5, 0.5], ["cold", "neutral", "warm"]), 6, None
    yield "falls of real GDP", macro("realgdp").diff().dropna() < 0, 4, None
    yield "rises of unemployment", macro("unemp").diff().dropna() > 0, 4, None
    yield "Nile below 850", nile < 850, 4, None
    co2 = gf.datasets.load_co2(fill=False).diff()
    risen = (co2 > 0).astype(object).where(co2.notna())[1:]
    yield "weekly rises of CO2", risen, 4, season(risen.index, 52.18)
    warm = bands(column("classic/nottem"), [42, 55], ["cold", "mild", "warm"])
    yield "Nottingham, 3 bands", warm, 3, season(warm.index, 12)
    yield "lynx over 1500", column("classic/lynx") > 1500, 10, None
    yield "laser over 80", column("laser/santafe_A_10093", 1500) > 80, 8, None
    prices = bands(macro("infl")[1:], [2, 5], ["low", "middle", "high"])
    yield "inflation, 3 bands", prices, 4, None
    yield "rises of the bill rate", rises(macro("tbilrate")[1:]), 8, None
    yield "falls of consumption", ~rises(macro("realcons")[1:]), 4, None
    yield "rises of the Nile", rises(nile), 6, None
    yield "Lake Huron over 579", column("classic/LakeHuron") > 579, 4, None
    monthly = bands(column("classic/sunspot.month", 1200), [20, 70], ["low", "mid", "high"])
    yield "monthly sunspots", monthly, 4, None
    load = column("classic/taylor", 1000) > 30000
    yield "load over 30000", load, 6, season(load.index, 48)
    yield "rises of sales", rises(column("classic/BJsales")), 6, None
    gas = rises(column("classic/gas"))
    yield "rises of gas", gas, 12, season(gas.index, 12)
    flown = column("classic/AirPassengers")
    flown.index = pd.date_range("1949-01", periods=len(flown), freq="MS")
    yield "rises of passengers", rises(flown), 12, None


Predict = Callable[[FittedEvents, np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


def iterated(fitted: FittedEvents, codes, exog, origins, horizon) -> np.ndarray:
    """Logistic regression of one step, every past enumerated."""
    n, C, L = len(fitted.codes), len(fitted.classes), len(fitted.inputs.lags)
    X, y = rows(fitted, codes[:n], exog[:n])
    model = LogisticRegression(max_iter=5000).fit(X, y)
    raw = exog[:, : len(fitted.exog)] * fitted.exog.scale + fitted.exog.location
    layout = fitted.over(codes, raw).layout(origins, horizon)
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


def measure(series: pd.Series, lags, exog: pd.DataFrame | None, n_origins: int) -> list[Row]:
    """Return the scores of every model at every step of one series."""
    forecaster = gf.EventForecaster(lags)
    result = forecaster.backtest(series, HORIZON, origins=n_origins, exog=exog)
    models = {"gp, moments": gf.EventForecaster(lags, propagation="exact")}
    if len(result.classes) == 2:
        models["rvc"] = gf.EventForecaster(lags, model=gf.models.RelevanceVectorClassifier())
    found = {"gp": result.probabilities}
    for label, model in models.items():
        ours = model.backtest(series, HORIZON, origins=result.origins, exog=exog)
        found[label] = ours.probabilities

    states, half = States.of(series, exog), len(series) // 2
    first = None if exog is None else exog.iloc[:half]
    fitted = forecaster.fit(series.iloc[:half], first).fitted_
    given = fitted.exog.over(exog, series.index, "the series")
    inputs = fitted.standardised(given)  # with the season, if the evidence took one
    for label, predict in RIVALS.items():
        found[label] = predict(fitted, states.codes, inputs, result.origins, HORIZON)
    losses = {label: losses_of(result.truth, p) for label, p in found.items()}
    rows = []
    for label, own in losses.items():
        apart = own["log"] - losses["logistic"]["log"]
        for step in range(HORIZON + 1):
            at = slice(None) if step == 0 else slice(step - 1, step)
            row = {key: np.nanmean(loss[:, at]) for key, loss in own.items()}
            row |= {"over_logistic": np.nanmean(apart[:, at])}
            row |= {"error": pd.Series(np.nanmean(apart[:, at], axis=1)).sem()}
            rows.append({"model": label, "step": step, **row})
    return rows


def losses_of(truth: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """Return every loss of every forecast; no probability is taken to be below 1e-9."""
    floored = np.maximum(p, 1e-9)
    given = truth, floored / floored.sum(axis=-1, keepdims=True)
    return {
        "log": gf.scores.log_score(*given, axis=()),
        "brier": gf.scores.brier(*given, axis=()),
        "rps": gf.scores.ranked_probability(*given, axis=()),
    }


def cases(quick: bool) -> Iterator[Case]:
    warnings.simplefilter("ignore")  # of searches that end on a bound
    for name, *task in [*tasks()][: 3 if quick else None]:
        yield {"series": name}, partial(measure, *task, 20 if quick else 200)


if __name__ == "__main__":
    found = run(__file__, cases, ["model", "step"])
    for values in ("log", "over_logistic", "error"):
        table = found[found["step"] == 0].pivot_table(values, "series", "model", sort=False)
        print(f"\nover all steps: {values}\n{table.round(3)}")
