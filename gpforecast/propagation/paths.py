"""The values of a forecast as sample paths that grow by a draw at each step."""

from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import IntArray
from gpforecast.common.validation import generator, how_many
from gpforecast.numerics.solving import square_root
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.function_draws import Draw
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.propagated import Propagated

if TYPE_CHECKING:
    from gpforecast.propagation.monte_carlo import MonteCarlo

_LARGEST = 1e150  # of a path: its square is a number


class PathNodes:
    """A set of paths for each origin; each step appends a draw of f, and noise, to every path."""

    def __init__(self, predictive: Predictive, method: "MonteCarlo", layout: Layout) -> None:
        self.rng = generator(method.seed)
        self.layout, start = layout, layout.start
        n, b = how_many(method.n_paths, "n_paths", each=layout.initial.size), len(start.past)
        self.values = np.repeat(layout.initial[None], n, axis=0)  # (n, b, nodes)
        if start.past_cov is not None:
            roots = square_root(start.past_cov)  # (b, p, p)
            z = self.rng.standard_normal((n, *roots.shape[:2]))
            self.values[:, :, : layout.n_past] += np.einsum("bij,nbj->nbi", roots, z)
        if start.exog_cov is not None:
            root = square_root(start.exog_cov)
            z = self.rng.standard_normal((n, b, len(root)))
            self.values[:, :, layout.n_past : layout.first] += z @ root.T
        self.begin(predictive, method)
        self.latent_var = np.zeros((b, layout.horizon))

    def begin(self, predictive: Predictive, method: "MonteCarlo") -> None:
        """Draw what is kept along every path: its function, if the method draws whole ones."""
        self.noise = float(np.sqrt(predictive.noise_var))
        self.draw = method.start(predictive, self.rng)

    def asked(self, k: int) -> tuple[Draw, float, IntArray]:
        """Return what draws f at step k, the standard deviation of its noise, and its inputs."""
        return self.draw, self.noise, self.layout.place[k]

    @property
    def n_clipped(self) -> int:
        """Variances that came out negative while draws were made."""
        return n_clipped(self.draw)

    def step(self, k: int) -> bool:
        """Append a draw of f at the inputs of step k, and its noise, to every path."""
        draw, noise_std, place = self.asked(k)
        f = draw(self.values.take(place, axis=2))  # (n, b)
        self.latent_var[:, k] = f.var(axis=0, ddof=1)
        noise = noise_std * self.rng.standard_normal(f.shape)
        self.values[:, :, self.layout.first + k] = f + noise
        return bool(np.abs(f).max() < _LARGEST)

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, after so many of the values before them, not known either."""
        paths = np.moveaxis(self.values[:, :, self.layout.first - kept :], 0, -1)  # (b, h, n)
        latent_var = np.pad(self.latent_var, ((0, 0), (kept, 0)))
        return Propagated.of_paths(np.ascontiguousarray(paths), latent_var, self.n_clipped)


def n_clipped(draw: Draw) -> int:
    """Return how many variances came out negative while draws were made; whole functions none."""
    found: int = getattr(draw, "n_clipped", 0)
    return found
