"""The parameters of a sparse Gaussian process, checked together, and where its training starts."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, parameter
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.validation import positive_integer
from gpforecast.common.warnings import on_trial
from gpforecast.covariances import Covariance
from gpforecast.covariances.combinations import Parts
from gpforecast.models.base import COVARIANCE
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import Evidence, kernel_of
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.greedy import distinct_rows
from gpforecast.models.inducing import (
    choose_inducing,
    farthest_rows,
    given_inputs,
    kmeans_centers,
    random_rows,
)
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation, Parameters

_OPTIMISED = ("fitc", "vfe")
_BLOCKS = ("random", "farthest", "kmeans")

_STARTED_ON = 512  # rows for the full GP that training starts from
CHOSEN_FROM = 20_000  # rows among which greedy methods choose; from more, a random part
_LEAST_NOISE = 1e-8  # of the targets' mean square
_FIRST_H = 0.1  # h / k(z, z)


@dataclass(eq=False, repr=False)
class SparseOptions(Estimator):
    """What a `SparseGaussianProcess` is made with; see its parameters."""

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    approximation: str = parameter("vfe", choice(*APPROXIMATIONS))
    n_inducing: int = parameter(200, check.POSITIVE_INTEGER)
    inducing: ArrayLike = "kmeans"
    optimise_inducing: bool | None = parameter(None, check.FLAG.or_none())
    blocks: ArrayLike = "random"
    n_blocks: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    projection: ArrayLike | None = None
    variable_noise: bool = parameter(False, check.FLAG)
    noise_var: float | None = parameter(None, check.POSITIVE.or_none())
    optimizer: str | None = parameter("L-BFGS-B", choice("L-BFGS-B", None))
    seed: Seed = 0
    n_search: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    max_iter: int = parameter(200, check.POSITIVE_INTEGER)
    progress: bool | None = None

    @property
    def _kind(self) -> Approximation:
        return APPROXIMATIONS[self.approximation]

    @property
    def _moves_inducing(self) -> bool:
        """Whether training moves the inducing inputs."""
        if self.optimise_inducing is not None:
            return bool(self.optimise_inducing)
        searched = self.optimizer is not None and self.approximation in _OPTIMISED
        return self.projection is not None or (searched and np.ndim(self.inducing) == 0)

    def _most_inducing(self, n: int) -> int:
        """Return how many inducing inputs there are at most, for n rows."""
        return np.shape(self.inducing)[0] if np.ndim(self.inducing) else min(self.n_inducing, n)

    def _checked(self, X: FloatArray, y: FloatArray) -> Evidence:
        """Return the evidence of a full process, or refuse what makes no sense together."""
        d, name, approximation = X.shape[1], self.approximation, self._kind
        given = given_inputs(self.inducing, "inducing", d)
        given_inputs(self.blocks, "blocks", d, _BLOCKS)
        n_projected = self._projected(d)[0]
        full = Evidence.started(X, y, self.covariance, self.noise_var)
        parts = Parts.of(full.covariance, d)
        kernel_of(parts, "a sparse approximation")
        scaled = full.covariance.in_scaled_inputs() is not None
        projects = scaled and self._moves_inducing and approximation.residual != "blocks"
        if name == "local" and parts.prior.any():
            raise ValueError(
                "approximation='local' takes no linear and constant terms: its blocks share "
                "nothing; use 'pic'."
            )
        if self.variable_noise and name != "fitc":
            raise ValueError(f"variable_noise=True needs approximation='fitc'; got {name!r}.")
        if not approximation.induced and (self._moves_inducing or given is not None):
            raise ValueError(
                f"approximation={name!r} has no inducing inputs to be given or moved; choose "
                f"another, such as 'vfe', or leave inducing and optimise_inducing out."
            )
        if n_projected and not projects:
            raise ValueError(
                f"projection needs approximation 'sr', 'dtc', 'vfe' or 'fitc', one covariance with "
                f"length-scales, such as SquaredExponential(), alone, and optimise_inducing left "
                f"as it is; got {name!r} and {full.covariance!r}."
            )
        return full

    def _projected(self, d: int) -> tuple[int, FloatArray | None]:
        """Return the dimensions of the projection, 0 without one, and its start if it is given."""
        given = self.projection
        if given is None:
            return 0, None
        P = None if np.ndim(given) == 0 else given_inputs(given, "projection", d)
        g = positive_integer(given, "projection") if P is None else len(P)
        if not 1 <= g <= d:
            raise ValueError(
                f"projection must have between 1 and {d} dimensions, those of the inputs; got {g}."
            )
        return g, P

    def _first(
        self, full: Evidence, rng: np.random.Generator
    ) -> tuple[Parameters, FloatArray | None]:
        """Return the parameters to start from, and the centres of blocks if there are any."""
        X, approximation = full.X, self._kind
        covariance, noise_var = self._hyperparameters(full, rng)
        Z = np.zeros((0, X.shape[1]))
        if approximation.induced:
            Z = self._inducing_inputs(
                replace(full, covariance=covariance, noise_var=noise_var), rng
            )
        h = np.full(len(Z), _FIRST_H) if self.variable_noise else None
        first = Parameters(covariance, noise_var, Z, uncertainty=h)
        centers = None
        if approximation.residual == "blocks":
            centers = self._block_centers(X, first.scales, rng)
        Z, inside = Z - first.origin(X), covariance.in_scaled_inputs()
        n_projected, P = self._projected(X.shape[1])
        if not n_projected or inside is None:
            return replace(first, inducing=Z), centers
        if P is None:
            P = _principal_directions(X, first.scales, n_projected)
        return Parameters(inside, noise_var, Z @ P.T, P, h), centers

    def _hyperparameters(
        self, full: Evidence, rng: np.random.Generator
    ) -> tuple[Covariance, float]:
        """Return hyperparameters to start from.

        Those that are not given come from a full GP on a random part of the rows; where nothing is
        to be learned, from the spread of the data.
        """
        known = self.covariance is not None and not self.covariance.unset
        if (known and self.noise_var is not None) or self.optimizer is None:
            return full.covariance, full.noise_var
        few = np.sort(rng.permutation(len(full.y))[:_STARTED_ON])
        with on_trial():  # this is only a starting value
            gp = GaussianProcess(self.covariance, noise_var=self.noise_var)
            gp.fit(full.X[few], full.y[few])
        return gp.covariance_, max(gp.noise_var_, _LEAST_NOISE * full.y_var)

    def _inducing_inputs(self, here: Evidence, rng: np.random.Generator) -> FloatArray:
        """Return inducing inputs, all of them different; all that differ, if those are fewer."""
        X, y = here.X, here.y
        given, distinct = given_inputs(self.inducing, "inducing", X.shape[1]), distinct_rows(X)
        if given is not None:
            return given
        n_inducing = self._most_inducing(len(y))
        if n_inducing >= len(distinct):
            return X[distinct]
        return choose_inducing(
            str(self.inducing), X, y, n_inducing,
            covariance=here.covariance, noise_var=here.noise_var, seed=rng, max_rows=CHOSEN_FROM,
        )  # fmt: skip

    def _block_centers(
        self, X: FloatArray, scales: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return the centres of blocks, (S, d): given, rows, or centres of clusters.

        Snelson (2007), section 3.2.3.
        """
        given = given_inputs(self.blocks, "blocks", X.shape[1], _BLOCKS)
        if given is not None:
            return given
        n_blocks = self.n_blocks or max(1, round(len(X) / self._most_inducing(len(X))))
        start = X[np.sort(random_rows(X, n_blocks, seed=rng))]
        if self.blocks == "random" or len(start) == len(X):
            return start
        if self.blocks == "farthest":
            return X[farthest_rows(X, len(start), lengthscales=scales, seed=rng)]
        return kmeans_centers(X, len(start), lengthscales=scales, seed=rng)


def _principal_directions(X: FloatArray, lengthscales: FloatArray, n: int) -> FloatArray:
    """Return the principal directions of the rows in units of their length-scales: (n, d).

    Inputs that do not matter have long scales, and no part in them.
    """
    scaled = (X - X.mean(axis=0)) / lengthscales
    _, V = np.linalg.eigh(scaled.T @ scaled)
    return np.asarray(V[:, ::-1][:, :n].T / lengthscales)
