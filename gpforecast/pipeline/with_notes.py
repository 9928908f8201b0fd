"""What a step of a fit returns: its value, and what the user should know of it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class WithNotes(Generic[T]):
    """A value, and notes on it.

    Attributes
    ----------
    value : object
    notes : tuple of str
    """

    value: T
    notes: tuple[str, ...] = ()
