"""The table of scores, which says below it what they prove."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Any

import pandas as pd

from gpforecast.common.wording import in_digits, point


class ScoreTable(pd.DataFrame):
    """A DataFrame that shows sentences below it; whatever is made from it is a plain one."""

    _sentences: Callable[[], Sequence[str]]

    def __init__(self, data: pd.DataFrame, sentences: Callable[[], Sequence[str]] = tuple) -> None:
        super().__init__(data)  # type: ignore[call-arg]  # the stubs know __new__ alone
        # Not by pandas, for which attributes are columns.
        object.__setattr__(self, "_sentences", sentences)

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame

    def __reduce__(self) -> Any:
        """Pickle and copy it as a plain table."""
        return pd.DataFrame(self).__reduce__()

    def __repr__(self) -> str:
        """Show the table, and the sentences below it."""
        return "\n".join([super().__repr__(), *map(point, self._sentences())])

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        table = self.to_html(float_format=partial(in_digits, digits=4), border=0, na_rep="")
        rows = "".join(f"\n<li>{escape(sentence)}</li>" for sentence in self._sentences())
        return f"{table}\n<ul>{rows}\n</ul>" if rows else table
