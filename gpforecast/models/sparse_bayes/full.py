"""Training with every basis function at once."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from gpforecast.common.parameters import check_parameters, choice, number
from gpforecast.models.sparse_bayes.cycles import UPDATES, ActiveSet, Cycles
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class FullEM:
    """Expectation maximisation over all weights, pruning those that vanish.

    All n basis functions start in the machine, so that a first cycle costs O(n^3) and memory is
    O(n^2): for up to some two thousand rows. As weights are pruned, cycles become cheap.

    Parameters
    ----------
    updates : {"mackay", "em"}
        ``"em"`` is the exact M-step (2.30): but for pruning the evidence never falls, and
        convergence is slow.
        ``"mackay"`` is the fixed point (2.32), many times faster.
    initial_precision : float
        Of every weight at the start, in units of 1 / (variance of the targets). Where there is
        next to no noise, a small one such as 1e-9 leads to a far higher evidence and a far smaller
        error, with more relevance vectors; where there is noise, 1 leads to the higher evidence.

    References
    ----------
    Quinonero-Candela (2004), section 2.2.1; Tipping (2001), appendix A.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.models.FullEM("em")
    FullEM(updates='em', initial_precision=1.0)
    """

    updates: str = "mackay"
    initial_precision: float = 1.0

    continues: ClassVar[bool] = False  # every pass starts again from all of them
    repeats: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(
            self,
            updates=choice(*UPDATES),
            initial_precision=number("a positive number of at most 1e6", lambda v: 0.0 < v <= 1e6),
        )

    def run(self, active: ActiveSet, cycles: Cycles) -> bool:
        """Train the active set in place; return whether it converged."""
        basis = active.basis
        prior = np.full(basis.size, self.initial_precision / basis.power)
        active.move(replace(active.machine, active=np.arange(basis.size), alpha=prior))

        def adjust(active: ActiveSet) -> None:
            if 2 * len(active) < basis.n:  # or it takes too long
                cycles.adjust(active)

        update = UPDATES[self.updates]
        cycle = partial(active.em_cycle, update, learn_noise=cycles.learn_noise)
        return cycles.repeat(cycle, active, adjust)
