import os
import threading
from contextlib import nullcontext

import pytest
import scipy.linalg  # noqa: F401 - its BLAS is another than numpy's
from threadpoolctl import threadpool_info

from gpforecast.numerics import threads
from gpforecast.numerics.threads import one_blas_thread, run_shared


def blas_threads():
    return sorted(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


def test_blas_threads_come_back_after_contexts_that_overlap():
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    with one_blas_thread():
        holder.start()
        inside.wait(10)
        with one_blas_thread():
            assert set(blas_threads()) <= {1}
        assert set(blas_threads()) <= {1}
    leave.set()  # the other leaves last
    holder.join()
    assert blas_threads() == before


def test_tasks_shared_from_several_threads_at_once_all_run():
    done = []
    callers = [
        threading.Thread(target=run_shared, args=([lambda: done.append(1)] * 20,)) for _ in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert len(done) == 160


def test_an_error_in_a_task_reaches_the_caller_and_leaves_the_threads_usable():
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_shared([fail] * 4)
    done = []
    run_shared([lambda: done.append(1)] * 4)
    assert len(done) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_shares_its_tasks_out_too():
    run_shared([int] * 4)  # start the helpers
    child = os.fork()
    if child == 0:
        done = []
        run_shared([lambda: done.append(1)] * 4)
        os._exit(0 if len(done) == 4 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_waits_until_another_thread_has_set_the_threads_of_blas(monkeypatch):
    """BLAS sets them under a lock of its own: copied while it was held, the child hung for ever."""
    inside, leave, done = threading.Event(), threading.Event(), []

    class Slow:
        def limit(self, **_):
            inside.set()
            leave.wait(10)
            done.append(1)
            return nullcontext()

    monkeypatch.setattr(threads, "_controller", Slow)

    def limited():
        with one_blas_thread():
            pass

    other = threading.Thread(target=limited)
    other.start()
    inside.wait(10)
    threading.Timer(0.2, leave.set).start()
    child = os.fork()
    if child == 0:
        limited()
        os._exit(0 if done == [1, 1] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    other.join()
