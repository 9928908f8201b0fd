"""A Gaussian process and its moments in NumPy and BLAS alone, for comparison.

One matrix product computes all exponents (with two more columns for their row and column terms),
then come one `exp` in place and one dot product with w w' + B. The blocked form computes only the
blocks on and below the diagonal of the symmetric matrix, in the fastest block size.
"""

import time

import numpy as np


def conditioned(p):
    """Return w and (K + s2 I)^-1 c^2 for basis functions of unit amplitude."""
    X, c = p["X"] / p["lengthscales"], float(p["variance"])
    squares = (X**2).sum(axis=1)
    K = c * np.exp(X @ X.T - 0.5 * squares[:, None] - 0.5 * squares)
    inverse = np.linalg.inv(K + float(p["noise_var"]) * np.eye(len(K)))
    inverse = 0.5 * (inverse + inverse.T)
    return c * (inverse @ p["y"]), c**2 * inverse


class PlainMoments:
    """Mean, variance and input-output covariance at N(u, S)."""

    def __init__(self, p, blocks=False):
        self.X, self.squared = p["X"], p["lengthscales"] ** 2
        self.prior = float(p["variance"])
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


def forecast_one_by_one(moments, pasts, p):
    """Forecast from every origin, one step and one origin at a time, lags 1 to d."""
    horizon, noise = int(p["horizon"]), float(p["noise_var"])
    b, d = pasts.shape
    means, variances = np.empty((b, horizon)), np.empty((b, horizon))
    for origin in range(b):
        values = np.concatenate([pasts[origin], np.zeros(horizon)])
        Sigma = np.zeros((d + horizon, d + horizon))
        for k in range(d, d + horizon):
            lags = np.arange(k - 1, k - d - 1, -1)
            S = Sigma[np.ix_(lags, lags)]
            f = moments(values[lags], S)
            values[k] = f["mean"]
            # cov(f, z) = cov(f, x) S^-1 cov(x, z): only covariances with the lags are needed again
            Sigma[k, lags] = Sigma[lags, k] = f["cross_cov"]
            Sigma[k, k] = f["var"] + noise
        means[origin] = values[d:]
        variances[origin] = np.diag(Sigma)[d:]
    return {"mean": means, "var": variances}
