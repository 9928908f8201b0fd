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
    words : str
        What it is called in a reason; its name by default.
    """

    value: T
    name: str
    score: float
    handicap: float = 1.0
    words: str = ""

    @property
    def said(self) -> str:
        """What it is called in a reason."""
        return self.words or self.name


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
    >>> walk = [Candidate(1, "differences", 0.5, 0.8), Candidate(0, "values", 0.45)]
    >>> print(best_of(walk, "the level wanders").reason)  # doctest: +NORMALIZE_WHITESPACE
    differences: the level wanders; mean CRPS of trial forecasts 0.5
    also tried: values, CRPS 0.45 (it had to be below 0.4, as it is right less often)
    """
    best = min(candidates, key=lambda c: c.score * c.handicap)
    if best.name == unlikely:
        why = f"trial forecasts decide, although {why}"
    others = sorted((c for c in candidates if c is not best), key=lambda c: c.score * c.handicap)
    near = [c for c in others if np.isfinite(c.score)][:3]
    said = [
        f"{c.said}, CRPS {in_digits(size * c.score)}{_needed(best, c, size=size)}" for c in near
    ]
    if said and (further := len(others) - len(near)):
        said.append(f"{further} more, which did worse")
    in_units = f" {unit}" if unit else ""
    reason = (
        f"{best.said}: {why}; mean CRPS of trial forecasts {in_digits(size * best.score)}{in_units}"
    )
    if said:
        reason += f"\nalso tried: {'; '.join(said)}"
    return Decision(best.value, reason, {c.name: c.score for c in candidates})


def _needed(best: Candidate[T], other: Candidate[T], *, size: float) -> str:
    """Return what another would have had to reach, if that is not the score of the best."""
    if other.handicap == best.handicap:
        return ""
    limit = in_digits(size * best.score * best.handicap / other.handicap)
    if other.handicap > best.handicap:
        return f" (it had to be below {limit}, as it is right less often)"
    return f" (it had to be below {limit} only, as it is right more often)"


def in_digits(number: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, without an exponent where it needs none.

    Examples
    --------
    >>> in_digits(1234.5), in_digits(0.01237), in_digits(2.0), in_digits(1e-9)
    ('1230', '0.0124', '2', '1e-09')
    """
    short = f"{number:.{digits}g}"
    whole = f"{float(short):.0f}"
    return whole if "e+" in short and len(whole) <= 12 else short


def times_as_likely(gain: float) -> str:
    """Return what a difference of log likelihoods in nats means.

    Examples
    --------
    >>> times_as_likely(2.0), times_as_likely(15.8)
    ('7.39 times as likely', '10^7 times as likely')
    """
    powers = gain / np.log(10.0)
    many = f"10^{powers:.0f}" if powers > 4.0 else in_digits(float(np.exp(gain)))
    return f"{many} times as likely"
