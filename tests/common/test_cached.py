"""Values that are computed once, and what signatures show."""

import inspect
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import gpforecast as gf
from gpforecast.common.cached import cached_property

# Values that are computed once, by whichever thread comes first


class Slow:
    """Its value takes as long as it is told to."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()

    @cached_property
    def value(self):
        """What it is."""
        self.begun.set()
        assert self.go.wait(30)
        return object()


def test_one_instance_does_not_wait_for_another():
    slow, quick = Slow(), Slow()
    quick.go.set()
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(lambda: slow.value)
        assert slow.begun.wait(30)
        done = pool.submit(lambda: quick.value)
        try:
            done.result(10)
        finally:
            slow.go.set()
        waiting.result(10)


def test_threads_that_compute_at_once_get_the_same_object():
    both = Slow()
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(lambda: both.value) for _ in range(4)]
        assert both.begun.wait(30)
        both.go.set()
        assert len({id(one.result(10)) for one in found}) == 1
    assert Slow.value.func.__doc__ == Slow.value.__doc__ == "What it is."


# What `help` shows of the calls that users make


@pytest.mark.parametrize(
    "call",
    [gf.Forecaster.fit, gf.Forecaster.predict, gf.Forecaster.predict_from, gf.backtest],
    ids=lambda call: call.__qualname__,
)
def test_a_signature_names_types_and_does_not_spell_them_out(call):
    shown = str(inspect.signature(call))
    assert "numpy._typing" not in shown
    assert "exog: ExogLike" in shown
    assert len(shown) < 700
