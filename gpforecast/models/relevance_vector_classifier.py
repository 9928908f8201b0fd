"""Relevance vector machines for two classes: sparse, by mean-field theory."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, number, parameter
from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.models.base import FitReport
from gpforecast.models.events.classifier import ClassModel
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.models.events.mean_field import SCHEMES, ClassBasis, ClassMachine, mean_field
from gpforecast.models.sparse_bayes import SubspaceEM
from gpforecast.models.sparse_bayes.machine import RelevanceVectors
from gpforecast.models.sparse_bayes.training import UPDATES, Cycles, widths_of
from gpforecast.models.sparse_bayes.weights import posterior_of
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_BATCH = 59  # basis functions; the best of 59 is among the best 5 % with probability 0.95
_LARGE = 2000  # rows, from which on batches are larger and cycles fewer


@storable
@dataclass(eq=False, repr=False)
class RelevanceVectorClassifier(RelevanceVectors, ClassModel):
    r"""Sparse Bayesian classification, :math:`p(y = 1 \mid x) = \Phi(\sum_j w_j \phi_j(x))`.

    Basis functions, priors and the evidence that prunes them are those of
    `RelevanceVectorMachine`; the likelihood is probit. The weights have a Gaussian posterior by
    mean-field theory, of which Laplace's approximation is a case, and basis functions are presented
    by subspace EM. f becomes a `Posterior` with exact moments at uncertain inputs, at a cost that
    grows with the relevance vectors.

    Away from them f returns to the bias with almost no variance, so that probabilities there are
    too sure; where they matter use `OrdinalGP`.

    Parameters
    ----------
    lengthscales : float, array-like (d,) or None
        Widths of the basis functions, in the units of the inputs. ``None``: the standard deviations
        of the inputs, times the factor by which rows left out are predicted best.
    scheme : {"laplace", "tap", "mean_field"}
        What the variance of f in a row's cavity is taken to be: 0 (Laplace's approximation, which
        predicts as well as the next and is faster); the posterior's without the row (adaptive TAP,
        the fixed point of expectation propagation); or the prior's (naive mean field, which is too
        small an evidence where many rows share a basis function, and predicts worse).
    bias : bool
        Whether to include a constant as a basis function.
    updates : {"mackay", "em"}
        Of the precisions: (2.32), or (2.30), which is slow.
    n_new, n_cycles : int or None
        Basis functions in a batch, and cycles between batches. ``None``: 59 and 10 as in the
        thesis; beyond 2000 rows an eighth of them, at most 1000, and 1.
    n_passes : int
        The largest number of passes over all basis functions.
    max_iter : int
        The largest number of cycles after a pass.
    tol : float
        Smallest gain in log evidence, in nats, that counts as progress.
    seed : int, Generator or None
        For the order.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    posterior_ : Posterior
        Of f. Its noise variance is 1.
    classes_ : tuple
        The columns of `predict_proba`.
    relevance_vectors_ : ndarray (m, d)
    relevant_ : ndarray of int (m,)
        Their rows of X.
    alpha_ : ndarray (m,)
        Precisions of their weights.
    alpha_bias_ : float or None
        Precision of the bias; None if there is none or it was pruned.
    lengthscales_ : ndarray (d,)
    noise_var_ : float
        1.
    log_marginal_likelihood_ : float
        By the scheme, in nats.
    evidence_trace_, n_relevant_trace_ : ndarray
        The log evidence, and the number of basis functions, after every cycle.
    report_ : FitReport

    Notes
    -----
    A cycle costs O(n m^2) for m relevance vectors and each of some five steps of Newton; memory is
    O(n m). `condition` keeps basis functions and precisions, and learns the weights from the other
    rows; ``relevant_`` is then empty.

    References
    ----------
    Quinonero-Candela and Winther (2003), section 4; Quinonero-Candela (2004), sections 2.2 and 2.4;
    Tipping and Faul (2003).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 6, (300, 1))
    >>> y = np.sin(X[:, 0]) + 0.3 * rng.standard_normal(300) > 0
    >>> model = gf.models.RelevanceVectorClassifier().fit(X, y)
    >>> len(model.relevance_vectors_) < 15
    True
    >>> model.predict_class([[1.5], [4.5]])
    [True, False]
    """

    lengthscales: ArrayLike | None = None
    _: KW_ONLY
    scheme: str = parameter("laplace", choice(*SCHEMES))
    bias: bool = parameter(True, check.FLAG)
    updates: str = parameter("mackay", choice(*UPDATES))
    n_new: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    n_cycles: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    n_passes: int = parameter(5, check.POSITIVE_INTEGER)
    max_iter: int = parameter(200, check.POSITIVE_INTEGER)
    tol: float = parameter(0.1, number("a positive number (nats)", lambda v: v > 0))
    seed: Seed = 0
    progress: bool | None = None

    likelihood_ = Ordinal(np.zeros(1))
    noise_var_ = 1.0
    _most_classes = 2

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        n, large = len(y), len(y) > _LARGE
        widths = widths_of(self.lengthscales, X)
        basis = ClassBasis(X - X.mean(axis=0), y, bool(self.bias))
        with self._training(X, small=True), bar("training", unit="cycles") as shown:
            cycles = Cycles[ClassMachine](
                max_iter=self.max_iter, tol=float(self.tol), tick=shown.update
            )
            how = SubspaceEM(
                self.n_new or (min(n // 8, 1000) if large else _BATCH),
                self.n_cycles or (1 if large else 10),
                updates=self.updates,
                seed=self.seed,
            )
            start = ClassMachine.first(basis, widths, self.likelihood_, self.scheme)
            if self.lengthscales is None:
                start = start.at_best_widths(how, cycles)
            machine, settled = start.trained(how, cycles, self.n_passes)
            message = "a pass over the basis functions no longer raised the log evidence"
            if not settled:
                message = f"n_passes={self.n_passes} or max_iter={self.max_iter} was reached"
            n_cycles = len(cycles.trace)
            self.report_ = FitReport(settled, message, n_cycles, n_cycles, 1)
            self._keep(machine, cycles.trace, X, y)

    def _weigh(self, machine: Posterior, X: FloatArray, y: FloatArray) -> None:
        Phi, codes = self._features(machine, X), y.astype(np.int64)
        found = mean_field(Phi, self.likelihood_, codes, self._precisions(), scheme=self.scheme)
        remarks = (
            ()
            if found.converged
            else ("training stopped before its equations were solved; probabilities may be off",)
        )
        self.posterior_ = posterior_of(machine, found.weights, self.noise_var_)
        self._note(found.log_evidence, remarks=remarks)
