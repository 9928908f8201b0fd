"""One fitted forecaster used by many at once, and memory that stays where it is."""

import copy
import faulthandler
import gc
import multiprocessing
import os
import threading
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import gpforecast as gf

# One fitted forecaster, used by many threads and processes at once, as by one alone


THREADS = 6


def series(n=120):
    t = np.arange(n)
    return 5.0 + np.sin(t / 3.0) + 0.2 * np.random.default_rng(0).standard_normal(n)


FORECASTERS = {
    "paths of functions": {
        "lags": 3,
        "model": gf.models.GaussianProcess(),
        "propagation": gf.propagation.MonteCarlo(50, kind="function", seed=1),
    },
    "default": {},
}


def used(fc, task, folder=None):
    """Return all bytes of what one user of a forecaster gets; users differ by their task."""
    f = fc.predict(8 + task % 3)
    mine = copy.deepcopy(fc).update(series(125)[120 : 121 + task % 5])
    parts = [
        f.mean,
        f.covariance,
        f.quantile([0.1, 0.9]),
        f.sample(5, seed=task),
        mine.predict(4).mean,
    ]
    if folder is not None:
        path = folder / f"{task}"
        fc.save(path)
        parts.append(gf.load(path).predict(3).var)
        parts.append(np.frombuffer(path.read_bytes(), np.uint8))
    return [np.asarray(part).tobytes() for part in parts]


@pytest.fixture(scope="module", params=FORECASTERS.values(), ids=FORECASTERS)
def fitted(request):
    options = {"support": None, **request.param}
    return gf.Forecaster(**options).fit(series())


def test_threads_get_what_one_gets(fitted, tmp_path):
    for name in ("alone", "together"):
        (tmp_path / name).mkdir()
    fitted.save(tmp_path / "fresh")
    alone = [used(fitted, task, tmp_path / "alone") for task in range(THREADS)]
    fresh = gf.load(tmp_path / "fresh")  # nothing that it computes once has been
    start = threading.Barrier(THREADS)

    def task(number):
        start.wait(60)
        return used(fresh, number, tmp_path / "together")

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(task, range(THREADS))) == alone


def test_fits_in_threads_are_those_of_one_but_for_rounding():
    def fit(task):
        fc = gf.Forecaster(3, model=gf.models.GaussianProcess(), support=None)
        return fc.fit(series(60 + task)).predict(3).mean.to_numpy()

    alone = [fit(task) for task in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fit, range(4)))
    # The number of BLAS threads is that of the process: sums may come in another order.
    np.testing.assert_allclose(together, alone, rtol=1e-8)


@pytest.mark.parametrize(
    ("how", "fitted"),
    [*zip(["fork", "spawn"], FORECASTERS.values(), strict=True)],
    indirect=["fitted"],
    ids=["fork", "spawn"],
)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes_get_what_one_gets(how, fitted):
    if how not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {how} on this system")
    alone = [used(fitted, task) for task in range(2)]
    context = multiprocessing.get_context(how)
    with ProcessPoolExecutor(2 if how == "fork" else 1, mp_context=context) as pool:
        assert list(pool.map(used, [fitted] * 2, range(2))) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_that_is_forked_while_threads_forecast_gets_what_one_gets(fitted):
    expected, stop = used(fitted, 0), threading.Event()

    def keep_on():
        while not stop.is_set():
            fitted.predict(5)

    threads = [threading.Thread(target=keep_on) for _ in range(4)]
    for thread in threads:
        thread.start()
    codes = []
    try:
        for _ in range(2):
            child = os.fork()
            if child == 0:
                faulthandler.dump_traceback_later(55.0)
                threading.Timer(60.0, os._exit, (2,)).start()  # it waits for ever
                os._exit(0 if used(fitted, 0) == expected else 1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * 2


# Memory stays where it is, however many series have been fitted and forecast


CHEAP = {
    "lags": 2,
    "model": gf.models.LinearAR(),
    "transforms": None,
    "noise": "process",
    "support": None,
    "outliers": None,
}


def in_use():
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_fits_forecasts_and_updates_leave_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)

    def run():
        for _ in range(20):
            fc = gf.Forecaster(**CHEAP).fit(rng.standard_normal(20))
            fc.predict(2).interval(0.9)
            fc.update(rng.standard_normal(1)).predict(2)
        fc.save(tmp_path / "fc")
        gf.load(tmp_path / "fc").predict(1)
        return in_use()

    tracemalloc.start()
    try:
        used = [run() for _ in range(9)]
    finally:
        tracemalloc.stop()
    # Caches that fill grow in some rounds; what a forecaster leaves behind grows in every round.
    assert np.diff(used).min() < 20 * 100, used  # bytes; one forecaster holds thousands
