import pytest

from gpforecast.automatic.lags.candidates import first_round, multiples, neighbours


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
