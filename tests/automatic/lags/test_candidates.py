import pytest

from gpforecast.automatic.lags.candidates import sets_of_lags


def test_every_kind_is_tried_once_and_the_smallest_first():
    found = sets_of_lags(12, 160, 40)
    assert found[0] == (1,)
    assert [*map(len, found)] == sorted(map(len, found))
    assert len({*found}) == len(found)
    assert {(1, 2, 3), (1, 12, 13), (12, 24), tuple(range(5, 41, 5))} <= {*found}


@pytest.mark.parametrize("period", [None, 1, 7])
def test_no_set_is_longer_than_it_may_be(period):
    for lags in sets_of_lags(period, 9, 5):
        assert 0 < lags[0] <= lags[-1] <= 9
        assert len(lags) <= 5
