"""A covariance taken apart: linear functions, kept as weights, and all else, kept as a matrix."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance
from gpforecast.covariances.combinations import Sum


@dataclass(frozen=True, eq=False)
class Parts:
    """A covariance as kernel + linear functions of prior variances `prior`.

    Attributes
    ----------
    kernel : Covariance or None
        All summands that are no linear functions of the inputs.
    prior : ndarray (d + 1,)
        Prior variances of the slopes and of the level; zeros without such terms.
    """

    whole: Covariance
    kernel: Covariance | None
    prior: FloatArray

    @staticmethod
    def of(covariance: Covariance, n_inputs: int) -> "Parts":
        """Take a covariance of d inputs apart."""
        linear = [term.weight_variances(n_inputs) for term in covariance.terms]
        pairs = zip(covariance.terms, linear, strict=True)
        rest = tuple(term for term, v in pairs if v is None)
        kernel = Sum(rest) if len(rest) > 1 else next(iter(rest), None)
        prior = sum((v for v in linear if v is not None), np.zeros(n_inputs + 1))
        return Parts(covariance, kernel, prior)

    def assembled(self, by_kernel: FloatArray, by_prior: FloatArray) -> FloatArray:
        """Return slopes in the order of ``log_parameters``, (p,).

        Parameters
        ----------
        by_kernel : ndarray (k,)
            In the logarithms of the kernel's parameters.
        by_prior : ndarray (d + 1,)
            In the logarithms of `prior`.
        """
        n_inputs = len(self.prior) - 1
        share = by_prior / np.where(self.prior > 0.0, self.prior, 1.0)
        slopes: list[float] = []
        left = by_kernel.tolist()
        for term in self.whole.terms:
            own = term.weight_variances(n_inputs)
            size = len(term.log_parameters)
            if own is None:
                slopes += left[:size]
                del left[:size]
                continue
            each = (own * share)[own > 0.0]
            slopes += [float(each.sum())] if size == 1 else each.tolist()
        return np.array(slopes)
