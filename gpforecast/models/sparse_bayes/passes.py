"""Passes of training over all basis functions, and the widths between them."""

from dataclasses import replace
from functools import partial
from typing import ClassVar, Protocol

import numpy as np

from gpforecast.models.base import FitReport
from gpforecast.models.sparse_bayes.basis import Basis, Machine
from gpforecast.models.sparse_bayes.cycles import ActiveSet, Cycles
from gpforecast.models.sparse_bayes.ledger import tidied
from gpforecast.models.sparse_bayes.weights import weights_of
from gpforecast.models.sparse_bayes.widths import climb, climb_widths, search_width

_ASCENT = 40  # steps of the joint ascent after each pass
_NARROWEST = 0.5  # of the starting widths; see `starting_width`
_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another,
_WORTH_A_ROW = 1e-3  # and so many nats for each row


class Algorithm(Protocol):
    """One pass of training at the widths it is given.

    A pass `continues` where the last one ended, or starts anew; and an algorithm `repeats` its
    passes if one is worth following by another at the same widths.
    """

    continues: ClassVar[bool]
    repeats: ClassVar[bool]

    def run(self, active: ActiveSet, cycles: Cycles) -> bool:
        """Train an active set in place; return whether it converged."""
        ...


def train(
    basis: Basis,
    start: Machine,
    algorithm: Algorithm,
    cycles: Cycles,
    *,
    adapt: str | None,
    width_steps: int,
    n_passes: int,
) -> tuple[Machine, FitReport]:
    """Return the machine that was found from a start, and how that went.

    All basis functions are offered again in every pass, until one gains too little; with fixed
    widths an algorithm that compares all of them at once needs only one. Where widths are learned
    they may move a little after every M-step, and after each pass widths, precisions and noise
    climb together with the active set held.

    Parameters
    ----------
    basis : Basis
    start : Machine
    algorithm : Algorithm
    cycles : Cycles
    adapt : {"isotropic", "ard", None}
    width_steps : int
        Line searches after every M-step.
    n_passes : int
    """
    narrowest = _NARROWEST * start.lengthscales
    shared = adapt == "isotropic"
    if adapt is not None and width_steps:
        move = search_width if shared else climb_widths
        cycles = replace(cycles, adjust=partial(move, narrowest=narrowest, n_steps=width_steps))
    once = adapt is None and not algorithm.repeats
    best, best_evidence = start, -np.inf
    machine, settled, converged = start, False, False
    for p in range(1 if once else n_passes):
        active = ActiveSet(basis, machine)
        settled = algorithm.run(active, cycles)
        machine = tidied(basis, active.machine)
        if adapt is not None:
            machine = climb(
                basis, machine, narrowest, _ASCENT, shared=shared, learn_noise=cycles.learn_noise
            )
            machine = tidied(basis, machine)
        log_evidence = weights_of(basis, machine).log_evidence
        cycles.trace.add(log_evidence, len(machine.active))
        gained = log_evidence - best_evidence
        if gained > 0.0:
            best, best_evidence = machine, log_evidence
        if p and gained < max(_WORTH * cycles.tol, _WORTH_A_ROW * basis.n):
            converged = settled
            break
        if not algorithm.continues and cycles.learn_noise:
            # Room for what comes anew.
            machine = replace(machine, noise_var=2.0 * machine.noise_var)
    if not settled:
        message = f"max_iter={cycles.max_iter} was reached while the log evidence still rose"
    elif once:
        message = "the log evidence stopped rising"
    elif converged:
        message = "a pass over the basis functions no longer raised the log evidence"
    else:
        message = f"n_passes={n_passes} was reached; more may raise the log evidence further"
    n = len(cycles.trace.log_evidence)
    converged = converged or (once and settled)
    return best, FitReport(converged, message, n, n, p + 1, best_evidence)
