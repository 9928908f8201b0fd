"""RVM*: the relevance vector machine with error bars that widen away from the data."""

import copy
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np

from gpforecast.common.parameters import POSITIVE, instance, parameter
from gpforecast.common.types import FloatArray
from gpforecast.models.estimator import Estimator
from gpforecast.models.relevance_vector_machine import RelevanceVectorMachine
from gpforecast.posteriors.augmented import augmented
from gpforecast.storage import storable

_MACHINE = instance(
    RelevanceVectorMachine,
    "a RelevanceVectorMachine, such as gf.models.RelevanceVectorMachine()",
)


@storable
@dataclass(eq=False, repr=False)
class RelevanceVectorMachineStar(Estimator):
    r"""Relevance vector machine with one more basis function, at the test input.

    Away from the relevance vectors of a relevance vector machine all basis functions vanish, and
    with them the variance of f. RVM* has the same training, and adds a basis function at each test
    input. Its weight has the prior :math:`N(0, \alpha_*^{-1})` and is integrated out. Near the data
    this changes little; far from them the variance is :math:`\alpha_*^{-1}`. It is never below that
    of the relevance vector machine.

    Its features depend on the test input, so moments at an uncertain input have no
    closed form: propagate it by ``"taylor"``, ``"cubature"`` or ``"monte_carlo"``.

    Parameters
    ----------
    machine : RelevanceVectorMachine, optional
        The model to train; it is copied before it is fitted.
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
    It keeps the whole training set: with n rows and m relevance vectors a prediction costs O(n m).
    `condition` keeps the hyperparameters, ``prior_var_`` included.

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

    machine: RelevanceVectorMachine | None = parameter(None, _MACHINE.or_none())
    _: KW_ONLY
    prior_var: float | None = parameter(None, POSITIVE.or_none("for the variance of the targets"))

    def seeded(self, seed: int) -> Self:
        """Return a model, not fitted, whose machine has this seed where its own is 0."""
        return self._unfitted(machine=(self.machine or RelevanceVectorMachine()).seeded(seed))

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        machine = RelevanceVectorMachine() if self.machine is None else copy.deepcopy(self.machine)
        prior_var = float(np.var(y)) if self.prior_var is None else float(self.prior_var)
        self._augment(machine.fit(X, y), X, y, prior_var)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._augment(self.machine_.condition(X, y), X, y, self.prior_var_)

    def _augment(
        self, machine: RelevanceVectorMachine, X: FloatArray, y: FloatArray, prior_var: float
    ) -> None:
        self.predictive_ = augmented(machine.posterior_, machine._precisions(), X, y, prior_var)
        self.machine_, self.prior_var_ = machine, prior_var
        self.noise_var_, self.report_ = machine.noise_var_, machine.report_
        self.log_marginal_likelihood_ = machine.log_marginal_likelihood_
