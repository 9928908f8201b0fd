"""What a one-step model must offer, and the report of how its training went."""

from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable


@runtime_checkable
class OneStepModel(Protocol):
    """A regressor: `fit` returns self, `predict` gives the mean at known inputs."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from inputs X (n, d) and targets y (n,)."""
        ...

    def predict(self, X: Any, *, return_std: bool = False) -> Any:
        """Return the mean at X, with the standard deviation of f if asked for."""
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


@storable
@dataclass(frozen=True)
class FitReport:
    """How the search for hyperparameters went.

    Attributes
    ----------
    converged : bool
        Whether the optimiser met its own criterion.
    message : str
        What the optimiser said.
    n_iterations, n_evaluations : int
        Over all starts.
    n_starts : int
        Starting points tried.
    log_marginal_likelihood : float
        Of the hyperparameters chosen, in nats; NaN for a model that has none.
    jitter : float
        What had to be added to the diagonal of the covariance matrix to factor it, in squared
        units of the target; 0 in a healthy fit.
    at_bounds : tuple of str
        Hyperparameters that ended on a bound. A length-scale at its upper bound marks an input
        that does not matter; a noise variance at its lower bound marks noise-free data.
    remarks : tuple of str
        Anything else that a user should know.
    """

    converged: bool
    message: str
    n_iterations: int
    n_evaluations: int
    n_starts: int
    log_marginal_likelihood: float
    jitter: float = 0.0
    at_bounds: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def fit_notes(model: Any) -> list[str]:
    """Return what a user should know of a model's training: nothing, if it went well."""
    report = getattr(model, "report_", None)
    notes = []
    if report is not None and report.jitter > 0:
        notes.append(f"a jitter of {report.jitter:.1e} was added to factor the covariance")
    if report is not None and "n_relevant" in report.at_bounds:
        notes.append(
            "the weights use up more than half of the rows: the error bars are too narrow; "
            "fewer lags, wider lengthscales or a GaussianProcess mend it"
        )
    if report is not None and not report.converged:
        notes.append(f"the search for hyperparameters did not converge: {report.message}")
    return notes + list(report.remarks if report is not None else ())


def check_rows(X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
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
    if n < 2:
        raise ValueError(f"a model needs at least 2 rows to learn from; got {n}.")
    return inputs, targets


def check_inputs(X: Any, n_inputs: int) -> FloatArray:
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
