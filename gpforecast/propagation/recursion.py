"""The one loop over the horizon, for every propagation method.

A one-step model is iterated: each step selects the inputs of the next value among all that is
known or already predicted, asks the model what f is there, and appends the answer
(Quinonero-Candela et al. 2003, section 5.2). What differs is how the values, the nodes, are kept:
as a joint Gaussian (`GaussianNodes`), as sample paths (`PathNodes`), or as one number each
(`PlugInNodes`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from joblib import Parallel, delayed

from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.nodes import GaussianNodes, Inputs, Nodes, PathNodes, PlugInNodes, Start
from gpforecast.propagation.propagated import Propagated

__all__ = ["Inputs", "Propagated", "Start", "propagate", "trajectory"]

_M = TypeVar("_M")


@runtime_checkable
class HasMean(Protocol):
    """What gives the mean of f alone; along a plug-in path nothing else is needed."""

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (b, d): (b,)."""
        ...


def iterate(nodes: Nodes, horizon: int, on_step: Callable[[], object]) -> None:
    """Go through the horizon step by step.

    Raises
    ------
    ValueError
        If a prediction is not a finite number.
    """
    for k in range(horizon):
        if not nodes.step(k):
            raise ValueError(
                f"the forecast is no longer a finite number at step {k + 1}: the one-step model "
                f"runs away from the values it learned from. Forecast the differences of the "
                f"series, a shorter horizon, or use a model without a linear part."
            )
        on_step()


def propagate(
    predictive: Predictive,
    method: Propagation,
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
    method : Propagation
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
    parts, weights = _parts(predictive)
    if len(parts) == 1:
        found = _follow(parts[0], method, inputs, start, horizon, n_threads)
    else:
        runs = []
        with bar("forecasting", total=len(parts), unit="models") as shown:
            for part, own in zip(parts, _shared(method, weights), strict=True):
                runs.append(_follow(part, own, inputs, start, horizon, n_threads))
                shown.update()
        found = Propagated.mixed(runs, weights)
    return replace(found, n_clipped=found.n_clipped + start.n_clipped)


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
    parts, weights = _parts(predictive)
    mean = np.zeros((len(start.past), horizon))
    for part, weight in zip(parts, weights, strict=True):
        nodes = PlugInNodes(_mean_of(part), inputs, start, horizon)
        iterate(nodes, horizon, SILENT.update)
        mean += weight * nodes.result()
    return mean


def _mean_of(predictive: Predictive | HasMean) -> Callable[[FloatArray], FloatArray]:
    """Return what gives the mean at known inputs, without the variance if that can be."""
    if isinstance(predictive, HasMean):
        return predictive.mean
    return lambda x: predictive.predict(x).mean


def _follow(
    predictive: Predictive,
    method: Propagation,
    inputs: Inputs,
    start: Start,
    horizon: int,
    n_threads: int,
) -> Propagated:
    """Forecast with one model, its hyperparameters the same at every step."""
    if isinstance(method, MonteCarlo):
        paths = PathNodes(predictive, method, inputs, start, horizon)
        with bar("forecasting", total=horizon, unit="steps") as shown:
            iterate(paths, horizon, shown.update)
        return paths.result()
    cuts = np.linspace(0, len(start.past), min(n_threads, len(start.past)) + 1).astype(int)
    origins = [start.part(a, b) for a, b in pairwise(cuts)]
    parts = [GaussianNodes(predictive, method, inputs, part, horizon) for part in origins]
    # BLAS keeps to one thread: the origins are shared out already.
    with one_blas_thread(), bar("forecasting", total=horizon, unit="steps") as shown:
        if len(parts) == 1:
            iterate(parts[0], horizon, shown.update)
            return parts[0].result()
        # They go about abreast, so that the first one counts for all.
        counts = [shown, *[SILENT] * (len(parts) - 1)]
        pairs = zip(parts, counts, strict=True)
        tasks = [delayed(iterate)(part, horizon, count.update) for part, count in pairs]
        Parallel(n_jobs=len(parts), prefer="threads")(tasks)
    return Propagated.joined([part.result() for part in parts])


def _parts(predictive: _M) -> tuple[Sequence[_M | Posterior], FloatArray]:
    """Return the parts of a mixture and their weights; another model is its own only part."""
    if isinstance(predictive, Mixture):
        return predictive.parts, predictive.weights
    return (predictive,), np.ones(1)


def _shared(method: Propagation, weights: FloatArray) -> Sequence[Propagation]:
    """Return a method for each part of a mixture; paths are shared out, at least two each."""
    if not isinstance(method, MonteCarlo):
        return [method] * len(weights)
    cuts = np.rint(np.cumsum(weights) * method.n_paths).astype(int)
    return [replace(method, n_paths=max(2, int(n))) for n in np.diff(cuts, prepend=0)]
