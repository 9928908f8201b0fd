"""What all forecasters have in common: parameters, saving, and how they look."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any, Self

from gpforecast.common.notebook import folded_in_html
from gpforecast.common.parameters import check_parameters
from gpforecast.common.validation import counted
from gpforecast.pipeline.fitted import required
from gpforecast.storage import Saveable


@dataclass(eq=False, repr=False)
class ForecasterBase(Saveable):
    """A forecaster whose parameters are dataclass fields, and whose fit is ``fitted_``."""

    fitted_: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        check_parameters(self)

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002
        """Return the parameters by name, as scikit-learn does; its ``clone`` takes a forecaster.

        Parameters
        ----------
        deep : bool
            For scikit-learn; a model is one parameter.

        Examples
        --------
        >>> import gpforecast as gf
        >>> gf.Forecaster(lags=16).get_params()["lags"]
        16
        """
        return {own.name: vars(self)[own.name] for own in fields(self) if own.init}

    def set_params(self, **params: object) -> Self:
        """Change parameters for the next `fit`; none is changed if one makes no sense.

        Parameters
        ----------
        **params
            By name, as in `get_params`.

        Returns
        -------
        Forecaster
            Itself.

        Examples
        --------
        >>> import gpforecast as gf
        >>> gf.Forecaster().set_params(lags=16, transforms="log")
        Forecaster(lags=16, transforms='log')
        """
        known = self.get_params()
        if unknown := sorted(params.keys() - known.keys()):
            raise ValueError(
                f"{type(self).__name__} has no parameter {unknown[0]!r}; it has {', '.join(known)}."
            )
        make: Callable[..., Self] = type(self)
        vars(self).update(make(**(known | params)).get_params())
        return self

    def summary(self) -> str:
        """Return what was learned and why, in words."""
        raise NotImplementedError

    def _head(self) -> tuple[str, ...]:
        """Return what a notebook shows of a fit above its summary."""
        return ()

    def _required(self) -> Any:
        """Return what it has learned; refused if that is nothing yet."""
        return required(self.fitted_, type(self).__name__)

    def __repr__(self) -> str:
        """Return the call that makes it, with the arguments that differ from their defaults."""
        given = (
            f"{own.name}={vars(self)[own.name]!r}"
            for own in fields(self)
            if own.init and (own.name == "lags" or repr(vars(self)[own.name]) != repr(own.default))
        )
        call = f"{type(self).__name__}({', '.join(given)})"
        if self.fitted_ is None:
            return call
        return f"{call}  # fitted to {counted(len(self.fitted_.axis), 'value')}"

    def _repr_html_(self) -> str:
        """Show the call, and once it is fitted what was learned; the summary is folded."""
        if self.fitted_ is None:
            return f'<pre style="white-space: pre-wrap">{escape(repr(self))}</pre>'
        return folded_in_html([repr(self), *self._head()], "Summary", self.summary())
