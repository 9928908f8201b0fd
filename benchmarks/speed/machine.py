"""Peak speed of this machine, and the operation count of exact moments.

Prints the multiply-adds a second of one thread in a loop that does nothing else, the same for
BLAS's matrix product, and the speed of reading memory. Also prints the flops and bytes of one call
of exact moments. Run it with ``python benchmarks/speed/machine.py``.
"""

import os
import platform
import time
from pathlib import Path

import numpy as np
from numba import njit
from threadpoolctl import threadpool_limits

_CHAIN = 32  # multiply-adds on one element before the next
_LANES = 128  # elements; their chains run side by side


def _make_loop():
    """Return the compiled loop, unrolled so that the compiler uses vector instructions."""
    lines = ["def loop(a, x, y, n):", "    for _ in range(n):", "        for i in range(a.size):"]
    lines += ["            v = a[i]"] + ["            v = v * x + y"] * _CHAIN
    lines += ["            a[i] = v"]
    scope: dict = {}
    exec("\n".join(lines), scope)
    return njit(fastmath={"contract"}, nogil=True)(scope["loop"])


def _best(action, runs: int = 7) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)  # the peak is that of an undisturbed run


def multiply_adds(flops: float):
    """Return a function that does so many flops of multiply-adds in one thread, and no more."""
    loop, a = _make_loop(), np.ones(_LANES)
    turns = max(1, round(flops / (2.0 * _CHAIN * _LANES)))

    def run() -> dict:
        loop(a, 0.999, 1e-3, turns)
        return {}

    return run


def fma_peak() -> float:
    """Return flops a second of a loop of multiply-adds in one thread, two flops each."""
    loop, a, n = _make_loop(), np.ones(_LANES), 20_000
    loop(a, 0.999, 1e-3, 10)
    return 2.0 * _CHAIN * _LANES * n / _best(lambda: loop(a, 0.999, 1e-3, n))


def blas_peak(n: int = 768) -> float:
    """Return flops a second of a matrix product in one thread."""
    A = np.random.default_rng(0).standard_normal((n, n))
    out = np.empty_like(A)
    with threadpool_limits(1):
        A @ A
        return 2.0 * n**3 / _best(lambda: np.dot(A, A, out=out))


def read_speed(megabytes: int = 8) -> float:
    """Return bytes a second of summing an array of this size in one thread (8 MB: N = 1000)."""
    a = np.ones(megabytes * 131_072)
    with threadpool_limits(1):
        return a.nbytes / _best(lambda: np.dot(a, a))


def moments_flops(n: int, rank: int) -> dict[str, float]:
    """Return the flops of one call of exact moments, by part; a multiply-add counts as two.

    For as many inputs as the rank of their covariance. For each of the n (n + 1) / 2 pairs: the dot
    product of length `rank` (2 rank), the two terms of row and column (2), the remainder of the
    exponential (40: reduction 9, polynomial 24, the rest 7), weight and sum (3). Then C^-1 applied
    to rank + 2 vectors, n^2 each. For each of the n basis functions: two products with matrices of
    the rank, one of them triangular, the exponential (30), and sixteen flops for each input, for
    distances, squares and sums. And once the factors of the input's covariance: five products of
    triangular matrices, rank^3 each.
    """
    pairs = 0.5 * n * (n + 1)
    return {
        "dot products": pairs * 2 * rank,
        "exponentials": pairs * 45,
        "triangular solves": (rank + 2.0) * n**2,
        "basis functions": n * (3.0 * rank**2 + 16.0 * rank + 30.0),
        "factors": 5.0 * rank**3,
    }


def moments_bytes(n: int) -> float:
    """Return the bytes one call must read: half of w w' + B, half of C."""
    return 8.0 * n * (n + 1)


def description() -> str:
    """Return processor, cores and system in a line."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = models[0].split(":")[1].strip() if models else name
    python = platform.python_version()
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, Python {python}"


def main() -> None:
    print(description())
    print(f"multiply-adds in one thread   {fma_peak() / 1e9:8.1f} Gflop/s")
    print(f"matrix product in one thread  {blas_peak() / 1e9:8.1f} Gflop/s")
    print(f"reading 8 MB                  {read_speed() / 1e9:8.1f} GB/s")
    print(f"reading 64 MB                 {read_speed(64) / 1e9:8.1f} GB/s")
    for n in (100, 500, 1000):
        flops = moments_flops(n, 16)
        parts = ", ".join(f"{name} {value / 1e6:.2f}" for name, value in flops.items())
        print(f"moments, N = {n}: {sum(flops.values()) / 1e6:.2f} Mflop ({parts})", end="")
        print(f", {moments_bytes(n) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
