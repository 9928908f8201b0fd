r"""Direct forecasts: a model for each lead, each used once, at inputs known at the origin.

This is the alternative to iteration (Quinonero-Candela 2004, section 4.2). The model of lead h
predicts :math:`y_{t+h}` from the lags that are known at t. Nothing is fed back, so that errors do
not accumulate; but far leads are harder to learn, and every lead is trained separately.

Where all inputs are known, step k has mean and variance of its model at these inputs. Models do not
say how the errors of different leads are related. With :math:`s_k^2` the variance of step k that is
not due to its inputs, noise included, :math:`g_k` the expected gradient of its model, S the
covariance of what is not known of the inputs and R the correlations of errors,

.. math:: \Sigma_{kj} = g_k' S\, g_j + R_{kj}\, s_k s_j, \qquad \Sigma_{kk} = g_k' S g_k + s_k^2,

a sum of two matrices that are positive semi-definite.
"""

from collections.abc import Sequence

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.layout import Columns, Inputs, Layout, Start
from gpforecast.propagation.naive import Naive
from gpforecast.propagation.one_function import carried, drawn_anew
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.recursion import GaussianNodes, iterate


class DirectNodes(GaussianNodes):
    """The joint Gaussian of what is not known and of the predictions of all leads.

    Parameters
    ----------
    leads : sequence of Predictive
        The models of leads 1, 2, ...
    correlation : ndarray (leads, leads)
        Of their errors.
    method : Propagation
        For inputs that are not known.
    layout : Layout
        The steps before its origin are iterated, by the model of lead 1.
    """

    def __init__(
        self,
        leads: Sequence[Predictive],
        correlation: FloatArray,
        method: Propagation,
        layout: Layout,
    ) -> None:
        super().__init__(drawn_anew(method), layout)  # each lead has its own f
        self.leads, self.correlation = leads, correlation
        self.error_std = np.zeros((len(self.values), layout.horizon))

    def model_at(self, k: int) -> Predictive:
        """Return the model of step k: that of its lead, or of lead 1 before the origin."""
        return self.leads[max(k - self.layout.origin, 0)]

    def moments_at(
        self, k: int, predictive: Predictive, u: FloatArray, S: FloatArray
    ) -> tuple[Moments, FloatArray, FloatArray]:
        """Return the moments of f of a lead, and the covariances of its error with earlier ones."""
        origin = self.layout.origin
        if k < origin:
            return super().moments_at(k, predictive, u, S)
        if (self.layout.row[k] < 0).all():
            f, explained = Naive().moments(predictive, u, S), np.zeros(len(u))
        else:
            f = self.method.moments(predictive, u, S)
            explained = np.einsum("bd,bde,be->b", f.gradient, S, f.gradient)
        own, lead = np.maximum(f.var - explained, 0.0), k - origin
        self.error_std[:, k] = np.sqrt(own + predictive.noise_var)
        e = self.error_std[:, : k + 1] * self.error_std[:, k, None]
        e[:, origin:] *= self.correlation[lead, : lead + 1]
        e[:, k] = own  # the noise is added to the variance of the step by itself
        return f, *carried(e, self.slopes, self.layout.first_row, self.layout.row, k)


def propagate_directly(
    leads: Sequence[Predictive],
    correlation: FloatArray,
    method: Propagation,
    inputs: Inputs,
    start: Start,
    horizon: int,
    *,
    iterated: int = 0,
) -> Propagated:
    """Forecast from every origin, each step by the model of its lead.

    Parameters
    ----------
    leads : sequence of Predictive
        The models of leads 1, 2, ..., as many as steps at least.
    correlation : ndarray (leads, leads)
        Of the errors of the leads.
    method : Propagation
        For inputs that are not known: missing values, or uncertain future inputs.
    inputs : Inputs
        Of lead 1; lag l of lead h is l + h - 1 steps before its target.
    start : Start
    horizon : int
    iterated : int
        Number of first steps that precede the origin: the model of lead 1 is iterated over
        them, and leads are counted from there.

    Returns
    -------
    Propagated

    Raises
    ------
    ValueError
        If a prediction is not a finite number.

    Notes
    -----
    A step costs one prediction at known inputs, and O(h^2) memory for each origin.
    """
    layout = Layout(Columns.of(leads[0], inputs), start, horizon, iterated)
    nodes = DirectNodes(leads, correlation, method, layout)
    with one_blas_thread(), bar("forecasting", total=horizon, unit="steps") as shown:
        iterate(nodes.step, horizon, shown.update)
    return nodes.result()
