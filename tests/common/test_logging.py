"""What is logged: what was decided and why, how training ended; and that nothing is said twice."""

import logging
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import AveragedGP, GaussianProcess, LinearAR, RelevanceVectorMachine

SERIES = gf.datasets.mackey_glass(150, noise_var=1e-3, seed=0)
MONTHS = pd.Series(
    3 * np.sin(np.arange(96) * np.pi / 6) + np.random.default_rng(0).standard_normal(96),
    pd.date_range("2015", periods=96, freq="MS"),
)


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


def test_the_log_says_which_transforms_and_which_model_were_chosen_and_why(messages):
    fc = gf.Forecaster().fit(MONTHS)
    (transforms,) = messages(logging.INFO, "transforms")
    assert transforms == f"transforms {fc.transforms_.spec}; {'; '.join(fc.transforms_.reasons)}"
    (model,) = messages(logging.INFO, "model")
    name, reason = model.removeprefix("model ").split("; ", 1)
    assert name == type(fc.model_).__name__
    assert reason == "; ".join(fc.fitted_.model_reasons)


@pytest.mark.parametrize("model", [GaussianProcess(), RelevanceVectorMachine(), AveragedGP()])
def test_the_log_says_how_training_ended(model, messages):
    X = np.linspace(0, 6, 50)[:, None]
    model.fit(X, np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).standard_normal(50))
    message = messages(logging.INFO, type(model).__name__)[0]
    report = model.report_
    assert "50 rows of 1 inputs" in message
    assert f"log evidence {report.log_marginal_likelihood:.6g} " in message
    assert f"after {report.n_evaluations} evaluations ({report.message})" in message


def test_every_trial_of_transforms_is_logged(messages):
    gf.Forecaster(lags=3).fit(MONTHS)
    trials = messages(logging.DEBUG, "trial of")
    assert any("SeasonalDifference(period=12)" in trial for trial in trials)
    assert all("CRPS" in trial for trial in trials)


def test_notes_of_the_fit_are_logged(messages):
    fc = gf.Forecaster(lags=3, transforms=None, model=LinearAR(), max_rows=50).fit(SERIES)
    assert messages(logging.INFO, "note: ") == [f"note: {note}" for note in fc.notes_]
    assert len(fc.notes_) == 1


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


def test_a_backtest_logs_its_origins(messages):
    fc = gf.Forecaster(lags=3, transforms=None, model=LinearAR())
    gf.backtest(fc, SERIES, 5, [80, 90, 95, 140], refit=10)
    assert messages(logging.INFO, "backtest") == [
        "backtest of 5 steps by auto from 4 origins, 80 to 140; the first model knows 75 values"
    ]


def test_a_program_that_configures_no_logging_sees_none():
    code = (
        "import logging, gpforecast as gf;"
        "log = logging.getLogger('gpforecast');"
        "assert [type(h).__name__ for h in log.handlers] == ['NullHandler'];"
        "assert log.level == logging.NOTSET and log.propagate;"
        "log.error('for those who listen')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_every_logger_is_named_for_its_module():
    package = Path(gf.__file__).parent
    for path in package.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "getLogger" in line:
                assert "getLogger(__name__)" in line, path


def test_a_normal_run_raises_no_warning(messages):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fc = gf.Forecaster().fit(SERIES[:120])
        fc.predict(10)
        gf.backtest(fc, SERIES, 5, 10)
    assert messages(logging.INFO)
