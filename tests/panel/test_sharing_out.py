"""How many series a worker is given at once, and when workers are started: by the time of one."""

import pytest

from gpforecast.panel import workers

COUNT = 100


@pytest.fixture
def shared(monkeypatch):
    """Share out series of which the first two take some seconds: sizes of chunks, and workers."""

    def share(first, second, n_jobs=2):
        clock, sent, started = iter([0.0, first, first, first + second]), [], []

        def survived(run, isolated, chunks):
            started.append(run.args[1])
            sent.extend(map(len, chunks))
            return iter(())

        monkeypatch.setattr(workers.time, "perf_counter", lambda: next(clock))
        monkeypatch.setattr(workers, "work", lambda *_: [])
        monkeypatch.setattr(workers, "_survived", survived)
        assert list(workers.share_out(None, (80,), range(COUNT), COUNT, n_jobs=n_jobs)) == [[], []]
        assert sum(sent) == COUNT - 2
        return sent, started[0]

    return share


def test_every_worker_gets_four_chunks_so_that_none_waits_for_another_for_long(shared):
    sizes, n_jobs = shared(0.1, 0.1)
    assert n_jobs == 2
    assert len(sizes) == 2 * 4


def test_no_worker_is_started_for_what_is_done_in_less_time(shared):
    sizes, n_jobs = shared(0.01, 0.01)
    assert set(sizes) == {1}
    assert n_jobs == 1
