"""One distribution of each kind over the same horizon, for one origin and for a batch."""

import numpy as np

from gpforecast.results import Censored, Gaussian, Mixture, Paths, Support, Warped
from gpforecast.results.step_warps import CalibrationWarp
from gpforecast.transforms import BoxCox, Log
from gpforecast.transforms.warps import Identity

H, B = 4, 3


def gaussian(seed=0, batch=B, size=0.4):
    """A correlated Gaussian (batch, H), (H,) without a batch; a tenth of it is noise."""
    rng = np.random.default_rng(seed)
    shape = (H,) if batch is None else (batch, H)
    root = size * rng.standard_normal((*shape, H))
    S = root @ np.swapaxes(root, -1, -2) + 0.1 * size**2 * np.eye(H)
    latent_var = 0.9 * np.einsum("...hh->...h", S)
    return Gaussian(1.0 + 0.3 * rng.standard_normal(shape), S, latent_var)


def remapped(seed=0):
    """Gaussian steps with heavier tails, each of its own."""
    source = gaussian(seed)
    knots = np.array([0.7, 1.3, 2.0])
    values = knots * np.linspace(1.05, 1.4, H)[:, None] * np.array([0.9, 1.0, 1.2])
    return Warped(source, CalibrationWarp(Identity(), source.mean, source.std, knots, values))


def remapped_each(seed=1):
    """Log-normal steps with tails of their own for each origin too."""
    source, rng = gaussian(seed), np.random.default_rng(seed)
    knots = np.array([0.7, 1.3, 2.0])
    values = knots * np.linspace(1.0, 1.4, H)[:, None] * rng.uniform(0.9, 1.1, (B, H, 3))
    return Warped(source, CalibrationWarp(Log(), source.mean, source.std, knots, values))


def paths(seed=0, n=400):
    """Skewed paths."""
    source = gaussian(seed)
    drawn = np.exp(source.sample(n, np.random.default_rng(seed)))
    return Paths.of(drawn, 0.9 * drawn.var(axis=-1))


def warped_paths(seed=0, n=400):
    """Paths whose density is that of a log-normal distribution."""
    source = gaussian(seed)
    drawn = np.exp(source.sample(n, np.random.default_rng(seed)))
    return Paths.of(drawn, 0.9 * drawn.var(axis=-1), Warped(source, Log()))


KINDS = {
    "gaussian": gaussian,
    "log-normal": lambda: Warped(gaussian(), Log()),
    "power": lambda: Warped(gaussian(), BoxCox(0.4).fit([0.5, 1.0, 2.0])),
    "remapped": remapped,
    "remapped log-normal": remapped_each,
    "paths": paths,
    "warped paths": warped_paths,
    "mixture": lambda: Mixture(np.array([0.5, 0.2, 0.3]), tuple(map(gaussian, range(3)))),
    "mixture, each origin its weights": lambda: Mixture(
        np.random.default_rng(0).dirichlet([1.0, 1.0], B), (gaussian(0), gaussian(1))
    ),
    "mixture of kinds": lambda: Mixture(
        np.array([0.25, 0.75]), (Warped(gaussian(1), Log()), gaussian(2))
    ),
    "positive": lambda: Censored(gaussian(size=0.8), Support(low=0.6)),
    "bounded": lambda: Censored(gaussian(size=0.8), Support(0.5, 1.6)),
    "positive power": lambda: Censored(
        Warped(gaussian(), BoxCox(0.4).fit([0.5, 1.0, 2.0])), Support(0.9)
    ),
    "positive remapped": lambda: Censored(remapped(), Support(0.9)),
    "positive mixture": lambda: Censored(KINDS["mixture"](), Support(0.9)),
    "positive paths": lambda: Censored(paths(), Support(2.0)),
    "counts": lambda: Censored(gaussian(size=2.0), Support(0.0, whole=True)),
    "counts by a mixture": lambda: Censored(KINDS["mixture"](), Support(0.0, whole=True)),
}
WITH_ATOMS = [kind for kind in KINDS if kind.startswith(("positive", "bounded", "counts"))]
WITHOUT_ATOMS = [kind for kind in KINDS if kind not in WITH_ATOMS]
