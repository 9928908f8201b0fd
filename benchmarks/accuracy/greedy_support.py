"""Figure 3.2 of Quinonero-Candela's thesis: how many inputs a greedy support should have.

100 inputs on [-10, 10], sin(x)/x with noise of variance .01; covariance and noise as the thesis has
them, length-scale and amplitude 1, noise variance .01. The support grows by the evidence (SGEV) or
by the posterior (SGGP, of Smola and Bartlett). For each size M: the mean squared error at 1000
inputs on [-12, 12], the negative log evidence of SGEV, and the *gap* of SGGP, the relative
difference of two bounds on its negative log posterior. Smola and Bartlett stop where it is below
.025:

    upper  -1/2 y' K_NM (K_MN K_NM + s^2 K_MM)^-1 K_MN y                            (3.35)
    lower  -1/2 y' y + 1/2 s^2 y_M' (K_MM + s^2 I)^-1 y_M

The claim is that the evidence is best where the error is, and that the gap falls whatever the error
does. *variance* is the sparse greedy variance at the test inputs, (3.38), over the full one, with M
rows chosen for each test input: it is never too small.

Prints medians over draws and writes them as CSV beside this script. Run it from the project's root,
some seconds: ``python benchmarks/accuracy/greedy_support.py``; ``--quick`` has fewer draws.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.stats import multivariate_normal

from gpforecast.covariances import SquaredExponential
from gpforecast.models.greedy import greedy_rows

NOISE, MOST, THRESHOLD = 0.01, 25, 0.025
COVARIANCE = SquaredExponential(1.0, 1.0)
X, AT = np.linspace(-10.0, 10.0, 100)[:, None], np.linspace(-12.0, 12.0, 1000)[:, None]
K, TO = COVARIANCE(X, X), COVARIANCE(AT, X)


def mean_at(rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean of the reduced-rank process at the test inputs, eq. (3.27)."""
    inner = K[rows] @ K[:, rows] + NOISE * K[np.ix_(rows, rows)]
    return TO[:, rows] @ np.linalg.solve(inner, K[rows] @ y)


def negative_log_evidence(rows: np.ndarray, y: np.ndarray) -> float:
    """Return that of the reduced-rank process, by its N x N matrix."""
    block = K[np.ix_(rows, rows)] + 1e-10 * np.eye(len(rows))
    V = np.linalg.solve(np.linalg.cholesky(block), K[rows])
    return -multivariate_normal.logpdf(y, np.zeros(len(y)), V.T @ V + NOISE * np.eye(len(y)))


def gap(rows: np.ndarray, y: np.ndarray) -> float:
    """Return the relative difference of the two bounds."""
    block = K[np.ix_(rows, rows)]
    by = K[rows] @ y
    upper = -0.5 * by @ np.linalg.solve(K[rows] @ K[:, rows] + NOISE * block, by)
    few = cho_factor(block + NOISE * np.eye(len(rows)))
    lower = -0.5 * y @ y + 0.5 * NOISE * y[rows] @ cho_solve(few, y[rows])
    return float(2.0 * (upper - lower) / abs(upper + lower))


def excess_variance(m: int) -> float:
    """Return the largest ratio of the sparse greedy variance, (3.38) with m rows, to the full."""
    full = 1.0 - (TO * np.linalg.solve(K + NOISE * np.eye(len(X)), TO.T).T).sum(axis=1)
    ratios = []
    for k_at, var in zip(TO[::20], full[::20], strict=True):
        c, rest = k_at.copy(), np.diag(K) + NOISE  # residual covariances and variances
        left, roots = 1.0, np.zeros((0, len(X)))
        for _ in range(m):
            best = int(np.argmax(np.where(rest > 1e-9, c**2 / rest, -1.0)))
            root = (K[best] + NOISE * (np.arange(len(X)) == best) - roots[:, best] @ roots) / (
                np.sqrt(rest[best])
            )
            left -= c[best] ** 2 / rest[best]
            c = c - root * c[best] / np.sqrt(rest[best])
            rest = np.maximum(rest - root**2, 1e-12)
            roots = np.vstack([roots, root])
        ratios.append((left + NOISE) / (var + NOISE))
    assert min(ratios) > 1.0 - 1e-6
    return float(max(ratios))


def one_draw(seed: int) -> pd.DataFrame:
    """Return errors, evidence and gap over the size of the support."""
    y = np.sinc(X[:, 0] / np.pi) + np.sqrt(NOISE) * np.random.default_rng(seed).standard_normal(100)
    truth = np.sinc(AT[:, 0] / np.pi)
    sgev, sggp = (
        greedy_rows(kind, X, y, MOST, covariance=COVARIANCE, noise_var=NOISE).rows
        for kind in ("sgev", "sggp")
    )
    return pd.DataFrame(
        {
            "mse, SGEV": np.mean((mean_at(sgev[:m], y) - truth) ** 2),
            "mse, SGGP": np.mean((mean_at(sggp[:m], y) - truth) ** 2),
            "-log evidence, SGEV": negative_log_evidence(sgev[:m], y),
            "gap, SGGP": gap(sggp[:m], y),
        }
        for m in range(1, MOST + 1)
    ).set_index(pd.RangeIndex(1, MOST + 1, name="M"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 draws instead of 30")
    options = parser.parse_args()
    draws = [one_draw(seed) for seed in range(3 if options.quick else 30)]
    table = pd.concat(draws).groupby(level="M").median()
    table["variance"] = [excess_variance(m) for m in table.index]
    print(table.round(4).to_string())
    if not options.quick:
        table.round(5).to_csv(Path(__file__).with_suffix(".csv"))
    best = pd.DataFrame(
        {
            "least error, SGEV": draw["mse, SGEV"].idxmin(),
            "most evidence": draw["-log evidence, SGEV"].idxmin(),
            "least error, SGGP": draw["mse, SGGP"].idxmin(),
        }
        for draw in draws
    )
    print("\nmedian size of the support:\n" + best.median().to_string())
    errors = [
        draw["mse, SGEV"].loc[m] for draw, m in zip(draws, best["most evidence"], strict=True)
    ]
    last = pd.DataFrame(draw.iloc[-1] for draw in draws)
    print(f"\nmean error where the evidence is greatest: {np.mean(errors):.4f}")
    print(f"with {MOST}, by SGGP: {last['mse, SGGP'].mean():.4f}", end="; ")
    print(f"its gap is below {THRESHOLD} in {(last['gap, SGGP'] < THRESHOLD).mean():.0%} of draws")


if __name__ == "__main__":
    main()
