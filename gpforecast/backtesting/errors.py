"""Standard errors of averages over overlapping forecasts."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray

FEWEST = 3.0  # forecasts that do not overlap: fewer do not tell how much they vary


def error_of_mean(
    losses: FloatArray, origins: IntArray, ahead: int | None = None
) -> tuple[float, float]:
    r"""Return the standard error of an average over origins, and how many count as separate.

    Averages over the h steps of forecasts k apart are taken to be correlated as much as they have
    values in common, :math:`w = \max(0, 1 - k/h)`. That is exact where the losses of different
    values are independent, of equal variance. Then b forecasts count as :math:`n = b^2 / 1'W1`
    separate ones, the variance of one is estimated without bias by :math:`s^2 = \sum d^2 / (b -
    b/n)` for deviations d from the average, and that of the average is :math:`s^2 / n`.

    Parameters
    ----------
    losses : ndarray (b, h)
        NaN where there is no truth.
    origins : ndarray (b,)
    ahead : int, optional
        How far ahead they forecast, if not as many steps as there are: of losses of one step, which
        have the surprises on the way there in common.
    """
    some = np.isfinite(losses).any(axis=1)
    each, at = np.nanmean(losses[some], axis=1), np.sort(origins[some])
    b, n_separate = len(each), n_separate_of(at, ahead or losses.shape[1])
    if n_separate <= 1.0:
        return np.inf, n_separate
    size = float(np.abs(each).max()) or 1.0  # squares of large values would overflow
    var = float((((each - each.mean()) / size) ** 2).sum()) / (b - b / n_separate)
    return size * float(np.sqrt(var / n_separate)), n_separate


def n_separate_of(at: IntArray, h: int) -> float:
    """Return how many separate forecasts those from sorted origins (b,) count as; h steps each.

    Examples
    --------
    >>> n_separate_of(np.array([0, 10, 20]), 10), n_separate_of(np.array([5, 5, 5]), 10)
    (3.0, 1.0)
    """
    b = len(at)
    first = np.searchsorted(at, at - h, side="right")  # of those that overlap with each
    sums, n_before = np.concatenate([[0], np.cumsum(at)]), np.arange(b) - first
    apart = n_before * at - (sums[:-1] - sums[first])
    return b * b / (b + 2.0 * float((n_before - apart / h).sum()))


def error_of_share(
    held: FloatArray, origins: IntArray, level: float, ahead: int | None = None
) -> tuple[float, float]:
    """Return the standard error of the share that intervals held, if they are right.

    It is not below that of a binomial share of the different values that were forecast; nor above
    that of separate forecasts each of which holds all or nothing, as no share with mean p has a
    variance above p (1 - p). With fewer than three separate ones it is the latter.

    Parameters
    ----------
    held : ndarray (b, h)
        One where an interval held the truth, zero where not, NaN where there is no truth.
    origins : ndarray (b,)
    level : float
        What they should hold, as a fraction.
    ahead : int, optional
        As for `error_of_mean`, also what is returned.
    """
    times = origins[:, None] + np.arange(held.shape[1])
    n_different = len(np.unique(times[np.isfinite(held)]))
    error, n_separate = error_of_mean(held, origins, ahead)
    least, most = np.sqrt(level * (1 - level) / np.array([max(n_different, 1), n_separate]))
    if n_separate < FEWEST:
        return float(max(least, most)), n_separate
    return float(np.clip(error, least, max(least, most))), n_separate
