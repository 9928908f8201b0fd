"""Fast marginal likelihood maximisation: one change at a time, the best one first."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpforecast.common.parameters import POSITIVE_INTEGER, check_parameters
from gpforecast.common.types import IntArray
from gpforecast.models.sparse_bayes.basis import Basis, Machine
from gpforecast.models.sparse_bayes.cycles import ActiveSet, Cycles, mackay_update
from gpforecast.models.sparse_bayes.ledger import Ledger
from gpforecast.storage import storable

_DOUBLES = 40_000_000  # of basis functions at the rows: 320 MB


@storable
@dataclass(frozen=True)
class FastMarginalLikelihood:
    r"""Add, re-estimate or delete whichever single basis function raises the evidence most.

    The evidence as a function of one precision has a closed maximum,
    :math:`\alpha = s^2 / (q^2 - s)` if :math:`q^2 > s` and :math:`\infty` otherwise (2.42), and
    all of them are compared at every step. The noise follows (2.32) after every `n_changes`.

    A step costs O(n m) for m active of n candidate basis functions, and O(n^2) more when one
    enters for the first time; memory is O(n n_candidates).

    Parameters
    ----------
    n_changes : int
        Steps between updates of the noise.
    n_candidates : int or None
        How many basis functions, drawn anew after each update of the noise, are compared.
        ``None``: all, or as many as fit into 320 MB (working arrays take a few times that).
    seed : int
        For drawing them.

    References
    ----------
    Tipping and Faul (2003); Quinonero-Candela (2004), section 2.4 and eq. (2.42).

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.models.FastMarginalLikelihood()
    FastMarginalLikelihood(n_changes=30, n_candidates=None, seed=0)
    """

    n_changes: int = 30
    n_candidates: int | None = None
    seed: int = 0

    continues: ClassVar[bool] = True
    repeats: ClassVar[bool] = False

    def __post_init__(self) -> None:
        n_candidates = POSITIVE_INTEGER.or_none()
        check_parameters(self, n_changes=POSITIVE_INTEGER, n_candidates=n_candidates)

    def run(self, active: ActiveSet, cycles: Cycles) -> bool:
        """Train the active set in place; return whether it converged."""
        basis, rng = active.basis, np.random.default_rng(self.seed)
        offered = self.n_candidates or max(1, _DOUBLES // basis.n)
        ledger: Ledger | None = None

        def cycle() -> float:
            nonlocal ledger
            machine = active.machine
            moved = ledger is None or machine.lengthscales is not ledger.lengthscales
            if ledger is None or moved or offered < basis.size:
                ledger = Ledger(basis, machine, _candidates(basis, machine, offered, rng))
            active.move(ledger.improved(machine, self.n_changes))
            if cycles.learn_noise:
                active.update(active.machine.alpha, mackay_update(active.weights())[1])
            cycles.adjust(active)
            return active.weights().log_evidence

        return cycles.repeat(cycle, active)


def _candidates(basis: Basis, machine: Machine, n: int, rng: np.random.Generator) -> IntArray:
    """Return the active basis functions and a draw of the others."""
    others = np.setdiff1d(np.arange(basis.size), machine.active)
    if len(others) > n:
        others = np.sort(rng.choice(others, n, replace=False))
    return np.concatenate([machine.active, others]).astype(np.int64)
