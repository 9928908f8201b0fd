"""What was decided, why, and by which numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from gpforecast.common.validation import per_cent
from gpforecast.common.wording import compared, in_digits

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
    penalty : float
        A factor of the score: above 1 for what is seldom right, below 1 for what usually is.
    words : str
        What it is called in a reason; its name by default.
    """

    value: T
    name: str
    score: float
    penalty: float = 1.0
    words: str = ""

    @property
    def label(self) -> str:
        """What it is called in a reason."""
        return self.words or self.name


def best_of(
    candidates: Sequence[Candidate[T]],
    why: str = "",
    unlikely: str = "",
    *,
    judged: str = "trial forecasts",
    size: float = 1.0,
    unit: str = "",
) -> Decision[T]:
    """Select the candidate of the smallest score times penalty; of equals, the first.

    Parameters
    ----------
    candidates : sequence of Candidate
    why : str
        Why any of them may be right but the `unlikely` one.
    unlikely : str
        The name of the one that it speaks against, if there is one.
    judged : str
        The forecasts that the scores are of.
    size : float
        What the reason multiplies the scores by: of scores that are shares of it, the reason is in
        the units of the series.
    unit : str
        What the reason says the scores are in, where these are no units of the series.

    Examples
    --------
    >>> walk = [Candidate(1, "differences", 0.5, 0.8), Candidate(0, "values", 0.45)]
    >>> print(best_of(walk, "the level wanders").reason)  # doctest: +NORMALIZE_WHITESPACE
    differences: the level wanders
    in trial forecasts the error of "values" is 10 % smaller (CRPS 0.45 against 0.5), but it
    suits fewer series of this kind, so the error would have to be at least 20 % smaller
    """
    best = min(candidates, key=lambda c: c.score * c.penalty)
    if best.name == unlikely:
        why = f"trial forecasts decide, although {why}"
    others = sorted((c for c in candidates if c is not best), key=lambda c: c.score * c.penalty)
    parts = [why] if why else []
    if others and np.isfinite([best.score, others[0].score]).all():
        compared = _compared(best, others[0], len(others), size, unit)
        parts.append(f"in {judged} {compared}")
    reason = "\n".join(parts) or "nothing else could be tried"
    return Decision(best.value, f"{best.label}: {reason}", {c.name: c.score for c in candidates})


def _compared(
    best: Candidate[T], other: Candidate[T], n_others: int, size: float, unit: str
) -> str:
    """Return how much better the best is than the next, or why a better one was not taken.

    The figures stand in the order of the sentence.
    """
    name, own, theirs = f'"{other.label}"', *(in_digits(size * c.score) for c in (best, other))
    of_unit = f", in {unit}" if unit else ""
    if best.score > other.score:
        needed = per_cent(1.0 - best.penalty / other.penalty)
        return (
            f"the error of {name} is {per_cent(1.0 - other.score / best.score)} smaller (CRPS "
            f"{theirs} against {own}{of_unit}), but it suits fewer series of this kind, so "
            f"the error would have to be at least {needed} smaller"
        )
    among = f", the next best of {n_others} others" if n_others > 1 else ""
    figures = f"(CRPS {own} against {theirs}{of_unit})"
    parts = f"its error is {compared(best.score, other.score)} that of {name}{among} {figures}"
    if best.penalty > other.penalty:
        needed = per_cent(1.0 - other.penalty / best.penalty)
        parts += f"; it suits fewer series of this kind, so at least {needed} was needed"
    return parts
