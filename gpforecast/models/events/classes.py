"""What users pass as classes, as whole numbers from 0 up, or a sentence that says what is wrong."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Values
from gpforecast.common.validation import counted

if TYPE_CHECKING:
    Categories: TypeAlias = pd.Categorical[Any]
else:  # it takes no parameters when the program runs
    Categories = pd.Categorical

Label: TypeAlias = bool | int | float | str
MOST = 20  # classes; more distinct values than that are taken for measurements


def values_of(y: ArrayLike) -> Values:
    """Return what was passed as a Series, whose categories, if any, are kept."""
    values: Values = pd.Series(y)
    return values


def refuse_missing(y: ArrayLike) -> None:
    """Refuse values without a class."""
    missing = values_of(y).isna().to_numpy()
    if missing.any():
        raise ValueError(
            f"y has {counted(int(missing.sum()), 'missing value')}, the first at position "
            f"{int(np.argmax(missing))}; drop these rows, or use models.NullCategoryGP, which "
            f"learns from rows without a class."
        )


def known_classes(y: ArrayLike, name: str = "y") -> tuple[tuple[Label, ...], FloatArray]:
    """Return the classes in their order, and for each value the place of its class.

    Parameters
    ----------
    y : array-like (n,)
        Whole numbers, bools, an ordered Categorical, or two labels of any kind.
    name : str
        What a message calls the values.

    Returns
    -------
    classes : tuple
    codes : ndarray (n,)
        Whole numbers from 0 up, and -1 where a value is missing.

    Raises
    ------
    TypeError, ValueError
        If there are not two classes or more, they have no order, or one never occurs.

    Examples
    --------
    >>> known_classes([3, 1, 2, 1])
    ((1, 2, 3), array([2., 0., 1., 0.]))
    >>> known_classes(["rain", None, "dry"])
    (('dry', 'rain'), array([ 1., -1.,  0.]))
    >>> known_classes([0, 1, 3])
    Traceback (most recent call last):
    ...
    ValueError: y has the classes 0, 1, 3, which are not whole numbers in equal steps: their order,
    or a class between them, is not known. Pass an ordered pandas.Categorical (pandas.cut makes one
    of measurements), or two classes.
    """
    values = values_of(y)
    listed = isinstance(values.dtype, pd.CategoricalDtype)
    try:
        distinct = [] if listed else sorted(set(values[values.notna()].tolist()))
    except TypeError:
        raise TypeError(
            f"{name} must hold classes of one kind: whole numbers, bools or text; got several."
        ) from None
    found = values if listed else values.astype(pd.CategoricalDtype(distinct, ordered=True))
    classes, codes = found.cat.categories.tolist(), found.cat.codes.to_numpy().astype(np.float64)
    absent = [classes[k] for k in np.setdiff1d(np.arange(len(classes)), codes).tolist()]
    if absent:
        raise ValueError(
            f"{name} never has the class {absent[0]!r}, so that nothing says how likely it is; "
            f"leave it out with Series.cat.remove_unused_categories()."
        )
    if len(classes) < 2:
        got = f"only {classes[0]!r}" if classes else "none"
        raise ValueError(f"{name} must have two classes or more; got {got}.")
    if len(classes) > MOST:
        raise ValueError(
            f"{name} must have at most {MOST} classes; got {len(classes)} distinct values. Cut "
            f"measurements into classes first, for instance with pandas.cut."
        )
    if len(classes) > 2 and not found.cat.ordered:
        raise ValueError(
            f"{name} has {len(classes)} classes without an order; this model has an order of "
            f"them, so pass an ordered pandas.Categorical, or two classes."
        )
    if len(classes) > 2 and not listed:
        _check_order(classes, name)
    return tuple(classes), codes


def codes_of(classes: Sequence[Label], y: ArrayLike, name: str = "y") -> FloatArray:
    """Return the place of each value in classes that are known, -1 where it is missing."""
    values = values_of(y)
    missing = values.isna().to_numpy()
    place = {label: k for k, label in enumerate(classes)}
    unknown = [v for v in values[~missing].tolist() if v not in place]
    if unknown:
        listed = ", ".join(repr(c) for c in classes)
        raise ValueError(
            f"{name} has the class {unknown[0]!r} but the model was fitted to {listed}; fit it "
            f"again."
        )
    codes = [-1 if lost else place[v] for v, lost in zip(values.tolist(), missing, strict=True)]
    return np.array(codes, dtype=np.float64)


def as_categorical(classes: Sequence[Label], codes: FloatArray | IntArray) -> Categories:
    """Return the places of classes, NaN or -1 where missing, as ordered categories.

    Examples
    --------
    >>> as_categorical(("dry", "rain"), np.array([1.0, np.nan])).tolist()
    ['rain', nan]
    """
    places = np.where(np.isnan(codes), -1, codes).astype(np.int64)
    return pd.Categorical.from_codes(places, categories=pd.Index(classes), ordered=True)


def _check_order(distinct: Sequence[Label], name: str) -> None:
    """Check that three classes or more are whole numbers in equal steps."""
    texts = any(isinstance(v, str) for v in distinct)
    numbers = np.zeros(3) if texts else np.array(distinct, dtype=np.float64)
    steps = np.diff(numbers)
    if steps[0] == 0.0 or (numbers % 1.0 != 0.0).any() or (steps != steps[0]).any():
        raise ValueError(
            f"{name} has the classes {', '.join(map(repr, distinct))}, which are not whole numbers "
            f"in equal steps: their order, or a class between them, is not known. Pass an ordered "
            f"pandas.Categorical (pandas.cut makes one of measurements), or two classes."
        )
