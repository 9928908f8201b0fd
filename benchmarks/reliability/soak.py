"""A long run: 200 forecasters are updated, forecast, saved and loaded, with faults on the way.

First 5,000 small series and 500 Gaussian processes are fitted, for the memory that they leave.
In every round each forecaster gets its next values, forecasts, and is sometimes saved, loaded, or
fitted again. One operation in five meets a fault:

- *NaN burst* and *gap*: values, or their timestamps too, are missing;
- *duplicates* and *clock shift*: an update repeats values, or comes from another time. It must be
  refused in a sentence, and change nothing;
- *killed save*: a process is killed in the middle of writing; *full disk*: it may write no file of
  more than 1,000 bytes (RLIMIT_FSIZE); *read-only folder*: the file cannot be written there. The
  older file must be whole, and nothing else be left.

At the end each forecaster is compared with a fresh one of the same values, memory with that after
half of the rounds, and files with those that were written. The work is bounded by its amount
(``--rounds``; the default takes ten to twenty minutes, ``--rounds 480`` about an hour), not by a
clock.

Run it from the project's root: ``python benchmarks/reliability/soak.py``. POSIX only.
"""

import argparse
import gc
import os
import resource
import signal
import stat
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

LENGTH, HORIZON, MOST = 60, 6, 90  # MOST values, then a forecaster begins anew with the last ones
FAULTS = (
    "NaN burst",
    "gap",
    "duplicates",
    "clock shift",
    "killed save",
    "full disk",
    "read-only folder",
)
FAILURES: Counter[str] = Counter()


def forecaster(number):
    """One of four kinds, from the cheapest to the default of a short series."""
    plain = {"transforms": None, "noise": "process", "support": None, "outliers": None}
    kinds = (
        {"lags": 2, "model": gf.models.LinearAR(), **plain},
        {"lags": 3, "model": gf.models.GaussianProcess(), **plain},
        {"lags": 2, "model": gf.models.BayesianAR(), "transforms": "difference", "seed": 1},
        {"lags": 2, "model": gf.models.LinearAR(), "propagation": "monte_carlo", **plain},
    )
    return gf.Forecaster(**kinds[number % len(kinds)])


class Service:
    """One series, its forecaster and its file."""

    def __init__(self, number, folder, rng):
        self.number, self.path, self.rng = number, folder / f"{number:03d}", rng
        self.values = pd.Series(dtype=float, index=pd.DatetimeIndex([], freq="h"))
        self.state, self.start = 0.0, pd.Timestamp("2026-01-01", tz="UTC")
        self.fit(self.next(LENGTH))
        self.fc.save(self.path)
        self.saved = self.answer()

    def next(self, n):
        """Return the values that follow."""
        made = []
        for _ in range(n):
            self.state = 0.8 * self.state + self.rng.standard_normal()
            made.append(100.0 + self.number + self.state)
        index = pd.date_range(self.start, periods=n, freq="h")
        self.start = index[-1] + index.freq
        return pd.Series(made, index)

    def fit(self, values):
        self.fc, self.values = forecaster(self.number).fit(values), values

    def take(self, later):
        self.fc.update(later)
        self.values = pd.concat([self.values, later]).asfreq("h")

    def answer(self):
        f = self.fc.predict(HORIZON)
        found = np.concatenate([f.mean, f.quantile([0.1, 0.9]).to_numpy().ravel()])
        check("answers are finite", np.isfinite(found).all())
        return found

    def refused(self, later, what):
        """Give an update that must be refused, and see that nothing was changed."""
        before, state = self.answer(), self.fc.fitted_
        try:
            self.fc.update(later)
            check(f"{what}: refused", False)
        except (TypeError, ValueError) as error:
            check(f"{what}: refused in a sentence", len(str(error).split()) > 5)
        same = self.fc.fitted_ is state and np.array_equal(self.answer(), before)
        check("a refusal changes nothing", same)

    def fault(self, name):
        later = self.next(4)
        if name == "NaN burst":
            self.take(later.where([False, False, False, True]))
        elif name == "gap":
            self.take(later.iloc[[1, 3]])
        elif name == "duplicates":
            self.refused(self.values.iloc[-2:], name)
            self.take(later)
        elif name == "clock shift":
            shifted = later.set_axis(later.index - pd.Timedelta("10min"))
            self.refused(shifted, name)
            self.take(later)
        else:
            self.take(later)
            self.failed_save(name)

    def failed_save(self, name):
        """Save in a process that comes to harm; what was saved before must still be there."""
        before = sorted(path.name for path in self.path.parent.iterdir())
        child = os.fork()
        if child == 0:
            self.harmed(name)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        check(
            "a save that fails says so", code == (-signal.SIGKILL if name == "killed save" else 0)
        )
        self.path.parent.chmod(0o755)
        again = gf.load(self.path).predict(HORIZON)
        check("nothing that was saved is lost", np.array_equal(again.mean, self.saved[:HORIZON]))
        after = sorted(path.name for path in self.path.parent.iterdir())
        check("a failed save leaves no file", before == after)

    def harmed(self, name):
        """Save while something goes wrong, and exit with 0 if that raised an OSError."""
        if name == "killed save":
            os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
        elif name == "full disk":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        else:
            self.path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
            if os.getuid() == 0:  # to whom nothing is forbidden
                os.setuid(65534)
        try:
            self.fc.save(self.path)
        except OSError:
            os._exit(0)
        os._exit(1)

    def save_and_load(self):
        self.fc.save(self.path)
        self.saved = self.answer()
        self.fc = gf.load(self.path)
        check("what is loaded forecasts the same", np.array_equal(self.answer(), self.saved))

    def drift(self):
        """Return how far forecasts are from those of the same model conditioned on all at once.

        An update keeps hyperparameters and transforms, so the fresh fit is that of the first
        values, and gets all others in one update.
        """
        first = self.values.iloc[:LENGTH]
        fresh = forecaster(self.number).fit(first)
        if len(self.values) > LENGTH:
            fresh.update(self.values.iloc[LENGTH:])
        a, b = self.fc.predict(HORIZON), fresh.predict(HORIZON)
        return float(np.max(np.abs(a.mean - b.mean) / b.std))


def check(claim, holds):
    FAILURES[claim] += 0 if holds else 1


def memory():
    """Return the resident memory of this process in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def growth_of_many(n, number):
    """Return how much memory grows in the second half of n fits and forecasts, in MB."""
    rng, sizes = np.random.default_rng(0), []
    for k in range(n):
        forecaster(number).fit(rng.standard_normal(40)).predict(HORIZON).interval(0.9)
        if k + 1 in (n // 2, n):
            sizes.append(memory())
    return sizes[1] - sizes[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--forecasters", type=int, default=200)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    rng, done, drift, sizes = np.random.default_rng(0), Counter(), 0.0, []
    start = time.process_time()
    small, searches = options.forecasters * 25, options.forecasters * 5 // 2
    grown = {
        f"{small:,} small series": growth_of_many(small, 0),
        f"{searches:,} searches for hyperparameters": growth_of_many(searches, 1),
    }
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", gf.NumericalWarning)
        warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
        Path(name).chmod(0o755)
        services = []
        for number in range(options.forecasters):
            folder = Path(name, f"{number // 20}")
            folder.mkdir(exist_ok=True)
            if os.getuid() == 0:
                os.chown(folder, 65534, -1)
            services.append(Service(number, folder, np.random.default_rng(number)))
        sizes.append(memory())
        for turn in range(options.rounds):
            for service in services:
                action = rng.random()
                if action < 0.2:
                    fault = FAULTS[rng.integers(len(FAULTS))]
                    service.fault(fault)
                    done[fault] += 1
                else:
                    service.take(service.next(int(rng.integers(1, 4))))
                    done["update"] += 1
                service.answer()
                done["forecast"] += 1
                if action > 0.7:
                    service.save_and_load()
                    done["save and load"] += 1
                if len(service.values) > MOST:
                    drift = max(drift, service.drift())
                    done["fresh fit"] += 1
                    service.fit(service.values.iloc[-LENGTH:].asfreq("h"))
                    done["fit"] += 1
            sizes.append(memory())
            print(f"round {turn + 1} of {options.rounds}: {sizes[-1]:.0f} MB", flush=True)
        for service in services:
            drift = max(drift, service.drift())
        files = sum(len(list(Path(name, folder).iterdir())) for folder in Path(name).iterdir())
        check("one file for each forecaster", files == len(services))
    warm = len(sizes) // 2
    check("forecasts do not drift from those of fresh fits", drift < 1e-6)
    growth = max(sizes[warm:]) - sizes[warm]
    check("memory does not grow", max(growth, *grown.values()) < 10.0)
    found = pd.Series(
        {
            **done,
            **{f"failures of: {claim}": n for claim, n in FAILURES.items()},
            "largest drift, standard deviations": f"{drift:.1e}",
            "memory after half of the rounds, MB": round(sizes[warm], 1),
            "growth of memory since, MB": round(growth, 1),
            **{f"growth over half of {name}, MB": round(mb, 1) for name, mb in grown.items()},
            "processor seconds": round(time.process_time() - start),
        },
        name="count",
    )
    print(found.to_string())
    found.to_csv(options.output, index_label="what")
    return 1 if FAILURES.total() else 0


if __name__ == "__main__":
    raise SystemExit(main())
