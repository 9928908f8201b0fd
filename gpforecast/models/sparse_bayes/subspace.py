"""Training in a growing subspace of the weights."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from gpforecast.common.parameters import POSITIVE_INTEGER, check_parameters, choice
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.sparse_bayes.cycles import UPDATES, ActiveSet, Cycles
from gpforecast.models.sparse_bayes.ledger import entry_gain
from gpforecast.storage import storable

_LEAST, _MOST = 59, 1000  # basis functions in a batch
_LARGE = 2000  # rows


@storable
@dataclass(frozen=True)
class SubspaceEM:
    r"""Subspace expectation maximisation: basis functions are presented in random order.

    Every weight starts pruned (infinite precision), and the E- and M-steps run on the active set
    alone. A batch of basis functions is presented at a time; those that would raise the evidence
    enter, the best first, each at the precision that is best for it given the others,
    :math:`\alpha = s^2 / (q^2 - s)` (2.42), so that entering never lowers the evidence. (The
    thesis lets all of a batch enter and leaves the sorting out to later cycles.)

    Time is O(n m) for each basis function presented and O(m^3 + n m) for each cycle; memory is
    O(n m) for m active ones. It pays from a few thousand rows on.

    Parameters
    ----------
    n_new : int or None
        Basis functions in a batch; ``None`` takes an eighth of the rows, between 59 and 1000. The
        best of 59 is, with probability 0.95, among the best 5 %; the thesis adds as many.
    n_cycles : int or None
        Cycles between batches; ``None`` takes 10, as the thesis does, and 1 beyond 2000 rows,
        where large batches and few cycles reach a higher evidence in less time.
    n_active : int or None
        If given, as many basis functions as the active set is short of this size are presented
        before every cycle instead.
    updates : {"mackay", "em"}
    seed : int
        For the order.

    References
    ----------
    Quinonero-Candela (2004), section 2.4, eq. (2.39) and figure 2.8; Quinonero-Candela and
    Winther (2003).

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.models.SubspaceEM(n_active=500)
    SubspaceEM(n_new=None, n_cycles=None, n_active=500, updates='mackay', seed=0)
    """

    n_new: int | None = None
    n_cycles: int | None = None
    n_active: int | None = None
    updates: str = "mackay"
    seed: int = 0

    continues: ClassVar[bool] = True
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        size = POSITIVE_INTEGER.or_none()
        updates = choice(*UPDATES)
        check_parameters(self, n_new=size, n_cycles=size, n_active=size, updates=updates)
        np.random.default_rng(self.seed)  # refuses what is no seed

    def run(self, active: ActiveSet, cycles: Cycles) -> bool:
        """Train the active set in place; return whether it converged."""
        basis = active.basis
        update = UPDATES[self.updates]
        cycle = partial(active.em_cycle, update, learn_noise=cycles.learn_noise)
        order = np.random.default_rng(self.seed).permutation(basis.size)
        queue = order[~np.isin(order, active.machine.active)]
        room = self.n_new or min(max(_LEAST, basis.n // 8), _MOST)
        n_cycles = 1 if self.n_active else self.n_cycles or (10 if basis.n <= _LARGE else 1)
        few = replace(cycles, max_iter=n_cycles, patience=1)
        while len(queue):
            if self.n_active:
                room = max(self.n_active - len(active), 1)
            present(active, queue[:room])
            queue = queue[room:]
            few.repeat(cycle, active)
            cycles.adjust(active)
        return cycles.repeat(cycle, active, cycles.adjust)


def present(active: ActiveSet, which: IntArray) -> None:
    """Let those basis functions enter that raise the evidence. Costs O(n m k) for k of them."""
    beta = 1.0 / active.machine.noise_var
    Phi = active.basis.functions(which, active.machine.lengthscales)
    weights = active.weights()
    half = weights.half @ (active.Phi.T @ Phi)
    S = beta * (Phi.T @ Phi) - beta**2 * (half.T @ half)  # Phi' C^-1 Phi
    Q = beta * (Phi.T @ (active.basis.y - active.Phi @ weights.mean))  # Phi' C^-1 y
    entering, alpha = best_first(S, Q)
    if len(entering):
        active.admit(which[entering], Phi[:, entering], alpha)


def best_first(S: FloatArray, Q: FloatArray) -> tuple[IntArray, FloatArray]:
    r"""Choose basis functions one by one, each at its own best precision.

    With one in, :math:`C^{-1}` loses :math:`C^{-1}\phi\phi' C^{-1} / (\alpha + s)`.

    Parameters
    ----------
    S : ndarray (k, k)
        :math:`\Phi' C^{-1} \Phi`.
    Q : ndarray (k,)
        :math:`\Phi' C^{-1} y`.

    Returns
    -------
    chosen : ndarray of int
    alpha : ndarray
    """
    S, Q = S.copy(), Q.copy()
    tiny = 1e-10 * np.diag(S)  # what is left of s after that much cancellation is rounding
    chosen: list[int] = []
    alpha: list[float] = []
    for _ in range(len(Q)):
        s = np.diag(S)
        gain = entry_gain(np.where(s > tiny, s, 0.0), Q)
        gain[chosen] = 0.0
        j = int(np.argmax(gain))
        if gain[j] <= 0.0:
            break
        a = s[j] ** 2 / (Q[j] ** 2 - s[j])
        chosen.append(j)
        alpha.append(float(a))
        column = S[:, j] / (a + s[j])
        Q = Q - column * Q[j]
        S = S - np.outer(column, S[j])
    return np.array(chosen, dtype=np.int64), np.array(alpha)
