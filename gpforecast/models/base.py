"""What a one-step model must offer, and the report of how its training went."""

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol, Self, runtime_checkable

from gpforecast.common.parameters import instance
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.covariances import Covariance
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable


@runtime_checkable
class OneStepModel(Protocol):
    """A regressor: `fit` returns self, `predict` gives the mean at known inputs.

    Once fitted it must also be a `HasPosterior` or a `HasPredictive`, through which forecasts go.
    `gpforecast.models.estimator.Estimator` has all of it but the training itself.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from inputs X (n, d) and targets y (n,)."""
        ...

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the mean at X (n, d): (n,)."""
        ...


@runtime_checkable
class CanBeConditioned(OneStepModel, Protocol):
    """A fitted model that can learn from other rows without a search for hyperparameters."""

    def condition(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Return another one, conditioned on inputs X (n, d) and targets y (n,)."""
        ...


@runtime_checkable
class HasPosterior(Protocol):
    """A fitted model that is an extended linear model, so that its moments are exact."""

    @property
    def posterior_(self) -> Posterior:
        """The frozen posterior."""
        ...


@runtime_checkable
class HasPredictive(Protocol):
    """A fitted model that predicts, but is not an extended linear model."""

    @property
    def predictive_(self) -> Predictive:
        """The frozen result of training."""
        ...


@runtime_checkable
class HasClasses(Protocol):
    """A model whose targets are classes, which has no forecasts of a series of numbers."""

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class at X (n, d)."""
        ...


@runtime_checkable
class HasQuantiles(Protocol):
    """A model whose observations are not Gaussian, for which a recursion on moments is wrong."""

    def predict_quantile(self, X: ArrayLike, levels: ArrayLike) -> FloatArray:
        """Return quantiles of new observations at X (n, d), (n, q)."""
        ...


@storable
@dataclass(frozen=True)
class FitReport:
    """How the search for hyperparameters went.

    Attributes
    ----------
    converged : bool
        Whether the optimiser met its own criterion.
    message : str
        The optimiser's message.
    n_iterations, n_evaluations : int
        Over all starts.
    n_starts : int
        Starting points tried.
    log_marginal_likelihood : float
        Of the hyperparameters chosen, in nats; NaN for a model that has none.
    jitter : float
        What had to be added to the diagonal of the covariance matrix to factor it, in squared
        units of the target (of the inputs, with a conjugate prior); 0 in a healthy fit.
    at_bounds : tuple of str
        Hyperparameters that ended on a bound. A length-scale at its upper bound marks an input
        that does not matter; a noise variance at its lower bound marks noise-free data.
    remarks : tuple of str
        Anything else that a user should know.
    """

    converged: bool
    message: str
    n_iterations: int = 0
    n_evaluations: int = 0
    n_starts: int = 0
    log_marginal_likelihood: float = math.nan
    jitter: float = 0.0
    at_bounds: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def after(self, earlier: Iterable["FitReport"]) -> "FitReport":
        """Return the same report with the work of earlier climbs counted in."""
        counted, reports = ("n_iterations", "n_evaluations", "n_starts"), (self, *earlier)
        return replace(self, **{name: sum(vars(r)[name] for r in reports) for name in counted})

    @property
    def notes(self) -> list[str]:
        """Sentences on what did not go well, and the remarks."""
        notes = []
        if self.jitter > 0:
            notes.append(
                f"a jitter of {self.jitter:.1e} (a little extra noise) keeps the arithmetic of the "
                f"model stable"
            )
        if "n_relevant" in self.at_bounds:
            notes.append(
                "the weights of the model use up more than half of the rows, so that its intervals "
                "are too narrow; fewer lags or a GaussianProcess help"
            )
        if not self.converged:
            notes.append(
                f"training stopped before the best settings were found ({self.message}); a larger "
                f"max_iter of the model lets it go on"
            )
        return notes + list(self.remarks)


def report_of(model: object) -> FitReport | None:
    """Return the report on the training of a model; None if it has none."""
    return getattr(model, "report_", None)


def fit_notes(model: object) -> list[str]:
    """Return what a user should know of a model's training: nothing, if it went well."""
    report = report_of(model)
    return [] if report is None else report.notes


COVARIANCE = instance(Covariance, "one from gpforecast.covariances, such as SquaredExponential()")


def check_rows(X: ArrayLike, y: ArrayLike, *, least: int = 2) -> tuple[FloatArray, FloatArray]:
    """Return finite inputs (n, d) and targets (n,), or say what is wrong with them.

    Raises
    ------
    TypeError, ValueError
        If they are not numbers, not finite, or do not fit together.
    """
    inputs = finite_array(X, "X", ndim=2)
    targets = finite_array(y, "y", ndim=1)
    n = len(targets)
    if len(inputs) != n:
        raise ValueError(f"X has {len(inputs)} rows but y has {n} values; give one target a row.")
    if n < least:
        raise ValueError(f"a model needs at least {least} rows to learn from; got {n}.")
    return inputs, targets


def check_inputs(X: ArrayLike, n_inputs: int) -> FloatArray:
    """Return finite inputs (n, n_inputs), or say what is wrong with them.

    Raises
    ------
    TypeError, ValueError
        If they are not numbers, not finite, or have another number of columns.
    """
    inputs = finite_array(X, "X", ndim=2)
    if inputs.shape[1] != n_inputs:
        raise ValueError(f"X has {inputs.shape[1]} columns but the model was fitted to {n_inputs}.")
    return inputs


@runtime_checkable
class Seeded(Protocol):
    """A model, or a part of one, that draws random numbers."""

    def seeded(self, seed: int) -> Self:
        """Return it with a seed where its own is 0, the default, and not fitted."""
        ...


def seeded_copy(model: OneStepModel, seed: int) -> OneStepModel:
    """Return a copy of a model, which has the seed where its own is 0, the default.

    Models that draw nothing, and those of a user's own without a method `seeded`, are only copied.

    Examples
    --------
    >>> import gpforecast as gf
    >>> seeded_copy(gf.models.ReducedRankGP(), 3), seeded_copy(gf.models.ReducedRankGP(seed=1), 3)
    (ReducedRankGP(seed=3), ReducedRankGP(seed=1))
    """
    copied = copy.deepcopy(model)
    return copied.seeded(seed) if isinstance(copied, Seeded) and seed else copied
