"""A Gaussian process and its moments in NumPy and BLAS alone, for comparison.

One matrix product computes all exponents (with two more columns for their row and column terms),
then come one `exp` in place and one dot product with w w' + B. The blocked form computes only the
blocks on and below the diagonal of the symmetric matrix, in the fastest block size.
"""

import time

import numpy as np


def conditioned(p):
    """Return w and (K + s2 I)^-1 c^2 for basis functions of unit amplitude."""
    X, c = p["X"] / p["lengthscales"], p["variance"]
    squares = (X**2).sum(axis=1)
    K = c * np.exp(X @ X.T - 0.5 * squares[:, None] - 0.5 * squares)
    inverse = np.linalg.inv(K + p["noise_var"] * np.eye(len(K)))
    inverse = 0.5 * (inverse + inverse.T)
    return c * (inverse @ p["y"]), c**2 * inverse


class PlainMoments:
    """Mean, variance and input-output covariance at N(u, S)."""

    def __init__(self, p, blocks=False):
        self.X, self.squared = p["X"], p["lengthscales"] ** 2
        self.prior = p["variance"]
        self.w, inverse = conditioned(p)
        self.W = np.outer(self.w, self.w) - inverse
        n = len(self.w)
        self.block = n
        if blocks:
            self.block = min((n, 256, 128, 64), key=lambda b: self._seconds(b, p["u"], p["S"]))

    def _seconds(self, block, u, S):
        self.block = block
        times = []
        for _ in range(5):
            start = time.perf_counter()
            self(u, S)
            times.append(time.perf_counter() - start)
        return np.median(times)

    def __call__(self, u, S):
        off = self.X - u
        widened = S + np.diag(self.squared)
        solved = np.linalg.solve(widened, off.T)  # (S + Lambda)^-1 (x_i - u)
        size = np.prod(self.squared)
        l_ = np.exp(-0.5 * np.einsum("id,di->i", off, solved)) * np.sqrt(
            size / np.linalg.det(widened)
        )
        mean = l_ @ self.w
        cross = S @ (solved @ (self.w * l_))
        scaled = off / self.squared
        R = 2.0 * S / self.squared + np.eye(len(u))
        M = np.linalg.solve(R, S)  # symmetric: (S^-1 + 2 Lambda^-1)^-1
        half = scaled @ M
        row = 0.5 * (half * scaled).sum(axis=1) - 0.5 * (off * scaled).sum(axis=1)
        one = np.ones_like(row)
        left = np.column_stack([half, row, one])
        right = np.vstack([scaled.T, one, row])
        total = self._double_sum(left, right) / np.sqrt(np.linalg.det(R))
        return {"mean": mean, "var": self.prior + total - mean**2, "cross_cov": cross}

    def _double_sum(self, left, right):
        n, b = len(left), self.block
        if b == n:
            T = left @ right
            return np.vdot(self.W, np.exp(T, out=T))
        total = 0.0
        for i in range(0, n, b):
            T = left[i : i + b] @ right[:, : i + b]
            np.exp(T, out=T)
            T *= self.W[i : i + b, : i + b]
            total += 2.0 * T[:, :i].sum() + T[:, i:].sum()
        return total


def one_by_one(moments, pasts, p):
    """Forecast from every origin, one origin at a time."""

    def alone(u, S):
        f = moments(u[0], S[0])
        return [np.asarray(f[name])[None] for name in ("mean", "var", "cross_cov")]

    found = [recursion(alone, past[None], p) for past in pasts]
    return {name: np.vstack([f[name] for f in found]) for name in ("mean", "var")}


def recursion(moments, pasts, p):
    """Forecast from origins together, one step at a time, lags 1 to d."""
    horizon, (b, d) = p["horizon"], pasts.shape
    values = np.concatenate([pasts, np.zeros((b, horizon))], axis=1)
    Sigma = np.zeros((b, d + horizon, d + horizon))
    for k in range(d, d + horizon):
        lags = np.arange(k - 1, k - d - 1, -1)
        values[:, k], var, cross = moments(values[:, lags], Sigma[:, lags[:, None], lags])
        # cov(f, z) = cov(f, x) S^-1 cov(x, z): only covariances with the lags are needed again
        Sigma[:, k, lags] = Sigma[:, lags, k] = cross
        Sigma[:, k, k] = var + p["noise_var"]
    return {"mean": values[:, d:], "var": np.diagonal(Sigma, axis1=1, axis2=2)[:, d:]}


def multiply_adds(flops):
    """Return a function that does so many flops of multiply-adds in vector registers."""
    from numba import njit

    chain, lanes = 32, 128  # multiply-adds on one element before the next; elements
    lines = ["def loop(a, n):", "    for _ in range(n):", "        for i in range(a.size):"]
    lines += ["            v = a[i]"] + ["            v = v * 0.999 + 1e-3"] * chain
    scope = {}
    exec("\n".join([*lines, "            a[i] = v"]), scope)
    loop, a = njit(fastmath={"contract"}, nogil=True)(scope["loop"]), np.ones(lanes)
    repeats = max(1, round(flops / (2.0 * chain * lanes)))

    def run():
        loop(a, repeats)
        return {}

    return run


def moments_flops(n, rank):
    """Return the flops of one call of exact moments; a multiply-add counts as two.

    For as many inputs as the rank of their covariance. For each of the n (n + 1) / 2 pairs: the dot
    product of length `rank` (2 rank), the two terms of row and column (2), the remainder of the
    exponential (40: reduction 9, polynomial 24, the rest 7), weight and sum (3). Then C^-1 applied
    to rank + 2 vectors, n^2 each. For each of the n basis functions: two products with matrices of
    the rank, one of them triangular, the exponential (30), and sixteen flops for each input, for
    distances, squares and sums. And once the factors of the input's covariance: five products of
    triangular matrices, rank^3 each.
    """
    pairs = 0.5 * n * (n + 1)
    functions = n * (3.0 * rank**2 + 16.0 * rank + 30.0)
    return pairs * (2 * rank + 45) + (rank + 2.0) * n**2 + functions + 5.0 * rank**3
