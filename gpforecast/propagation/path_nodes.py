"""The nodes of a forecast as sample paths."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.nodes import Inputs, Layout, Start
from gpforecast.propagation.propagated import Propagated


class PathNodes:
    """A set of paths for each origin; each step appends a draw of f, and noise, to every path."""

    def __init__(
        self, predictive: Predictive, method: MonteCarlo, inputs: Inputs, start: Start, horizon: int
    ) -> None:
        self.rng = np.random.default_rng(method.seed)
        self.noise = np.sqrt(predictive.noise_var)
        self.layout = layout = Layout(inputs, start, horizon)
        n, b = method.n_paths, len(start.past)
        self.values = np.repeat(layout.initial[None], n, axis=0)  # (n, b, nodes)
        if start.past_cov is not None:
            roots = np.stack([_square_root(S) for S in start.past_cov])  # (b, p, p)
            z = self.rng.standard_normal((n, *roots.shape[:2]))
            self.values[:, :, : layout.n_past] += np.einsum("bij,nbj->nbi", roots, z)
        if start.exog_cov is not None:
            root = _square_root(start.exog_cov)
            z = self.rng.standard_normal((n, b, len(root)))
            self.values[:, :, layout.n_past : layout.first] += z @ root.T
        self.draw = method.start(predictive, self.rng)
        self.latent_var = np.zeros((b, horizon))

    def inputs(self, k: int) -> FloatArray:
        """Return the inputs of step k on every path, (n, b, d)."""
        x: FloatArray = self.values.take(self.layout.place[k], axis=2)
        return x

    def answer(self, x: FloatArray) -> FloatArray:
        """Return a draw of f on every path, (n, b)."""
        return self.draw(x)

    def append(self, k: int, f: FloatArray) -> bool:
        """Add the draws with their noise."""
        self.latent_var[:, k] = f.var(axis=0, ddof=1)
        noise = self.noise * self.rng.standard_normal(f.shape)
        self.values[:, :, self.layout.first + k] = f + noise
        return True

    def result(self) -> Propagated:
        """Return the predictions."""
        paths = np.moveaxis(self.values[:, :, self.layout.first :], 0, -1)  # (b, h, n)
        n_clipped = getattr(self.draw, "n_clipped", 0)
        return Propagated.of_paths(np.ascontiguousarray(paths), self.latent_var, n_clipped)


def _square_root(S: FloatArray) -> FloatArray:
    """Return R with R R' = S for a positive semi-definite S."""
    values, vectors = np.linalg.eigh(S)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
