"""The counterpart of ``peers/runners.py``: start runners, time them in turn, collect medians."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import peers

RUNNERS = Path(__file__).resolve().parent / "peers" / "runners.py"
CLOCKS = ("wall", "processor")
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "TF_NUM_INTRAOP", "TF_NUM_INTEROP")


class UnavailableError(RuntimeError):
    """A library is not installed, or its runner failed."""


@dataclass
class Worker:
    """A runner process: one library, one task, one problem."""

    label: str
    process: subprocess.Popen
    errors: Any
    answer_file: Path
    clock: int
    ready: dict[str, Any] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def reply(self) -> dict[str, Any]:
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            lines = self.errors.read().strip().splitlines() or ["no reason given"]
            of_error = [line for line in lines if "Error" in line]
            raise UnavailableError(f"{self.label}: {(of_error or lines)[-1][:200]}")
        answer = json.loads(line)
        times = {key: value[self.clock] for key, value in answer.items() if key != "answer"}
        return times | answer.get("answer", {})

    def time(self) -> None:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.seconds.append(self.reply()["seconds"])

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        with np.load(self.answer_file) as file:
            return dict(file)

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()


class Workshop:
    """Where the environments are, and how their processes are run."""

    def __init__(self, where: Path, threads: int, clock: str) -> None:
        self.where, self.threads, self.clock = where, threads, CLOCKS.index(clock)
        self.folder = Path(tempfile.mkdtemp(prefix="gpforecast-bench-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.skipped: list[str] = []
        self.n_started = 0

    def start(self, name: str, task: str, problem: Path, label: str, **extra: str) -> Worker:
        """Start a runner and wait until it has warmed up.

        Raises
        ------
        UnavailableError
            If its environment is missing or it fails.
        """
        python = peers.interpreter(self.where, name) if name in peers.PEERS else sys.executable
        if not Path(python).exists():
            raise UnavailableError(
                f"{name}: not installed; make it with: python benchmarks/peers.py {name}"
            )
        self.n_started += 1
        answer = self.folder / f"answer-{self.n_started}.npz"
        errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **extra}
        if self.threads:
            environment |= {f"{of}_NUM_THREADS": str(self.threads) for of in THREADS[:4]}
            environment |= {f"{of}_THREADS": str(self.threads) for of in THREADS[4:]}
        process = subprocess.Popen(
            [python, "-W", "ignore", RUNNERS, name, task, problem, answer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
        )
        worker = Worker(label, process, errors, answer, self.clock)
        worker.ready = worker.reply()
        return worker

    def compare(
        self, entries: list[tuple[str, str, str]], problem: Path, runs: int, *, first: bool = False
    ) -> list[Worker]:
        """Time several (library, task, label) on one problem in turn; skip what fails.

        With `first` the first call counts as a run, for long calls that compile nothing.
        """
        workers = []
        for name, task, label in entries:
            try:
                worker = self.start(name, task, problem, label)
            except UnavailableError as reason:
                self.skip(str(reason))
                continue
            worker.seconds += [worker.ready["first"]] * first
            workers.append(worker)
        for _ in range(runs - first):
            for worker in workers:
                worker.time()
        for worker in workers:
            worker.stop()
        return workers

    def skip(self, reason: str) -> None:
        """Print once that something is left out."""
        if reason not in self.skipped:
            self.skipped.append(reason)
            print(f"  left out: {reason}", flush=True)

    def save(self, name: str, **arrays: Any) -> Path:
        """Write a problem and return its path."""
        path = self.folder / f"{name}.npz"
        np.savez(path, **arrays)
        return path
