"""Posteriors without basis functions: lines, whose moments need no compiled function."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Moments

if TYPE_CHECKING:
    from gpforecast.posteriors.extended_linear import Posterior


@dataclass(frozen=True, eq=False)
class Lines:
    r"""A Gaussian distribution of lines :math:`h(x) = a'x + b` of d inputs, and constants.

    For x ~ N(u, S), :math:`E[h(x)] = a'u + b` and :math:`\operatorname{var} h(x) = a'Sa`.

    Attributes
    ----------
    lines : ndarray (d + 1, p + 1)
        Slopes and, in the last row, constants: first of the mean, then of the columns of A, with
        A A' the covariance of the coefficients.
    prior_var : float
        The variance of an independent function beside the lines.
    """

    lines: FloatArray
    prior_var: float

    @staticmethod
    def of(posterior: "Posterior") -> "Lines":
        """Return a posterior without basis functions by its coefficients."""
        mean, A = np.append(posterior.linear, posterior.constant)[:, None], posterior.added
        return Lines(mean if A is None else np.hstack([mean, A]), posterior.prior_var)

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs x ~ N(u, S), u (b, d), S (b, d, d): O(d^2 + d p) each."""
        slopes = self.lines[:-1]
        levels = np.einsum("bd,dq->bq", u, slopes) + self.lines[-1]
        # tr(S sum a a') is the sum of all a'Sa
        var = np.maximum(np.einsum("bde,de->b", S, slopes @ slopes.T), 0.0)
        var += self.prior_var + (levels[:, 1:] ** 2).sum(axis=1)
        return Moments(levels[:, 0].copy(), var, np.repeat(slopes[:, :1].T, len(u), axis=0))
