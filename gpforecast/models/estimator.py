"""What the one-step models have in common: repr, prediction, its refusal before `fit`, the log."""

import logging
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any, Self

import numpy as np

from gpforecast.common.progress import asked
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.models.base import FitReport, check_inputs
from gpforecast.posteriors.base import Prediction

logger = logging.getLogger(__name__)


class Estimator:
    """A one-step model by scikit-learn's conventions.

    Its parameters are those of `__init__`, kept under their names. `fit` sets ``posterior_`` or
    ``predictive_``, through which all prediction goes.
    """

    _mend = "a larger noise_var mends it"  # what helps where variances come out negative

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        usual = {p.name: p.default for p in signature(type(self)).parameters.values()}
        given = (f"{k}={v!r}" for k, v in self._parameters().items() if _differs(v, usual[k]))
        return f"{type(self).__name__}({', '.join(given)})"

    def predict(self, X: Any, *, return_std: bool = False) -> Any:
        """Return the mean of f at X, and with `return_std` its standard deviation.

        Parameters
        ----------
        X : array-like (n, d)
        return_std : bool
            Also return the standard deviation of f, without the observation noise
            (``noise_var_``), which a new observation would have on top.

        Returns
        -------
        ndarray (n,), or two of them

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X is not an array of finite numbers with the inputs that the model was fitted to.
        """
        frozen = self._frozen()
        result = self._prediction(check_inputs(X, frozen.n_inputs))
        if return_std and result.n_clipped:
            warnings.warn(
                f"{result.n_clipped} of {len(result.var)} variances came out negative by rounding "
                f"and were set to 0; {self._mend}.",
                NumericalWarning,
                stacklevel=2,
            )
        return (result.mean, np.sqrt(result.var)) if return_std else result.mean

    def _prediction(self, X: FloatArray) -> Prediction:
        prediction: Prediction = self._frozen().predict(X)
        return prediction

    def _frozen(self) -> Any:
        """Return the result of training, or refuse."""
        for name in ("posterior_", "predictive_"):
            if hasattr(self, name):
                return getattr(self, name)
        raise RuntimeError(f"this {type(self).__name__} is not fitted yet; call fit(X, y) first.")

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def _unfitted(self, **changes: Any) -> Self:
        """Return a model of the same parameters, but for `changes`, and without a fit."""
        return type(self)(**{**self._parameters(), **changes})

    @contextmanager
    def _training(self, X: FloatArray) -> Iterator[None]:
        """Train within: bars are shown as `progress` says, and how it went is logged."""
        start = time.perf_counter()
        with asked(getattr(self, "progress", None)):
            yield
        report: FitReport = vars(self)["report_"]
        logger.info(
            "%s trained on %d rows of %d inputs in %.3g s: log evidence %.6g after %d evaluations "
            "(%s)",
            type(self).__name__, *X.shape, time.perf_counter() - start,
            report.log_marginal_likelihood, report.n_evaluations, report.message,
        )  # fmt: skip


def _differs(value: Any, default: Any) -> bool:
    """Return whether a parameter is not its default; arrays always differ."""
    if value is default:
        return False
    return type(value) is not type(default) or not bool(np.array_equal(value, default))
