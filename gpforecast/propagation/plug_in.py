"""What is believed during a recursion that takes every prediction for a fact: one value a node."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.nodes import Inputs, Nodes, Start


@runtime_checkable
class HasMean(Protocol):
    """What gives the mean of f alone; along a plug-in path nothing else is needed."""

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (b, d): (b,)."""
        ...


class PlugIn:
    """One value for each node; a step appends the mean of f at the values of its lags."""

    def __init__(
        self, predictive: Predictive | HasMean, inputs: Inputs, start: Start, horizon: int
    ) -> None:
        self.mean = _mean_of(predictive)
        self.nodes = Nodes.of(inputs, start, horizon)
        self.values = self.nodes.initial

    def inputs(self, k: int) -> FloatArray:
        """Return the inputs of step k, (b, d)."""
        x: FloatArray = self.values.take(self.nodes.place[k], axis=1)
        return x

    def answer(self, x: FloatArray) -> FloatArray:
        """Return the mean of f there, (b,)."""
        return self.mean(x)

    def append(self, k: int, f: FloatArray) -> bool:
        """Add the prediction; return whether it is a finite number."""
        self.values[:, self.nodes.first + k] = f
        return bool(np.isfinite(f).all())

    def result(self) -> FloatArray:
        """Return the predictions, (b, h)."""
        return self.values[:, self.nodes.first :]


def _mean_of(predictive: Predictive | HasMean) -> Callable[[FloatArray], FloatArray]:
    """Return what gives the mean at known inputs, without the variance if that can be."""
    if isinstance(predictive, HasMean):
        return predictive.mean
    return lambda x: predictive.predict(x).mean
