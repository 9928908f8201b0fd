import threading

from threadpoolctl import threadpool_info

from gpforecast.numerics.threads import one_blas_thread


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


def test_nothing_is_limited_where_it_is_not_asked_for():
    before = blas_threads()
    with one_blas_thread(False):
        assert blas_threads() == before
