"""Which transforms suit a series, and why."""

from dataclasses import dataclass
from typing import Any

from gpforecast.transforms.compose import Compose


@dataclass(frozen=True)
class Choice:
    spec: Compose
    reasons: tuple[str, ...]
    period: int | None


def choose(y: Any, *, driven: bool = False) -> Choice:
    return Choice(Compose(), (), None)
