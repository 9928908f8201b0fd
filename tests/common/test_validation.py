"""What a user passes becomes a clean array or number, or is refused in a sentence that helps."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
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
from gpforecast.common.shapes import covariance_matrix
from gpforecast.common.validation import (
    array_without_infinities,
    check_size,
    finite_array,
    generator,
    interval_level,
    is_integer,
    is_number,
    percent,
    probability,
    real_array,
    shown,
)

# What a user passes becomes a clean array or number, or is refused in a sentence that helps


NAN = np.nan


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2], [1.0, 2.0]),
        ([True, False], [1.0, 0.0]),
        (np.array([3, 4], dtype=np.uint8), [3.0, 4.0]),
        ([1.5, None], [1.5, NAN]),
        ([None, 2, pd.NA, pd.NaT], [NAN, 2.0, NAN, NAN]),
        (pd.array([1, None], dtype="Int64"), [1.0, NAN]),
        ([Decimal("0.5"), Fraction(1, 4)], [0.5, 0.25]),
        (np.ma.masked_array([1.0, np.inf], [False, True]), [1.0, NAN]),
        (np.array([[1, None]], dtype=object), [[1.0, NAN]]),
        ([], []),
        (np.array([], dtype=str), []),
        (np.array([], dtype="M8[ns]"), []),
        (pd.Series([], dtype="string"), []),
        (np.array(["NaT"], dtype="m8[h]"), [NAN]),
        (7, 7.0),
    ],
    ids=str,
)
def test_numbers_of_every_kind_become_floats_and_what_is_missing_nan(value, expected):
    found = real_array(value, "x")
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        *(
            (text, TypeError, r"x must hold real numbers; got '[1x]'\. Convert text with")
            for text in (["1", "2"], [True, "x"], pd.Series(["x", None], dtype="category"))
        ),
        *(
            (other, TypeError, r"x must hold real numbers; got .*1.* (Convert|Times)")
            for other in (
                [1j],
                pd.to_datetime(["2024-01-01"]),
                pd.PeriodIndex(["2024-01-01"], freq="D"),
                np.array([1], dtype="m8[h]"),
                [2.0, np.timedelta64(1, "h")],
                [Decimal(1), {1}],
                [10**400],
            )
        ),
        ({"a": 1}, TypeError, "x must be numbers in a list, .*; got a dict. Make a Series"),
    ],
)
def test_what_is_no_real_number_is_named(value, error, words):
    with pytest.raises(error, match=words):
        real_array(value, "x")


def test_the_first_bad_value_is_told_by_its_place():
    with pytest.raises(
        ValueError, match=r"x has 2 missing \(NaN\) values, the first at position 1;"
    ):
        finite_array([0.0, NAN, NAN], "x")
    with pytest.raises(
        ValueError, match=r"x has 1 infinite value, the first at position \(1, 0\);"
    ):
        finite_array([[0.0, NAN], [np.inf, 1.0]], "x")
    days = pd.date_range("2024-01-01", periods=3)
    for index in (days, days.to_period("D")):
        with pytest.raises(ValueError, match=r"the first at position 2 \(2024-01-03\);"):
            array_without_infinities(pd.Series([0.0, 1.0, np.inf], index), "x")
    np.testing.assert_array_equal(array_without_infinities([NAN, 1.0], "x"), [NAN, 1.0])
    np.testing.assert_array_equal(finite_array([0.0, 1.0], "x"), [0.0, 1.0])


@pytest.mark.parametrize(("size", "word"), [(1e-153, "below 1e-152"), (1e153, "above 1e.152")])
def test_values_whose_squares_overflow_or_vanish_are_refused(size, word):
    with pytest.raises(
        ValueError, match=f"the largest is {size:.3g}".replace("+", r"\+") + f", {word}"
    ):
        check_size(np.array([0.1 * size, NAN, -size]), "y")
    check_size(np.array([0.0, NAN, np.clip(size, 1e-152, 1e152)]), "y")


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_a_covariance_is_symmetric_and_has_no_negative_variance_in_any_unit(unit):
    S = unit * np.array([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_array_equal(covariance_matrix(S, "S"), S)
    rounded = S + unit * np.array([[0.0, 1e-10], [0.0, 0.0]])
    found = covariance_matrix(rounded, "S")
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(found, S, rtol=1e-9)
    with pytest.raises(ValueError, match=r"S must be symmetric; pass \(S \+ S.T\) / 2"):
        covariance_matrix(S + unit * np.array([[0.0, 1e-8], [0.0, 0.0]]), "S")
    singular = unit * np.outer([1.0, 2.0], [1.0, 2.0])
    np.testing.assert_array_equal(covariance_matrix(singular, "S"), singular)
    with pytest.raises(ValueError, match=r"positive semi-definite; its smallest eigenvalue is -"):
        covariance_matrix(singular - 1e-7 * unit * np.eye(2), "S")


def test_whole_numbers_and_numbers_are_told_apart_from_bools_text_and_arrays():
    for value in (0, -3, np.int8(4), np.uint64(5)):
        assert is_integer(value)
        assert is_number(value)
    for value in (0.5, 2.0, np.float32(1.5), NAN):
        assert is_number(value)
        assert not is_integer(value)
    for value in (True, np.True_, "1", None, [1], np.ones(1), 1j, np.timedelta64(1, "D")):
        assert not is_number(value)
        assert not is_integer(value)


def test_levels_of_intervals_are_fractions_or_in_percent_and_probabilities_are_fractions():
    assert probability(0.95) == interval_level(0.95) == interval_level(95) == 0.95
    assert percent(95) == percent(0.95) == 95.0
    with pytest.raises(ValueError, match=r"between 0 and 1; got 95\. Did you mean 0.95\?$"):
        probability(95)
    for level in (0.0, 1.0, 100.0, -0.5, NAN, "95%", True):
        with pytest.raises(ValueError, match=f"between 0 and 1; got {re.escape(repr(level))}.$"):
            probability(level)
    for level in (0, 1, 100, -5, NAN, "95%", True):
        with pytest.raises(ValueError, match=f"such as 95; got {re.escape(repr(level))}.$"):
            percent(level)


def test_tables_that_are_refused_are_shown_by_their_shape():
    assert shown(pd.Series(np.arange(100.0))) == "a Series of shape (100,)"
    assert shown(np.arange(100.0)[:, None]) == "a ndarray of shape (100, 1)"
    assert shown(np.arange(3)) == "array([0, 1, 2])"


def test_a_seed_is_a_number_from_zero_up_or_a_generator_or_nothing():
    for seed in (0, 7, np.int64(7)):
        assert generator(seed).random() == np.random.default_rng(seed).random()
    rng = np.random.default_rng(1)
    assert generator(rng) is rng
    assert generator(None).random() != generator(None).random()
    for seed in (-1, 0.5, "7"):
        with pytest.raises(ValueError, match="seed must be a whole number from 0 up, a numpy Gen"):
            generator(seed)


# The checks of parameters: what each accepts, and the sentence in which it refuses


NO_NUMBERS = ("1", True, [1.0], np.ones(2), np.nan, np.inf, 1j)


@pytest.mark.parametrize(
    ("check", "good", "bad", "expected"),
    [
        (POSITIVE, (1, 0.5, np.float32(2), np.int64(3)), (0, -1.0, None), "a positive number"),
        (POSITIVE_INTEGER, (1, np.int32(7)), (0, -1, 2.0, None), "a positive integer"),
        (COUNT, (0, 4), (-1, 0.0, None), "0 or a positive integer"),
        (POSITIVE.or_none(), (None, 2.0), (0.0,), "a positive number or None"),
        (POSITIVE.or_none("to learn it"), (None,), (0.0,),
         "a positive number, or None to learn it"),
        (number("a positive number, or -1 for all", lambda v: v > 0 or v == -1).or_none(),
         (None, -1), (0,), "a positive number, -1 for all or None"),
        (number("a number below 1", lambda v: v < 1), (-3, 0.5), (1, 2.0), "a number below 1"),
    ],
)  # fmt: skip
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
