"""Section 2.3.8 of Snelson's thesis: sparse approximations where there is almost no noise.

*Evidence* (the figures under figure 2.5): 200 rows, evenly spaced on [0, 10], of a process with
length-scale 1 and variance 1, with noise of standard deviation 0.01, and 8 inducing inputs in the
middle, on [3.5, 6.5]. The covariance is the true one. The thesis shows one draw and does not give
its setting; this one was chosen so that the evidence of the full process and of FITC are near the
published ones. The table has the median, the least and the largest of the draws.

*Predictions* (figure 2.6): the same rows, and as inducing inputs 8 of them, one at random from each
eighth of the range. Over the standard deviation of the noise: how far the prediction of FITC is
from that of a Gaussian process on those 8 rows alone (SD), root mean square over 1000 inputs; and
by how many of its standard deviations (noise included) each approximation misses the targets at the
inducing inputs, the median over draws of the largest of the 8. The claim (2.35): without noise FITC
is SD, and DTC (PP in the thesis) is certain beside the data.

Writes every draw as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/low_noise.py``; ``--quick`` is 3 draws instead of 20.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

N, M = 200, 8
COVARIANCE = gf.covariances.SquaredExponential(1.0, 1.0)
PUBLISHED = {"full": 534.0, "fitc": 142.0, "dtc": -1.14e5, "sr": -1.14e5}
NOISES = 10.0 ** np.arange(-1.0, -6.5, -1.0)  # standard deviations


def draw(seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of one function; the noise is the same draw in every size."""
    rng = np.random.default_rng(seed)
    X = np.linspace(0.0, 10.0, N)[:, None]
    return X, COVARIANCE.sample(X, seed=rng)[0] + noise * rng.standard_normal(N)


def full(noise: float) -> gf.models.GaussianProcess:
    return gf.models.GaussianProcess(COVARIANCE, noise_var=noise**2, optimizer=None)


def sparse(kind: str, noise: float, inducing: np.ndarray) -> gf.models.SparseGaussianProcess:
    return gf.models.SparseGaussianProcess(
        COVARIANCE, approximation=kind, noise_var=noise**2, optimizer=None, inducing=inducing
    )


def evidences(seed: int, noise: float = 0.01) -> dict[str, float]:
    X, y = draw(seed, noise)
    Z = np.linspace(3.5, 6.5, M)[:, None]
    models = {"full": full(noise)}
    models |= {kind: sparse(kind, noise, Z) for kind in ("fitc", "dtc", "sr", "vfe")}
    return {name: m.fit(X, y).log_marginal_likelihood_ for name, m in models.items()}


def predictions(seed: int, noise: float) -> dict[str, float]:
    X, y = draw(seed, noise)
    eighths = np.array_split(np.arange(N), M)
    rows = [int(np.random.default_rng(seed).choice(part)) for part in eighths]
    at = np.linspace(0.0, 10.0, 1000)[:, None]
    sd = full(noise).fit(X[rows], y[rows])
    mean, std = sd.predict(at, return_std=True)
    found = {}
    for kind in ("fitc", "dtc"):
        model = sparse(kind, noise, X[rows]).fit(X, y)
        own_mean, own_std = model.predict(at, return_std=True)
        found[f"mean, {kind} - sd"] = float(np.sqrt(np.mean((own_mean - mean) ** 2)))
        found[f"std, {kind} - sd"] = float(np.sqrt(np.mean((own_std - std) ** 2)))
        middle, width = model.predict(X[rows], return_std=True)
        missed = np.abs(y[rows] - middle) / np.sqrt(width**2 + noise**2)
        found[f"missed, {kind}"] = float(missed.max())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 draws")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gf.NumericalWarning)  # of rounding where noise is tiny
    seeds = range(3 if options.quick else 20)
    tables = {"evidence": pd.DataFrame([evidences(s) for s in seeds])}
    print(f"log evidence, {N} rows, noise 0.01, {len(seeds)} draws")
    print(f"{'':<6}{'median':>12}{'least':>12}{'largest':>12}{'thesis':>12}")
    for name, column in tables["evidence"].items():
        then = f"{PUBLISHED[name]:.4g}" if name in PUBLISHED else ""
        marks = (column.median(), column.min(), column.max())
        print(f"{name:<6}" + "".join(f"{v:12.4g}" for v in marks) + f"{then:>12}")
    print(f"\npredictions, medians of {len(seeds)} draws")
    for noise in NOISES:
        found = pd.DataFrame([predictions(s, noise) for s in seeds])
        tables[f"{noise:g}"] = found
        if noise == NOISES[0]:
            print(f"{'noise':>8}" + "".join(f"{name:>16}" for name in found))
        print(f"{noise:8.0e}" + "".join(f"{v:16.2g}" for v in found.median()), flush=True)
    path = Path(__file__).with_suffix(".csv")
    if output := options.output or (None if options.quick else path):
        rows = [
            {"table": "evidence" if name == "evidence" else "predictions",
             "noise": 0.01 if name == "evidence" else float(name),
             "seed": seed, "what": what, "value": value}
            for name, table in tables.items()
            for seed, found in zip(seeds, table.to_dict("records"), strict=True)
            for what, value in found.items()
        ]  # fmt: skip
        pd.DataFrame(rows).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
