"""Score forecasters with sktime's `evaluate`, by their means and by their distributions.

Run it with ``pip install ".[sktime]"``, then
``python examples/ecosystem/sktime_evaluate.py [--quick]``.
"""

import sys

import pandas as pd
from sktime.forecasting.model_evaluation import evaluate
from sktime.performance_metrics.forecasting import MeanAbsoluteError
from sktime.performance_metrics.forecasting.probabilistic import CRPS, EmpiricalCoverage
from sktime.split import ExpandingWindowSplitter

import gpforecast as gf
from gpforecast.adapters.sktime import GPForecaster

QUICK = "--quick" in sys.argv

sunspots = gf.datasets.load_sunspots()  # a number a year, 1700 to 2008
cycle = range(1, 12)  # eleven years
windows = ExpandingWindowSplitter(fh=cycle, initial_window=155, step_length=33 if QUICK else 11)
scoring = [MeanAbsoluteError(), CRPS(), EmpiricalCoverage(coverage=0.9)]
forecasters = {
    "exact moments": GPForecaster(),
    "naive iteration": GPForecaster(propagation="naive"),
}

rows = {}
for name, forecaster in forecasters.items():
    # "update" conditions on the new years without training again.
    for strategy in ("refit", "update"):
        result = evaluate(forecaster, windows, sunspots, strategy=strategy, scoring=scoring)
        scores = result.filter(like="test_").mean(numeric_only=True)
        rows[name, strategy] = scores.rename(lambda column: column.removeprefix("test_"))
        rows[name, strategy]["fit time (s)"] = result["fit_time"].sum()
print(pd.DataFrame(rows).T.round(3).to_string())

covariance = GPForecaster().fit(sunspots).predict_var(fh=cycle, cov=True).to_numpy()
joint, independent = covariance.sum() ** 0.5 / 11, covariance.trace() ** 0.5 / 11
print(
    f"standard deviation of the mean of the next eleven years: {joint:.1f}; "
    f"if the years were independent: {independent:.1f}"
)
