"""What is logged: what was decided and why, how training ended; and that nothing is said twice."""

import logging

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import GaussianProcess, LinearAR

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
