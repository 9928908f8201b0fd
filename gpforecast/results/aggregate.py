"""The distribution of one number that is made from a forecast."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import probability
from gpforecast.results.conditions import within
from gpforecast.results.distribution import Distribution


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The distribution of one number made from a forecast, such as a total.

    Attributes
    ----------
    distribution : Distribution
        Of one step.
    """

    distribution: Distribution

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.distribution.mean[0])

    @property
    def var(self) -> float:
        """Variance."""
        return float(self.distribution.var[0])

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.var))

    @property
    def samples(self) -> FloatArray | None:  # (n,)
        """Samples, of a Monte Carlo or a warped forecast: quantiles are theirs. None otherwise."""
        paths = self.distribution.paths
        return None if paths is None else paths[0]

    def quantile(self, q: float) -> float:
        """Return the value below which it falls with probability `q`."""
        return float(self.distribution.quantile([probability(q)])[0, 0])

    def probability(self, above: float | None = None, *, below: float | None = None) -> float:
        """Return the probability that it lies above a level, below one, or between two.

        Parameters
        ----------
        above, below : float, optional
            At least one. With both, above the one and below the other.

        Examples
        --------
        >>> import gpforecast as gf
        >>> total = gf.Forecaster().fit(gf.datasets.mackey_glass(200, seed=0)).predict(30).sum()
        >>> round(total.probability(above=total.quantile(0.9)), 3)
        0.1
        """
        return float(within(self.distribution, above, below)[0])

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and two intervals, in two lines."""
        held = (
            f"{100 * level:g} % interval {low:.6g} to {high:.6g}"
            for level in (0.8, 0.95)
            for low, high in [self.interval(level)]
        )
        mean, std = f"{self.mean:.6g}", f"{self.std:.4g}"
        return f"Aggregate: mean {mean}, standard deviation {std}\n{', '.join(held)}"

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval that holds it with probability `level`."""
        level = probability(level)
        return self.quantile(0.5 - level / 2), self.quantile(0.5 + level / 2)
