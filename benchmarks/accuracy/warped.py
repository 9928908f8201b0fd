"""Warps that are learned: the toy and table 5.2 of Snelson's thesis, and series.

Parts:

``toy``        section 5.2: 101 points, x from -pi to pi, y the cube root of a sine with noise of
               standard deviation 0.1 (the thesis does not say), two tanh, 1000 test points.
``abalone``    table 5.2: 1000 rows train, 3177 test; a Gaussian process of the targets, of their
``ailerons``   logarithms, and of targets that are warped; 1000 and 6154 of the first 7154 rows.
               Random splits; inputs are standardised. ``two slopes``: the line is that
           of eq. (5.12).
``series``     forecasts of 12 steps from every origin in the last 40 %, fitted again four times.
               The automatic choice (without an ensemble, outliers and support) is compared with the
               same where a learned warp takes the place of its warp. ``trial`` has the CRPS by
               which transforms are chosen, of the first 60 %: it is what a choice would go by.
               Seconds are those of a default fit to the first 60 %, and what a learned warp would
               add to it as one more candidate: learned once on the first 70 % of these, and tried
               with one set of lags.

``monthly``    every fourth monthly series of M1 and M3 with 90 values or more and no negative
               ones, if the automatic choice gives it a logarithm or a root: forecasts of the last
               18 values with that, with a learned warp in its place, and with the one of the two
               that forecasts the end of what is known better (the warp learned once, on its first
               70 %). CRPS in standard deviations of the known values; geometric mean of its ratio
               to that of the automatic choice; share of series where it is lower.

Seconds are of the processor. Absolute errors are those of medians, squared errors those of means.
NLPD is of the targets in their own units. Published figures are beside ours. Data are read from the
folder named by ``GPFORECAST_DATA``, or ``../shared/data``, and from statsmodels.

Prints a table and writes it as CSV beside this script, with a picture of the toy. Run it
from the project's root: ``python benchmarks/accuracy/warped.py``; ``--quick`` is two draws and
splits, and two series.
"""

import argparse
import gzip
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

import gpforecast as gf
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.judge import parts_of, trial
from gpforecast.automatic.short import short_trial
from gpforecast.models import GaussianProcess, WarpedGP
from gpforecast.transforms import Compose, LearnedWarp

FOLDER = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
PUBLISHED = {  # Snelson (2007), table 5.2: absolute error, squared error, NLPD
    ("abalone", "gp"): (1.53, 4.79, 2.19),
    ("abalone", "gp + log"): (1.48, 4.62, 2.01),
    ("abalone", "warped gp"): (1.47, 4.63, 1.96),
    ("ailerons", "gp"): (1.23e-4, 3.05e-8, -7.31),
    ("ailerons", "warped gp"): (1.18e-4, 2.72e-8, -7.45),
}
SPLITS = {"abalone": (1000, 4177), "ailerons": (1000, 7154)}
TWO = "gp", "warped gp", "warped gp, two slopes"
HORIZON, LAST = 12, 18
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


def measured(part: str, draw: int, models: tuple[str, ...], train, test) -> Iterator[dict]:
    """Yield the errors of each model."""
    for model in models:
        start = time.process_time()
        if model.startswith("warped gp"):
            n_tanh, two_slopes = 2 if part == "toy" else 3, "slopes" in model
            median, mean, density = warped(train, test, n_tanh, two_slopes=two_slopes)
        else:
            median, mean, density = gaussian(train, test, "log" if "log" in model else "")
        seconds = time.process_time() - start
        y = test[1]
        errors = np.abs(y - median).mean(), np.mean((y - mean) ** 2), -density.mean()
        found = dict(zip(("absolute", "squared", "nlpd"), errors, strict=True))
        yield {"part": part, "draw": draw, "model": model, **found, "seconds": seconds}


def toy(n_draws: int) -> Iterator[dict]:
    """The regression task of section 5.2."""
    for draw in range(n_draws):
        rng = np.random.default_rng(draw)
        x, x_test = np.linspace(-np.pi, np.pi, 101), rng.uniform(-np.pi, np.pi, 1000)
        y, y_test = (np.cbrt(np.sin(u) + 0.1 * rng.standard_normal(len(u))) for u in (x, x_test))
        test = x_test[:, None], y_test
        yield from measured("toy", draw, TWO, (x[:, None], y), test)


def table(name: str, n_splits: int) -> Iterator[dict]:
    """One data set of table 5.2."""
    n_train, n = SPLITS[name]
    data = pd.read_csv(FOLDER / "regression" / f"{name}.csv.gz").iloc[:n]
    X, y = data.iloc[:, :-1], data.iloc[:, -1].to_numpy(dtype=float)
    X = pd.get_dummies(X).to_numpy(dtype=float)  # abalone has three indicators of sex
    models = ("gp", "gp + log", *TWO[1:]) if y.min() > 0 else TWO
    for split in range(n_splits):
        order = np.random.default_rng(split).permutation(n)
        train, test = order[:n_train], order[n_train:]
        middle, spread = X[train].mean(axis=0), X[train].std(axis=0)
        Z = (X - middle) / np.where(spread > 0, spread, 1.0)
        yield from measured(name, split, models, (Z[train], y[train]), (Z[test], y[test]))


def series() -> dict[str, np.ndarray]:
    """Return series of 98 to 600 values."""

    def read(path: str, n: int | None = None) -> np.ndarray:
        return pd.read_csv(FOLDER / path).iloc[:n, -1].to_numpy(dtype=float)

    macro = sm.datasets.macrodata.load_pandas().data
    return {
        "sunspots": sm.datasets.sunspots.load_pandas().data["SUNACTIVITY"].to_numpy(),
        "lynx": read("classic/lynx.csv"),
        "AirPassengers": read("classic/AirPassengers.csv"),
        "Nile": read("classic/Nile.csv"),
        "LakeHuron": read("classic/LakeHuron.csv"),
        "nottem": read("classic/nottem.csv"),
        "gas": read("classic/gas.csv")[-240:],
        "taylor, 600 values": read("classic/taylor.csv", 600),
        "gas furnace, CO2": read("sysid/gas_furnace.csv"),
        "US inflation": macro["infl"].to_numpy(),
        "US real interest": macro["realint"].to_numpy(),
        "US unemployment": macro["unemp"].to_numpy(),
        "US treasury bills": macro["tbilrate"].to_numpy(),
    }


def scored(transforms: list, y: np.ndarray, n_train: int) -> dict[str, float]:
    """Return scores of forecasts from every origin after the first values."""
    forecaster = gf.Forecaster(transforms=transforms, **USUAL)
    origins, again = np.arange(n_train, len(y) - HORIZON + 1), -(-(len(y) - n_train) // 4)
    found = gf.backtest(forecaster, y, HORIZON, origins, refit=again, progress=False).scores
    return found[["crps", "nlpd"]].mean().to_dict()


def tried(transforms: list, y: np.ndarray, sets: list) -> float:
    """Return the CRPS by which transforms are chosen, with the best of some sets of lags."""
    horizon = min(HORIZON, len(y) // th.HORIZON_PARTS)
    parts = parts_of(y, Compose(*transforms), horizon)
    return min(trial(parts, lags, horizon).crps for lags in sets)


def forecasts(names: list[str]) -> Iterator[dict]:
    """A learned warp in the place of the automatic choice's."""
    every = series()
    for name in names:
        y = every[name]
        n_train = round(0.6 * len(y))
        usual = gf.Forecaster(**USUAL).fit(y[:n_train])
        start = time.process_time()
        gf.Forecaster().fit(y[:n_train])
        of_all = time.process_time() - start
        chain = usual.transforms_
        rest = without_warp(chain)
        season = [chain.period] if chain.period and chain.period < n_train // 4 else []
        around = [1, 2, 3, 4, *season]
        learned = LearnedWarp(lags=around)
        start = time.process_time()
        once = learned.fit(y[: round(0.7 * n_train)])
        tried([once, *rest], y[:n_train], [around])
        of_warp = time.process_time() - start
        sets = [th.LAGS_NEAR, th.LAGS_FURTHER, around]
        for model, steps in (("auto", [*chain.spec.steps]), ("learned warp", [learned, *rest])):
            yield {
                "part": "series", "data": name, "values": len(y), "model": model,
                "steps": " and ".join(type(step).__name__ for step in steps) or "none",
                **scored(steps, y, n_train), "trial": tried(steps, y[:n_train], sets),
                "seconds": of_all if model == "auto" else of_warp,
            }  # fmt: skip


def without_warp(chain: gf.transforms.Chain) -> list:
    """Return the steps of a chain that come after its warp."""
    return [step for step in chain.spec.steps if not hasattr(step, "lowest")]


def monthly(every: int) -> Iterator[dict]:
    """A learned warp where the automatic choice takes another."""
    found, lines = [], []
    for name in ("m3_monthly", "m1_monthly"):
        with gzip.open(FOLDER / "m1m3" / f"{name}.csv.gz", "rt") as file:
            lines += [*file]
    for line in lines[::every]:
        y = np.array([float(cell) for cell in line.strip().split(",")[3:] if cell])
        if len(y) < 90 or y.min() < 0:
            continue
        index = pd.date_range("1970-01-01", periods=len(y), freq="MS")
        past, truth = pd.Series(y, index)[:-LAST], y[-LAST:]
        usual = gf.Forecaster(**USUAL).fit(past)
        chain = usual.transforms_.spec
        rest = without_warp(usual.transforms_)
        if len(rest) < len(chain.steps):
            learned = LearnedWarp(lags=[1, 2, 3, 4, 12])
            other = gf.Forecaster(transforms=[learned, *rest], **USUAL).fit(past)
            values = past.to_numpy()
            once = Compose(learned.fit(values[: round(0.7 * len(past))]), *rest)
            tried = [short_trial(values, steps, LAST) for steps in (chain, once)]
            ahead = [forecaster.predict(LAST) for forecaster in (usual, other)]
            scores = [np.mean(f.distribution.crps(truth)) / values.std() for f in ahead]
            found.append([*scores, scores[int(tried[1] < tried[0])]])
    first = np.array(found)[:, 0]
    for model, crps in zip(("auto", "learned warp", "by trial"), np.array(found).T, strict=True):
        ratio = np.exp(np.log(crps / first).mean())
        means = {"crps": crps.mean(), "ratio": ratio, "better": (crps < first).mean()}
        yield {"part": "monthly", "model": model, "series": len(first), **means}


def averaged(found: pd.DataFrame) -> pd.DataFrame:
    """Return the means over draws, the spread of NLPD, and the published figures."""
    over = found.groupby(["part", "model"], sort=False)
    result = over[["absolute", "squared", "nlpd", "seconds"]].mean()
    result["nlpd sd"] = over["nlpd"].std()
    columns = ["published absolute", "published squared", "published nlpd"]
    rows = [PUBLISHED.get(key, (np.nan,) * 3) for key in result.index]
    return result.join(pd.DataFrame(rows, index=result.index, columns=columns)).reset_index()


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two draws and splits, two series")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gf.NumericalWarning)
    few = options.quick
    rows = [*toy(2 if few else 20)]
    for name in SPLITS:
        rows += table(name, 2 if few else 10)
    means = averaged(pd.DataFrame(rows))
    pd.set_option("display.width", 160, "display.max_columns", 20)
    print(means.to_string(index=False, float_format="%.4g"), flush=True)
    of_series = pd.DataFrame([*forecasts(["lynx", "US inflation"] if few else [*series()])])
    print(of_series.drop(columns="part").to_string(index=False, float_format="%.4g"))
    of_monthly = pd.DataFrame([*monthly(100 if few else 4)])
    print(of_monthly.to_string(index=False, float_format="%.4g"))
    output = options.output or (None if few else Path(__file__).with_suffix(".csv"))
    if output:
        pd.concat([means, of_series, of_monthly]).to_csv(output, index=False, float_format="%.4g")
        draw(output.with_suffix(".png"))


if __name__ == "__main__":
    main()
