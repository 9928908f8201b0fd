"""What a sparse Gaussian process is to do with its data, checked, and where its training starts."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, parameter
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.validation import positive_integer
from gpforecast.common.warnings import on_trial
from gpforecast.covariances import Covariance
from gpforecast.covariances.weight_space import Parts
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
from gpforecast.models.sparse.approximations import (
    APPROXIMATIONS,
    Approximation,
    Parameters,
    origin_of,
)

_OPTIMISED = ("fitc", "vfe")

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


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done.

    Attributes
    ----------
    model : SparseOptions
    full : Evidence
        That of a full GP: the data, their spread, and starting values taken from it.
    approximation : Approximation
    inducing, blocks : ndarray (m, d) or None
        If they are given; else the model says how they are chosen.
    n_inducing, n_blocks : int
        Not more than there are rows, unless the inducing inputs are given.
    n_projected : int
        Dimensions of the projection; 0 without one.
    projection : ndarray (g, d) or None
        Its start, if one was given.
    free_inducing : bool
        Whether training moves the inducing inputs.
    """

    model: SparseOptions
    full: Evidence
    approximation: Approximation
    inducing: FloatArray | None
    blocks: FloatArray | None
    n_inducing: int
    n_blocks: int
    n_projected: int
    projection: FloatArray | None
    free_inducing: bool

    def first_parameters(self, rng: np.random.Generator) -> tuple[Parameters, FloatArray | None]:
        """Return the parameters to start from, and the centres of blocks if there are any."""
        X = self.full.X
        covariance, noise_var = self.hyperparameters(rng)
        Z = np.zeros((0, X.shape[1]))
        if self.approximation.induced:
            Z = self._inducing(covariance, noise_var, rng)
        h = np.full(len(Z), _FIRST_H) if self.model.variable_noise else None
        first = Parameters(covariance, noise_var, Z, uncertainty=h)
        centers = None
        if self.approximation.residual == "blocks":
            centers = self._block_centers(first.scales, rng)
        Z, inside = Z - origin_of(first, X), covariance.in_scaled_inputs()
        if not self.n_projected or inside is None:
            return replace(first, inducing=Z), centers
        P = self.projection
        if P is None:
            P = _principal_directions(X, first.scales, self.n_projected)
        return Parameters(inside, noise_var, Z @ P.T, P, h), centers

    def hyperparameters(self, rng: np.random.Generator) -> tuple[Covariance, float]:
        """Return hyperparameters to start from.

        Those that are not given come from a full GP on a random part of the rows; where nothing is
        to be learned, from the spread of the data.
        """
        model, full = self.model, self.full
        covariance, noise_var = model.covariance, model.noise_var
        known = covariance is not None and not covariance.unset and noise_var is not None
        if known or model.optimizer is None:
            return full.covariance, full.noise_var
        few = np.sort(rng.permutation(len(full.y))[:_STARTED_ON])
        with on_trial():  # this is only a starting value
            gp = GaussianProcess(covariance, noise_var=noise_var).fit(full.X[few], full.y[few])
        return gp.covariance_, max(gp.noise_var_, _LEAST_NOISE * full.y_var)

    def _inducing(
        self, covariance: Covariance, noise_var: float, rng: np.random.Generator
    ) -> FloatArray:
        """Return inducing inputs, all of them different; all that differ, if those are fewer."""
        if self.inducing is not None:
            return self.inducing
        X, distinct = self.full.X, distinct_rows(self.full.X)
        if self.n_inducing >= len(distinct):
            return X[distinct]
        return choose_inducing(
            str(self.model.inducing), X, self.full.y, self.n_inducing,
            covariance=covariance, noise_var=noise_var, seed=rng, max_rows=CHOSEN_FROM,
        )  # fmt: skip

    def _block_centers(self, scales: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return the centres of blocks, (S, d): given, rows, or centres of clusters.

        Snelson (2007), section 3.2.3.
        """
        if self.blocks is not None:
            return self.blocks
        X = self.full.X
        start = X[np.sort(random_rows(X, self.n_blocks, seed=rng))]
        if self.model.blocks == "random" or len(start) == len(X):
            return start
        if self.model.blocks == "farthest":
            return X[farthest_rows(X, len(start), lengthscales=scales, seed=rng)]
        return kmeans_centers(X, len(start), lengthscales=scales, seed=rng)


def _principal_directions(X: FloatArray, lengthscales: FloatArray, n: int) -> FloatArray:
    """Return the principal directions of the rows in units of their length-scales: (n, d).

    Inputs that do not matter have long scales, and no part in them.
    """
    scaled = (X - X.mean(axis=0)) / lengthscales
    _, V = np.linalg.eigh(scaled.T @ scaled)
    return np.asarray(V[:, ::-1][:, :n].T / lengthscales)


def plan_of(model: SparseOptions, X: FloatArray, y: FloatArray) -> Plan:
    """Check the parameters of a model together, and for these data.

    Raises
    ------
    TypeError, ValueError
        If they make no sense.
    """
    n, d = X.shape
    inducing = given_inputs(model.inducing, "inducing", d)
    n_inducing = min(int(model.n_inducing), n) if inducing is None else len(inducing)
    n_projected, projection = _projection(model.projection, d)
    moved = model.optimise_inducing
    if moved is None:
        searched = model.optimizer is not None and model.approximation in _OPTIMISED
        moved = n_projected > 0 or (searched and inducing is None)
    plan = Plan(
        model=model,
        full=Evidence.started(X, y, model.covariance, model.noise_var),
        approximation=APPROXIMATIONS[model.approximation],
        inducing=inducing,
        blocks=given_inputs(model.blocks, "blocks", d, ("random", "farthest", "kmeans")),
        n_inducing=n_inducing,
        n_blocks=int(model.n_blocks or max(1, round(n / n_inducing))),
        n_projected=n_projected,
        projection=projection,
        free_inducing=bool(moved),
    )
    _check_together(plan)
    return plan


def _check_together(plan: Plan) -> None:
    """Refuse what makes no sense together."""
    covariance, approximation = plan.full.covariance, plan.approximation
    parts, name = Parts.of(covariance, plan.full.X.shape[1]), approximation.name
    kernel_of(parts, "a sparse approximation")
    scaled = covariance.in_scaled_inputs() is not None
    projects = scaled and plan.free_inducing and approximation.residual != "blocks"
    if name == "local" and parts.prior.any():
        raise ValueError(
            "approximation='local' takes no linear and constant terms: its blocks share nothing; "
            "use 'pic'."
        )
    if plan.model.variable_noise and name != "fitc":
        raise ValueError(f"variable_noise=True needs approximation='fitc'; got {name!r}.")
    if not approximation.induced and (plan.free_inducing or plan.inducing is not None):
        raise ValueError(
            f"approximation={name!r} has no inducing inputs to be given or moved; choose another, "
            f"such as 'vfe', or leave inducing and optimise_inducing out."
        )
    if plan.n_projected and not projects:
        raise ValueError(
            f"projection needs approximation 'sr', 'dtc', 'vfe' or 'fitc', one covariance with "
            f"length-scales, such as SquaredExponential(), alone, and optimise_inducing left as it "
            f"is; got {name!r} and {covariance!r}."
        )


def _projection(given: ArrayLike | None, d: int) -> tuple[int, FloatArray | None]:
    """Return the dimensions of a projection, and where it starts."""
    if given is None:
        return 0, None
    P = None if np.ndim(given) == 0 else given_inputs(given, "projection", d)
    g = positive_integer(given, "projection") if P is None else len(P)
    if not 1 <= g <= d:
        raise ValueError(
            f"projection must have between 1 and {d} dimensions, those of the inputs; got {g}."
        )
    return g, P
