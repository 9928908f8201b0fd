"""When bars are shown, what they count, and that they change nothing."""

import io
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast import progress
from gpforecast.models import (
    AveragedGP,
    GaussianProcess,
    LinearAR,
    ReducedRankGP,
    RelevanceVectorMachine,
    SparseGaussianProcess,
)
from gpforecast.progress import asked, bar

SERIES = gf.datasets.mackey_glass(120, noise_var=1e-3, seed=0)
QUICK = gf.Forecaster(lags=3, transforms=None, model=LinearAR())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Stands for both clocks, ours and tqdm's."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=clock))
    monkeypatch.setattr("tqdm.std.time", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch):
    terminal = Terminal()
    seen = SimpleNamespace(stderr=terminal, modules=sys.modules)
    monkeypatch.setattr(progress, "sys", seen)  # sys.stderr itself is pytest's
    return terminal


class Recorder:
    """Stands for tqdm: every bar that is opened, what it counted, and how many were open."""

    def __init__(self) -> None:
        self.bars: list[SimpleNamespace] = []
        self.open = self.most_open = 0

    def __call__(self, **options):
        made = SimpleNamespace(**options, n=0)
        self.bars.append(made)
        recorder = self

        class Opened:
            def __enter__(self):
                recorder.open += 1
                recorder.most_open = max(recorder.most_open, recorder.open)
                return self

            def __exit__(self, *_):
                recorder.open -= 1

            def update(self, n):
                made.n += n

        return Opened()

    def named(self, name: str) -> list[SimpleNamespace]:
        return [one for one in self.bars if one.desc.startswith(name)]


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(progress, "_tqdm", lambda: recorder)
    return recorder


# When a bar is shown


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


def test_a_bar_that_was_never_displayed_leaves_no_output(terminal, clock):
    with bar("work", total=2) as shown:
        clock.pass_(0.4)
        shown.update()
        clock.pass_(0.4)
        shown.update()
    assert terminal.getvalue() == ""


def test_a_bar_is_wiped_away_at_the_end(terminal, clock):
    with bar("work", total=2) as shown:
        clock.pass_(2.0)
        shown.update()
    last = terminal.getvalue().split("\r")
    assert last[-1] == ""
    assert last[-2].strip() == ""


def test_without_a_terminal_nothing_is_shown_however_long_it_takes(capsys, clock):
    with bar("work", total=2) as shown:
        clock.pass_(100.0)
        shown.update()
    assert capsys.readouterr() == ("", "")


def test_a_notebook_counts_as_a_terminal(recorder, monkeypatch):
    shell = SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    with bar("work"):
        assert len(recorder.bars) == 1
    shell.config = {}  # IPython at a prompt, its output piped elsewhere
    with bar("work"):
        assert len(recorder.bars) == 1


def test_without_standard_error_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    for wish in (None, True):
        with asked(wish), bar("work") as shown:
            shown.update()


def test_progress_false_shows_nothing_in_a_terminal(terminal, clock):
    with asked(False), bar("work", total=2) as shown:
        clock.pass_(100.0)
        shown.update()
    assert terminal.getvalue() == ""


def test_progress_true_shows_a_bar_at_once_and_anywhere(capsys):
    with asked(True), bar("work", total=2):
        assert "work" in capsys.readouterr().err


def test_what_was_asked_for_further_out_goes_first(recorder):
    with asked(False), asked(True), bar("silent"):
        pass
    with asked(True), asked(False), bar("shown"):
        pass
    with asked(None), asked(True), bar("shown too"):
        pass
    assert [one.desc for one in recorder.bars] == ["shown", "shown too"]


def test_a_later_stage_of_long_work_appears_without_waiting_another_second(terminal, clock):
    with asked(None):
        with bar("first"):
            clock.pass_(0.8)
        with bar("second", total=5) as shown:
            clock.pass_(0.3)
            shown.update()
        assert "second" in terminal.getvalue()
        with bar("third", total=5) as shown:
            clock.pass_(0.05)
            shown.update()
        assert "third" not in terminal.getvalue()  # too short to be read


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
        with pytest.raises(ValueError, match="no"), asked(True), bar("work"):
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


def test_what_one_thread_shows_does_not_silence_another(recorder):
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait()
        with asked(True), bar("other"):
            done.set()

    with ThreadPoolExecutor(1) as pool, asked(True), bar("one"):
        future = pool.submit(other)
        inside.set()
        future.result()
    assert done.is_set()
    assert [one.desc for one in recorder.bars] == ["one", "other"]


def test_counts_of_many_threads_add_up(recorder):
    with asked(True), bar("work", total=8000) as shown, ThreadPoolExecutor(8) as pool:
        for _ in range(8):
            pool.submit(lambda: [shown.update() for _ in range(1000)])
    assert recorder.bars[0].n == 8000


def test_a_bar_that_is_off_costs_microseconds():
    start = time.process_time()
    for _ in range(100):
        with bar("work", total=100, unit="steps") as shown:
            for _ in range(100):
                shown.update()
    assert (time.process_time() - start) / 100 < 1e-3  # of a recursion of 100 steps of 100 us


@pytest.mark.parametrize("wrong", ["yes", 1, 0.0])
def test_anything_but_true_false_and_none_is_refused(wrong):
    X, y = np.linspace(0, 6, 40)[:, None], np.sin(np.linspace(0, 6, 40))
    message = "progress must be True, False or None"
    for model in MODELS:
        with pytest.raises(TypeError, match=message):
            type(model)(progress=wrong).fit(X, y)
    with pytest.raises(TypeError, match=message):
        gf.Forecaster(progress=wrong)
    with pytest.raises(TypeError, match=message):
        gf.backtest(QUICK, SERIES, 5, 5, progress=wrong)
    with pytest.raises(TypeError, match=message):
        gf.forecast_panel(TABLE, 2, forecaster=QUICK, progress=wrong)


# What is shown of our own work

MODELS = (
    GaussianProcess(),
    AveragedGP(n_draws=2, n_warmup=2),
    SparseGaussianProcess(n_inducing=5, seed=0),
    ReducedRankGP(n_support=5, seed=0),
    RelevanceVectorMachine(),
)
TABLE = pd.concat(
    pd.DataFrame({"unique_id": name, "ds": np.arange(60), "y": np.sin(np.arange(60) / 3) + name})
    for name in range(6)
)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_every_model_that_searches_shows_that_it_trains(model, recorder):
    X, y = np.linspace(0, 6, 40)[:, None], np.sin(np.linspace(0, 6, 40))
    fresh = type(model)(**vars(model))
    fresh.fit(X, y)
    assert not recorder.bars
    fresh.progress = True
    fresh.fit(X, y)
    assert recorder.named("training")
    assert all(one.n > 0 for one in recorder.bars)
    assert recorder.most_open == 1


def test_a_gp_counts_its_evaluations_and_sampling_its_draws(recorder):
    rng = np.random.default_rng(0)
    X, y = np.linspace(0, 6, 40)[:, None], rng.standard_normal(40)
    gp = GaussianProcess(progress=True).fit(X, y)
    compared = 12  # starts on the grid, each a third of an evaluation
    assert recorder.bars[0].n == gp.report_.n_evaluations - compared
    AveragedGP(n_draws=3, n_warmup=4, progress=True).fit(X, y)
    sampling = recorder.named("sampling")[0]
    assert sampling.n == sampling.total == 7


def test_a_forecaster_shows_stage_after_stage_and_never_two_at_once(recorder):
    fc = gf.Forecaster(progress=True, calibrate="variance").fit(SERIES)
    fc.predict(10)
    first = [one.desc.split(" on ")[0] for one in recorder.bars]
    assert list(dict.fromkeys(first)) == [
        "choosing transforms", "choosing lags", "training", "calibrating", "forecasting",
    ]  # fmt: skip
    assert recorder.most_open == 1
    assert recorder.named("forecasting")[0].n == recorder.named("forecasting")[0].total == 10


def test_a_forecaster_speaks_for_its_model(recorder):
    talkative = RelevanceVectorMachine(progress=True)
    gf.Forecaster(lags=3, transforms=None, model=talkative, progress=False).fit(SERIES)
    assert not recorder.bars
    gf.Forecaster(lags=3, transforms=None, model=talkative).fit(SERIES)  # says nothing of it
    assert recorder.named("training")


@pytest.mark.parametrize("method", ["exact", gf.propagation.MonteCarlo(n_paths=10, seed=0)])
def test_a_backtest_counts_its_steps_to_the_last(method, recorder):
    gf.backtest(QUICK, SERIES, 7, 20, propagation=method, progress=True)
    assert [(one.desc, one.n, one.total) for one in recorder.bars] == [("forecasting", 7, 7)]


def test_a_backtest_of_an_average_counts_its_models(recorder):
    model = AveragedGP(n_draws=3, n_warmup=2)
    fc = gf.Forecaster(lags=3, transforms=None, model=model).fit(SERIES[:60])
    gf.backtest(fc, SERIES, 7, 20, progress=True)
    assert [(one.desc, one.n, one.total) for one in recorder.bars] == [("forecasting", 3, 3)]


def test_a_backtest_that_trains_again_counts_its_trainings(recorder):
    model = GaussianProcess(max_iter=50)
    fc = gf.Forecaster(lags=3, transforms=None, model=model)
    gf.backtest(fc, SERIES, 5, [70, 80, 90, 100], refit=10, progress=True)
    last = recorder.bars[-1]
    assert (last.desc, last.n, last.total) == ("backtest", 4, 4)
    assert [one.desc for one in recorder.bars[:-1]] == ["training on 57 rows"]  # the first fit
    assert recorder.most_open == 1


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


def test_a_panel_with_one_model_shows_its_training_first(recorder):
    fc = gf.Forecaster(lags=3, model=GaussianProcess())
    gf.forecast_panel(TABLE, 2, forecaster=fc, mode="global", n_jobs=1, progress=True)
    assert [one.desc.split(" on ")[0] for one in recorder.bars] == ["training", "forecasting"]


def test_bars_change_no_bit_of_a_result(recorder):
    def results(wish: bool) -> tuple:
        fc = gf.Forecaster(progress=wish).fit(SERIES)
        forecast = fc.predict(10)
        tested = gf.backtest(gf.Forecaster(lags=4), SERIES, 5, 10, refit=20, progress=wish)
        panel = gf.forecast_panel(TABLE, 2, n_jobs=1, progress=wish)
        return fc.lags_, forecast.mean, forecast.covariance, tested.scores, panel.frame

    without = results(False)
    assert not recorder.bars
    with_bars = results(True)
    assert recorder.bars
    assert with_bars[0] == without[0]
    for a, b in zip(with_bars[1:], without[1:], strict=True):
        assert a.equals(b)


def test_a_backtest_keeps_what_its_forecaster_was_told(recorder):
    loud = gf.Forecaster(lags=3, transforms=None, model=GaussianProcess(), progress=True)
    gf.backtest(loud, SERIES, 5, [70, 90], refit=10)
    assert len(recorder.named("training")) == 3  # of the copies it makes, too


# A normal run is quiet

RUN = """
import sys
import gpforecast as gf
assert "tqdm" not in sys.modules
series = gf.datasets.mackey_glass(150, noise_var=1e-3, seed=0)
fc = gf.Forecaster().fit(series[:120])
fc.predict(10)
gf.backtest(fc, series, horizon=5, origins=10)
"""


def test_import_fit_predict_and_backtest_print_and_warn_of_nothing():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
