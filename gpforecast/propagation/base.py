"""What a propagation method must answer, and what one distribution through a model becomes."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gpforecast.common.types import FloatArray
from gpforecast.models.base import HasPosterior, HasPredictive
from gpforecast.posteriors.base import Moments, Prediction, Predictive
from gpforecast.posteriors.extended_linear import Posterior

_BLOCK_ELEMENTS = 4_000_000  # doubles of k(x, x_i) at a time: 32 MB


@runtime_checkable
class Propagation(Protocol):
    """A Gaussian method: given inputs N(u, S), the moments of f and its expected gradient."""

    @property
    def name(self) -> str:
        """What a user calls it by."""
        ...

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d)."""
        ...


@dataclass(frozen=True)
class UncertainPrediction:
    """What a model says of f at x ~ N(u, S).

    Attributes
    ----------
    mean : float
    var : float
        Latent: of f, without observation noise, as in the papers.
    cross_cov : ndarray (d,)
        cov(f, x).
    """

    mean: float
    var: float
    cross_cov: FloatArray


def predictive_of(model: Any) -> Predictive:
    """Return what a fitted model predicts with: its posterior, or what it has instead of one.

    Parameters
    ----------
    model : fitted model, Posterior or Predictive

    Raises
    ------
    TypeError
        If the model offers neither ``posterior_`` nor ``predictive_``.
    RuntimeError
        If it is one of ours but has not been fitted.
    """
    if isinstance(model, Predictive):
        return model
    if isinstance(model, HasPredictive):
        return model.predictive_
    return posterior_of(model)


def posterior_of(model: Any) -> Posterior:
    """Return the frozen posterior of a fitted model, or say what a model must offer.

    Raises
    ------
    TypeError
        If the model is not an extended linear model.
    RuntimeError
        If it is one but has not been fitted.
    """
    if isinstance(model, Posterior):
        return model
    if isinstance(model, HasPosterior):
        return model.posterior_
    if hasattr(model, "fit") and type(model).__module__.startswith("gpforecast.models"):
        raise RuntimeError(f"this {type(model).__name__} is not fitted yet; call fit(X, y) first.")
    raise TypeError(
        f"{type(model).__name__} has no posterior_ (it is not an extended linear model) and no "
        f"predictive_ (mean, variance and gradient at known inputs), so it cannot take an "
        f"uncertain input; use one of gpforecast.models, such as GaussianProcess."
    )


def predict_in_blocks(predictive: Predictive, X: FloatArray) -> Prediction:
    """Return mean and latent variance at many inputs X (n, d), in bounded memory."""
    width = predictive.n_bumps if isinstance(predictive, Posterior) else predictive.n_inputs
    step = max(1, _BLOCK_ELEMENTS // max(1, width))
    if len(X) <= step:
        return predictive.predict(X)
    return Prediction.joined([predictive.predict(X[a : a + step]) for a in range(0, len(X), step)])
