"""What a propagation method must answer, and what one distribution through a model becomes."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gpforecast.models.base import HasPosterior
from gpforecast.posterior import Moments, Posterior
from gpforecast.typing import FloatArray


@runtime_checkable
class Propagation(Protocol):
    """A Gaussian method: given inputs N(u, S), the moments of f and its expected gradient."""

    @property
    def name(self) -> str:
        """What a user calls it by."""
        ...

    def moments(self, posterior: Posterior, u: FloatArray, S: FloatArray) -> Moments:
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


def posterior_of(model: Any) -> Posterior:
    """Return the frozen posterior of a fitted model, or say which methods work without one.

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
        f"{type(model).__name__} has no posterior_ (it is not an extended linear model), so its "
        f"moments at an uncertain input have no closed form here; use one of gpforecast.models, "
        f"such as GaussianProcess."
    )
