"""What the parameters of a constructor must be: declared once each, refused in one sentence."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gpforecast.common.validation import is_integer, is_number, shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@dataclass(frozen=True)
class Check:
    """What a parameter must be, in words and as a test.

    Attributes
    ----------
    expected : str
        What comes after "must be".
    holds : callable
        Whether a value is acceptable.
    error : type
        What is raised otherwise: ValueError, or TypeError where the type alone decides.

    Examples
    --------
    >>> check = POSITIVE.or_none("for the variance of the targets")
    >>> check(0.5, "prior_var")
    >>> check(-1.0, "prior_var")
    Traceback (most recent call last):
    ...
    ValueError: prior_var must be a positive number, or None for the variance of the targets; got
    -1.0.
    """

    expected: str
    holds: Callable[[object], bool]
    error: type[TypeError | ValueError] = ValueError

    def __call__(self, value: object, name: str) -> None:
        """Refuse a value that the parameter `name` cannot have."""
        if not self.holds(value):
            raise self.error(f"{name} must be {self.expected}; got {shown(value)}.")

    def or_none(self, purpose: str = "") -> "Check":
        """Return the check that accepts None too, which is given for a `purpose`."""
        choices = self.expected.replace(", or ", ", ").replace(" or ", ", ")
        expected = f"{self.expected}, or None {purpose}" if purpose else f"{choices} or None"
        return Check(expected, lambda v: v is None or self.holds(v), self.error)


def parameter(default: T, check: Check) -> T:
    """Return a field of a dataclass, with a default and what `check_parameters` checks there.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Search:
    ...     max_iter: int = parameter(200, POSITIVE_INTEGER)
    >>> check_parameters(Search(max_iter=0))
    Traceback (most recent call last):
    ...
    ValueError: max_iter must be a positive integer; got 0.
    """
    made: T = field(default=default, metadata={"check": check})
    return made


def check_parameters(owner: "DataclassInstance") -> None:
    """Check every `parameter` of a dataclass.

    Raises
    ------
    TypeError, ValueError
        ``max_iter must be a positive integer; got 0.``
    """
    for own in fields(owner):
        if "check" in own.metadata:
            own.metadata["check"](vars(owner)[own.name], own.name)


def number(expected: str, holds: Callable[[float], bool]) -> Check:
    """Return the check of one finite number with a property."""
    return Check(expected, lambda v: is_number(v) and math.isfinite(v) and holds(v))


def numbers(expected: str, holds: Callable[[float], bool]) -> Check:
    """Return the check of a tuple of finite numbers, at least one, each with a property.

    Examples
    --------
    >>> POSITIVE_NUMBERS((0.1, -0.2), "strengths")
    Traceback (most recent call last):
    ...
    ValueError: strengths must be a tuple of positive numbers; got (0.1, -0.2).
    """
    one = number(expected, holds)
    return Check(expected, lambda v: isinstance(v, tuple) and v != () and all(map(one.holds, v)))


def choice(*values: str | None) -> Check:
    """Return the check of a parameter that takes one of a few values.

    Examples
    --------
    >>> choice("ard", "isotropic", None).expected
    "'ard', 'isotropic' or None"
    >>> choice("em", "mackay").expected
    "one of 'em', 'mackay'"
    """
    words = ", ".join(repr(v) for v in values if v is not None)
    expected = f"{words} or None" if None in values else f"one of {words}"
    return Check(expected, lambda v: isinstance(v, str | None) and v in values)


def instance(cls: type, expected: str) -> Check:
    """Return the check of an object of a class."""
    return Check(expected, lambda v: isinstance(v, cls), TypeError)


POSITIVE = number("a positive number", lambda v: v > 0)
POSITIVE_NUMBERS = numbers("a tuple of positive numbers", lambda v: v > 0)
NUMBERS = numbers("a tuple of finite numbers", lambda v: True)  # noqa: ARG005
NOT_NEGATIVE = number("0 or a positive number", lambda v: v >= 0)
POSITIVE_INTEGER = number("a positive integer", lambda v: is_integer(v) and v > 0)
COUNT = number("0 or a positive integer", lambda v: is_integer(v) and v >= 0)
FLAG = Check("True or False", lambda v: isinstance(v, (bool, np.bool_)), TypeError)
