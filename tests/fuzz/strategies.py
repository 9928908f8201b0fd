"""Series, indexes, inputs and options as users may pass them, possible and impossible ones."""

import warnings

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import gpforecast as gf

FREQUENCIES = ["D", "h", "min", "W", "MS", "ME", "QS", "QE", "YS", "B", "7D", "2h", "30s"]


@st.composite
def values(draw, least=0, most=70):
    """The values of a series: a shape in some units, with gaps, spikes, ties or steps."""
    n = draw(
        st.integers(least, most)
        if draw(st.integers(0, 6)) == 0
        else st.integers(min(25, most), most)
    )
    t, rng = np.arange(n, dtype=float), np.random.default_rng(draw(st.integers(0, 99)))
    noise = rng.standard_normal(n)
    shapes = {
        "noise": noise,
        "walk": np.cumsum(noise),
        "wave": np.sin(t / 3.0) + 0.1 * noise,
        "season": np.tile(rng.standard_normal(12), n // 12 + 1)[:n] + 0.2 * noise,
        "line": t,
        "parabola": t**2,
        "growth": np.exp(0.1 * t + 0.1 * noise),
        "constant": np.full(n, 3.7),
        "counts": rng.poisson(2.0, n).astype(float),
        "rare": (rng.random(n) < 0.1).astype(float),
        "step": (t > n / 2).astype(float),
        "launch": np.maximum(t - n / 2, 0.0),
        "alternating": (-1.0) ** t,
        "spike": np.where(t == n // 2, 50.0, 2.0),
        "repeated": t % 7,
        "explosion": np.exp(draw(st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0])) * t),
        "two": np.where(rng.random(n) < 0.5, 1.0, 2.0),
        "ones": np.where(t == n - 1, 1e12, 1.0),
        "tiny": np.where(t == n // 2, 1.0, 1e-200 * np.sin(t / 4.0)),
        "roundings": 1e12 + 1e-4 * np.sin(t / 4.0),
        "two units": np.exp(2.0 * noise),
    }
    y = shapes[draw(st.sampled_from(sorted(shapes)))].copy()
    with np.errstate(over="ignore"):
        y *= 10.0 ** draw(st.sampled_from([0] * 8 + [-3, -3, 6, 6, 12, -30, 100, 160]))
    y += draw(st.sampled_from([0.0, 0.0, 0.0, 50.0, 1e3, -1e6, 1e9]))
    if n and draw(st.integers(0, 2)) == 0:
        gaps = draw(st.sampled_from([0.05, 0.05, 0.3, 0.9]))
        y[rng.random(n) < gaps] = np.nan
    if n and draw(st.integers(0, 7)) == 0:
        y[draw(st.integers(0, n - 1))] = draw(st.sampled_from([1e12, -1e6, np.inf, np.nan, 0.0]))
    if n and draw(st.integers(0, 9)) == 0:
        y[-1] = draw(st.sampled_from([1e12, -1e12, 1e30]))
    return y


@st.composite
def indexes(draw, n):
    """An index of n labels, mostly regular."""
    kind = draw(
        st.sampled_from(
            ["none", "dates", "dates", "zone", "periods", "periods", "times", "numbers", "odd"]
        )
    )
    if kind == "none" or n == 0:
        return None
    frequency = draw(st.sampled_from(FREQUENCIES))
    if kind == "numbers":
        start, step = draw(st.integers(-1000, 3000)), draw(st.sampled_from([1, 2, 10, 0.5, 0.1]))
        return pd.Index(start + step * np.arange(n))
    if kind == "times":
        return pd.timedelta_range("1h", periods=n, freq="15min")
    if kind == "periods":
        period = draw(st.sampled_from(["D", "M", "Q", "Y", "h", "W", "B"]))
        with warnings.catch_warnings():  # periods of business days warn when they are made
            warnings.simplefilter("ignore", FutureWarning)
            return pd.period_range("2001-03-01", periods=n, freq=period)
    zone = "Europe/Berlin" if kind == "zone" else None
    dates = pd.date_range("2019-01-31", periods=n, freq=frequency, tz=zone)
    if kind != "odd":
        return dates.delete([]) if draw(st.booleans()) else pd.DatetimeIndex(dates, freq=None)
    spoilt = draw(st.sampled_from(["reversed", "twice", "text", "hole", "missing", "small"]))
    if spoilt == "reversed":
        return dates[::-1]
    if spoilt == "twice":
        return dates[np.minimum(np.arange(n), max(n - 2, 0))]
    if spoilt == "text":
        return pd.Index([str(date) for date in dates])
    if spoilt == "missing":
        return dates.where(np.arange(n) != n // 2)
    if spoilt == "small":
        return pd.Index((np.arange(n) % 128).astype("int8"))
    longer = pd.date_range("2019-01-31", periods=n + 1, freq=frequency)
    return longer.delete(n // 2)


@st.composite
def series(draw, least=0, most=70):
    """A series, or something like one."""
    y = draw(values(least, most))
    index = draw(indexes(len(y)))
    kind = draw(st.sampled_from(["series", "series", "series", "list", "array", "frame", "masked"]))
    name = draw(st.sampled_from([None, "sales", "US$ of $a_{b", "", 3, ("a", 1)]))
    if kind == "list":
        return y.tolist()
    if kind == "array":
        return y
    if kind == "masked":
        return np.ma.masked_invalid(y)
    s = pd.Series(y, index, name=name)
    return s.to_frame() if kind == "frame" else s


TRANSFORMS = [
    "auto", None, gf.transforms.Difference(), gf.transforms.Log(), gf.transforms.BoxCox(0.3),
    gf.transforms.BoxCox(), [gf.transforms.Log(), gf.transforms.Difference()],
    gf.transforms.SeasonalDifference(4),
    gf.transforms.Deterministic(trend=1, fourier=2, period=4),
]  # fmt: skip
MODELS = [
    None, gf.models.LinearAR(), gf.models.GaussianProcess(max_iter=10), gf.models.BayesianAR(),
    gf.models.NearestNeighbours(),
]  # fmt: skip
# Options that are quick, most of them possible.
OPTIONS = {
    "lags": ["auto", "auto", 1, 2, 5, [1, 4], [1, 4], 200],
    "transforms": TRANSFORMS,
    "model": MODELS,
    "propagation": ["auto", "exact", "taylor", "cubature", "naive", "monte_carlo"],
    "noise": ["process", "process", "auto", 0.1],
    "support": ["auto"] * 6 + [None, None, "positive", "count", (0.0, 10.0)],
    "calibrate": [None, None, None, "variance", "conformal"],
    "outliers": ["auto", None],
    "season_length": ["auto"] * 5 + [1, 7, [4, 12]],
    "seed": [0],
}


def forecasters():
    """Options of a forecaster."""
    return st.fixed_dictionaries({name: st.sampled_from(some) for name, some in OPTIONS.items()})
