"""What forecasters of several series and of classes have in common: saving, and how they look."""

from abc import abstractmethod
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any

from gpforecast.pipeline.fitted import required
from gpforecast.storage import Saveable


@dataclass(eq=False, repr=False)
class ForecasterBase(Saveable):
    """A forecaster whose parameters are dataclass fields, and whose fit is ``fitted_``."""

    fitted_: Any = field(default=None, init=False)

    @abstractmethod
    def summary(self) -> str:
        """Return what was learned and why, in words."""

    def _required(self) -> Any:
        """Return what it has learned; refused if that is nothing yet."""
        return required(self.fitted_, type(self).__name__)

    def __repr__(self) -> str:
        """Return the call that makes it, with the arguments that differ from their defaults."""
        own = [f for f in fields(self) if f.init]
        given = (f"{f.name}={vars(self)[f.name]!r}" for f in own if vars(self)[f.name] != f.default)
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_html_(self) -> str:
        """Show the call, and once it is fitted its summary."""
        text = repr(self)
        if self.fitted_ is not None:
            text += f"\n\n{self.summary()}"
        return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'
