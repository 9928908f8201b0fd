"""What the one-step models have in common: parameters and their checks, fit, predict, repr, log."""

import copy
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from inspect import signature
from typing import Literal, Self, overload

import numpy as np

from gpforecast.common.parameters import check_parameters
from gpforecast.common.progress import showing
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.validation import generator, how_many, is_integer
from gpforecast.common.warnings import warn_numerically
from gpforecast.models.base import FitReport, Seeded, check_inputs, check_rows
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.posteriors.base import Prediction, Predictive
from gpforecast.posteriors.joint import HasJoint, Joint

logger = logging.getLogger(__name__)

_FROZEN = ("posterior_", "predictive_")  # one of them is the result of training


@dataclass(eq=False, repr=False)
class Estimator(ABC):
    """A one-step model by scikit-learn's conventions; a subclass adds the training.

    Its parameters are the fields of a dataclass (`gpforecast.common.parameters.parameter`). Its two
    methods `_train` and `_recondition` set what is learned, under names that end in an underscore:
    ``posterior_`` or ``predictive_``, through which all prediction goes, and whatever else is
    known. Both work on a copy, so that nothing is lost where they fail.
    """

    measurement_var_ = 0.0  # in addition to noise_var_, where it was separated
    _remedy = "a larger noise_var fixes it"  # what helps where variances come out negative

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        usual = {p.name: repr(p.default) for p in signature(type(self)).parameters.values()}
        shown = {name: repr(value) for name, value in self._parameters().items()}
        given = (f"{name}={text}" for name, text in shown.items() if text != usual[name])
        return f"{type(self).__name__}({', '.join(given)})"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from inputs and targets.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        Self
            The same object, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, a parameter makes no sense, or
            there are too few rows. Nothing fitted before is lost.
        """
        inputs, targets = check_rows(X, y)
        check_parameters(self)
        fitted = copy.copy(self)
        for name in (*_FROZEN, "measurement_var_"):
            vars(fitted).pop(name, None)
        fitted._train(inputs, targets)
        self.__dict__ = fitted.__dict__
        return self

    def condition(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Return a fitted model with the same hyperparameters, conditioned on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        Self
            A new object. What it keeps, and at what cost, is among the notes on the class.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or X has other inputs than those
            that the model was fitted to.
        """
        frozen = self._frozen()
        inputs, targets = check_rows(X, y)
        check_inputs(inputs, frozen.n_inputs)
        other = copy.copy(self)
        with one_blas_thread(len(targets) <= SMALL):
            other._recondition(inputs, targets)
        return other

    @overload
    def predict(
        self,
        X: ArrayLike,
        *,
        return_std: Literal[False] = False,
        return_cov: Literal[False] = False,
    ) -> FloatArray: ...
    @overload
    def predict(
        self, X: ArrayLike, *, return_std: Literal[True], return_cov: Literal[False] = False
    ) -> tuple[FloatArray, FloatArray]: ...
    @overload
    def predict(
        self, X: ArrayLike, *, return_std: Literal[False] = False, return_cov: Literal[True]
    ) -> tuple[FloatArray, FloatArray]: ...
    def predict(
        self, X: ArrayLike, *, return_std: bool = False, return_cov: bool = False
    ) -> FloatArray | tuple[FloatArray, FloatArray]:
        """Return the mean of f at X, and its standard deviation or covariance on request.

        Parameters
        ----------
        X : array-like (n, d)
        return_std : bool
            Also return the standard deviation of f, without the observation noise
            (``noise_var_``), which a new observation would have on top.
        return_cov : bool
            Also return the covariance of f at all rows of X, without the noise as well.

        Returns
        -------
        ndarray (n,), or a tuple of it and (n,) or (n, n)

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X is not an array of finite numbers with the inputs that the model was fitted to,
            or both are requested.

        References
        ----------
        Snelson (2007), eqs. (1.17a) and (1.17b).
        """
        frozen = self._frozen()
        inputs = check_inputs(X, frozen.n_inputs)
        if return_cov:
            if return_std:
                raise ValueError("return_std and return_cov exclude each other; choose one.")
            return self._mean_and_cov(inputs)
        result = self._moments(inputs)
        if return_std:
            self._warn_of_clipped(result.n_clipped, len(inputs))
        return (result.mean, np.sqrt(result.var)) if return_std else result.mean

    def sample(self, X: ArrayLike, n: int = 1, *, seed: Seed = None) -> FloatArray:
        """Draw functions of the posterior at known inputs; a covariance draws those of a prior.

        Parameters
        ----------
        X : array-like (q, d)
        n : int
            How many functions.
        seed : int, Generator or None

        Returns
        -------
        ndarray (n, q)
            A function a row, without observation noise.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X is not an array of finite numbers with the inputs that the model was fitted to, or
            the model has no covariance of f at two inputs.

        Notes
        -----
        O(q^3) for one eigendecomposition, which needs no jitter.

        References
        ----------
        Snelson (2007), section 1.5.2, figs. 1.1 and 1.3.
        """
        rng, n = generator(seed), how_many(n, "n")
        return self._joint(check_inputs(X, self._frozen().n_inputs)).sample(n, rng)

    def seeded(self, seed: int) -> Self:
        """Return a model, not fitted, with this seed where its own is 0, the default.

        So have its parts, such as the process that an `AveragedGP` averages.

        Parameters
        ----------
        seed : int

        Returns
        -------
        Self
            A new object; the same one if there is no such seed.
        """
        given = self._parameters()
        changes: dict[str, object] = {
            name: part.seeded(seed) for name, part in given.items() if isinstance(part, Seeded)
        }
        if is_integer(given.get("seed")) and not given["seed"]:
            changes["seed"] = seed
        return self._unfitted(**changes) if changes else self

    @abstractmethod
    def _train(self, X: FloatArray, y: FloatArray) -> None:
        """Learn from the rows: set everything that a fit sets."""

    @abstractmethod
    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        """Replace what depends on the rows; the hyperparameters are there already, and stay."""

    def _note(self, log_evidence: float, jitter: float = 0.0, remarks: Iterable[str] = ()) -> None:
        """Keep the report on the rows that the model was trained on or is conditioned on."""
        self.log_marginal_likelihood_ = log_evidence
        report: FitReport = vars(self)["report_"]
        self.report_ = replace(
            report,
            log_marginal_likelihood=log_evidence,
            jitter=jitter,
            remarks=(*report.remarks, *remarks),
        )

    def _frozen(self) -> Predictive:
        """Return the result of training, or refuse."""
        for name in _FROZEN:
            if name in vars(self):
                frozen: Predictive = vars(self)[name]
                return frozen
        raise RuntimeError(f"this {type(self).__name__} is not fitted yet; call fit(X, y) first.")

    def _moments(self, X: FloatArray) -> Prediction:
        """Return what `predict` returns of each input."""
        return self._frozen().predict(X)

    def _mean_and_cov(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what `predict` returns of all inputs jointly."""
        at = self._joint(X)
        return at.mean, at.cov

    def _joint(self, X: FloatArray) -> Joint:
        """Return f at several inputs jointly, or refuse where it is not known."""
        frozen = self._frozen()
        if not isinstance(frozen, HasJoint):
            raise TypeError(
                f"{type(self).__name__} has no covariance of f at two inputs; use "
                f"predict(X, return_std=True)."
            )
        joint = frozen.joint(X)
        self._warn_of_clipped(joint.n_clipped, len(X))
        return joint

    def _warn_of_clipped(self, n_clipped: int, n: int) -> None:
        if n_clipped:
            warn_numerically(
                f"{n_clipped} of {n} variances came out negative by rounding and were set to 0; "
                f"{self._remedy}."
            )

    def _parameters(self) -> dict[str, object]:
        return {name: vars(self)[name] for name in signature(type(self)).parameters}

    def _unfitted(self, **changes: object) -> Self:
        """Return a model of the same parameters, but for `changes`, and without a fit."""
        return type(self)(**{**self._parameters(), **changes})

    @contextmanager
    def _training(self, X: FloatArray, *, small: bool | None = None) -> Iterator[None]:
        """Train within: bars are shown as `progress` says, and how it went is logged.

        A small problem has one thread of BLAS: by default one of few rows.
        """
        start = time.perf_counter()
        small = len(X) <= SMALL if small is None else small
        with showing(vars(self)["progress"]), one_blas_thread(small):
            yield
        report: FitReport = vars(self)["report_"]
        logger.info(
            "%s trained on %d rows of %d inputs in %.3g s: log evidence %.6g after %d evaluations "
            "(%s)",
            type(self).__name__, *X.shape, time.perf_counter() - start,
            report.log_marginal_likelihood, report.n_evaluations, report.message,
        )  # fmt: skip
