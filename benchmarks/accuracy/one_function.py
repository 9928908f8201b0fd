"""One function along a path: closed form, step-wise moments and draws of the function compared.

Five processes, each learned from few values in many draws:

- *prior*: f itself is a draw of a Gaussian process with two lags, whose hyperparameters are given.
  40 values are known, and are forecast from their end: the model is right, so that draws of f are
  the exact posterior. The others are forecast from ten later origins
- *AR(2)*: 40 values, by ``LinearAR``
- *oscillation*: 80 values of the noisy limit cycle of ``examples/one_function.py``
- *Mackey-Glass*: 100 rows of 16 lags, as in the papers
- *Henon*: 100 values of a chaotic map that folds, where no single Gaussian is the forecast

The reference is ``MonteCarlo(kind="function")``: 1000 paths, each along one draw of f. For every
method, averaged over origins and draws: how far its median is from that of the reference, in
quarters of the width of the reference's 95 % interval; the width of its own over that, over all
steps, at the last and for the total over the horizon (geometric means); and against what was
observed the coverage of these intervals, and the CRPS over that of the reference.

``order`` is a process whose forecast is known: y_t = 0.2 + w y_{t-1} + e from y_0 = 1, with
w ~ N(0.8, s^2) and noise of variance 10 s^2, over 20 steps. Listed are relative errors of the last
standard deviation against quadrature over w.

Writes ``one_function.csv``, ``one_function_order.csv`` and ``one_function.png``, which
``docs/explanation/one_function.rst`` shows. Run it from the project's root, some ten minutes of one
core: ``python benchmarks/accuracy/one_function.py``; ``study.py`` has its options.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from folded import henon
from scipy.special import ndtri
from study import Case, Row, autoregression, run

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess, LinearAR
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation import ExactMoments, MonteCarlo
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from oracles import ar_forecast

HERE = Path(__file__).parent
ORIGINS, N_PATHS = 10, 1000
LEVELS = np.array([0.025, 0.5, 0.975])
REFERENCE = "draws of f"
METHODS = {
    REFERENCE: MonteCarlo(N_PATHS, kind="function", seed=0),
    "one function": ExactMoments(),
    "one function, 256 paths": ExactMoments(n_paths=256),
    "step by step": ExactMoments(function="step"),
    "step by step, paths": MonteCarlo(N_PATHS, seed=0),
}
STYLES = {REFERENCE: "k-", "one function": "C0-", "step by step": "C1-"}
Process = tuple[np.ndarray, gf.Forecaster, np.ndarray, int]  # series, fitted, origins, horizon


def process_only(lags: int, model: object, **options: object) -> gf.Forecaster:
    as_given = [gf.transforms.Standardise(0.0, 1.0)]
    return gf.Forecaster(lags, transforms=as_given, model=model, noise="process", **options)


def later(y: np.ndarray, n: int, horizon: int) -> np.ndarray:
    """Return origins after the n values that are known."""
    return np.linspace(n + 20, len(y) - horizon, ORIGINS).astype(int)


def prior(seed: int) -> Process:
    """Return a series whose map is a draw of a Gaussian process, by 2000 Fourier features."""
    rng, m, lengthscale, noise_var = np.random.default_rng(seed), 1000, 1.5, 0.01
    omega, weights = rng.standard_normal((m, 2)) / lengthscale, rng.standard_normal((2, m))
    y = np.zeros(100)
    for t in range(2, len(y)):
        phase = omega @ y[[t - 1, t - 2]]
        f = (weights[0] @ np.cos(phase) + weights[1] @ np.sin(phase)) / np.sqrt(m)
        y[t] = f + np.sqrt(noise_var) * rng.standard_normal()
    known = SquaredExponential(np.full(2, lengthscale), 1.0)
    fc = process_only(2, GaussianProcess(known, noise_var=noise_var, optimizer=None))
    return y[20:], fc.fit(y[20:60]), np.array([40]), 40


def linear(seed: int) -> Process:
    y = autoregression(0.5 + np.random.default_rng(seed).standard_normal(298), 1.5, -0.7)
    return y[50:], process_only(2, LinearAR()).fit(y[50:90]), later(y[50:], 40, 40), 40


def oscillation(seed: int) -> Process:
    rng, y = np.random.default_rng(seed), np.zeros(450)
    for t in range(2, len(y)):
        pull = 1.9 - 0.15 * min(y[t - 1] ** 2, 9.0)
        y[t] = pull * y[t - 1] - 0.95 * y[t - 2] + 0.05 * rng.standard_normal()
    return y[50:], process_only(3, GaussianProcess()).fit(y[50:130]), later(y[50:], 80, 40), 40


def mackey_glass(seed: int) -> Process:
    y = gf.datasets.mackey_glass(12_000, normalise=True, noise_var=1e-3, seed=seed).to_numpy()
    fc = process_only(16, GaussianProcess(), max_rows=100, seed=seed)
    return y, fc.fit(y[:8000]), later(y, 8000, 100), 100


def noisy_henon(seed: int) -> Process:
    x = henon(1000)[50 * seed :]
    y = x + 0.01 * x.std() * np.random.default_rng(seed).standard_normal(len(x))
    return y, process_only(2, GaussianProcess()).fit(y[:100]), later(y, 100, 20), 20


PROCESSES = {
    "prior": (prior, 400),
    "AR(2)": (linear, 60),
    "oscillation": (oscillation, 40),
    "Mackey-Glass": (mackey_glass, 20),
    "Henon": (noisy_henon, 10),
}


def compared(make: partial[Process]) -> list[Row]:
    """Return the results of every method at each step, and of the total as step 0."""
    y, fc, origins, h = make()
    truth = y[origins[:, None] + np.arange(h)]
    truth = np.column_stack([truth.sum(axis=1), truth])
    rows: list[Row] = []
    reference = None
    for name, method in METHODS.items():
        found = fc.predict_from(y, origins, h, propagation=method, n_jobs=1)
        if found.paths is None:
            total = found.mean.sum(axis=1), np.sqrt(found.covariance.sum(axis=(1, 2)))
            total = total[0] + ndtri(LEVELS)[:, None] * total[1]
        else:
            total = np.quantile(found.paths.sum(axis=1), LEVELS, axis=1)
        of_steps = np.moveaxis(found.quantile(LEVELS), -1, 0)
        low, median, high = np.concatenate([total[:, :, None], of_steps], axis=2)
        reference = reference or (median, high - low)
        off = 4.0 * np.abs(median - reference[0]) / reference[1]
        width = np.log((high - low) / reference[1])
        held, crps = (truth >= low) & (truth <= high), found.crps(truth[:, 1:])
        for k in range(h + 1):
            row = {"method": name, "step": k, "held": held[:, k].mean()}
            row |= {"off": off[:, k].mean(), "width": width[:, k].mean()}
            rows.append(row | ({"crps": crps[:, k - 1].mean()} if k else {}))
    return rows


def order(var: float) -> Row:
    """Return errors of the last standard deviation where the slope of a line is uncertain."""
    h, std = 20, np.sqrt(var)
    t, weight = np.polynomial.hermite_e.hermegauss(60)
    weight = weight / weight.sum()
    known = {"constant": 0.2, "noise_var": 10.0 * var}
    runs = [ar_forecast([w], (1,), [1.0], h, **known) for w in 0.8 + std * t]
    mean, of_noise = np.array([(m[-1], covariance[-1, -1]) for m, covariance in runs]).T
    exact = weight @ of_noise + weight @ (mean - weight @ mean) ** 2
    line = Posterior(
        centers=np.zeros((0, 1)), lengthscales=np.ones(1), weights=np.zeros(0),
        linear=np.array([0.8]), added=np.array([[std], [0.0]]), **known,
    )  # fmt: skip
    row: Row = {"variance of w": var}
    for name in ("one function", "step by step"):
        found = propagate(
            Columns.of(line, Inputs((1,))), METHODS[name], Start(np.array([[1.0]])), h
        )
        row[name] = np.sqrt(found.covariance[0, -1, -1] / exact) - 1.0
    return row


def cases(quick: bool) -> Iterator[Case]:
    for name, (make, n_draws) in PROCESSES.items():
        for draw in range(2 if quick else n_draws):
            yield {"process": name, "draw": draw}, partial(compared, partial(make, draw))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of the page: a line for each process and method."""
    by_step = table.groupby(["process", "step", "method"], sort=False).mean(numeric_only=True)
    lines = {}
    for (process, method), one in by_step.groupby(["process", "method"], sort=False):
        steps = one.droplevel(["process", "method"])
        ahead, last, total = steps.drop(index=0), steps.iloc[-1], steps.loc[0]
        reference = by_step.loc[process].xs(REFERENCE, level="method").drop(index=0)
        lines[process, method] = {
            "median off": f"{ahead['off'].mean():.2f}",
            "width": f"{np.exp(ahead['width'].mean()):.2f}",
            "at the last step": f"{np.exp(last['width']):.2f}",
            "of the total": f"{np.exp(total['width']):.2f}",
            "held": f"{100 * ahead['held'].mean():.1f} %",
            "last step": f"{100 * last['held']:.1f} %",
            "total": f"{100 * total['held']:.1f} %",
            "CRPS": f"{ahead['crps'].mean() / reference['crps'].mean():.3f}",
        }
    return pd.DataFrame(lines).T.rename_axis(["process", "method"])


def draw_picture(table: pd.DataFrame, path: Path) -> None:
    means = table.groupby(["process", "method", "step"], sort=False).mean(numeric_only=True)
    shown = [name for name in PROCESSES if name != "Henon"]
    fig, axes = plt.subplots(2, len(shown), figsize=(12, 5), layout="constrained", sharey="row")
    for process, (above, below) in zip(shown, axes.T, strict=True):
        for method, style in STYLES.items():
            steps = means.loc[process, method].drop(index=0)
            above.plot(steps.index, np.exp(steps["width"]), style, label=method)
            below.plot(steps.index, steps["held"], style)
        above.set_title(process)
        below.axhline(0.95, color="0.6", linestyle=":")
        below.set_xlabel("step")
    axes[0, 0].set_ylabel("width of the 95 % interval\nover that of draws of f")
    axes[1, 0].set_ylabel("held by 95 % intervals")
    axes[0, 0].legend(frameon=False)
    fig.suptitle(f"gpforecast {gf.__version__}", x=0.995, ha="right", size=8, color="0.4")
    fig.savefig(path, dpi=110)


if __name__ == "__main__":
    rows = run(__file__, cases, ["process", "method"], summary=summary)
    errors = pd.DataFrame(map(order, (1e-2, 1e-3, 1e-4, 1e-5)))
    print(summary(rows).to_string(), errors.to_string(index=False), sep="\n\n")
    if not {"--quick", "--only", "--output"} & {*sys.argv}:
        draw_picture(rows, HERE / "one_function.png")
        errors.to_csv(HERE / "one_function_order.csv", index=False, float_format="%.1e")
