"""The one loop over the horizon, for every propagation method.

A one-step model is iterated: each step selects the inputs of the next value among all that is
known or already predicted, asks the model what f is there, and appends the answer
(Quinonero-Candela et al. 2003, section 5.2). What differs is what is believed of the values: a
joint Gaussian (`gpforecast.propagation.gaussian`), a set of sample paths
(`gpforecast.propagation.paths`), or one number each (`gpforecast.propagation.plug_in`).
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed

from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.gaussian import Gaussian
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.nodes import Inputs, Start
from gpforecast.propagation.paths import Paths
from gpforecast.propagation.plug_in import HasMean, PlugIn
from gpforecast.propagation.propagated import Propagated

__all__ = ["Inputs", "Propagated", "Start", "propagate", "trajectory"]

_X = TypeVar("_X")
_F = TypeVar("_F")


class Beliefs(Protocol[_X, _F]):
    """What is known and believed of all values before a step, and how it grows by one."""

    def inputs(self, k: int) -> _X:
        """Return what is believed of the inputs of step k, k = 0, 1, ..."""
        ...

    def answer(self, x: _X) -> _F:
        """Return what the one-step model says of f there."""
        ...

    def append(self, k: int, f: _F) -> bool:
        """Add what is now believed of the value at step k; return whether that is finite."""
        ...


def iterate(beliefs: Beliefs[_X, _F], horizon: int, on_step: Callable[[], object]) -> None:
    """Go through the horizon step by step.

    Raises
    ------
    ValueError
        If a prediction is not a finite number.
    """
    for k in range(horizon):
        x = beliefs.inputs(k)
        f = beliefs.answer(x)
        if not beliefs.append(k, f):
            raise ValueError(
                f"the forecast is no longer a finite number at step {k + 1}: the one-step model "
                f"runs away from the values it learned from. Forecast the differences of the "
                f"series, a shorter horizon, or use a model without a linear part."
            )
        on_step()


def propagate(
    predictive: Predictive,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    start: Start,
    horizon: int,
    *,
    n_threads: int = 1,
) -> Propagated:
    """Forecast `horizon` steps from every origin.

    Parameters
    ----------
    predictive : Posterior or Predictive
        The one-step model.
    method : Propagation or MonteCarlo
    inputs : Inputs
    start : Start
    horizon : int
    n_threads : int
        Origins are shared out among threads; but for rounding (1e-12 of its scale) the result does
        not depend on their number. Monte Carlo runs in one.

    Returns
    -------
    Propagated

    Raises
    ------
    ValueError
        If the forecast runs away from every finite number.

    Notes
    -----
    Beside the method's own cost, a step takes O(horizon * lags) for each origin, and the joint
    covariance O(horizon^2) memory.
    """
    if isinstance(predictive, Mixture):
        return _mixed(predictive, method, inputs, start, horizon, n_threads)
    if isinstance(method, MonteCarlo):
        paths = Paths(predictive, method, inputs, start, horizon)
        with bar("forecasting", total=horizon, unit="steps") as shown:
            iterate(paths, horizon, shown.update)
        return paths.result()
    cuts = np.linspace(0, len(start.past), min(n_threads, len(start.past)) + 1).astype(int)
    parts = [
        Gaussian(predictive, method, inputs, start.part(a, b), horizon) for a, b in pairwise(cuts)
    ]
    # BLAS keeps to one thread: the origins are shared out already.
    with one_blas_thread(), bar("forecasting", total=horizon, unit="steps") as shown:
        if len(parts) == 1:
            iterate(parts[0], horizon, shown.update)
            return parts[0].result()
        counts = [shown.update, *[SILENT.update] * (len(parts) - 1)]  # they go about abreast
        Parallel(n_jobs=len(parts), prefer="threads")(
            delayed(iterate)(part, horizon, count)
            for part, count in zip(parts, counts, strict=True)
        )
    return Propagated.joined([part.result() for part in parts])


def trajectory(
    predictive: Predictive | HasMean, inputs: Inputs, start: Start, horizon: int
) -> FloatArray:
    """Return the plug-in path, every prediction taken for a fact: (b, horizon).

    It is the mean of `propagate` by the method ``naive``, without variances: a step costs O(m d)
    for each origin, with m rows and d inputs.

    Parameters
    ----------
    predictive : Posterior, Predictive or anything else with ``mean(X)``
    inputs : Inputs
    start : Start
        Of which only the values count.
    horizon : int

    Returns
    -------
    ndarray (b, horizon)

    Raises
    ------
    ValueError
        If it runs away from every finite number.
    """
    if isinstance(predictive, Mixture):
        means = [trajectory(part, inputs, start, horizon) for part in predictive.parts]
        mixed: FloatArray = np.tensordot(predictive.weights, np.array(means), axes=1)
        return mixed
    beliefs = PlugIn(predictive, inputs, start, horizon)
    iterate(beliefs, horizon, SILENT.update)
    return beliefs.result()


def _mixed(
    mixture: Mixture,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    start: Start,
    horizon: int,
    n_threads: int,
) -> Propagated:
    """Follow each part over the whole horizon and mix: hyperparameters do not change on the way."""
    methods = [method] * len(mixture.parts)
    if isinstance(method, MonteCarlo):
        methods = [replace(method, n_paths=n) for n in _shares(mixture.weights, method.n_paths)]
    runs = []
    with bar("forecasting", total=len(methods), unit="models") as shown:
        for part, own in zip(mixture.parts, methods, strict=True):
            runs.append(propagate(part, own, inputs, start, horizon, n_threads=n_threads))
            shown.update()
    return Propagated.mixed(runs, mixture.weights)


def _shares(weights: FloatArray, n: int) -> list[int]:
    """Share n paths out by weight, at least two each."""
    cuts = np.rint(np.cumsum(weights) * n).astype(int)
    return [max(2, int(count)) for count in np.diff(cuts, prepend=0)]
