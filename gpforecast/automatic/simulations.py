"""Free simulations of held-out values: their score, and how wide intervals must be."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Simulated:
    """Free simulations of held-out values by one candidate, each of some steps (h,).

    Attributes
    ----------
    places : tuple of ndarray (h,) of int
    crps, errors, std : tuple of ndarray (h,)
        Scores in the units of the series, errors over standard deviations, and these, in the units
        of the warp. Scores and errors are NaN where values or inputs are not known.
    """

    places: tuple[IntArray, ...]
    crps: tuple[FloatArray, ...]
    errors: tuple[FloatArray, ...]
    std: tuple[FloatArray, ...]

    @property
    def score(self) -> float:
        """The mean CRPS over origins; infinite where it is no number."""
        known = [~np.isnan(errors) for errors in self.errors]
        each = [
            crps[some].mean() for crps, some in zip(self.crps, known, strict=True) if some.any()
        ]
        mean = float(np.mean(each)) if each else np.inf
        return mean if np.isfinite(mean) else np.inf

    def __add__(self, other: "Simulated") -> "Simulated":
        """Return those of both."""
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return Simulated(*(own + theirs for own, theirs in both))

    @property
    def widening(self) -> FloatArray:
        r"""Factors (h,) of the standard deviations of a simulation, for 95 % intervals.

        Of several errors at one time, that of the longest simulation counts. Errors depend on each
        other: n with autocorrelations rho are worth :math:`m = n / (1 + 2 \sum_k \rho_k)`, the sum
        up to the first that is negative (Geyer 1992). With a prior worth :math:`\nu` errors of the
        size expected, and :math:`r^2` the mean square of standardised ones, an error is the scale
        :math:`s^2 = (\nu + m r^2) / (\nu + m)` times one of Student's t with :math:`\nu + m`
        degrees of freedom (Gelman et al. 2013, "Bayesian data analysis", section 2.6).
        The error of a single step is known from all rows: it keeps its size, and a step in between
        is widened as far as its variance has grown.
        """
        at = np.full(max(int(places[-1]) for places in self.places) + 1, np.nan)
        for i in sorted(range(len(self.places)), key=lambda i: -self.places[i][0]):
            at[self.places[i]] = self.errors[i]
        z = at[~np.isnan(at)]
        total, worth = max(float(z @ z), 1e-300), 1.0
        for k in range(1, len(z)):
            if (rho := float(z[k:] @ z[:-k]) / total) <= 0.0:
                break
            worth += 2.0 * rho
        m = len(z) / worth
        freedom = th.INPUT_PRIOR_ERRORS + m
        scale = np.sqrt((th.INPUT_PRIOR_ERRORS + total / worth) / freedom)
        factor = scale * scipy.special.stdtrit(freedom, 0.975) / scipy.special.ndtri(0.975)
        h = min(map(len, self.std))
        var = np.mean([std[:h] ** 2 for std in self.std], axis=0)
        grown = np.maximum.accumulate(var - var[0])
        widened: FloatArray = np.sqrt(1.0 + grown / max(grown[-1], 1e-300) * (factor**2 - 1.0))
        return widened
