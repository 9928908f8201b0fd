"""The values of a forecast as one joint Gaussian that grows by a row at each step."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import IntArray
from gpforecast.numerics.compiled.joint import append
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.layout import Layout, selected
from gpforecast.propagation.one_function import of_f
from gpforecast.propagation.propagated import Propagated


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

    def model_at(self, k: int) -> tuple[Predictive, IntArray, IntArray]:
        """Return the model of step k, and the node and the row of each of its inputs, (d,)."""
        return self.predictive, self.layout.place[k], self.layout.row[k]

    def step(self, k: int) -> bool:
        """Append the moments of f at the inputs of step k, by the propagation method."""
        layout, first = self.layout, self.layout.first_row
        predictive, place, row = self.model_at(k)
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


@dataclass(frozen=True)
class AsGaussian:
    """How a method of moments keeps the values of a forecast."""

    method: Propagation

    def nodes(self, predictive: Predictive, layout: Layout) -> GaussianNodes:
        """Return those of a forecast that has not begun."""
        return GaussianNodes(predictive, self.method, layout)

    def size(self, predictive: Predictive, horizon: int) -> int:
        """Return how many doubles are kept for each origin, beside the covariance."""
        return of_f(self.method).size(predictive, horizon)
