"""What was decided, why, and by which numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class Decision(Generic[T]):
    """A value, and how it came about.

    Attributes
    ----------
    value : object
        What was decided.
    reason : str
        Why, one sentence a line. Empty for what the user gave.
    scores : mapping of str to float
        What each candidate scored, by its name; smaller is better. Empty where none were compared.

    Examples
    --------
    >>> Decision((1, 2), "lags 1 and 2 forecast best", {"lags 1 and 2": 0.4, "lag 1": 0.6}).value
    (1, 2)
    """

    value: T
    reason: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences of the reason."""
        return tuple(self.reason.splitlines())
