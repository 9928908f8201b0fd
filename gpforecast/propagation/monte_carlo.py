"""Sample paths instead of a Gaussian: nothing about the shape of a forecast is assumed."""

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.validation import generator, how_many, is_integer, one_of
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.posteriors.base import Draw, Predictive, offered
from gpforecast.propagation.base import UncertainPrediction
from gpforecast.propagation.cubature import ByMoments
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.propagated import Propagated
from gpforecast.storage import storable

_M = TypeVar("_M")

_LARGEST = 1e150  # of a path: its square is a number


@storable
@dataclass(frozen=True)
class MonteCarlo(ByMoments):
    r"""Forecast by simulating many paths.

    Parameters
    ----------
    n_paths : int
        Paths for each origin. The error of a mean falls with its square root.
    kind : {"step", "function"}
        ``"step"`` draws f(x) afresh from its predictive distribution at every step, as the papers
        do: what the model does not know about f is treated as if it were redrawn each time.
        ``"function"`` draws one whole function for each path and follows it, so that a path that
        comes back to a place finds the same f there: the honest distribution of the model's
        beliefs. It uses pathwise conditioning, a draw from the prior by random Fourier features
        plus its correction by the data.
    seed : int, Generator or None
        An int gives the same paths on every call, ``None`` other ones.
    n_features : int
        Fourier features of a prior draw, for ``kind="function"``. Each path has its own
        frequencies, so the covariance over paths is right on average whatever their number;
        more of them make a single draw closer to Gaussian.

    Notes
    -----
    A step costs, for each path, O(m^2) with ``kind="step"`` and O((m + n_features) d) with
    ``kind="function"``, for m training rows and d inputs. Memory is that of the paths themselves,
    and O(n_paths (m + n_features d)) more for whole functions.

    References
    ----------
    Quinonero-Candela (2004), eq. (4.4); Girard et al. (2003), section 3.2; Wilson,
    Borovitskiy, Terenin, Mostowsky and Deisenroth (2020), eq. (13), for ``kind="function"``.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.MonteCarlo(n_paths=500, kind="function", seed=0)
    MonteCarlo(n_paths=500, kind='function', seed=0, n_features=256)
    """

    n_paths: int = 1000
    kind: str = "step"
    seed: Seed = 0
    n_features: int = 256

    name: ClassVar[str] = "monte_carlo"

    def __post_init__(self) -> None:
        how_many(self.n_paths, "n_paths", least=2)  # for a variance
        one_of(self.kind, "kind", ("step", "function"))
        generator(self.seed)
        each = self.n_paths if self.kind == "function" else 1
        how_many(self.n_features, "n_features", each=each)

    def at(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> UncertainPrediction:
        """Return the sample moments of f at inputs drawn from N(u, S), u (d,) and S (d, d).

        f is drawn at one input for each path, so that both kinds are the same here.
        """
        rng = generator(self.seed)
        x = rng.multivariate_normal(u, S, self.n_paths, method="eigh")  # (n_paths, d)
        f = FreshDraws(predictive, rng)(x)
        cross_cov = (f - f.mean()) @ (x - u) / (self.n_paths - 1)
        return UncertainPrediction(float(f.mean()), float(f.var(ddof=1)), cross_cov)

    def start(self, predictive: Predictive, rng: np.random.Generator) -> Draw:
        """Return the function that carries inputs (n_paths, b, d) to draws of f (n_paths, b).

        Raises
        ------
        TypeError
            If ``kind="function"`` and they cannot be drawn; it says which methods work.
        """
        if self.kind == "step":
            return FreshDraws(predictive, rng)
        drawn = offered(predictive, "function")
        return drawn.draw(self.n_paths, rng, n_features=self.n_features)

    def nodes(self, layout: Layout) -> "PathNodes":
        """Return what keeps the values of a forecast by this method."""
        return PathNodes(self, layout)

    def size(self, horizon: int) -> None:  # noqa: ARG002
        """Return nothing: all origins are followed at once, by one sequence of random numbers."""
        return


class FreshDraws:
    """Draws of f at every input anew, from its predictive distribution there."""

    def __init__(self, predictive: Predictive, rng: np.random.Generator) -> None:
        self.predictive, self.rng = predictive, rng
        self.n_clipped = 0

    def __call__(self, x: FloatArray) -> FloatArray:
        """Carry inputs (n, b, d) to draws (n, b)."""
        at = self.predictive.predict(x.reshape(-1, x.shape[-1]))
        self.n_clipped += at.n_clipped
        f = at.mean + np.sqrt(at.var) * self.rng.standard_normal(len(at.mean))
        return f.reshape(x.shape[:-1])


def share(method: _M, begin: float, end: float) -> _M:
    """Return a method for a part of a mixture, from one fraction of the weights up to another.

    Of paths each part has its share, drawn by its own random numbers; a Gaussian is made whole
    for each.
    """
    if not isinstance(method, MonteCarlo):
        return method
    n_paths = int(np.rint(end * method.n_paths) - np.rint(begin * method.n_paths))
    return replace(method, n_paths=max(2, n_paths), seed=_seed_of_part(method.seed, begin))


def _seed_of_part(seed: Seed, begin: float) -> Seed:
    """Return a seed for the part of a mixture that begins at a fraction of its weights.

    With the seed of another part, both would have the same errors, and their mean all of them.
    """
    if begin == 0.0 or not is_integer(seed):
        return seed
    place = round(begin * 2**20)  # whatever the rounding of the weights
    return int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0])


class PathNodes:
    """A set of paths for each origin; each step appends a draw of f, and noise, to every path."""

    def __init__(self, method: MonteCarlo, layout: Layout) -> None:
        self.rng, predictives = generator(method.seed), layout.models.predictives
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
        # What is kept along every path: its functions, if the method draws whole ones.
        self.draws = [method.start(one, self.rng) for one in predictives]
        self.noise_std = [float(np.sqrt(one.noise_var)) for one in predictives]
        self.latent_var = np.zeros((b, layout.horizon))

    def step(self, k: int) -> bool:
        """Append a draw of f at the inputs of step k, and its noise, to every path."""
        i, (place, _) = k % len(self.draws), self.layout.inputs_of(k)
        f = self.draws[i](self.values.take(place, axis=2))  # (n, b)
        self.latent_var[:, k] = f.var(axis=0, ddof=1)
        noise = self.noise_std[i] * self.rng.standard_normal(f.shape)
        self.values[:, :, self.layout.first + k] = f + noise
        return bool(np.abs(f).max() < _LARGEST)

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, preceded by the last `kept` unknown values before them."""
        paths = np.moveaxis(self.values[:, :, self.layout.first - kept :], 0, -1)  # (b, h, n)
        latent_var = np.pad(self.latent_var, ((0, 0), (kept, 0)))
        n_clipped = sum(getattr(draw, "n_clipped", 0) for draw in self.draws)  # of whole ones none
        return Propagated.of_paths(np.ascontiguousarray(paths), latent_var, n_clipped)
