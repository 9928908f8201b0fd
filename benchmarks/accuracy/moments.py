"""Relative errors of the variance at an uncertain input, against 50-digit arithmetic.

Three forms of the same formula: the textbook's L - l l', the plain sum of the basis functions'
covariances, and the one the library computes, with the first order taken out as a sum of squares.
Prints a table, and writes it as reStructuredText with ``--rst FILE``.

Run it from the project's root: ``python benchmarks/accuracy/moments.py``.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import gpforecast as gf

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from oracles import mp_moments
from twins.moments import extended_linear_moments

N, D, SPREAD = 80, 2, 0.3  # 80 rows within about a third of a length-scale


def textbook(posterior, u, S):
    m, d = posterior.centers.shape
    B = np.zeros((m + d + 1, m + d + 1))
    B[:m, :m] = -np.linalg.inv(posterior.chol @ posterior.chol.T)
    w = np.concatenate([posterior.weights, np.zeros(d + 1)])
    return extended_linear_moments(
        u, S, posterior.centers, posterior.lengthscales, w, B, posterior.prior_var
    )[1]


def plain(posterior, u, S):
    ell = posterior.lengthscales
    s, V = np.linalg.eigh(S / np.outer(ell, ell))
    z = (posterior.centers - u) / ell @ V
    rho = 0.5 * z**2 @ (s**2 / ((1 + s) * (1 + 2 * s)))
    rho += 0.25 * np.log1p(-((s / (1 + s)) ** 2)).sum()
    T = (z * (s / (1 + 2 * s))) @ z.T - rho[:, None] - rho
    inverse = np.linalg.inv(posterior.chol @ posterior.chol.T)
    W = np.outer(posterior.weights, posterior.weights) - inverse
    l_ = gf.numerics.l_vector(u, S, posterior.centers, ell)
    base = posterior.prior_var - (np.linalg.solve(posterior.chol, l_) ** 2).sum()
    return base + (W * np.outer(l_, l_) * np.expm1(T)).sum()


def ours(posterior, u, S):
    return posterior.moments(u[None], S[None]).var[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rst", help="write the table to this file")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = SPREAD * rng.standard_normal((N, D))
    u = SPREAD / 2 * rng.standard_normal(D)
    full = rng.standard_normal((D, D))
    full = full @ full.T / D
    lengthscales = np.array([1.2, 0.9])
    rows = []
    for variance, noise in ((1.0, 1e-3), (10.0, 1e-3), (1.0, 1e-6), (10.0, 1e-6), (10.0, 1e-9)):
        y = np.sin(3 * X.sum(axis=1)) + np.sqrt(noise) * rng.standard_normal(N)
        covariance = gf.covariances.SquaredExponential(lengthscales, variance)
        gp = gf.models.GaussianProcess(covariance, noise_var=noise, optimizer=None)
        posterior = gp.fit(X, y).posterior_
        for size in (1e-12, 1e-6, 1e-2, 10.0):
            S = size * full
            exact = mp_moments(X, y, lengthscales, variance, noise, u, S)[1]
            errors = [abs(f(posterior, u, S) / exact - 1) for f in (textbook, plain, ours)]
            row = (f"{variance:g}", f"{noise:g}", f"{size:g}", f"{exact:.2e}")
            rows.append((*row, *(f"{e:.0e}" for e in errors)))
            print(("{:>8}" * 3 + "{:>12}" * 4).format(*rows[-1]), flush=True)
    if options.rst:
        Path(options.rst).write_text(_rst(rows))


def _rst(rows) -> str:
    head = ("signal", "noise", "S", "true variance", "textbook", "plain covariances", "library")
    lines = [
        ".. csv-table:: Relative error of the variance against 50-digit arithmetic:",
        f"   {N} crowded rows, two inputs, full S of the size given. Made by",
        f"   ``benchmarks/accuracy/moments.py``, version {gf.__version__}.",
        "   :header-rows: 1",
        "",
    ]
    lines += [f"   {', '.join(row)}" for row in (head, *rows)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
