"""Passes of training over all basis functions, and the widths between them."""

from dataclasses import replace
from functools import partial

import numpy as np

from gpforecast.models.base import FitReport
from gpforecast.models.sparse_bayes.algorithms import Algorithm
from gpforecast.models.sparse_bayes.cycles import Cycles
from gpforecast.models.sparse_bayes.machine import Machine
from gpforecast.models.sparse_bayes.single_changes import tidied
from gpforecast.models.sparse_bayes.widths import climb, search_width

_ASCENT = 40  # steps of the joint ascent after each pass
_NARROWEST = 0.5  # of the starting widths; see `starting_width`
_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another,
_WORTH_A_ROW = 1e-3  # and so many nats for each row


def train(
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
        move = search_width if shared else partial(climb, widths_alone=True)
        cycles = replace(cycles, adjust=partial(move, narrowest=narrowest, n_steps=width_steps))
    once = adapt is None and not algorithm.repeats
    best, best_evidence = start, -np.inf
    machine, settled, converged = start, False, False
    for p in range(1 if once else n_passes):
        machine, settled = algorithm.run(machine, cycles)
        machine = tidied(machine)
        if adapt is not None:
            learn_noise = cycles.learn_noise
            machine = climb(machine, narrowest, _ASCENT, shared=shared, learn_noise=learn_noise)
            machine = tidied(machine)
        log_evidence = machine.weights.log_evidence
        cycles.record(log_evidence, machine)
        gained = log_evidence - best_evidence
        if gained > 0.0:
            best, best_evidence = machine, log_evidence
        if p and gained < max(_WORTH * cycles.tol, _WORTH_A_ROW * start.basis.n):
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
    n = len(cycles.trace)
    converged = converged or (once and settled)
    return best, FitReport(converged, message, n, n, p + 1, best_evidence)
