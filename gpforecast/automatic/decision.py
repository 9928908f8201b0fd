"""What was decided, why, and by which numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

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


def best_of(
    candidates: Sequence[Candidate[T]],
    why: str,
    unlikely: str = "",
    *,
    size: float = 1.0,
    unit: str = "",
) -> Decision[T]:
    """Select the candidate of the smallest score times handicap; of equals, the first.

    Parameters
    ----------
    candidates : sequence of Candidate
    why : str
        Why any of them may be right but the `unlikely` one.
    unlikely : str
        The name of the one that it speaks against, if there is one.
    size : float
        What the reason multiplies the scores by: of scores that are shares of it, the reason is in
        the units of the series.
    unit : str
        What the reason says the scores are in, where these are no units of the series.

    Examples
    --------
    >>> walk = [Candidate(1, "a difference", 0.5, 0.8), Candidate(0, "no difference", 0.45)]
    >>> print(best_of(walk, "the level wanders").reason)  # doctest: +NORMALIZE_WHITESPACE
    a difference: the level wanders; mean CRPS of trial forecasts 0.5
    alternatives, each with its CRPS and the one below which it would be chosen: no difference 0.45
    (0.4)
    """
    best = min(candidates, key=lambda c: c.score * c.handicap)
    limit = best.score * best.handicap
    if best.name == unlikely:
        why = f"forecasts decide, although {why}"
    others = sorted((c for c in candidates if c is not best), key=lambda c: c.score * c.handicap)
    near = [c for c in others if np.isfinite(c.score)][:3]
    said = [
        f"{c.name} {in_digits(size * c.score)} ({in_digits(size * limit / c.handicap)})"
        for c in near
    ]
    if said and (further := len(others) - len(near)):
        said.append(f"{further} more that {'is' if further == 1 else 'are'} further off")
    in_units = f" {unit}" if unit else ""
    reason = (
        f"{best.name}: {why}; mean CRPS of trial forecasts {in_digits(size * best.score)}{in_units}"
    )
    if said:
        head = "alternatives, each with its CRPS and the one below which it would be chosen"
        reason += f"\n{head}: {'; '.join(said)}"
    return Decision(best.value, reason, {c.name: c.score for c in candidates})


def in_digits(number: float) -> str:
    """Return a number with three significant digits, without an exponent where it needs none.

    Examples
    --------
    >>> in_digits(1234.5), in_digits(0.01237), in_digits(2.0), in_digits(1e-9)
    ('1230', '0.0124', '2', '1e-09')
    """
    short = f"{number:.3g}"
    digits = f"{float(short):.0f}"
    return digits if "e+" in short and len(digits) <= 12 else short
