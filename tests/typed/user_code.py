"""What a user writes, for ``mypy --strict``: every line must type-check, and none is run."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from plotly.graph_objects import Figure

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy, Reconciled


def forecasting(series: "pd.Series[float]", exog: pd.DataFrame, path: Path) -> float:
    """The front door and what it returns."""
    forecaster: gf.Forecaster = gf.Forecaster(
        lags=[1, 2, 12],
        transforms=[gf.transforms.Log(), gf.transforms.SeasonalDifference(12)],
        exog_lags={"price": [0, 1]},
        model=gf.models.GaussianProcess(gf.covariances.SquaredExponential(), noise_var=0.1),
        propagation=gf.propagation.MonteCarlo(n_paths=100, seed=0),
    ).fit(series, exog=exog)
    f: gf.Forecast = forecaster.predict(horizon=24, exog=exog)
    mean: pd.Series[float] = f.mean
    table: pd.DataFrame = f.to_frame(levels=(80, 95))
    band: pd.DataFrame = f.interval(0.95)
    paths: pd.DataFrame = f.sample(100, seed=0)
    total: float = f.sum().mean
    ax: Axes = f.plot()
    figure: Figure = f.plot(backend="plotly", history=36)
    figure.show()
    gf.plotting.fan_chart(table, history=series, ax=ax)
    forecaster.update(mean.iloc[:2]).save(path)
    text: str = gf.load(path).summary()
    return total + f.logpdf(mean) + len(text) + len(band) + len(paths)


def looking_back(forecaster: gf.Forecaster, exog: pd.DataFrame) -> pd.DataFrame:
    """What a fitted forecaster says of the past."""
    fitted: pd.DataFrame = forecaster.predict_in_sample()
    filled: pd.DataFrame = forecaster.fill_missing()
    return pd.concat([fitted, filled, forecaster.simulate(exog).to_frame()])


def backtesting(forecaster: gf.Forecaster, series: "pd.Series[float]") -> float:
    """Backtest, its pictures and its page."""
    result: gf.Backtest = gf.backtest(forecaster, series, horizon=12, origins=20, refit=5)
    summary: pd.DataFrame = result.summary()
    picture: Axes = gf.plotting.pit_histogram(result)
    gf.plotting.reliability({"exact": result}, ax=picture)
    page: gf.Report = gf.report(series, 12)
    page.save("page.html")
    return float(len(summary))


def models(X: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", y: "list[float]") -> float:
    """One-step models on rows of their own."""
    gp: gf.models.GaussianProcess = gf.models.GaussianProcess().fit(X, y)
    posterior: gf.Posterior = gp.posterior_
    uncertain = gf.propagation.predict_uncertain(gp, X[0], np.eye(X.shape[1]), method="exact")
    mean, cov = gp.predict(X, return_cov=True)
    functions = gp.sample(X, 3, seed=0) + gp.covariance_.sample(X, 3, seed=0) + mean
    sparse = gf.models.SparseGaussianProcess(n_inducing=10).fit(X, y)
    report = sparse.report_
    spread = float(cov.trace() + functions.std())
    noise = posterior.noise_var + spread
    return uncertain.mean + uncertain.var + noise + report.log_marginal_likelihood


def panel(frame: pd.DataFrame) -> pd.DataFrame:
    """Many series at once."""
    result: gf.PanelForecast = gf.forecast_panel(
        frame, 24, id="unique_id", time="ds", target="y", levels=(80, 95)
    )
    failures: pd.DataFrame = pd.DataFrame(result.failures)
    learned: gf.Prior | None = gf.forecast_panel(frame, 24, learn=True).prior
    gf.Forecaster(prior=learned).fit(frame["y"])
    return pd.concat([result.to_frame(), failures])


def hierarchy(frame: pd.DataFrame, keys: pd.DataFrame) -> pd.DataFrame:
    """Totals and their parts."""
    tree = Hierarchy.from_keys(keys)
    kept = gf.forecast_panel(tree.aggregate(frame), 12, keep=True)
    found: Reconciled = gf.reconcile(kept, tree)
    again = gf.reconcile({**found}, {"all": ["a", "b"]}, residuals={"a": frame["y"]}, seed=1)
    total: gf.Forecast = again["all"]
    return pd.concat([found.sample(10, seed=0), found.to_frame([80]), total.to_frame()])


def events(busy: "pd.Series[bool]", exog: pd.DataFrame, path: Path) -> float:
    """Classes instead of numbers."""
    forecaster: gf.EventForecaster = gf.EventForecaster(
        lags=[1, 2, 12], model=gf.models.OrdinalGP(), propagation="enumerate"
    ).fit(busy, exog=exog)
    f: gf.results.EventForecast = forecaster.predict(12, exog=exog)
    table: pd.DataFrame = pd.concat([f.probabilities, f.sample(10, seed=0)], axis=1)
    gf.plotting.class_probabilities(f.probabilities, forecaster.history_, ax=f.plot())
    result = forecaster.backtest(busy, 6, origins=20, exog=exog)
    forecaster.save(path)
    scores: pd.DataFrame = result.scores
    return float(f.score(busy)["brier"]) + len(table) + len(scores)


def scoring(truth: "pd.Series[float]", f: gf.Forecast) -> float:
    """Scores of values beside forecasts."""
    crps = gf.scores.crps(truth, f.mean, f.var)
    inside = gf.scores.coverage(truth, f.interval(0.8)["lower"], f.interval(0.8)["upper"])
    return float(crps) + float(inside)


def data() -> "pd.Series[float]":
    """Series that come with the package."""
    series: pd.Series[float] = gf.datasets.mackey_glass(300, noise_var=1e-3, seed=0)
    lags: list[int] = gf.lags.select_lags(series)
    embedded = gf.embedding.LagEmbedding(lags).transform(series)
    return pd.Series(embedded.y)


def questions(f: gf.Forecast, forecaster: gf.Forecaster) -> float:
    """What a joint distribution can be asked."""
    above: pd.Series[float] = f.probability(25.0)
    known: gf.Forecast = f.given({f.mean.index[2]: 3.0})
    f.first_passage(25.0)
    parts = f.components
    now = forecaster.surprise(above)
    levels = known.quantile([0.1, 0.9])
    return len(levels) + len(str(f.resample("MS"))) + len(str(parts)) + len(str(now))


def vectors(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Several series that depend on each other."""
    forecaster: gf.VectorForecaster = gf.VectorForecaster(lags=2, label="end").fit(table)
    f = forecaster.update(table.iloc[-1:]).predict(6)
    one: gf.Forecast = f["a"]
    forecaster.save(path)
    return pd.concat([f.mean, one.to_frame()])


def calendars_and_covariances(sales: "pd.Series[float]") -> gf.Forecaster:
    """Columns of the calendar, and covariances that are sums and products."""
    smooth = gf.covariances.Matern(nu=2.5) * gf.covariances.RationalQuadratic()
    return gf.Forecaster(
        calendar=[gf.calendars.Holidays("DE"), gf.calendars.WorkingDayOfMonth(first=1)],
        model=gf.models.GaussianProcess(smooth + gf.covariances.Linear()),
        transforms=[gf.transforms.Difference(), gf.transforms.DampedMean(0.9, period=7)],
        noise="process",
    ).fit(sales)


def array_functions(X: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> float:
    """The papers' formulas, and the warning of numerical trouble."""
    warnings.simplefilter("error", gf.NumericalWarning)
    lengthscales = np.ones(X.shape[1])
    return float(gf.numerics.l_vector(X[0], np.eye(X.shape[1]), X, lengthscales).sum())
