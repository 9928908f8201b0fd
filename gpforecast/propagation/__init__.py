"""How a one-step model becomes a joint forecast.

The propagation methods, the one recursion over the horizon, missing and noisy values, direct
forecasts, and where the variance of a forecast comes from.
"""

from dataclasses import replace
from typing import Any, TypeAlias

from gpforecast.common.types import Seed
from gpforecast.numerics.expectations import check_gaussian
from gpforecast.propagation.automatic import Automatic
from gpforecast.propagation.base import Propagation, UncertainPrediction, predictive_of
from gpforecast.propagation.cubature import Cubature
from gpforecast.propagation.exact import ExactMoments
from gpforecast.propagation.mixture import GaussianMixture
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.naive import Naive
from gpforecast.propagation.taylor import Taylor

__all__ = [
    "Automatic",
    "Cubature",
    "ExactMoments",
    "GaussianMixture",
    "MonteCarlo",
    "Naive",
    "Propagation",
    "Taylor",
    "UncertainPrediction",
    "method_named",
    "predict_uncertain",
]

Method: TypeAlias = Propagation
MethodLike: TypeAlias = Method | str

_METHODS = {
    m.name: m
    for m in (ExactMoments, Taylor, Cubature, GaussianMixture, Naive, MonteCarlo, Automatic)
}


def method_named(method: object, seed: Seed = 0) -> Method:
    """Return the propagation method that a name stands for; an instance is returned as it is.

    Parameters
    ----------
    method : str or an instance
        ``"exact"``, ``"taylor"``, ``"cubature"``, ``"mixture"``, ``"naive"``, ``"monte_carlo"`` or
        ``"auto"``.
    seed : int, Generator or None
        For the paths of ``"monte_carlo"``, and of ``"auto"`` where it draws some; an instance has
        its own seed.

    Returns
    -------
    Propagation or MonteCarlo

    Raises
    ------
    ValueError
        For an unknown name.
    TypeError
        For something that is not a propagation method.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.method_named("naive")
    Naive()
    """
    if isinstance(method, str):
        if method not in _METHODS:
            known = ", ".join(repr(name) for name in _METHODS)
            raise ValueError(f"propagation must be one of {known}; got {method!r}.")
        chosen = _METHODS[method]()
        return replace(chosen, seed=seed) if isinstance(chosen, MonteCarlo | Automatic) else chosen
    if isinstance(method, Propagation) and not isinstance(method, type):
        return method
    raise TypeError(
        f"propagation must be a name or an instance such as gf.propagation.Taylor(); "
        f"got {method!r}."
    )


def predict_uncertain(model: Any, u: Any, S: Any, method: Any = "exact") -> UncertainPrediction:
    r"""Predict f at an uncertain input x ~ N(u, S).

    Parameters
    ----------
    model : fitted model, Posterior or Predictive
    u : array-like (d,)
        Mean of the input.
    S : array-like (d, d)
        Its covariance; may be singular or zero.
    method : {"exact", "taylor", "cubature", "mixture", "naive", "monte_carlo"} or an instance
        ``MonteCarlo(n_paths, seed=...)`` draws inputs and f at each of them, and the result holds
        the sample moments of the draws; a variance is known to about sqrt(2 / n_paths) of itself.

    Returns
    -------
    UncertainPrediction
        Fields ``mean``, ``var`` (latent: add the model's noise variance for an observation) and
        ``cross_cov``, cov(f, x).

    Raises
    ------
    ValueError
        If u and S are not a Gaussian over the model's inputs.
    TypeError
        If the method needs more than the model offers, such as a closed form.

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), eqs. (30), (35), (40) and (53).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(-3, 3, 40)[:, None]
    >>> gp = gf.models.GaussianProcess().fit(X, np.sin(X[:, 0]))
    >>> f = gf.propagation.predict_uncertain(gp, [0.5], [[0.2]])
    >>> exact = np.sin(0.5) * np.exp(-0.1)  # E[sin x] for x ~ N(0.5, 0.2)
    >>> bool(abs(f.mean - exact) < 1e-3)
    True
    """
    predictive = predictive_of(model)
    chosen = method_named(method)
    u, S = check_gaussian(u, S, predictive.n_inputs, "the model")
    if isinstance(chosen, MonteCarlo):
        return chosen.at(predictive, u, S)
    f = chosen.moments(predictive, u[None], S[None])
    return UncertainPrediction(float(f.mean[0]), float(f.var[0]), S @ f.gradient[0])
