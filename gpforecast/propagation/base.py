"""What a propagation method must answer, and what one distribution through a model becomes."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.propagated import Propagated


@runtime_checkable
class Propagation(Protocol):
    """A Gaussian method: given inputs N(u, S), the moments of f and its expected gradient."""

    @property
    def name(self) -> str:
        """What a user calls it by."""

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d)."""


class Nodes(Protocol):
    """The values of a forecast so far, from every origin."""

    def step(self, k: int) -> bool:
        """Append the prediction of step k; return whether it is finite."""

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, preceded by the last `kept` unknown values before them."""


@runtime_checkable
class KeepsNodes(Protocol):
    """A propagation method that says how the values of a forecast are kept."""

    def nodes(self, layout: Layout) -> Nodes:
        """Return those of a forecast that has not begun."""

    def size(self, horizon: int) -> int | None:
        """Return how many doubles are kept for each origin; None to follow all at once."""


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
    for name in ("predictive_", "posterior_"):
        found: Predictive | None = getattr(model, name, None)
        if found is not None:
            return found
    if isinstance(model, Predictive):
        return model
    if hasattr(model, "fit") and type(model).__module__.startswith("gpforecast.models"):
        raise RuntimeError(f"this {type(model).__name__} is not fitted yet; call fit(X, y) first.")
    raise TypeError(
        f"{type(model).__name__} has no posterior_ (it is not an extended linear model) and no "
        f"predictive_ (mean, variance and gradient at known inputs), so it cannot take an "
        f"uncertain input; use one of gpforecast.models, such as GaussianProcess."
    )
