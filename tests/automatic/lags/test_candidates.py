import pytest

from gpforecast.automatic.lags.candidates import first_round, multiples, neighbours
from gpforecast.common.wording import named_lags


def sets(proposed):
    return [tuple(lags) for lags, _ in proposed]


def test_every_kind_is_proposed():
    found = first_round([1, 5, 9], 12, 6, 3)
    assert {source for _, source in found} == {
        "the newest values",
        "significant partial autocorrelations",
        "season",
        "delay embedding",
        "delay embedding and lag 1",
        "evenly spaced",
    }
    assert {(1, 2, 3), (1, 5, 9), (1, 12, 13), (6, 12, 18), (1, 6, 12, 18)} <= set(sets(found))
    assert tuple(range(5, 41, 5)) in sets(found)


def test_the_simplest_comes_first_and_the_order_is_fixed():
    first = sets(first_round([1, 4], 7, 5, 3))
    assert first[0] == (1,)
    assert first == sets(first_round([1, 4], 7, 5, 3))


@pytest.mark.parametrize("delay", [1, 4])
def test_no_stride_is_longer_than_the_delay(delay):
    found = first_round([1], None, delay, 3) + neighbours(tuple(multiples(delay, 7)), delay)
    assert all(lags[0] <= delay for lags in sets(found))


def test_neighbours_change_stride_and_count_by_one_step():
    near = set(sets(neighbours(tuple(multiples(5, 8)), 20)))
    wanted = [(5, 10), (5, 6), (6, 8), (4, 8), (6, 6), (4, 10)]
    assert near == {tuple(multiples(s, n)) for s, n in wanted} | {(1, *multiples(5, 8))}


def test_a_set_that_is_no_multiple_has_no_neighbours():
    assert neighbours((1, 2, 12), 20) == []


@pytest.mark.parametrize(
    ("lags", "words"),
    [
        ((1,), "lag 1"),
        ((12,), "lag 12"),
        ((1, 2), "lags 1 and 2"),
        ((1, 2, 3), "lags 1 to 3"),
        ((3, 6), "lags 3 and 6"),
        (tuple(range(6, 97, 6)), "lags 6, 12, ..., 96"),
        ((1, 2, 12, 13), "lags 1, 2, 12 and 13"),
        ((*range(1, 10), 12), "10 lags from 1 to 12"),
    ],
)
def test_lags_are_named_as_one_would_say_them(lags, words):
    assert named_lags(lags) == words
