"""Transforms by their names, and what is modelled after them in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from gpforecast.common.types import Named
from gpforecast.transforms.closed_times import ClosedTimes
from gpforecast.transforms.compose import Compose, Step
from gpforecast.transforms.damped_mean import DampedMean
from gpforecast.transforms.deterministic import Deterministic
from gpforecast.transforms.differences import Difference, SeasonalDifference
from gpforecast.transforms.input_effects import InputEffects
from gpforecast.transforms.warps import BoxCox, LearnedWarp, Log

AS_THEY_ARE = "the values as they are"


def in_words(steps: Sequence[object]) -> str:
    """Return what is modelled after some transforms, in words; "" where it is the series itself.

    Examples
    --------
    >>> in_words([Log(), SeasonalDifference(12)])
    'the logarithm, changes over 12 steps'
    >>> in_words([Difference(), DampedMean(0.9)])
    'the changes from step to step, less the mean (which shrinks by 10 % with each step ahead)'
    >>> in_words([Deterministic(1)])
    'the values less a straight line'
    """
    text = ", ".join(filter(None, map(_phrase, steps)))
    beginning = {"less": "the values ", "changes": "the "}
    return beginning.get(text.partition(" ")[0], "") + text


def named(steps: Sequence[object]) -> str:
    """Return the same, with words for the series itself, and calls of what has no words."""
    return in_words(steps) or " and ".join(map(repr, steps)) or AS_THEY_ARE


def _phrase(step: object) -> str:
    match step:
        case Log() | BoxCox(lmbda=0.0):
            return "the logarithm"
        case BoxCox(lmbda=None):
            return "the power that fits best"
        case BoxCox():
            return "the square root" if step.lmbda == 0.5 else f"the power {step.lmbda:.3g}"
        case LearnedWarp():
            return "a learned function of the values"
        case Difference():
            return "changes from step to step" + (", twice" if step.order > 1 else "")
        case SeasonalDifference():
            return f"changes over {step.period} steps"
        case ClosedTimes():
            return "the values at times that are not closed"
        case InputEffects():
            return "less the effects of the inputs"
        case Deterministic():
            return f"less {' and '.join(_terms(step)) or 'the mean'}"
        case DampedMean():
            fades = f" (which shrinks by {100 * (1 - step.damping):.2g} % with each step ahead)"
            each = f"a mean for each of the {step.period} steps of a season"
            mean = "the mean" if step.period is None else each
            return f"less {mean}" + (fades if 0 < step.damping < 1 else "")
    return ""


def _terms(step: Deterministic) -> list[str]:
    """Return what is subtracted by least squares."""
    terms = ["a straight line"] if step.trend else []
    if step.fourier and step.period:
        terms.append(f"a fixed season of {step.period:.6g} steps")
    if step.calendar:
        terms.append("effects of the calendar")
    if step.n_steps:
        terms.append(f"{step.n_steps} shift{'' if step.n_steps == 1 else 's'} of the level")
    return terms


if TYPE_CHECKING:
    TransformsLike: TypeAlias = Step | Compose | Sequence[Step | str] | str | None
    """What a user passes as transforms: None, one, its name, or a list of them."""
else:
    TransformsLike = Named("TransformsLike")

_NAMES: dict[str, Step] = {
    "log": Log(),
    "sqrt": BoxCox(0.5),
    "difference": Difference(),
    "trend": Deterministic(1),
}


def transforms_of(given: TransformsLike) -> Compose:
    """Return what a user's argument stands for: None, a transform, its name, or a list of them.

    Raises
    ------
    ValueError
        For an unknown name.

    Examples
    --------
    >>> transforms_of("log"), transforms_of(["sqrt", "difference"])
    (Compose(Log()), Compose(BoxCox(lmbda=0.5), Difference(order=1)))
    """
    match given:
        case None:
            return Compose()
        case str():
            return Compose(_by_name(given))
        case Sequence():
            return Compose(*map(_by_name, given))
    return Compose(given)


def _by_name(name: Step | str) -> Step:
    if not isinstance(name, str):
        return name
    if name not in _NAMES:
        raise ValueError(
            f'transforms must be "auto", None, a transform such as gf.transforms.Log(), one of the '
            f"names {', '.join(map(repr, _NAMES))}, or a list of them; got {name!r}."
        )
    return _NAMES[name]
