"""Names that are going to be removed warn at the line that calls them, and still work."""

import inspect
import warnings

import pytest

from gpforecast.common.deprecation import deprecated


class Series:
    @deprecated(since="1.1", use="total")
    def whole(self, n, *, scale=1.0):
        """Return n times a scale."""
        return n * scale


def test_a_deprecated_method_does_its_work_and_names_its_successor_at_the_line_that_calls_it():
    with pytest.warns(FutureWarning, match=r"Series\.whole is deprecated since .* 1\.1.*use total"):
        assert Series().whole(3, scale=2.0) == 6.0
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1
        Series().whole(1)
    assert (found[0].filename, found[0].lineno) == (__file__, line)
    assert Series.whole.__doc__ == "Return n times a scale."
