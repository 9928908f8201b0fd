"""RVM*: the relevance vector machine with error bars that widen away from the data."""

import copy
from typing import Any, Self

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_number
from gpforecast.models.base import check_rows
from gpforecast.models.estimator import Estimator
from gpforecast.models.relevance_vector_machine import RelevanceVectorMachine
from gpforecast.posteriors.augmented_relevance import augmented
from gpforecast.storage import storable


@storable
class RelevanceVectorMachineStar(Estimator):
    r"""Relevance vector machine with one more basis function at the input that is asked for.

    A relevance vector machine is most certain where it knows least: away from its relevance
    vectors all its basis functions vanish, and with them the variance of f. RVM* trains the same
    machine, and for each prediction adds a basis function at the test input whose weight has the
    prior :math:`N(0, \alpha_*^{-1})` and is integrated out. Near the data it changes little; far
    from them the variance returns to :math:`\alpha_*^{-1}`. It is never below the machine's own.

    Its features depend on the input that is asked for, so moments at an uncertain input have no
    closed form: propagate it by ``"taylor"``, ``"cubature"`` or ``"monte_carlo"``.

    Parameters
    ----------
    machine : RelevanceVectorMachine, optional
        How to train; it is copied before it is fitted.
    prior_var : float, optional
        :math:`\alpha_*^{-1}`, the variance of f far from the data, squared units of the target.
        Default: the empirical variance of the targets.

    Attributes
    ----------
    machine_ : RelevanceVectorMachine
        Trained.
    predictive_ : AugmentedPosterior
        The frozen result; all prediction goes through it.
    prior_var_ : float
    noise_var_, log_marginal_likelihood_, report_
        The trained machine's.

    Notes
    -----
    It keeps the whole training set: n rows and m relevance vectors cost O(n m) a prediction.

    References
    ----------
    Quinonero-Candela (2004), section 2.5.1, eqs. (2.40) and (2.41).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(-3, 3, 40)[:, None]
    >>> star = gf.models.RelevanceVectorMachineStar().fit(X, np.sin(X[:, 0]))
    >>> _, std = star.predict([[0.0], [100.0]], return_std=True)
    >>> bool(std[0] < 0.1), bool(abs(std[1] ** 2 / star.prior_var_ - 1) < 0.1)
    (True, True)
    """

    def __init__(
        self, machine: RelevanceVectorMachine | None = None, *, prior_var: float | None = None
    ) -> None:
        self.machine = machine
        self.prior_var = prior_var

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        shown = [] if self.machine is None else [repr(self.machine)]
        shown += [] if self.prior_var is None else [f"prior_var={self.prior_var!r}"]
        return f"RelevanceVectorMachineStar({', '.join(shown)})"

    def fit(self, X: Any, y: Any) -> Self:
        """Train the machine and keep the data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        RelevanceVectorMachineStar
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter makes no sense.
            Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        if self.prior_var is not None and not (
            is_number(self.prior_var) and np.isfinite(self.prior_var) and self.prior_var > 0
        ):
            raise ValueError(
                f"prior_var must be a positive number, or None for the variance of the targets; "
                f"got {self.prior_var!r}."
            )
        machine = self._machine().fit(X, y)
        if not hasattr(machine, "alpha_"):
            raise self._no_machine()
        prior_var = float(np.var(y)) if self.prior_var is None else float(self.prior_var)
        self._take(machine, X, y, prior_var)
        return self

    def condition(self, X: Any, y: Any) -> "RelevanceVectorMachineStar":
        """Return a fitted RVM* with the same hyperparameters, conditioned on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        RelevanceVectorMachineStar
            A new object, with the same ``prior_var_``.
        """
        self._frozen()
        X, y = check_rows(X, y)
        fitted = self._unfitted()
        fitted._take(self.machine_.condition(X, y), X, y, self.prior_var_)
        return fitted

    def _machine(self) -> RelevanceVectorMachine:
        if self.machine is None:
            return RelevanceVectorMachine()
        if isinstance(self.machine, type) or not hasattr(self.machine, "fit"):
            raise self._no_machine()
        return copy.deepcopy(self.machine)

    def _no_machine(self) -> TypeError:
        return TypeError(
            f"machine must be a RelevanceVectorMachine, such as "
            f"gf.models.RelevanceVectorMachine(), or None; got {self.machine!r}."
        )

    def _take(
        self, machine: RelevanceVectorMachine, X: FloatArray, y: FloatArray, prior_var: float
    ) -> None:
        """Set everything that a fit sets."""
        self.predictive_ = augmented(
            machine.posterior_, machine.alpha_, machine.alpha_bias_, X, y, prior_var
        )
        self.machine_ = machine
        self.prior_var_ = prior_var
        self.noise_var_ = machine.noise_var_
        self.log_marginal_likelihood_ = machine.log_marginal_likelihood_
        self.report_ = machine.report_
