"""The distribution of one number made from a forecast."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_number


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The distribution of one number made from a forecast, such as a total.

    Attributes
    ----------
    mean, var : float
    samples : ndarray (n,) or None
        From the paths of a Monte Carlo forecast, or drawn from a warped one; quantiles are then
        theirs.
    """

    mean: float
    var: float
    samples: FloatArray | None = field(default=None, repr=False)

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.var))

    def quantile(self, q: float) -> float:
        """Return the value below which it falls with probability `q`."""
        q = probability(q)
        if self.samples is not None:
            return float(np.quantile(self.samples, q))
        return float(self.mean + self.std * ndtri(q))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval that holds it with probability `level`."""
        level = probability(level)
        return self.quantile(0.5 - level / 2), self.quantile(0.5 + level / 2)


def probability(level: float) -> float:
    """Return a probability strictly between 0 and 1, or say what came instead."""
    if not (is_number(level) and 0.0 < float(level) < 1.0):
        hint = f" Did you mean {level / 100:g}?" if _looks_like_percent(level) else ""
        raise ValueError(f"level must lie between 0 and 1; got {level!r}.{hint}")
    return float(level)


def _looks_like_percent(level: Any) -> bool:
    return isinstance(level, (int, float)) and 1 < level < 100
