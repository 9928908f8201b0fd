"""The checks of parameters: what each accepts, and the sentence in which it refuses."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from gpforecast.common.parameters import (
    COUNT,
    POSITIVE,
    POSITIVE_INTEGER,
    check_parameters,
    choice,
    number,
    parameter,
)

NO_NUMBERS = ("1", True, [1.0], np.ones(2), np.nan, np.inf, 1j)


@pytest.mark.parametrize(
    ("check", "good", "bad", "expected"),
    [
        (POSITIVE, (1, 0.5, np.float32(2), np.int64(3)), (0, -1.0, None), "a positive number"),
        (POSITIVE_INTEGER, (1, np.int32(7)), (0, -1, 2.0, None), "a positive integer"),
        (COUNT, (0, 4), (-1, 0.0, None), "0 or a positive integer"),
        (POSITIVE.or_none(), (None, 2.0), (0.0,), "a positive number or None"),
        (
            POSITIVE.or_none("to learn it"),
            (None,),
            (0.0,),
            "a positive number, or None to learn it",
        ),
        (
            number("a positive number, or -1 for all", lambda v: v > 0 or v == -1).or_none(),
            (None, -1),
            (0,),
            "a positive number, -1 for all or None",
        ),
        (number("a number below 1", lambda v: v < 1), (-3, 0.5), (1, 2.0), "a number below 1"),
    ],
)
def test_a_number_is_accepted_or_refused(check, good, bad, expected):
    for value in good:
        check(value, "it")
    for value in (*bad, *NO_NUMBERS):
        with pytest.raises(ValueError, match=f"^it must be {re.escape(expected)}; got ") as caught:
            check(value, "it")
        assert str(caught.value).endswith(f"got {value!r}.")


def test_every_parameter_of_an_object_is_checked_by_its_own_check():
    @dataclass
    class Method:
        n_paths: int = parameter(5, POSITIVE_INTEGER)
        kind: str = parameter("step", choice("step", "function"))

    check_parameters(Method())
    with pytest.raises(ValueError, match="n_paths must be a positive integer; got 0"):
        check_parameters(Method(0))
    with pytest.raises(ValueError, match="kind must be one of 'step', 'function'; got 'x'"):
        check_parameters(Method(kind="x"))
