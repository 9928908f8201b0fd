"""The algorithms that one pass of training may follow, and the widths from which they start."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, number, parameter
from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.models.sparse_bayes.machine import (
    Basis,
    Machine,
    SingleChanges,
    entry_gain,
    first_machine,
)
from gpforecast.models.sparse_bayes.training import (
    UPDATES,
    Algorithm,
    Cycles,
    em_cycle,
    mackay_update,
    unchanged,
)
from gpforecast.storage import storable

_LEAST, _MOST = 59, 1000  # basis functions in a batch
_LARGE = 2000  # rows
_DOUBLES = 40_000_000  # of basis functions at the rows: 320 MB
_SMALL = 300  # rows for which all basis functions at once are quick
_SUBSET = 1000  # rows on which starting widths are compared
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
_SIZE = check.POSITIVE_INTEGER.or_none()
_PRECISION = number("a positive number of at most 1e6", lambda v: 0.0 < v <= 1e6)
_PRECISIONS = check.Check(
    f"{_PRECISION.expected}, or a tuple of them",
    lambda v: _PRECISION.holds(v) or (isinstance(v, tuple) and all(map(_PRECISION.holds, v))),
)


@storable
@dataclass(frozen=True)
class SubspaceEM(Algorithm):
    r"""Subspace expectation maximisation: basis functions are presented in random order.

    Every weight starts pruned (infinite precision), and the E- and M-steps run on the active set
    alone. Basis functions are presented in batches. Those that would increase the evidence enter,
    the best first, each with its optimal precision given the others,
    :math:`\alpha = s^2 / (q^2 - s)` (2.42), so that entering never lowers the evidence. (In the
    thesis, the whole batch enters, and later cycles prune it.)

    Time is O(n m) for each basis function presented and O(m^3 + n m) for each cycle; memory is
    O(n m) for m active ones. It pays from a few thousand rows on.

    Parameters
    ----------
    n_new : int or None
        Basis functions in a batch; ``None``: an eighth of the rows, between 59 and 1000. With
        probability 0.95 the best of 59 is among the best 5 %, which is why the thesis has 59.
    n_cycles : int or None
        Cycles between batches; ``None`` takes 10, as the thesis does, and 1 beyond 2000 rows,
        where large batches and few cycles give a higher evidence in less time.
    n_active : int or None
        If given, the number of basis functions presented before every cycle is instead this number
        less the size of the active set.
    updates : {"mackay", "em", "shared"}
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

    n_new: int | None = parameter(None, _SIZE)
    n_cycles: int | None = parameter(None, _SIZE)
    n_active: int | None = parameter(None, _SIZE)
    updates: str = parameter("mackay", choice(*UPDATES))
    seed: Seed = 0

    repeats: ClassVar[bool] = True

    def run(self, machine: Machine, cycles: Cycles[Machine]) -> tuple[Machine, bool]:
        """Return a trained machine, and whether training converged."""
        basis = machine.basis
        cycle = partial(em_cycle, update=UPDATES[self.updates], learn_noise=cycles.learn_noise)
        order = np.random.default_rng(self.seed).permutation(basis.size)
        queue = order[~np.isin(order, machine.active)]
        room = self.n_new or min(max(_LEAST, basis.n // 8), _MOST)
        n_cycles = 1 if self.n_active else self.n_cycles or (10 if basis.n <= _LARGE else 1)
        few = replace(cycles, max_iter=n_cycles, patience=1, adjust=unchanged)
        while len(queue):
            if self.n_active:
                room = max(self.n_active - len(machine), 1)
            machine, _ = few.repeat(cycle, presented(machine, queue[:room]))
            machine = cycles.adjust(machine)
            queue = queue[room:]
        return cycles.repeat(cycle, machine)


@storable
@dataclass(frozen=True)
class FullEM(Algorithm):
    """Expectation maximisation over all weights; those that vanish are pruned.

    All n basis functions are active at the start, so a first cycle costs O(n^3) and memory is
    O(n^2): for up to some two thousand rows. As weights are pruned, cycles become cheap.

    Parameters
    ----------
    updates : {"mackay", "em", "shared"}
        ``"em"`` is the exact M-step (2.30): the evidence never falls, except by pruning, and
        convergence is slow.
        ``"mackay"`` is the fixed point (2.32), many times faster.
        ``"shared"`` gives all weights one precision: the Bayesian linear model, or ridge regression
        with its penalty found by the evidence (section 2.1.1). Nothing is pruned.
    initial_precision : float or tuple of float
        Of every weight at the start, in units of 1 / (variance of the targets), or one for each
        row, and for the bias last if there is one. With almost no noise, a small one such as 1e-9
        leads to a much higher evidence and a much smaller error, with more relevance vectors. With
        noise, 1 leads to the higher evidence. Different ones lead to different local maxima.

    References
    ----------
    Quinonero-Candela (2004), sections 2.1.1 and 2.2.1; Tipping (2001), appendix A.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.models.FullEM("em")
    FullEM(updates='em', initial_precision=1.0)
    """

    updates: str = parameter("mackay", choice(*UPDATES))
    initial_precision: float | tuple[float, ...] = parameter(1.0, _PRECISIONS)

    continues: ClassVar[bool] = False  # every pass starts again from all of them

    def run(self, machine: Machine, cycles: Cycles[Machine]) -> tuple[Machine, bool]:
        """Return a trained machine, and whether training converged."""
        basis = machine.basis
        first = np.array(self.initial_precision)
        if first.shape not in ((), (basis.size,)):
            raise ValueError(
                f"initial_precision must be one number, or one for each of the {basis.size} basis "
                f"functions (the rows, and the bias if there is one); got {len(first)}."
            )
        prior = np.full(basis.size, first / basis.power)
        machine = replace(machine, active=np.arange(basis.size), alpha=prior)

        def adjust(machine: Machine) -> Machine:
            return cycles.adjust(machine) if 2 * len(machine) < basis.n else machine  # too slow

        cycle = partial(em_cycle, update=UPDATES[self.updates], learn_noise=cycles.learn_noise)
        return replace(cycles, adjust=adjust).repeat(cycle, machine)


@storable
@dataclass(frozen=True)
class FastMarginalLikelihood(Algorithm):
    r"""Add, re-estimate or delete the one basis function that increases the evidence most.

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

    n_changes: int = parameter(30, check.POSITIVE_INTEGER)
    n_candidates: int | None = parameter(None, _SIZE)
    seed: int = 0

    def run(self, machine: Machine, cycles: Cycles[Machine]) -> tuple[Machine, bool]:
        """Return a trained machine, and whether training converged."""
        basis, rng = machine.basis, np.random.default_rng(self.seed)
        offered = self.n_candidates or max(1, _DOUBLES // basis.n)
        changes: SingleChanges | None = None

        def cycle(machine: Machine) -> tuple[Machine, float]:
            nonlocal changes
            moved = changes is None or machine.lengthscales is not changes.lengthscales
            if changes is None or moved or offered < basis.size:
                changes = SingleChanges(machine, _candidates(machine, offered, rng))
            machine = changes.improved(machine, self.n_changes)
            if cycles.learn_noise:
                noise_var = mackay_update(machine.quick_weights())[1]
                machine = machine.updated(machine.alpha, noise_var)
            machine = cycles.adjust(machine)
            return machine, machine.quick_weights().log_evidence

        return replace(cycles, adjust=unchanged).repeat(cycle, machine)


def _candidates(machine: Machine, n: int, rng: np.random.Generator) -> IntArray:
    """Return the active basis functions and a draw of the others."""
    others = np.setdiff1d(np.arange(machine.basis.size), machine.active)
    if len(others) > n:
        others = np.sort(rng.choice(others, n, replace=False))
    return np.concatenate([machine.active, others]).astype(np.int64)


def presented(machine: Machine, which: IntArray) -> Machine:
    """Let those basis functions enter that raise the evidence. Costs O(n m k) for k of them."""
    beta = 1.0 / machine.noise_var
    Phi = machine.basis.functions(which, machine.lengthscales)
    weights = machine.quick_weights()
    half = weights.half @ (machine.Phi.T @ Phi)
    S = beta * (Phi.T @ Phi) - beta**2 * (half.T @ half)  # Phi' C^-1 Phi
    Q = beta * (Phi.T @ (machine.basis.y - machine.Phi @ weights.mean))  # Phi' C^-1 y
    entering, alpha = best_first(S, Q)
    return machine.admitting(which[entering], Phi[:, entering], alpha) if len(alpha) else machine


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
    tiny = 1e-10 * np.diag(S)  # below this, s is nothing but rounding
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


def starting_width(
    basis: Basis, lengthscales: FloatArray, noise_var: float, *, learn_noise: bool = True
) -> FloatArray:
    """Compare multiples of widths by how well they predict rows left out; return half of the best.

    The evidence cannot compare widths that are far apart: basis functions so narrow that each
    covers one row have the highest of all, and predict nothing (thesis, figure 2.3). The best is
    the widest that is no worse than any other by more than a standard error. Half, because from
    basis functions that are a little too narrow the search finds higher evidence than from those
    too wide.
    """
    order = np.random.default_rng(0).permutation(basis.n)
    half = min(_SUBSET, basis.n - basis.n // 2)
    kept, left_out = np.sort(order[:half]), np.sort(order[half : 2 * half])
    subset = replace(basis, X=basis.X[kept], y=basis.y[kept])
    cycles = Cycles[Machine](learn_noise, max_iter=30, tol=1.0)
    quick = FullEM() if subset.n <= _SMALL else SubspaceEM()

    def log_densities(factor: float) -> FloatArray:
        """Of the targets left out, but for a constant."""
        start = first_machine(subset, factor * lengthscales, noise_var)
        machine, _ = quick.run(start, cycles)
        Phi = subset.functions(machine.active, machine.lengthscales, basis.X[left_out])
        var = machine.noise_var + ((Phi @ machine.weights.half.T) ** 2).sum(axis=1)
        residual = basis.y[left_out] - Phi @ machine.weights.mean
        values: FloatArray = residual**2 / var + np.log(var)
        return -0.5 * values

    table = np.array([log_densities(factor) for factor in _FACTORS])
    lead = table[int(np.argmax(table.mean(axis=1)))] - table  # of the best, row by row
    error = lead.std(axis=1) / np.sqrt(lead.shape[1])
    widest = int(np.flatnonzero(lead.mean(axis=1) <= error)[-1])
    return 0.5 * _FACTORS[widest] * lengthscales
