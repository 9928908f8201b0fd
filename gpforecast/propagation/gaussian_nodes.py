"""The nodes of a forecast as one joint Gaussian."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.joint import append, select
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.nodes import Inputs, Layout, Start
from gpforecast.propagation.propagated import Propagated


def selected(
    values: FloatArray, Sigma: FloatArray, place: IntArray, row: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean (b, d) and covariance (b, d, d) of some nodes.

    Parameters
    ----------
    values : ndarray (b, n_nodes)
    Sigma : ndarray (b, n, n)
        Covariance of those that are not known.
    place : ndarray (d,)
        Which nodes.
    row : ndarray (d,)
        Their rows of Sigma; -1 where a node is known.
    """
    b, d = len(values), len(place)
    u, S = np.empty((b, d)), np.empty((b, d, d))
    select(values, Sigma, place, row, u, S)
    return u, S


class GaussianNodes:
    """The joint Gaussian of all nodes that are not known; each step appends a prediction.

    With m, v and g the mean, the variance and the expected gradient of f at the next input,

        mean_k = m        Sigma[k, k] = v + noise_var        Sigma[k, :k] = g' Sigma[lags(k), :k]

    The last equation is Stein's lemma, cov(f(x), z) = E[grad f(x)]' cov(x, z) for jointly Gaussian
    x, z. Restricted to the lags it is the papers' cov(y, x) (Quinonero-Candela et al. 2003,
    eq. 53); taken over all that came before, it gives the joint distribution of the whole horizon.
    """

    def __init__(
        self,
        predictive: Predictive,
        method: Propagation,
        inputs: Inputs,
        start: Start,
        horizon: int,
    ) -> None:
        self.predictive, self.method = predictive, method
        self.layout = layout = Layout(inputs, start, horizon)
        self.values = layout.initial
        b, first = len(start.past), layout.first_row
        self.Sigma = np.zeros((b, first + horizon, first + horizon))
        if start.past_cov is not None:
            self.Sigma[:, : layout.n_past, : layout.n_past] = start.past_cov
        if start.exog_cov is not None:
            future = slice(first - len(start.exog_cov), first)
            self.Sigma[:, future, future] = start.exog_cov
        self.latent_var = np.zeros((b, horizon))
        self.n_clipped = 0

    def inputs(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return mean (b, d) and covariance (b, d, d) of the inputs of step k."""
        return selected(self.values, self.Sigma, self.layout.place[k], self.layout.row[k])

    def answer(self, x: tuple[FloatArray, FloatArray]) -> Moments:
        """Return the moments of f there, by the propagation method."""
        return self.method.moments(self.predictive, *x)

    def append(self, k: int, f: Moments) -> bool:
        """Add the prediction; return whether it is a finite number."""
        layout, node = self.layout, self.layout.first + k
        self.values[:, node] = f.mean
        self.latent_var[:, k] = f.var
        self.n_clipped += f.n_clipped
        return append(
            self.values,
            node,
            self.Sigma,
            layout.first_row + k,
            layout.row[k],
            np.array(f.gradient, order="C"),  # one that is read-only would be compiled for anew
            f.var + self.predictive.noise_var,
        )

    def result(self) -> Propagated:
        """Return the predictions."""
        first = self.layout.first_row
        return Propagated(
            self.values[:, self.layout.first :],
            self.Sigma[:, first:, first:],
            self.latent_var,
            n_clipped=self.n_clipped,
        )
