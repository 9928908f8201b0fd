"""Transforms by their names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from gpforecast.common.types import Named
from gpforecast.transforms.compose import Compose, Step
from gpforecast.transforms.deterministic import Deterministic
from gpforecast.transforms.differences import Difference
from gpforecast.transforms.warps import BoxCox, Log

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
    if isinstance(given, str):
        return Compose(_named(given))
    if isinstance(given, Sequence):
        return Compose(*(_named(step) if isinstance(step, str) else step for step in given))
    return Compose.of(given)


def as_written(step: Step) -> str:
    """Return what a user writes for a transform in a list of them.

    Examples
    --------
    >>> as_written(Log()), as_written(Difference(2))
    ("'log'", 'gf.transforms.Difference(order=2)')
    """
    names = [name for name, one in _NAMES.items() if one == step]
    return repr(names[0]) if names else f"gf.transforms.{step!r}"


def _named(name: str) -> Step:
    if name not in _NAMES:
        raise ValueError(
            f'transforms must be "auto", None, a transform such as gf.transforms.Log(), one of the '
            f"names {', '.join(map(repr, _NAMES))}, or a list of them; got {name!r}."
        )
    return _NAMES[name]
