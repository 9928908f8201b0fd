"""Time against N of gpforecast and other libraries: moments, forecast, backtest, fit, first use.

Prints tables of medians with their ratios to gpforecast, the measured exponents of N, and the time
of exact moments relative to their arithmetic. Writes all of it as CSV. Each library
runs in its own process and environment (made by ``python benchmarks/peers.py``). They are timed in
turn, so that other work on the machine affects all of them. Run it from the project's root::

    python benchmarks/speed/against_peers.py                      # about twenty minutes
    python benchmarks/speed/against_peers.py --quick              # a minute or two
    python benchmarks/speed/against_peers.py --only moments fit --where DIR --output DIR

Everything runs in one thread unless ``--threads`` is given (0: the default of each library). With
more than one thread, BLAS on a machine that is not idle can wait a hundred times longer than it
works. With wall-clock time, the backtest of gpforecast is timed with all cores as well. ``--clock
processor`` counts processor time instead, which is better on such a machine.
"""

import argparse
import csv
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import machine
import numpy as np
from problems import LAGS, Problems, log_evidence
from workers import UnavailableError, Worker, Workshop, add_options, peers, workshop_from

OURS = "gpforecast"
LIMIT = "arithmetic alone"  # the operation count of one call, in one thread
MOMENTS = [
    (OURS, "moments", OURS),
    ("numpy", "moments", "NumPy/BLAS"),
    ("numpy", "blocked_moments", "NumPy/BLAS in blocks"),
    (OURS, "twin_moments", "NumPy twin"),
    ("gpflow", "moments", "GPflow expectations"),
    ("gpflow", "conditional", "GPflow conditional"),
    ("arithmetic", "moments", LIMIT),
]
FORECAST = [
    (OURS, "forecast", OURS),
    ("numpy", "forecast", "NumPy/BLAS in blocks"),
    (OURS, "twin_forecast", "NumPy twin"),
    ("gpflow", "forecast", "GPflow expectations"),
]
BACKTEST = [
    (OURS, "backtest", OURS),
    ("numpy", "backtest", "NumPy/BLAS in blocks"),
    ("gpflow", "backtest", "GPflow expectations"),
]
FIT = [
    (OURS, "fit", OURS),
    ("scikit-learn", "fit", "scikit-learn"),
    ("gpy", "fit", "GPy"),
    ("gpytorch", "fit", "GPyTorch"),
    ("gpflow", "fit", "GPflow"),
]


@dataclass
class Row:
    """One median."""

    what: str
    n: int
    library: str
    seconds: float
    runs: int
    threads: int
    ratio: float = float("nan")  # to gpforecast
    note: str = ""


class Bench:
    """The workers, the problems, and the rows measured so far."""

    def __init__(self, workshop: Workshop, threads: int) -> None:
        self.workshop, self.threads = workshop, threads
        self.problems = Problems(workshop)
        self.rows: list[Row] = []

    def record(self, what: str, n: int, workers: list[Worker], notes: dict[str, str]) -> None:
        """Store and print the medians of some workers."""
        ours = [w.median for w in workers if w.label == OURS]
        for w in workers:
            ratio = w.median / ours[0] if ours else float("nan")
            note = notes.get(w.label, "")
            self.add(Row(what, n, w.label, w.median, len(w.seconds), self.threads, ratio, note))

    def add(self, row: Row) -> None:
        """Store and print a row."""
        self.rows.append(row)
        ratio = f"{row.ratio:9.1f}x" if np.isfinite(row.ratio) else f"{'':10}"
        print(f"{row.what:<24}{row.n:>6}  {row.library:<22}{_time(row.seconds)}{ratio}  {row.note}")

    def seconds(self, what: str, n: int, library: str = OURS) -> float:
        """Return a median measured before; NaN if there is none."""
        found = [r.seconds for r in self.rows if (r.what, r.n, r.library) == (what, n, library)]
        return found[0] if found else float("nan")

    def moments(self, sizes: list[int], runs: int, quick: bool) -> None:
        for n in sizes:
            problem = self.problems.forecast(n)
            slow = ("gpflow",) if n > 1000 else ()
            few = [e for e in MOMENTS if n <= 1000 or (e[1] == "moments" and e[0] not in slow)]
            if quick:
                few = [e for e in few if e[1] != "conditional"]
            workers = self.workshop.compare(few, problem, runs)
            self.record("moments", n, workers, _agreement(workers))

    def forecast(self, sizes: list[int], runs: int) -> None:
        for n in sizes:
            problem = self.problems.forecast(n)
            few = [e for e in FORECAST if n <= 100 or e[1] != "twin_forecast"]
            workers = self.workshop.compare(few, problem, runs)
            self.record("forecast, 100 steps", n, workers, _forecasts_agree(workers, problem))

    def backtest(self, n_origins: int, horizon: int, runs: int) -> None:
        what = f"backtest, {n_origins} x {horizon}"
        problem = self.problems.forecast(100, horizon, n_origins, threads=self.threads)
        workers = self.workshop.compare(BACKTEST, problem, runs)
        self.record(what, 100, workers, _forecasts_agree(workers, problem))
        if self.workshop.clock != "wall":
            return  # processor time of all cores does not measure their speed
        every = self.problems.forecast(100, horizon, n_origins, threads=0)
        workers = self.workshop.compare([(OURS, "backtest", f"{OURS}, all cores")], every, runs)
        cores = os.cpu_count() or 1
        self.add(Row(what, 100, workers[0].label, workers[0].median, runs, cores))

    def fit(self, sizes: list[int], runs: int) -> None:
        for n in sizes:
            problem = self.problems.fit(n)
            workers = self.workshop.compare(
                FIT if n <= 1000 else FIT[:1], problem, runs if n <= 1000 else 1, first=True
            )
            notes = {}
            for w in workers:
                notes[w.label] = f"log evidence {log_evidence(problem, w.arrays):9.2f}"
                if "evaluations" in w.numbers:
                    notes[w.label] += f", {w.numbers['evaluations']:.0f} evaluations"
            self.record("fit", n, workers, notes)

    def start(self, runs: int) -> None:
        """Time import and first call in new processes; of gpforecast also with nothing compiled."""
        problem = self.problems.fit(284)
        names = [OURS, "scikit-learn", "gpy", "gpytorch", "gpflow"]
        labels = dict(zip(names, [OURS, "scikit-learn", "GPy", "GPyTorch", "GPflow"], strict=True))
        imports: dict[str, list[float]] = {}
        firsts: dict[str, list[float]] = {}
        for _ in range(runs):
            for name in names:
                module = OURS if name == OURS else peers.PEERS[name].module
                try:
                    imports.setdefault(labels[name], []).append(self._import(name, module))
                    worker = self.workshop.start(name, "first", problem)
                except UnavailableError as reason:
                    self.workshop.skip(str(reason))
                    continue
                worker.stop()
                firsts.setdefault(labels[name], []).append(worker.ready_seconds)
        for _ in range(max(1, runs - 1)):
            with tempfile.TemporaryDirectory() as empty:
                cold = self.workshop.start(OURS, "first", problem, NUMBA_CACHE_DIR=empty)
                cold.stop()
                firsts.setdefault(f"{OURS}, cold cache", []).append(cold.ready_seconds)
        for what, times in (("import", imports), ("first call", firsts)):
            for label, seconds in times.items():
                median = float(np.median(seconds))
                ratio = median / float(np.median(times[OURS]))
                ours = label.startswith(OURS)
                note = "" if what == "import" else "fit, forecast 100 steps" if ours else "fit"
                self.add(Row(what, 284, label, median, len(seconds), self.threads, ratio, note))

    def _import(self, name: str, module: str) -> float:
        clock = "perf_counter" if self.workshop.clock == "wall" else "process_time"
        code = f"from time import {clock} as now; t = now(); import {module}; "
        code += "print('seconds', now() - t)"
        said = subprocess.run(
            [self.workshop.python(name), "-W", "ignore", "-c", code],
            capture_output=True,
            text=True,
            env=self.workshop.environment(),
        ).stdout
        if "seconds" not in said:
            raise UnavailableError(f"{name}: cannot be imported")
        return float(said.split("seconds")[-1])

    def exponents(self) -> None:
        """Print the slopes of log time against log N."""
        lines = []
        for what, stated in (("moments", 2), ("forecast, 100 steps", 2), ("fit", 3)):
            points = [(r.n, r.seconds) for r in self.rows if (r.what, r.library) == (what, OURS)]
            points = sorted(p for p in points if p[0] >= 500)
            if len(points) < 2:
                continue
            n, t = np.log(np.array(points)).T
            sizes = ", ".join(str(size) for size, _ in points)
            line = f"  {what:<22}{np.polyfit(n, t, 1)[0]:5.2f}  (stated: {stated}; N = {sizes})"
            if what == "fit":
                calls = [r.note for r in self.rows if (r.what, r.library) == (what, OURS)]
                counts = [float(note.split(",")[1].split()[0]) for note in calls]
                each = np.polyfit(n, t - np.log(counts[-len(n) :]), 1)[0]
                line += f"; for one evaluation of the evidence {each:.2f}"
            lines.append(line)
        if lines:
            print("\nMeasured exponents of N, gpforecast:", *lines, sep="\n")

    def limit(self) -> None:
        """Print the time of exact moments and of their arithmetic in one thread."""
        print("\nExact moments, rank 16, and their multiply-adds alone in one thread:")
        for n in sorted({r.n for r in self.rows if r.what == "moments"}):
            flops = sum(machine.moments_flops(n, LAGS).values())
            least, took = self.seconds("moments", n, LIMIT), self.seconds("moments", n)
            if not took / least > 0.0:
                continue
            print(
                f"  N = {n:<6}{flops / 1e6:8.2f} Mflop, at least {_time(least).strip()} "
                f"({flops / least / 1e9:.0f} Gflop/s); took {_time(took).strip()}: "
                f"{took / least:.1f} times the limit"
            )


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            return f"{seconds / size:9.3g} {unit:<2}"
    return ""


def _agreement(workers: list[Worker]) -> dict[str, str]:
    """Print the differences of means and variances from those of gpforecast."""
    ours = next((w.numbers for w in workers if w.label == OURS), None)
    if ours is None:
        return {}
    notes = {}
    for w in workers:
        if w.label == LIMIT:
            continue
        off = [abs(w.numbers[name] / ours[name] - 1.0) for name in ("mean", "var")]
        notes[w.label] = f"mean {off[0]:.0e}, var {off[1]:.0e} off ours"
    del notes[OURS]
    return notes


def _forecasts_agree(workers: list[Worker], problem: Path) -> dict[str, str]:
    """The same for forecasts; only those of gpforecast are in the units of the series."""
    ours = next((w.arrays for w in workers if w.label == OURS), None)
    if ours is None:
        return {}
    with np.load(problem) as given:
        scale = np.std(given["series"])
        shift = np.mean(given["series"])
    mean, std = np.atleast_2d((ours["mean"] - shift) / scale), np.sqrt(ours["var"]) / scale
    notes = {}
    for w in workers:
        if w.label != OURS:
            off = np.abs(w.arrays["mean"] - mean).max()
            wide = np.abs(np.sqrt(w.arrays["var"]) / np.atleast_2d(std) - 1.0).max()
            notes[w.label] = f"mean {off:.0e} (of 1), std {wide:.0e} off ours at most"
    return notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few runs")
    add_options(parser)
    parser.add_argument("--runs", type=int, help="timings of each (default 9; of fits 3)")
    sections = ("moments", "forecast", "backtest", "fit", "start")
    parser.add_argument("--only", nargs="+", choices=sections, default=sections, metavar="SECTION")
    options = parser.parse_args()
    quick = options.quick
    runs = options.runs or (3 if quick else 9)
    few = options.runs or (1 if quick else 3)

    threads = f"threads: {options.threads or 'free'}"
    print(machine.description(), threads, f"{options.clock} time", sep="; ", flush=True)
    bench = Bench(workshop_from(options), options.threads)
    steps = {
        "moments": lambda: bench.moments(
            [100, 500] if quick else [100, 500, 1000, 2000], runs, quick
        ),
        "forecast": lambda: bench.forecast([100] if quick else [100, 500, 1000], min(runs, 5)),
        "backtest": lambda: bench.backtest(*((20, 20) if quick else (200, 100)), few),
        "fit": lambda: bench.fit([150] if quick else [500, 1000, 2000], few),
        "start": lambda: bench.start(few),
    }
    for name in options.only:
        steps[name]()
    bench.exponents()
    if "moments" in options.only:
        bench.limit()

    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "against_peers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, asdict(bench.rows[0]))
        writer.writeheader()
        writer.writerows(asdict(row) for row in bench.rows)
    print(f"\nwritten to {options.output}/: against_peers.csv")
    for reason in bench.workshop.skipped:
        print(f"left out: {reason}")


if __name__ == "__main__":
    main()
