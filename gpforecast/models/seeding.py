"""One seed for all that a model draws at random."""

import copy
from typing import Protocol, Self, runtime_checkable

from gpforecast.models.base import OneStepModel


@runtime_checkable
class Seeded(Protocol):
    """A model, or a part of one, that draws random numbers."""

    def seeded(self, seed: int) -> Self:
        """Return it with a seed where its own is 0, the default, and not fitted."""
        ...


def seeded_copy(model: OneStepModel, seed: int) -> OneStepModel:
    """Return a copy of a model, which has the seed where its own is 0, the default.

    Models that draw nothing, and those of a user's own without a method `seeded`, are only copied.

    Examples
    --------
    >>> import gpforecast as gf
    >>> seeded_copy(gf.models.ReducedRankGP(), 3), seeded_copy(gf.models.ReducedRankGP(seed=1), 3)
    (ReducedRankGP(seed=3), ReducedRankGP(seed=1))
    """
    copied = copy.deepcopy(model)
    return copied.seeded(seed) if isinstance(copied, Seeded) and seed else copied
