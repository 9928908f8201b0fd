"""The distribution of the classes of a horizon, by the chosen method."""

from dataclasses import dataclass

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import one_of
from gpforecast.common.warnings import warn_numerically
from gpforecast.events.enumeration import enumerated, most_pasts
from gpforecast.events.fitted import FittedEvents
from gpforecast.events.indicators import with_indicators
from gpforecast.events.latent import fed_back
from gpforecast.events.paths import sampled
from gpforecast.propagation import (
    Cubature,
    ExactMoments,
    MethodLike,
    MonteCarlo,
    Naive,
    Propagation,
    Taylor,
    method_named,
)
from gpforecast.propagation.layout import Layout, Start
from gpforecast.results.event_forecast import ClassDistribution

_NAMES = ("auto", "enumerate", "exact", "taylor", "cubature", "naive", "monte_carlo")
_METHODS = (ExactMoments, Taylor, Cubature, Naive, MonteCarlo)
_MOST = 2**16  # pasts that are followed from an origin
_AT_ONCE = 2**12  # up to which "auto" follows them


def check_method(method: object) -> None:
    """Refuse anything but a method for the classes of a horizon."""
    if isinstance(method, str):
        one_of(method, "propagation", _NAMES)
    elif not isinstance(method, _METHODS):
        raise TypeError(
            f"propagation must be one of {', '.join(map(repr, _NAMES))}, or an instance such as "
            f"gf.propagation.MonteCarlo(n_paths=500, seed=0); got {method!r}."
        )


def chosen_method(method: MethodLike, layout: Layout, fitted: FittedEvents) -> Propagation | None:
    """Return the propagation method of a forecast, None for the enumeration of all pasts.

    ``"auto"`` enumerates where there are few pasts, and else takes exact moments, or cubature where
    the covariance has none.

    Raises
    ------
    ValueError
        If there are too many pasts for ``"enumerate"``.
    """
    n_pasts = most_pasts(layout, len(fitted.classes))
    if method == "auto":
        if n_pasts <= _AT_ONCE:
            return None
        closed = "exact" in fitted.posterior.supports
        return ExactMoments() if closed else Cubature()
    if method != "enumerate":
        return method_named(method)
    if n_pasts > _MOST:
        raise ValueError(
            f"propagation='enumerate' follows at most {_MOST} pasts; got {n_pasts:.3g}, from "
            f"{len(fitted.inputs.lags)} lags of {len(fitted.classes)} classes over "
            f"{layout.horizon} steps. Use 'exact' or 'monte_carlo', fewer lags or a shorter "
            f"horizon."
        )
    return None


@dataclass(frozen=True, eq=False)
class ObservedEvents:
    """A fitted model of classes, and the values of its series that are known.

    Attributes
    ----------
    fitted : FittedEvents
    codes : ndarray (n,)
        Places of the classes; NaN where missing.
    exog : ndarray (n + horizon or more, q)
        As of `FittedEvents.standardised`.
    """

    fitted: FittedEvents
    codes: FloatArray
    exog: FloatArray

    def ahead(
        self, origins: IntArray, horizon: int, method: MethodLike
    ) -> tuple[ClassDistribution, str, tuple[str, ...]]:
        """Return the classes after every origin, and the name of what made them."""
        start = self.fitted.start(self.codes, self.exog, origins, horizon)
        return *distribution(self.fitted, start, horizon, method), ()


def distribution(
    fitted: FittedEvents, start: Start, horizon: int, method: MethodLike
) -> tuple[ClassDistribution, str]:
    """Return the classes of a horizon from every origin, and the name of what made them.

    Parameters
    ----------
    fitted : FittedEvents
    start : Start
        Its past holds the places of classes.
    horizon : int
    method : str or propagation method
    """
    check_method(method)
    inputs, likelihood = fitted.inputs, fitted.likelihood
    layout, n_classes = Layout(inputs, start, horizon), len(fitted.classes)
    chosen = chosen_method(method, layout, fitted)
    named = "enumerate" if chosen is None else chosen.name
    name = f"auto: {named}" if method == "auto" else named
    if chosen is None:

        def probabilities(raw: FloatArray) -> FloatArray:
            at = fitted.posterior.predict(with_indicators(raw, len(inputs.lags), n_classes))
            return likelihood.probabilities(at.mean, at.var)

        return enumerated(layout, n_classes, probabilities), name
    given = fitted.posterior, likelihood, inputs, layout
    if isinstance(chosen, MonteCarlo):
        return sampled(*given, chosen), name
    found = fed_back(*given, chosen)
    if found.n_clipped:
        warn_numerically(
            f"{found.n_clipped} of {found.mean.size} variances by the {named} method came out "
            f"negative, by rounding or approximation, and were set to the smallest possible one."
        )
    return found, name
