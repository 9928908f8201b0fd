"""The one loop over the horizon, for every propagation method.

A one-step model is iterated: each step selects the inputs of the next value among all that is
known or already predicted, asks the model what f is there, and appends the answer
(Quinonero-Candela et al. 2003, section 5.2). What differs is how the values, the nodes, are kept:
as a joint Gaussian (`GaussianNodes`), as sample paths (`PathNodes`), as one number each
(`trajectory`), or as the method says (`KeepsNodes`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from joblib import Parallel, delayed

from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import generator
from gpforecast.numerics.compiled.joint import append, selected
from gpforecast.numerics.solving import square_root
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.function_draws import Draw
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.layout import Inputs, Layout, Start
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.one_function import of_f
from gpforecast.propagation.propagated import Propagated

__all__ = ["Inputs", "Propagated", "Start", "propagate", "trajectory"]

_M = TypeVar("_M")

_LARGEST = 1e150  # of a path: its square is a number
_PART_ELEMENTS = 8_000_000  # doubles kept for the origins that are followed at once: 64 MB


class Nodes(Protocol):
    """The values of a forecast so far, from every origin."""

    def step(self, k: int) -> bool:
        """Append the prediction of step k; return whether it is finite."""
        ...

    def result(self) -> Propagated:
        """Return the predictions."""
        ...


@runtime_checkable
class KeepsNodes(Protocol):
    """A propagation method that says how the values of a forecast are kept."""

    def nodes(self, predictive: Predictive, layout: Layout) -> Nodes:
        """Return those of a forecast that has not begun."""
        ...

    def size(self, predictive: Predictive, horizon: int) -> int:
        """Return how many doubles are kept for each origin."""
        ...


@runtime_checkable
class Chooses(Protocol):
    """A propagation method that chooses others, for each origin."""

    def choose(
        self,
        run: Callable[[Propagation, Start], Propagated],
        predictive: Predictive,
        inputs: Inputs,
        start: Start,
    ) -> Propagated:
        """Forecast by the methods that it chooses; `run` does so by one, from some origins."""
        ...


class GaussianNodes:
    """The joint Gaussian of all nodes that are not known; each step appends a prediction.

    With m, v and g the mean, the variance and the expected gradient of f at the next input,

        mean_k = m        Sigma[k, k] = v + noise_var        Sigma[k, :k] = g' Sigma[lags(k), :k]

    The last equation is Stein's lemma, cov(f(x), z) = E[grad f(x)]' cov(x, z) for jointly Gaussian
    x, z. Restricted to the lags it is the papers' cov(y, x) (Quinonero-Candela et al. 2003,
    eq. 53); taken over all that came before, it gives the joint distribution of the whole horizon.
    What is added to both where f is one function stands in `gpforecast.propagation.one_function`.
    """

    def __init__(self, predictive: Predictive, method: Propagation, layout: Layout) -> None:
        self.predictive, self.method, self.layout = predictive, method, layout
        self.values, start = layout.initial, layout.start
        b, first, horizon = len(start.past), layout.first_row, layout.horizon
        self.Sigma = np.zeros((b, first + horizon, first + horizon))
        if start.past_cov is not None:
            self.Sigma[:, : layout.n_past, : layout.n_past] = start.past_cov
        if start.exog_cov is not None:
            future = slice(first - len(start.exog_cov), first)
            self.Sigma[:, future, future] = start.exog_cov
        self.latent_var = np.zeros((b, horizon))
        self.slopes = np.zeros((b, *layout.row.shape))
        self.n_clipped = 0
        self.shared = of_f(method).shared(predictive, self.Sigma, first, layout.row)

    def asked(self, k: int) -> tuple[Predictive, IntArray, IntArray]:
        """Return the model of step k, and the node and the row of each of its inputs, (d,)."""
        return self.predictive, self.layout.place[k], self.layout.row[k]

    def step(self, k: int) -> bool:
        """Append the moments of f at the inputs of step k, by the propagation method."""
        layout, first = self.layout, self.layout.first_row
        predictive, place, row = self.asked(k)
        x = selected(self.values, self.Sigma, place, row)
        f, e = self.method.moments(predictive, *x), self.shared.covariances(k, *x)
        self.values[:, layout.first + k] = f.mean
        self.slopes[:, k, : len(place)] = f.gradient
        self.n_clipped += f.n_clipped
        var, noise_var = f.var.copy(), predictive.noise_var  # a copy: it is written to
        now = (f.mean, var, noise_var, self.slopes, e)
        finite = append(*now, self.Sigma, first, layout.row, k)
        self.latent_var[:, k] = var
        self.shared.append(k)
        return finite

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, after so many of the values before them, not known either."""
        first = self.layout.first_row - kept
        return Propagated(
            self.values[:, self.layout.first - kept :],
            self.Sigma[:, first:, first:],
            np.pad(self.latent_var, ((0, 0), (kept, 0))),
            n_clipped=self.n_clipped,
        )


class PathNodes:
    """A set of paths for each origin; each step appends a draw of f, and noise, to every path."""

    def __init__(self, predictive: Predictive, method: MonteCarlo, layout: Layout) -> None:
        self.rng = generator(method.seed)
        self.layout, start = layout, layout.start
        n, b = method.n_paths, len(start.past)
        self.values = np.repeat(layout.initial[None], n, axis=0)  # (n, b, nodes)
        if start.past_cov is not None:
            roots = square_root(start.past_cov)  # (b, p, p)
            z = self.rng.standard_normal((n, *roots.shape[:2]))
            self.values[:, :, : layout.n_past] += np.einsum("bij,nbj->nbi", roots, z)
        if start.exog_cov is not None:
            root = square_root(start.exog_cov)
            z = self.rng.standard_normal((n, b, len(root)))
            self.values[:, :, layout.n_past : layout.first] += z @ root.T
        self.begin(predictive, method)
        self.latent_var = np.zeros((b, layout.horizon))

    def begin(self, predictive: Predictive, method: MonteCarlo) -> None:
        """Draw what is kept along every path: its function, if the method draws whole ones."""
        self.noise = float(np.sqrt(predictive.noise_var))
        self.draw = method.start(predictive, self.rng)

    def asked(self, k: int) -> tuple[Draw, float, IntArray]:
        """Return what draws f at step k, the standard deviation of its noise, and its inputs."""
        return self.draw, self.noise, self.layout.place[k]

    @property
    def n_clipped(self) -> int:
        """Variances that came out negative while draws were made."""
        return getattr(self.draw, "n_clipped", 0)

    def step(self, k: int) -> bool:
        """Append a draw of f at the inputs of step k, and its noise, to every path."""
        draw, noise_std, place = self.asked(k)
        f = draw(self.values.take(place, axis=2))  # (n, b)
        self.latent_var[:, k] = f.var(axis=0, ddof=1)
        noise = noise_std * self.rng.standard_normal(f.shape)
        self.values[:, :, self.layout.first + k] = f + noise
        return bool(np.abs(f).max() < _LARGEST)

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, after so many of the values before them, not known either."""
        paths = np.moveaxis(self.values[:, :, self.layout.first - kept :], 0, -1)  # (b, h, n)
        latent_var = np.pad(self.latent_var, ((0, 0), (kept, 0)))
        return Propagated.of_paths(np.ascontiguousarray(paths), latent_var, self.n_clipped)


@runtime_checkable
class HasMean(Protocol):
    """What gives the mean of f alone; along a plug-in path nothing else is needed."""

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (b, d): (b,)."""
        ...


def iterate(step: Callable[[int], bool], horizon: int, on_step: Callable[[], object]) -> None:
    """Go through the horizon; `step` says whether what it predicted is a finite number.

    Numbers that overflow are said once, by the error, and not by numpy at every step.

    Raises
    ------
    ValueError
        If a prediction is not a finite number.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(horizon):
            if not step(k):
                raise ValueError(
                    f"the forecast is no longer a finite number at step {k + 1}: the one-step "
                    f"model runs away from the values it learned from. Forecast the differences of "
                    f"the series, a shorter horizon, or use a model without a linear part."
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
    if isinstance(method, Chooses):
        run = partial(propagate, predictive, inputs=inputs, horizon=horizon, n_threads=n_threads)
        return method.choose(
            lambda chosen, some: run(chosen, start=some), predictive, inputs, start
        )
    parts, weights = _parts(predictive)
    if len(parts) == 1:
        found = _follow(parts[0], method, inputs, start, horizon, n_threads)
    else:
        runs = []
        with bar("forecasting", total=len(parts), unit="models") as shown:
            for part, share in zip(parts, pairwise([0.0, *np.cumsum(weights)]), strict=True):
                own = method.share(*share) if isinstance(method, MonteCarlo) else method
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
        mean += weight * _plug_in_path(mean_of(part), Layout(inputs, start, horizon))
    return mean


def _plug_in_path(mean: Callable[[FloatArray], FloatArray], layout: Layout) -> FloatArray:
    """Keep one value for each node, the mean of f at its inputs; return the predictions, (b, h)."""
    values = layout.initial

    def step(k: int) -> bool:
        f = mean(values.take(layout.place[k], axis=1))
        values[:, layout.first + k] = f
        return bool(np.isfinite(f).all())

    iterate(step, layout.horizon, SILENT.update)
    return values[:, layout.first :]


def mean_of(predictive: Predictive | HasMean) -> Callable[[FloatArray], FloatArray]:
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
    b = len(start.past)
    if isinstance(method, MonteCarlo):
        paths = PathNodes(predictive, method, Layout(inputs, start, horizon))
        with bar("forecasting", total=horizon * b, unit="steps") as shown:
            iterate(paths.step, horizon, partial(shown.update, b))
        return paths.result()
    kept = method if isinstance(method, KeepsNodes) else of_f(method)
    n_parts = min(b, max(n_threads, b * kept.size(predictive, horizon) // _PART_ELEMENTS))
    cuts = np.linspace(0, b, n_parts + 1).astype(int)

    def follow(a: int, b: int) -> Propagated:
        nodes = _nodes(predictive, method, Layout(inputs, start.part(a, b), horizon))
        iterate(nodes.step, horizon, partial(shown.update, b - a))
        return nodes.result()

    # BLAS keeps to one thread: the origins are shared out already.
    with one_blas_thread(), bar("forecasting", total=horizon * b, unit="steps") as shown:
        if n_parts == 1:
            return follow(0, b)
        tasks = [delayed(follow)(*cut) for cut in pairwise(cuts)]
        return Propagated.joined(Parallel(n_jobs=n_threads, prefer="threads")(tasks))


def _nodes(predictive: Predictive, method: Propagation, layout: Layout) -> Nodes:
    """Return what keeps the values of a forecast: a joint Gaussian, unless the method says so."""
    if isinstance(method, KeepsNodes):
        return method.nodes(predictive, layout)
    return GaussianNodes(predictive, method, layout)


def _parts(predictive: _M) -> tuple[Sequence[_M | Posterior], FloatArray]:
    """Return the parts of a mixture and their weights; another model is its own only part."""
    if isinstance(predictive, AveragedPosterior):
        return predictive.parts, predictive.weights
    return (predictive,), np.ones(1)
