"""Files as people have them: each is read right, or refused with the option that reads it."""

import numpy as np
import pytest
from cli_cases import read, refusal
from cli_dialects import DIALECTS
from cli_exports import EXPORTS
from cli_offices import OFFICES

ALL = DIALECTS | EXPORTS | OFFICES
FLAGS = {"header": "--no-header", "dayfirst": "--dayfirst"}


@pytest.mark.parametrize("dialect", ALL.values(), ids=ALL)
def test_a_file_is_read_right_or_refused_with_the_option_that_reads_it(dialect, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(dialect.data)
    if dialect.needs or dialect.named:
        first = next(iter(dialect.needs), "")
        named = dialect.named or FLAGS.get(first, f"--{first.replace('_', '-')}")
        told = refusal(path, **dialect.given)
        assert named in told
        assert "pandas" not in told
        assert "sales.csv" in told
    if dialect.index is None:
        return
    reading = read(path, **dialect.given, **dialect.needs)
    assert dialect.said in reading.said
    series = reading.series
    np.testing.assert_array_equal(series, dialect.values)
    assert list(map(str, series.index)) == list(map(str, dialect.index))


def test_there_are_more_than_thirty_dialects():
    assert len(DIALECTS) > 60
