"""Which names of columns say that they hold dates."""

import pytest

from gpforecast.cli.files.dates import holds_dates
from gpforecast.cli.files.table import Column


@pytest.mark.parametrize(
    ("name", "dated"),
    [("orderDate", True), ("sales_date", True), ("Date2", True), ("database", False),
     ("timely orders", False), ("holiday hours sold", False), ("updated", False)],
)  # fmt: skip
def test_a_whole_word_of_the_name_says_that_numbers_are_dates(name, dated):
    column = Column(name, ("44000", "44002", "44001"), (2, 3, 4), "sales.csv", ",")
    assert holds_dates(column) is dated
