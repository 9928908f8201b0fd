"""Paths of sampled classes, each fed back along its own path."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.events.indicators import drawn, with_indicators
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.layout import Inputs, Layout
from gpforecast.propagation.monte_carlo import MonteCarlo


@dataclass(frozen=True, eq=False)
class ClassPaths:
    """Paths of classes.

    Attributes
    ----------
    paths : ndarray (b, h, n) of int
    n_classes : int
    """

    paths: IntArray
    n_classes: int

    @property
    def probabilities(self) -> FloatArray:
        """The share of the paths in each class, (b, h, C)."""
        each = [(self.paths == c).mean(axis=2) for c in range(self.n_classes)]
        return np.stack(each, axis=-1)

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Take n of the paths, without repetition while they last: (b, h, n)."""
        there = self.paths.shape[2]
        return self.paths[:, :, rng.choice(there, n, replace=n > there)]


def sampled(
    predictive: Predictive,
    likelihood: Likelihood,
    inputs: Inputs,
    layout: Layout,
    method: MonteCarlo,
) -> ClassPaths:
    """Draw f at every input of every path, then a class given f, and go on from there."""
    rng, n_lags = np.random.default_rng(method.seed), len(inputs.lags)
    values = np.repeat(layout.initial[None], method.n_paths, axis=0)  # (n, b, nodes)
    draw = method.start(predictive, rng)
    for k in range(layout.horizon):
        raw = values.take(layout.place[k], axis=2)
        f = draw(with_indicators(raw, n_lags, likelihood.n_classes))  # (n, b)
        p = likelihood.probabilities(f.ravel(), np.zeros(f.size))
        values[:, :, layout.first + k] = drawn(p, rng).reshape(f.shape)
    paths = np.moveaxis(values[:, :, layout.first :], 0, -1).astype(np.int64)
    return ClassPaths(paths, likelihood.n_classes)
