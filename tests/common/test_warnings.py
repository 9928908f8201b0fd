"""Numerical trouble is said once, and that of models that are only tried not at all."""

import threading
import warnings

import pytest

from gpforecast.common.warnings import NumericalWarning, on_trial, warn_numerically


@pytest.mark.filterwarnings("error")
def test_trouble_on_trial_is_not_said_and_trouble_after_it_is():
    with on_trial():
        warn_numerically("of a model that is tried")
    with pytest.warns(NumericalWarning, match="after"):
        warn_numerically("after it")


def test_an_error_ends_a_trial():
    with pytest.raises(ValueError, match="too short"), on_trial():
        raise ValueError("too short")
    with pytest.warns(NumericalWarning):
        warn_numerically("after it")


def test_a_trial_in_one_thread_leaves_warnings_of_another_alone():
    def other():
        warn_numerically("of another thread")

    thread = threading.Thread(target=other)
    with warnings.catch_warnings(record=True) as caught, on_trial():
        warnings.simplefilter("always")
        thread.start()
        thread.join()
    assert [str(w.message) for w in caught] == ["of another thread"]
