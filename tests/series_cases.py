"""Series that are simulated, for the tests of all rooms."""

import numpy as np
from scipy.signal import lfilter


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def autoregression(n, *phi, seed=0, size=1.0):
    """y(t) = phi_1 y(t-1) + phi_2 y(t-2) + ... + e(t), from zeros on; `size` of e may change."""
    k = len(phi)
    e = noise(n - k, seed) * np.broadcast_to(size, n)[k:]
    return lfilter([1.0], [1.0, *np.negative(phi)], np.append(np.zeros(k), e))
