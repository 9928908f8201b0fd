"""The counterpart of ``peers/protocol.py``: start runners, time them in turn, collect medians."""

import argparse
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

HERE = Path(__file__).resolve().parent

CLOCKS = ("wall", "processor")
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
)


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
    ready_seconds: float = float("nan")  # from the import to the end of the first call
    first_seconds: float = float("nan")
    numbers: dict[str, float] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def reply(self) -> dict[str, Any]:
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            said = self.errors.read().strip().splitlines() or ["no reason given"]
            telling = [line for line in said if "Error" in line]
            raise UnavailableError(f"{self.label}: {(telling or said)[-1][:200]}")
        return json.loads(line)

    def wait_ready(self) -> "Worker":
        reply = self.reply()
        self.ready_seconds = reply["ready"][self.clock]
        self.first_seconds = reply["first"][self.clock]
        self.numbers = reply["answer"]
        return self

    def time(self) -> float:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.seconds.append(self.reply()["seconds"][self.clock])
        return self.seconds[-1]

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        with np.load(self.answer_file) as file:
            return {name: file[name] for name in file.files}

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="gpforecast-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass
class Workshop:
    """Where the environments are, and how their processes are run."""

    where: Path
    threads: int | None = None
    clock: str = "wall"
    folder: Path = field(default_factory=_temporary_folder)
    skipped: list[str] = field(default_factory=list)
    n_started: int = 0

    def python(self, name: str) -> Path:
        """Return the interpreter of a peer; this one for gpforecast and NumPy."""
        if name in ("gpforecast", "numpy", "arithmetic"):
            return Path(sys.executable)
        path = peers.interpreter(self.where, name)
        if not path.exists():
            raise UnavailableError(
                f"{name}: not installed; make it with: python benchmarks/peers.py {name}"
            )
        return path

    def environment(self, **extra: str) -> dict[str, str]:
        variables = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **extra}
        if self.threads:
            variables |= dict.fromkeys(_THREADS, str(self.threads))
        return variables

    def start(self, name: str, task: str, problem: Path, label: str = "", **extra: str) -> Worker:
        """Start a runner and wait until it has warmed up.

        Raises
        ------
        UnavailableError
            If its environment is missing or it fails.
        """
        self.n_started += 1
        runner = HERE / "peers" / f"run_{name.replace('-', '_')}.py"
        answer = self.folder / f"answer-{self.n_started}.npz"
        errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        process = subprocess.Popen(
            [self.python(name), "-W", "ignore", runner, task, problem, answer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=self.environment(**extra),
        )
        clock = CLOCKS.index(self.clock)
        return Worker(label or name, process, errors, answer, clock).wait_ready()

    def compare(
        self, entries: list[tuple[str, str, str]], problem: Path, runs: int, *, first: bool = False
    ) -> list[Worker]:
        """Time several (library, task, label) on one problem, taking turns; skip what fails.

        With `first` the first call counts as a run, for long calls that compile nothing.
        """
        workers = []
        for name, task, label in entries:
            try:
                workers.append(self.start(name, task, problem, label))
            except UnavailableError as reason:
                self.skip(str(reason))
        for worker in workers:
            if first:
                worker.seconds.append(worker.first_seconds)
        for _ in range(runs - first):
            for worker in list(workers):
                try:
                    worker.time()
                except UnavailableError as reason:
                    self.skip(str(reason))
                    workers.remove(worker)
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


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every comparison."""
    parser.add_argument("--where", type=Path, default=peers.WHERE, help="the environments")
    parser.add_argument("--output", type=Path, default=Path("gpforecast-bench"), help="folder")
    parser.add_argument("--threads", type=int, default=1, help="for every library; 0: its default")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="processor time, of all threads, on a machine that is busy with other work",
    )


def workshop_from(options: argparse.Namespace) -> Workshop:
    """Return the workshop for the given options."""
    return Workshop(options.where, options.threads or None, options.clock)
