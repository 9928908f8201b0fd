"""Scores of the probabilities of classes: of events, and of ordered states."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer, real_array
from gpforecast.scores.checks import Axis, Score, Values, average, check_labels

_ROUNDED = 1e-6  # by which the probabilities of all classes may miss one


def log_score(
    y_true: Values, p: Values, *, classes: Sequence[object] | None = None, axis: Axis = None
) -> Score:
    """Return the negative logarithm of the probability of the class that came, averaged.

    Parameters
    ----------
    y_true : array-like
        Classes: places 0 to C - 1, bools, or labels with `classes`. NaN is missing.
    p : array-like, the shape of y_true and (C,)
        Probabilities; along the last axis they sum to 1.
    classes : sequence of C labels, optional
        In the order of `p`, such as a model's ``classes_``.
    axis : int, tuple of int or None
        What to average over, among the axes of `y_true`.

    Returns
    -------
    float or ndarray
        In nats; infinite if a class came that had the probability 0.

    References
    ----------
    Gneiting & Raftery (2007), "Strictly proper scoring rules, prediction, and estimation",
    section 3.

    Examples
    --------
    >>> round(log_score([0, 1], [[0.5, 0.5], [0.5, 0.5]]), 4)
    0.6931
    >>> log_score(["rain"], [[0.0, 1.0]], classes=["dry", "rain"])
    0.0
    """
    y, probabilities = _checked(y_true, p, classes)
    came = (_indicators(y, probabilities) * probabilities).sum(axis=-1)
    with np.errstate(divide="ignore"):
        return average(np.log(1.0 / came), axis)


def brier(
    y_true: Values, p: Values, *, classes: Sequence[object] | None = None, axis: Axis = None
) -> Score:
    """Return the Brier score, ``mean sum_c (p_c - [y = c])^2``.

    Parameters
    ----------
    y_true, p, classes, axis
        As for `log_score`.

    Returns
    -------
    float or ndarray
        Between 0 and 2. The score of an event is often defined as half of that, which is
        `ranked_probability` of its two classes.

    References
    ----------
    Brier (1950), "Verification of forecasts expressed in terms of probability".

    Examples
    --------
    >>> brier([1], [[0.5, 0.5]])
    0.5
    """
    y, probabilities = _checked(y_true, p, classes)
    return average(((probabilities - _indicators(y, probabilities)) ** 2).sum(axis=-1), axis)


def ranked_probability(
    y_true: Values, p: Values, *, classes: Sequence[object] | None = None, axis: Axis = None
) -> Score:
    """Return the ranked probability score, ``mean sum_c (P(Y <= c) - [y <= c])^2``.

    It knows the order of the classes: a probability two classes away from what came costs more
    than a neighbour. It is the CRPS of a class as a number.

    Parameters
    ----------
    y_true, p, classes, axis
        As for `log_score`; classes are in their order.

    Returns
    -------
    float or ndarray
        Between 0 and C - 1.

    References
    ----------
    Epstein (1969), "A scoring system for probability forecasts of ranked categories" (without its
    scale).

    Examples
    --------
    >>> ranked_probability([2, 2], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], axis=())
    array([1., 2.])
    """
    y, probabilities = _checked(y_true, p, classes)
    off = np.cumsum(probabilities - _indicators(y, probabilities), axis=-1)
    return average((off[..., :-1] ** 2).sum(axis=-1), axis)


def auc(y_true: Values, p: Values) -> float:
    """Return the area under the ROC curve: the share of pairs in their right order.

    A pair is a time at which the event came and one at which it did not; its order is right if the
    event had the higher probability where it came. Of equal ones half are right.

    Parameters
    ----------
    y_true : array-like (n,)
        Bools, or 1 where the event came and 0 where it did not.
    p : array-like (n,)
        Its probabilities, or anything that rises with them.

    Returns
    -------
    float
        0.5 for guesses, 1 where the events are separated; NaN if a value is missing. It does not
        change if `p` is distorted: whether probabilities are right is a matter of `reliability`.

    References
    ----------
    Hanley & McNeil (1982), "The meaning and use of the area under a receiver operating
    characteristic (ROC) curve".

    Examples
    --------
    >>> auc([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    0.75
    """
    event, values = _pairs(y_true, p)
    if np.isnan(event).any() or np.isnan(values).any():
        return float("nan")
    came = event == 1.0
    n, m = int(came.sum()), int((~came).sum())
    if not n or not m:
        raise ValueError(
            f"y_true must hold times with the event and times without; got {n} and {m}. Without "
            f"both there is nothing to tell apart."
        )
    ranks = scipy.stats.rankdata(values)[came].sum()
    return float((ranks - n * (n + 1) / 2) / (n * m))


def reliability(y_true: Values, p: Values, *, n_bins: int = 10) -> pd.DataFrame:
    """Return how often an event came when its probability was about so much.

    Parameters
    ----------
    y_true : array-like (n,)
        Bools, or 1 where the event came and 0 where it did not. Missing ones are left out.
    p : array-like (n,)
        Its probabilities.
    n_bins : int
        Bins of equal width between 0 and 1.

    Returns
    -------
    DataFrame
        A row for each bin that is not empty, with the mean ``probability`` in it, the
        ``frequency`` with which the event came, their ``count``, and ``std``, the standard
        deviation of the frequency if the probabilities are right.

    References
    ----------
    Murphy & Winkler (1977), "Reliability of subjective probability forecasts of precipitation and
    temperature".

    Examples
    --------
    >>> reliability([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9], n_bins=2)
                probability  frequency  count       std
    (0.0, 0.5]     0.233333   0.333333      3  0.238048
    (0.5, 1.0]     0.900000   1.000000      1  0.300000
    """
    event, values = _pairs(y_true, p)
    n_bins = positive_integer(n_bins, "n_bins")
    wrong = values[(values < 0.0) | (values > 1.0)]
    if wrong.size:
        raise ValueError(f"p must hold probabilities, from 0 to 1; got {wrong[0]:g}.")
    known = ~(np.isnan(event) | np.isnan(values))
    event, values = event[known], values[known]
    edges = pd.interval_range(0.0, 1.0, n_bins)
    which = np.clip(np.ceil(values * n_bins) - 1, 0, n_bins - 1).astype(np.int64)
    count = np.bincount(which, minlength=n_bins)
    spread = np.bincount(which, values * (1.0 - values), minlength=n_bins)
    used = count > 0
    columns = {
        "probability": np.bincount(which, values, minlength=n_bins)[used] / count[used],
        "frequency": np.bincount(which, event, minlength=n_bins)[used] / count[used],
        "count": count[used],
        "std": np.sqrt(spread[used]) / count[used],
    }
    return pd.DataFrame(columns, index=edges[used])


def _checked(
    y_true: Values, p: Values, classes: Sequence[object] | None
) -> tuple[FloatArray, FloatArray]:
    """Return places of classes (NaN where missing) and the probabilities of all, or refuse them."""
    check_labels({"y_true": y_true, "p": p})
    probabilities = real_array(p, "p")
    n_classes = probabilities.shape[-1] if probabilities.ndim else 0
    y = _places(y_true, classes, n_classes)
    if probabilities.shape[:-1] != y.shape or n_classes < 2:
        raise ValueError(
            f"p must have the shape of y_true and one more axis, the classes; got "
            f"{probabilities.shape} for {y.shape}. For an event, stack 1 - p and p."
        )
    off = np.abs(probabilities.sum(axis=-1) - 1.0)
    if (probabilities < 0.0).any() or (off > _ROUNDED).any():
        raise ValueError(
            "p must hold probabilities of all classes along its last axis, 0 or more, of sum 1; "
            f"got the least {np.nanmin(probabilities):g}, and sums off by up to {np.nanmax(off):g}."
        )
    return y, probabilities


def _places(y_true: Values, classes: Sequence[object] | None, n_classes: int) -> FloatArray:
    """Return the places of classes, or refuse what is none."""
    if classes is not None:
        if len(classes) != n_classes:
            raise ValueError(
                f"classes must have a label for each of the {n_classes} columns of p; got "
                f"{len(classes)}."
            )
        labels = np.asarray(y_true, dtype=object)
        place = {label: float(k) for k, label in enumerate(classes)}
        flat = [np.nan if pd.isna(v) else place.get(v, -1.0) for v in labels.ravel().tolist()]
        y = np.array(flat, dtype=np.float64).reshape(labels.shape)
        if (y < 0.0).any():
            unknown = labels.ravel()[int(np.argmax(y.ravel() < 0.0))]
            raise ValueError(f"y_true has {unknown!r}, which is none of classes {list(classes)!r}.")
        return y
    y = real_array(y_true, "y_true")
    known = y[~np.isnan(y)]
    wrong = known[(known != np.floor(known)) | (known < 0) | (known >= n_classes)]
    if wrong.size:
        raise ValueError(
            f"y_true must hold the places of classes, 0 to {n_classes - 1}; got {wrong[0]:g}. Pass "
            f"labels together with classes=."
        )
    return y


def _indicators(y: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Return 1 for the class that came and 0 for the others; NaN where it is missing."""
    one = (y[..., None] == np.arange(probabilities.shape[-1])).astype(np.float64)
    return np.where(np.isnan(y)[..., None], np.nan, one)


def _pairs(y_true: Values, p: Values) -> tuple[FloatArray, FloatArray]:
    """Return whether an event came, as 1 and 0, and its probabilities."""
    check_labels({"y_true": y_true, "p": p})
    event, values = real_array(y_true, "y_true", ndim=1), real_array(p, "p", ndim=1)
    if event.shape != values.shape or not len(event):
        raise ValueError(
            f"y_true and p must be of one length, 1 or more; got {event.shape} and {values.shape}."
        )
    wrong = event[~(np.isnan(event) | (event == 0.0) | (event == 1.0))]
    if wrong.size:
        raise ValueError(f"y_true must be 1 where the event came, else 0; got {wrong[0]:g}.")
    return event, values
