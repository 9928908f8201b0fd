"""Training in a growing subspace of the weights."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import one_of, positive_integer
from gpforecast.models.sparse_bayes.evidence import Rows, Sparse
from gpforecast.models.sparse_bayes.full import Adjust, Watch
from gpforecast.models.sparse_bayes.working import RULES, Patience, Settings, Working
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
        for name in ("n_new", "n_cycles", "n_active"):
            if getattr(self, name) is not None:
                positive_integer(getattr(self, name), name)
        one_of(self.updates, "updates", tuple(RULES))
        np.random.default_rng(self.seed)  # refuses what is no seed

    def run(
        self, rows: Rows, start: Sparse, settings: Settings, watch: Watch, adjust: Adjust | None
    ) -> tuple[Sparse, bool]:
        """Return the trained model and whether it converged."""
        rule = RULES[self.updates]
        work = Working(rows, start)
        order = np.random.default_rng(self.seed).permutation(rows.n_basis)
        queue = order[~np.isin(order, start.active)]

        def cycle() -> float:
            log_evidence = work.cycle(rule, settings)
            watch(log_evidence, len(work.model.active))
            return log_evidence

        n_new = self.n_new or min(max(_LEAST, rows.n // 8), _MOST)
        n_cycles = self.n_cycles or (10 if rows.n <= _LARGE else 1)
        while len(queue):
            room = n_new
            if self.n_active is not None:
                room = max(self.n_active - len(work.model.active), 1)
            present(work, queue[:room])
            queue = queue[room:]
            patience = Patience(settings.tol, cycles=1)
            for _ in range(1 if self.n_active is not None else n_cycles):
                if patience.exhausted(cycle()):
                    break
            if adjust is not None:
                adjust(work)
        patience = Patience(settings.tol)
        for _ in range(settings.max_iter):
            if patience.exhausted(cycle()):
                return work.model, True
            if adjust is not None:
                adjust(work)
        return work.model, False


def present(work: Working, which: IntArray) -> None:
    """Let those basis functions enter that raise the evidence. Costs O(n m k) for k of them."""
    beta = 1.0 / work.model.noise_var
    Phi = work.rows.bumps(which, work.model.lengthscales)
    weights = work.infer()
    half = (weights.root / np.sqrt(work.model.alpha)) @ (work.Phi.T @ Phi)
    S = beta * (Phi.T @ Phi) - beta**2 * (half.T @ half)  # Phi' C^-1 Phi
    Q = beta * (Phi.T @ (work.rows.y - work.Phi @ weights.mean))  # Phi' C^-1 y
    entering, alpha = best_first(S, Q)
    if len(entering):
        work.admit(which[entering], Phi[:, entering], alpha)


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


def entry_gain(s: FloatArray, q: FloatArray) -> FloatArray:
    """Return by how much each basis function would raise the log evidence at its best, in nats.

    Faul and Tipping (2002): half of (q^2 - s)/s - log(q^2/s) where q^2 > s, otherwise nothing.
    """
    with np.errstate(all="ignore"):
        excess = np.where(s > 0.0, q**2 / s - 1.0, 0.0)
    gain: FloatArray = np.where(excess > 1e-10, 0.5 * (excess - np.log1p(np.abs(excess))), 0.0)
    return gain
