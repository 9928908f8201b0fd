r"""The one recursion over the horizon, for every propagation method.

A one-step model is iterated (Quinonero-Candela, Girard, Larsen and Rasmussen 2003, section 5.2).
At step k of a forecast

1. the inputs x_k of the next value are selected among all that is known or already predicted:
   jointly Gaussian, with mean u and covariance S;
2. the propagation method gives mean m, variance v and expected gradient g of f at x_k ~ N(u, S);
3. the prediction is appended to the joint Gaussian,

.. math::

    \text{mean}_k = m, \qquad \Sigma_{kk} = v + \sigma^2, \qquad
    \Sigma_{k, :k} = g' \Sigma_{\text{lags}(k), :k}.

The last equation is Stein's lemma, cov(f(x), z) = E[grad f(x)]' cov(x, z) for jointly Gaussian x
and z. Restricted to the lags it is the paper's cov(y, x), eq. (53); taken over all values before,
it gives the joint distribution of the whole horizon. What is added to both where f is one function
is in `gpforecast.propagation.one_function`.

Other methods keep other nodes: sample paths (`PathNodes`), mixtures (`MixtureNodes`), or one number
each (`PlugInNodes`). The loop is the same, also for several series, whose values are interleaved
(`gpforecast.propagation.layout.Columns`): only the model changes with the step.

Where values of several series are missing before the origin, the recursion begins before the first
of them, and all nodes are conditioned on what was observed as they are reached. That is of weighted
sums of values: a level is a sum of differences.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np

from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.joint import append
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.propagation.automatic import Automatic
from gpforecast.propagation.base import KeepsNodes, Nodes, Propagation
from gpforecast.propagation.joint_covariance import JointCovariance, Recursed, joint_of
from gpforecast.propagation.layout import Columns, Inputs, Layout, Observed, Start, selected
from gpforecast.propagation.monte_carlo import share
from gpforecast.propagation.one_function import FactoredPaths, drawn_anew, of_f
from gpforecast.propagation.propagated import Propagated

__all__ = ["Columns", "GaussianNodes", "Inputs", "Propagated", "Start", "propagate"]

_LEAST = 64  # steps that are added before earlier ones are forgotten
_SURE = 1e-14  # of the variance of a sum: what is left beyond this is rounding
_PART_ELEMENTS = 8_000_000  # doubles kept for the origins that are followed at once: 64 MB


def iterate(step: Callable[[int], bool], horizon: int, on_step: Callable[[], object]) -> None:
    """Go through the horizon; `step` says whether what it predicted is a finite number.

    Overflow raises one error instead of a warning by numpy at every step.

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


class GaussianNodes:
    """The joint Gaussian of all values that are not known; each step appends a prediction.

    Parameters
    ----------
    method, layout
    whole : bool
        Whether the joint covariance is kept while it grows. Otherwise, where later steps depend on
        earlier ones by their lags alone, only that of the last ones is.
    """

    def __init__(self, method: Propagation, layout: Layout, *, whole: bool = True) -> None:
        self.method, self.layout, predictives = method, layout, layout.models.predictives
        self.values, b = layout.initial, len(layout.initial)
        self.begin, horizon = 0, layout.horizon  # the first step whose covariance is there
        f, known = of_f(method), layout.covariance()
        self.size = horizon
        if not whole and f.few(predictives, horizon):
            self.size = min(horizon, layout.reach + max(layout.reach, _LEAST))
        self.Sigma = np.pad(known, ((0, 0), (0, self.size), (0, self.size)))
        self.rows = layout.row  # of Sigma
        self.latent_var, self.own = np.zeros((2, b, horizon))
        self.slopes = np.zeros((b, *layout.row.shape))
        self.expected_var = np.zeros((b, horizon))  # E[sigma^2], where f is one function
        self.n_clipped = 0
        self.shared = f.shared(predictives, self.Sigma, layout.first_row, layout.row)

    def model_at(self, k: int) -> Predictive:
        """Return the model of step k."""
        predictives = self.layout.models.predictives
        return predictives[k % len(predictives)]

    def moments_at(
        self, k: int, predictive: Predictive, u: FloatArray, S: FloatArray
    ) -> tuple[Moments, FloatArray, FloatArray]:
        """Return the moments of f at inputs N(u, S) of step k, q_kj for earlier j, and e_kk.

        These are without columns, (b, 0), and without entries, (0,), where f is drawn anew.
        """
        f = self.method.moments(predictive, u, S)
        if self.shared is None:
            return f, np.zeros((len(u), 0)), np.zeros(0)
        return f, *self.shared.covariances(k, u, self.begin)

    def step(self, k: int) -> bool:
        """Append the moments of f at the inputs of step k, by the propagation method."""
        layout, first = self.layout, self.layout.first_row
        if k - self.begin == self.size:
            self._forget(k)
        predictive, (place, row), own = self.model_at(k), layout.inputs_of(k), self.own[:, k].copy()
        at = selected(self.values, self.Sigma, place, self.rows[k, : len(row)])
        f, q, expected = self.moments_at(k, predictive, *at)
        self.values[:, layout.first + k] = f.mean
        g, var = np.zeros((len(own), layout.row.shape[1])), f.var.copy()  # is written to
        g[:, : len(place)] = f.gradient
        self.n_clipped += f.n_clipped
        new, noise_var = first + k - self.begin, predictive.noise_var
        now = (f.mean, var, noise_var, g, q, expected)
        finite = append(*now, self.Sigma, first, self.rows[k], new, own)
        self.latent_var[:, k], self.own[:, k], self.slopes[:, k] = var, own, g
        if self.shared is not None:
            self.expected_var[:, k] = expected
            self.shared.append(k, g, var + noise_var, own)
        return finite

    def _forget(self, k: int) -> None:
        """Keep the covariance of the last steps before step k that later ones depend on."""
        first, rows, back = self.layout.first_row, self.layout.row, self.layout.reach
        kept = np.r_[:first, len(self.Sigma[0]) - back : len(self.Sigma[0])]
        left = self.Sigma[:, kept[:, None], kept]
        self.Sigma[:] = 0.0
        self.Sigma[:, : len(kept), : len(kept)] = left
        self.begin = k - back
        self.rows = np.where(rows >= first, rows - self.begin, rows)

    def condition(self, weights: FloatArray, value: float) -> None:
        """Condition all nodes on a sum of the first predictions, with weights (k + 1,)."""
        first = self.layout.first_row
        random = self.values[:, self.layout.first - first :]
        own = slice(first, first + len(weights))
        for b, Sigma in enumerate(self.Sigma):
            c = Sigma[:, own] @ weights
            var, scale = float(weights @ c[own]), float(weights**2 @ np.diag(Sigma)[own])
            if var > _SURE * scale:
                random[b] += c * ((value - float(weights @ random[b, own])) / var)
                Sigma -= np.outer(c, c / var)
                diagonal = np.einsum("nn->n", Sigma)
                np.maximum(diagonal, 0.0, out=diagonal)  # rounding alone

    def result(self, kept: int = 0) -> Propagated:
        """Return the predictions, after so many of the values before them, not known either."""
        first = self.layout.first_row - kept
        return Propagated(
            self.values[:, self.layout.first - kept :],
            self._joint().picked(slice(None), slice(first, None)),
            np.pad(self.latent_var, ((0, 0), (kept, 0))),
            n_clipped=self.n_clipped,
        )

    def _joint(self) -> JointCovariance:
        """Return the joint covariance of all nodes, or what it can be computed from."""
        if self.size == self.layout.horizon:
            return joint_of(self.Sigma)
        layout, start = self.layout, self.layout.covariance()
        b, n = len(start), layout.first_row + layout.horizon
        noise_var = np.array([self.model_at(k).noise_var for k in range(layout.horizon)])
        var = np.hstack([np.einsum("bnn->bn", start), self.latent_var + noise_var])
        nothing = np.zeros((b, n, 0)), np.zeros((b, layout.horizon, 0)), np.zeros(0)
        f, factors = self.shared, nothing
        if isinstance(f, FactoredPaths):
            factors = f.t[:, :-1], f.w, f.signs
        return Recursed(var, start, self.slopes, layout.row, self.own, *factors)


def propagate(
    models: Columns, method: Propagation, start: Start, horizon: int, *, n_threads: int = 1
) -> Propagated:
    """Forecast `horizon` steps from every origin.

    Parameters
    ----------
    models : Columns
        The one-step models: of a single series, or of columns that are forecast together.
    method : Propagation
        Of several columns, one of Gaussians, or Monte Carlo.
    start : Start
    horizon : int
        Times; each has a step for every column.
    n_threads : int
        Origins are shared out among threads; but for rounding (1e-12 of its scale) the result does
        not depend on their number. Monte Carlo runs in one.

    Returns
    -------
    Propagated
        (b, n), all columns of a time together.

    Raises
    ------
    ValueError
        If the forecast runs away from every finite number.

    Notes
    -----
    Besides the method's own cost, a step takes O(n * lags) for each origin with n steps, and the
    joint covariance O(n^2) memory; neither where later steps depend on the last ones alone.
    """
    again = partial(propagate, models, horizon=horizon, n_threads=n_threads)
    if len(groups := start.alike()) > 1:
        together = Propagated.joined([again(method, start.rows(group)) for group in groups])
        return together.ahead(np.argsort(np.concatenate(groups)))
    if isinstance(method, Automatic):
        return method.choose(again, models, start, horizon)
    parts, runs, done = models.parts, list[Propagated](), 0.0
    alone = nullcontext(SILENT)  # whose steps are shown instead
    with bar("forecasting", total=len(parts), unit="models") if parts[1:] else alone as shown:
        for weight, one in parts:
            own = share(method, done, done + weight)
            runs.append(_follow(one, own, start, horizon, n_threads))
            done += weight
            shown.update()
    weights = np.array([weight for weight, _ in parts])
    found = runs[0] if len(runs) == 1 else Propagated.mixed(runs, weights)
    if start.ahead is None:
        return found
    return found.scaled(np.isnan(start.ahead).astype(float), np.nan_to_num(start.ahead))


def _follow(
    models: Columns, method: Propagation, start: Start, horizon: int, n_threads: int
) -> Propagated:
    """Forecast with single models, their hyperparameters the same at every step."""
    predictives, n_clipped, kept = models.predictives, 0, 0
    if start.observed is not None:
        kept = len(start.observed.values)
        start = _conditioned(models, drawn_anew(method), start, start.observed)
        n_clipped = start.n_clipped
    nodes_of: Callable[[Layout], Nodes]
    n_steps = horizon * len(predictives)
    if isinstance(method, KeepsNodes):
        nodes_of, size = method.nodes, method.size(n_steps)
    else:
        nodes_of = partial(GaussianNodes, method, whole=False)
        size = max(of_f(method).size(one, n_steps) for one in predictives)
    b = len(start.past)
    n_parts = 1 if size is None else min(b, max(n_threads, b * size // _PART_ELEMENTS))
    cuts = np.linspace(0, b, n_parts + 1).astype(int)

    def of_origins(a: int, b: int) -> Propagated:
        nodes = nodes_of(Layout(models, start.rows(slice(a, b)), n_steps))
        iterate(nodes.step, n_steps, partial(shown.update, b - a))
        return nodes.result(kept)

    # BLAS keeps to one thread: the origins are shared out already.
    with one_blas_thread(), bar("forecasting", total=n_steps * b, unit="steps") as shown:
        if n_parts == 1:
            found = of_origins(0, b)
        else:
            with ThreadPoolExecutor(n_threads) as pool:
                found = Propagated.joined(list(pool.map(of_origins, cuts[:-1], cuts[1:])))
    return replace(found, n_clipped=found.n_clipped + n_clipped)


def _conditioned(models: Columns, method: Propagation, start: Start, observed: Observed) -> Start:
    """Return what is known of all nodes up to an origin, given what was observed of them."""
    n = len(observed.values)
    nodes = GaussianNodes(method, Layout(models, start, n))

    def step(k: int) -> bool:
        finite, weights = nodes.step(k), observed.weights[k]
        if finite and weights is not None:
            nodes.condition(weights, float(observed.values[k]))
        return finite

    iterate(step, n, SILENT.update)
    past, rows = nodes.values.shape[1], nodes.Sigma.shape[1]
    covariance = np.zeros((1, past, past))
    covariance[:, past - rows :, past - rows :] = nodes.Sigma
    return Start(nodes.values, past_cov=covariance, n_clipped=nodes.n_clipped)
