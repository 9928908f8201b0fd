"""When bars are shown, that there is one at a time, and what our own work shows."""

import io
import sys
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
from bars import Recorder

import gpforecast as gf
from gpforecast.common import progress
from gpforecast.common.progress import announce, bar, showing
from gpforecast.models import GaussianProcess

# When bars are shown, and that there is one at a time


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Stands for the clock of tqdm."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("tqdm.std.time", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch):
    terminal = Terminal()
    seen = SimpleNamespace(stderr=terminal, modules=sys.modules)
    monkeypatch.setattr(progress, "sys", seen)  # sys.stderr itself is pytest's
    return terminal


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(progress, "_tqdm", lambda: recorder)
    return recorder


def test_a_bar_appears_in_a_terminal_after_a_second_and_not_before(terminal, clock):
    with bar("work", total=10, unit="steps") as shown:
        for _ in range(9):
            clock.pass_(0.11)
            shown.update()
        assert terminal.getvalue() == ""  # 0.99 s
        clock.pass_(0.02)
        shown.update()
        assert "work" in terminal.getvalue()
        assert "10/10" in terminal.getvalue()


def test_without_a_terminal_nothing_is_shown_however_long_it_takes(capsys, clock):
    with bar("work", total=2) as shown:
        clock.pass_(100.0)
        shown.update()
    assert capsys.readouterr() == ("", "")


def test_progress_true_shows_a_bar_at_once_and_anywhere(capsys):
    with showing(True), bar("work", total=2):
        assert "work" in capsys.readouterr().err


def test_inner_bars_are_silent_but_keep_the_outer_one_going(terminal, clock):
    with bar("outer", total=3) as outer:
        for _ in range(3):
            with bar("inner", total=100, unit="steps") as inner:
                for _ in range(10):
                    clock.pass_(0.2)
                    inner.update()
            assert "outer" in terminal.getvalue()  # before it was counted on
            outer.update()
    text = terminal.getvalue()
    assert "inner" not in text
    assert "2/3" in text  # with the steps of the third


def test_a_failure_closes_the_bar_and_forgets_it(recorder):
    for _ in range(2):
        with pytest.raises(ValueError, match="no"), showing(True), bar("work"):
            raise ValueError("no")
    assert recorder.open == 0
    assert len(recorder.bars) == 2  # the second was not taken for one within the first
    with bar("work"):
        assert len(recorder.bars) == 2  # nor was what the first was asked


def test_threads_and_worker_processes_show_none_of_their_own(terminal, recorder, monkeypatch):
    def work() -> None:
        with bar("work"):
            pass

    joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(work)() for _ in range(4))
    assert not recorder.bars
    monkeypatch.setattr("multiprocessing.parent_process", lambda: SimpleNamespace(pid=1))
    work()
    assert not recorder.bars
    monkeypatch.setattr("multiprocessing.parent_process", lambda: None)
    work()
    assert len(recorder.bars) == 1


def test_a_line_is_announced_where_a_bar_would_be_shown(terminal):
    announce("compiling")
    assert terminal.getvalue() == "gpforecast: compiling\n"
    with showing(False):
        announce("again")
    assert "again" not in terminal.getvalue()


# What bars our own work shows, and that they change nothing


SERIES = gf.datasets.mackey_glass(120, noise_var=1e-3, seed=0)
TABLE = pd.concat(
    pd.DataFrame({"unique_id": name, "ds": np.arange(60), "y": np.sin(np.arange(60) / 3) + name})
    for name in range(6)
)


def test_a_forecaster_shows_stage_after_stage_and_never_two_at_once(recorder):
    fc = gf.Forecaster(progress=True, calibrate="variance").fit(SERIES)
    fc.predict(10)
    first = [one.desc.split(" on ")[0] for one in recorder.bars]
    assert list(dict.fromkeys(first)) == [
        "choosing transforms", "training", "comparing kinds of noise", "calibrating", "forecasting",
    ]  # fmt: skip
    assert recorder.most_open == 1
    assert recorder.named("forecasting")[0].n == recorder.named("forecasting")[0].total == 10


@pytest.mark.parametrize("backend", [None, "threading", "loky"])
def test_a_panel_shows_its_series_and_nothing_of_each(backend, recorder, capfd):
    chatty = gf.Forecaster(lags=3, transforms=None, model=GaussianProcess(progress=True))
    options = {"n_jobs": 1} if backend is None else {}
    context = joblib.parallel_config(backend or "threading", n_jobs=1 if backend is None else 2)
    with context:
        gf.forecast_panel(TABLE, 2, forecaster=chatty, progress=True, **options)
    assert [(one.desc, one.total) for one in recorder.bars] == [("forecasting", 6)]
    assert recorder.bars[0].n == 6
    assert capfd.readouterr() == ("", "")  # of workers too


def test_fit_predict_and_backtest_print_and_warn_of_nothing(capfd):
    fc = gf.Forecaster().fit(SERIES[:90])
    fc.predict(10)
    gf.backtest(fc, SERIES, horizon=5, origins=10)
    assert capfd.readouterr() == ("", "")
