"""Processor time and memory of a forecast of two weeks of five-minute steps.

``python benchmarks/speed/long_horizon.py`` prints seconds of fit and of predict, by the default
call on four weeks with a daily season and noise of an autoregression, and the largest memory of the
process after each. What the first call compiles is counted if its cache is empty. Writes nothing.
"""

import resource
import time

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import gpforecast as gf

DAY, WEEK = 288, 2016


def main() -> None:
    phase = 2 * np.pi * np.arange(4 * WEEK) / DAY
    noise = lfilter([1.0], [1.0, -0.8], np.random.default_rng(0).standard_normal(len(phase)))
    times = pd.date_range("2024-01-01", periods=len(phase), freq="5min")
    y = pd.Series(100.0 + 10.0 * np.sin(phase) + 3.0 * np.cos(2 * phase) + noise, times)
    began = time.process_time()
    forecaster = gf.Forecaster().fit(y)
    report("fit", began)
    began = time.process_time()
    forecaster.predict(2 * WEEK)
    report("predict", began)


def report(what: str, began: float) -> None:
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # of KiB
    print(f"{what:8} {seconds:7.1f} s {peak:7.0f} MiB at most")


if __name__ == "__main__":
    main()
