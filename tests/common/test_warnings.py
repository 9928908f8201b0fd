"""Numerical trouble is said once, and that of models that are only tried not at all."""

import threading
import warnings

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning, on_trial, quietly, warn_numerically


@pytest.mark.filterwarnings("error")
def test_trouble_on_trial_is_not_said_and_trouble_after_it_is():
    with on_trial():
        warn_numerically("of a model that is tried")
    with pytest.warns(NumericalWarning, match="after"):
        warn_numerically("after it")


def test_warnings_are_ignored_within_quietly_alone_even_if_they_are_errors():
    with quietly():
        warnings.warn("within", UserWarning, stacklevel=1)
    with pytest.raises(UserWarning, match="after it"):
        warnings.warn("after it", UserWarning, stacklevel=1)


def test_one_thread_that_is_quiet_leaves_the_warnings_of_another_alone():
    inside, done, said = threading.Event(), threading.Event(), []

    def other():
        inside.wait()
        try:
            warnings.warn("of another thread", UserWarning, stacklevel=1)
        except UserWarning as error:
            said.append(str(error))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with quietly():
        inside.set()
        done.wait()
    thread.join()
    assert said == ["of another thread"]


def test_fits_in_threads_leave_all_warnings_as_they_were():
    y = np.random.default_rng(0).standard_normal((8, 40)).cumsum(axis=1)
    gf.Forecaster().fit(y[0])
    threads = [threading.Thread(target=gf.Forecaster().fit, args=(one,)) for one in y]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ignoring = [each for each in warnings.filters if each[0] == "ignore" and each[2] is Warning]
    with pytest.raises(UserWarning, match="after it"):
        warnings.warn("after it", UserWarning, stacklevel=1)
    assert len(ignoring) <= 1
