"""What is warned of, and what is logged: nothing is said twice."""

import logging
import threading
import warnings

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning, on_trial, quietly, warn_numerically
from gpforecast.models import GaussianProcess, LinearAR

# Numerical trouble is said once, and that of models that are only tried not at all


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


# What is logged: what was decided and why, how training ended; and that nothing is said twice


SERIES = gf.datasets.mackey_glass(150, noise_var=1e-3, seed=0)


@pytest.fixture
def messages(caplog):
    """Return a function that gives what was logged at a level, by the package."""
    caplog.set_level(logging.DEBUG, logger="gpforecast")

    def found(level: int, beginning: str = "", logger: str = "gpforecast") -> list[str]:
        return [
            record.getMessage()
            for record in caplog.records
            if record.levelno == level
            and record.name.startswith(logger)
            and record.getMessage().startswith(beginning)
        ]

    return found


def test_the_log_says_which_lags_were_chosen_and_why(messages):
    fc = gf.Forecaster().fit(SERIES)
    (message,) = messages(logging.INFO, "lags")
    lags, reason = message.removeprefix("lags ").split("; ", 1)
    assert tuple(map(int, lags.split(", "))) == fc.lags_
    assert reason == fc.fitted_.lags_reason.replace("\n", "; ")


def test_what_is_warned_of_is_not_logged_as_a_warning_again(messages):
    X = np.linspace(0, 6, 50)[:, None]
    with pytest.warns(gf.NumericalWarning, match="before it converged"):
        GaussianProcess(max_iter=1).fit(X, np.sin(X[:, 0]))
    table = pd.DataFrame({"unique_id": "a", "ds": np.arange(40), "y": np.sin(np.arange(40))})
    short = pd.DataFrame({"unique_id": "b", "ds": [0], "y": [1.0]})
    forecaster = gf.Forecaster(lags=3, transforms=None, model=LinearAR())
    with pytest.warns(UserWarning, match="1 of 2 series"):
        gf.forecast_panel(pd.concat([table, short]), 2, forecaster=forecaster, n_jobs=1)
    assert messages(logging.WARNING) == messages(logging.ERROR) == []
    assert messages(logging.INFO, "1 of 2 series forecast (local)")


def test_a_program_that_configures_no_logging_sees_none():
    log = logging.getLogger("gpforecast")
    assert [type(handler).__name__ for handler in log.handlers] == ["NullHandler"]
    assert log.level == logging.NOTSET
    assert log.propagate
