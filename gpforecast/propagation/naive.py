"""Iteration that takes every prediction for a fact."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.propagated import Propagated
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Naive:
    """Feed predicted means back as if they had been observed.

    The error bars are those of one step ahead, whatever the horizon: far too narrow. It is here
    to be compared with, and for its mean, which is the trajectory of the plug-in model.

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), section 5.1.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.Naive().name
    'naive'
    """

    name: ClassVar[str] = "naive"

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:  # noqa: ARG002
        """Return the prediction at u (b, d); S is ignored and so is the gradient."""
        at_mean = predictive.predict(u)
        return Moments(at_mean.mean, at_mean.var, np.zeros_like(u), at_mean.n_clipped)


@dataclass(frozen=True)
class PlugIn(Naive):
    """The trajectory alone: the mean of the naive method, without variances.

    A step costs O(m d) for each origin, with m rows and d inputs. What predicts needs no more than
    its ``mean``.
    """

    def nodes(self, layout: Layout) -> "PlugInNodes":
        """Return what keeps the values of a forecast by this method."""
        return PlugInNodes(layout)

    def size(self, horizon: int) -> None:  # noqa: ARG002
        """Return nothing: all origins are followed at once."""
        return


class PlugInNodes:
    """One value for each node; each step appends the mean of f at its inputs."""

    def __init__(self, layout: Layout) -> None:
        self.means, self.layout = [*map(mean_of, layout.models.predictives)], layout
        self.values = layout.initial

    def step(self, k: int) -> bool:
        """Append the mean of f at the inputs of step k."""
        place, _ = self.layout.inputs_of(k)
        f = self.means[k % len(self.means)](self.values.take(place, axis=1))
        self.values[:, self.layout.first + k] = f
        return bool(np.isfinite(f).all())

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, preceded by the last `kept` unknown values before them."""
        return Propagated.certain(self.values[:, self.layout.first - kept :])


@runtime_checkable
class HasMean(Protocol):
    """What gives the mean of f alone; along a plug-in path nothing else is needed."""

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (b, d): (b,)."""


def mean_of(predictive: Predictive | HasMean) -> Callable[[FloatArray], FloatArray]:
    """Return what gives the mean at known inputs, without the variance if that can be."""
    if isinstance(predictive, HasMean):
        return predictive.mean
    return lambda x: predictive.predict(x).mean
