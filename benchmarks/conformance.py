"""Run the conformance suites of scikit-learn and sktime on the classes of `gpforecast.adapters`.

    python benchmarks/conformance.py            every library that is installed
    python benchmarks/conformance.py sktime     one of them

Prints, for each class, how many checks ran, how many failed, and their processor time. The exit
status is 1 if a check failed, and 2 if the library given is not installed.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

Outcome = tuple[str, dict[str, Any]]  # name of the class; of every check its error, or None


def scikit_learn() -> Iterator[Outcome]:
    """Yield the outcome of every class; checks that scikit-learn skips are not counted."""
    from sklearn.utils.estimator_checks import check_estimator

    from gpforecast.adapters import sklearn as adapters

    for name in adapters.__all__:
        results = check_estimator(getattr(adapters, name)(), on_fail=None, on_skip=None)
        ran = [r for r in results if r["status"] != "skipped"]
        yield (
            f"scikit-learn {name}",
            {f"{i} {r['check_name']}": r["exception"] for i, r in enumerate(ran)},
        )


def sktime() -> Iterator[Outcome]:
    """Yield the outcome of the forecaster."""
    from sktime.utils.estimator_checks import check_estimator

    from gpforecast.adapters.sktime import GPForecaster

    results = check_estimator(GPForecaster, verbose=False)
    passed = {name: None if str(r) == "PASSED" else r for name, r in results.items()}
    yield "sktime GPForecaster", passed


SUITES = {"sklearn": scikit_learn, "sktime": sktime}


def main() -> int:
    """Run the suites of the given library, or of all that are installed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", choices=[*SUITES], help="default: all installed")
    chosen = parser.parse_args().library
    present = [name for name in SUITES if importlib.util.find_spec(name)]
    if chosen and chosen not in present:
        print(f'not installed: {chosen}; pip install ".[{chosen}]"', file=sys.stderr)
        return 2
    status = 0
    warnings.simplefilter("ignore")  # the suites cause them on purpose
    for library in [chosen] if chosen else present:
        started = time.process_time()
        for name, results in SUITES[library]():
            failed = {check: error for check, error in results.items() if error is not None}
            seconds = time.process_time() - started
            print(
                f"{name}: check_estimator {len(results)} checks, {len(failed)} failed "
                f"({seconds:.0f} s of processor time)",
                flush=True,
            )
            for check, error in failed.items():
                print(f"    {check}: {error!r}")
            status = status or int(bool(failed))
            started = time.process_time()
    return status


if __name__ == "__main__":
    sys.exit(main())
