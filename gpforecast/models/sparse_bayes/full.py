"""Training with every basis function at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gpforecast.common.validation import is_number, one_of
from gpforecast.models.sparse_bayes.evidence import Rows, Sparse
from gpforecast.models.sparse_bayes.working import RULES, Patience, Settings, Working
from gpforecast.storage import storable

Watch = Callable[[float, int], None]  # told the log evidence and the active count of every cycle
Adjust = Callable[[Working], None]  # moves the widths a little


@storable
@dataclass(frozen=True)
class FullEM:
    """Expectation maximisation over all weights, pruning those that vanish.

    All n bumps start in the model, so that a first cycle costs O(n^3) and memory is O(n^2): for
    up to some two thousand rows. As weights are pruned, cycles become cheap.

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

    continues: ClassVar[bool] = False  # every pass starts again from all bumps
    repeats: ClassVar[bool] = False

    def __post_init__(self) -> None:
        one_of(self.updates, "updates", tuple(RULES))
        if not (is_number(self.initial_precision) and 0.0 < self.initial_precision <= 1e6):
            raise ValueError(
                f"initial_precision must be a positive number of at most 1e6; "
                f"got {self.initial_precision!r}."
            )

    def run(
        self, rows: Rows, start: Sparse, settings: Settings, watch: Watch, adjust: Adjust | None
    ) -> tuple[Sparse, bool]:
        """Return the trained model and whether it converged."""
        everything = np.arange(rows.n_basis)
        prior = np.full(len(everything), self.initial_precision / rows.power)
        work = Working(rows, replace(start, active=everything, alpha=prior))
        patience = Patience(settings.tol)
        rule = RULES[self.updates]
        for _ in range(settings.max_iter):
            log_evidence = work.cycle(rule, settings)
            watch(log_evidence, len(work.model.active))
            if patience.exhausted(log_evidence):
                return work.model, True
            if adjust is not None and 2 * len(work.model.active) < rows.n:
                adjust(work)
        return work.model, False
