"""What was decided, why, and by which numbers."""

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True)
class Candidate(Generic[T]):
    """A value that was tried.

    Attributes
    ----------
    value : object
    name : str
    score : float
        The mean CRPS of its forecasts in trials.
    handicap : float
        A factor of the score: above 1 for what is seldom right, below 1 for what usually is.
    """

    value: T
    name: str
    score: float
    handicap: float = 1.0


def best_of(candidates: Sequence[Candidate[T]], why: str, unlikely: str = "") -> Decision[T]:
    """Select the candidate of the smallest score times handicap; of equals, the first.

    Parameters
    ----------
    candidates : sequence of Candidate
    why : str
        Why any of them may be right but the `unlikely` one.
    unlikely : str
        The name of the one that it speaks against, if there is one.

    Examples
    --------
    >>> walk = [Candidate(1, "a difference", 0.5, 0.8), Candidate(0, "no difference", 0.45)]
    >>> print(best_of(walk, "the level wanders").reason)
    a difference: the level wanders; mean CRPS of trial forecasts 0.5
    alternatives, each with the CRPS below which it would be chosen: no difference 0.45 (0.4)
    """
    best = min(candidates, key=lambda c: c.score * c.handicap)
    limit = best.score * best.handicap
    if best.name == unlikely:
        why = f"forecasts decide, although {why}"
    others = [
        f"{c.name} {c.score:.3g} ({limit / c.handicap:.3g})" for c in candidates if c is not best
    ]
    reason = (
        f"{best.name}: {why}; mean CRPS of trial forecasts {best.score:.3g}\n"
        f"alternatives, each with the CRPS below which it would be chosen: {'; '.join(others)}"
    )
    return Decision(best.value, reason, {c.name: c.score for c in candidates})
