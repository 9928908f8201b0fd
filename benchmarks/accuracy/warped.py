"""Warps that are learned: the toy and table 5.2 of Snelson's thesis, and series.

Parts:

``toy``        section 5.2: 101 points, x from -pi to pi, y the cube root of a sine with noise of
               standard deviation 0.1 (the thesis does not say), two tanh, 1000 test points.
``abalone``    table 5.2: 1000 rows train, 3177 test; a Gaussian process of the targets, of their
``ailerons``   logarithms, and of targets that are warped; 1000 and 6154 of the first 7154 rows.
               Random splits; inputs are standardised. ``two slopes``: the line is that
           of eq. (5.12).
``series``     forecasts of 12 steps from every origin in the last 40 %, fitted again four times.
               One-step models without a warp, and with a root, a logarithm or a learned warp, are
               compared, without an ensemble, outliers and support.

Seconds are of the processor. Absolute errors are those of medians, squared errors those of means.
NLPD is of the targets in their own units. Draws the toy as PNG. Run it from the
project's root: ``python benchmarks/accuracy/warped.py``; ``study.py`` has its options.
"""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats
from study import Case, Row, column, parted, regression_table, run, standardised

import gpforecast as gf
from gpforecast.models import GaussianProcess, WarpedGP
from gpforecast.transforms import BoxCox, Difference, LearnedWarp, Log, SeasonalDifference

PUBLISHED = {  # Snelson (2007), table 5.2: absolute error, squared error, NLPD
    ("abalone", "gp"): (1.53, 4.79, 2.19),
    ("abalone", "gp + log"): (1.48, 4.62, 2.01),
    ("abalone", "warped gp"): (1.47, 4.63, 1.96),
    ("ailerons", "gp"): (1.23e-4, 3.05e-8, -7.31),
    ("ailerons", "warped gp"): (1.18e-4, 2.72e-8, -7.45),
}
SPLITS = {"abalone": (1000, 4177), "ailerons": (1000, 7154)}
TWO = "gp", "warped gp", "warped gp, two slopes"
HORIZON = 12
USUAL = {"combine": None, "support": None, "outliers": None, "noise": "process"}


def gaussian(train, test, warp: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return medians, means and log densities of a process of the targets or their logarithms."""
    (X, y), (X_test, y_test) = train, test
    z, z_test = (np.log(y), np.log(y_test)) if warp == "log" else (y, y_test)
    middle, spread = z.mean(), z.std()
    gp = GaussianProcess().fit(X, (z - middle) / spread)
    mean, std = gp.predict(X_test, return_std=True)
    m, s = middle + spread * mean, spread * np.sqrt(std**2 + gp.noise_var_)
    density = stats.norm(m, s).logpdf(z_test)
    if warp == "log":
        return np.exp(m), np.exp(m + 0.5 * s**2), density - z_test
    return m, m, density


def warped(train, test, n_tanh: int, *, two_slopes: bool) -> tuple[np.ndarray, ...]:
    """Return medians, means and log densities of a warped process."""
    model = WarpedGP(n_tanh=n_tanh, two_slopes=two_slopes).fit(*train)
    median = model.predict_quantile(test[0], [0.5])[:, 0]
    return median, model.predict(test[0]), model.log_density(*test)


def measure(part: str, models: tuple[str, ...], train, test) -> list[Row]:
    """Return the errors of each model."""
    rows = []
    for model in models:
        start = time.process_time()
        if model.startswith("warped gp"):
            n_tanh, two_slopes = 2 if part == "toy" else 3, "slopes" in model
            median, mean, density = warped(train, test, n_tanh, two_slopes=two_slopes)
        else:
            median, mean, density = gaussian(train, test, "log" if "log" in model else "")
        row = {"model": model, "absolute": np.abs(test[1] - median).mean()}
        row |= {"squared": np.mean((test[1] - mean) ** 2), "nlpd": -density.mean()}
        rows.append(row | {"seconds": time.process_time() - start})
    return rows


def toy(draw: int) -> list[Row]:
    """The regression task of section 5.2."""
    rng = np.random.default_rng(draw)
    x, x_test = np.linspace(-np.pi, np.pi, 101), rng.uniform(-np.pi, np.pi, 1000)
    y, y_test = (np.cbrt(np.sin(u) + 0.1 * rng.standard_normal(len(u))) for u in (x, x_test))
    return measure("toy", TWO, (x[:, None], y), (x_test[:, None], y_test))


def table(name: str, split: int) -> list[Row]:
    """One data set of table 5.2."""
    n_train, n = SPLITS[name]
    data = regression_table(name)[:n]
    models = ("gp", "gp + log", *TWO[1:]) if data[:, -1].min() > 0 else TWO
    order = np.random.default_rng(split).permutation(n)
    train, test = order[:n_train], order[n_train:]
    scaled = np.column_stack([standardised(data, train)[:, :-1], data[:, -1]])
    X, y, *rest = parted(scaled, train, test)
    return measure(name, models, (X, y), rest)


def series() -> dict[str, tuple[np.ndarray, list]]:
    """Return series of 98 to 600 values, each with the transforms that follow its warp."""

    def read(path: str, n: int | None = None) -> np.ndarray:
        return column(path, n).to_numpy()

    def macro(name: str) -> np.ndarray:
        return gf.datasets.load_macrodata(name).to_numpy()

    return {
        "sunspots": (gf.datasets.load_sunspots().to_numpy(), []),
        "lynx": (read("classic/lynx"), []),
        "AirPassengers": (read("classic/AirPassengers"), [SeasonalDifference(12)]),
        "Nile": (read("classic/Nile"), []),
        "LakeHuron": (read("classic/LakeHuron"), [Difference()]),
        "nottem": (read("classic/nottem"), [SeasonalDifference(12)]),
        "gas": (read("classic/gas")[-240:], [SeasonalDifference(12)]),
        "taylor, 600 values": (read("classic/taylor", 600), [SeasonalDifference(48)]),
        "gas furnace, CO2": (read("sysid/gas_furnace"), []),
        "US inflation": (macro("infl"), [Difference()]),
        "US real interest": (macro("realint"), [Difference()]),
        "US unemployment": (macro("unemp"), [Difference()]),
        "US treasury bills": (macro("tbilrate"), [Difference()]),
    }


def scored(transforms: list, y: np.ndarray, n_train: int) -> dict[str, float]:
    """Return scores of forecasts from every origin after the first values."""
    forecaster = gf.Forecaster(transforms=transforms, **USUAL)
    origins, again = np.arange(n_train, len(y) - HORIZON + 1), -(-(len(y) - n_train) // 4)
    found = gf.backtest(forecaster, y, HORIZON, origins, refit=again, progress=False).scores
    return found[["crps", "nlpd"]].mean().to_dict()


def forecasts(y: np.ndarray, rest: list) -> list[Row]:
    """Every warp that the values allow, followed by the same transforms."""
    season = [step.period for step in rest if isinstance(step, SeasonalDifference)]
    warps = {"none": []}
    warps |= {"root": [BoxCox(0.5)]} if y.min() >= 0 else {}
    warps |= {"logarithm": [Log()]} if y.min() > 0 else {}
    warps |= {"learned warp": [LearnedWarp(lags=[1, 2, 3, 4, *season])]}
    then = " and ".join(type(step).__name__ for step in rest)
    return [
        {"model": name, "values": len(y), "then": then}
        | scored([*warp, *rest], y, round(0.6 * len(y)))
        for name, warp in warps.items()
    ]


def draw(path: Path) -> None:
    """Draw figure 5.1 (a) of the thesis, and the warp that was learned (figure 5.2 (a))."""
    rng, x = np.random.default_rng(0), np.linspace(-np.pi, np.pi, 101)
    y = np.cbrt(np.sin(x) + 0.1 * rng.standard_normal(101))
    at, levels = np.linspace(-np.pi, np.pi, 400), stats.norm.cdf([-2.0, 0.0, 2.0])
    gp, model = GaussianProcess().fit(x[:, None], y), WarpedGP(n_tanh=2).fit(x[:, None], y)
    mean, std = gp.predict(at[:, None], return_std=True)
    spread = np.sqrt(std**2 + gp.noise_var_)
    lines = {
        "truth": (np.cbrt(np.sin(at)[:, None] + 0.1 * stats.norm.ppf(levels)), "k:"),
        "Gaussian process": (mean[:, None] + spread[:, None] * stats.norm.ppf(levels), "C0--"),
        "warped": (model.predict_quantile(at[:, None], levels), "C3-"),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    left.plot(x, y, ".", color="0.6", markersize=4)
    for label, (values, style) in lines.items():
        left.plot(at, values, style, linewidth=1.2, label=[label, None, None])
    left.set(title="Median and two standard deviations, of 101 points", xlabel="x", ylabel="y")
    left.legend()
    grid = np.linspace(y.min(), y.max(), 200)
    w, cube = model.warp_.forward(grid), grid**3
    slope, level = np.polyfit(cube, w, 1)
    right.plot(grid, w, "C3", label="learned, two tanh")
    right.plot(grid, slope * cube + level, "k:", label="a cube, which inverts the truth")
    right.set(title="The warp", xlabel="y", ylabel="w(y)")
    right.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def cases(quick: bool) -> Iterator[Case]:
    for draw in range(2 if quick else 20):
        yield {"part": "toy", "data": "toy", "draw": draw}, partial(toy, draw)
    for name in SPLITS:
        for split in range(1 if quick else 10):
            yield {"part": name, "data": name, "draw": split}, partial(table, name, split)
    every = series()
    for name in ("lynx", "US inflation") if quick else every:
        yield {"part": "series", "data": name, "draw": 0}, partial(forecasts, *every[name])


def means(found: pd.DataFrame) -> pd.DataFrame:
    """Return the means over draws, and the spread of NLPD."""
    over = found.drop(columns="draw").groupby(["part", "data", "model"], sort=False)
    result = over.mean(numeric_only=True).assign(**{"nlpd sd": over["nlpd"].std()})
    return result.join(over["then"].first()) if "then" in found else result


if __name__ == "__main__":
    published = {(name, name, model): then for (name, model), then in PUBLISHED.items()}
    run(__file__, cases, ["part", "data", "model"], summary=means, published=published)
    if "--quick" not in sys.argv:
        draw(Path(__file__).with_suffix(".png"))
