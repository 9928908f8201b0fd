"""Faults of many kinds, injected one after the other: cases, crashes, wrong answers, seconds.

Each kind is a part of the tests that injects it. A case is one test, one example that hypothesis
draws, or one damaged file. A case *crashes* if it ends in anything but a forecast or an error of
one sentence; its answer is *wrong* if it is not what the test claims. Processor seconds are those
of a process for each kind, its start included.

Run it from the project's root: ``python benchmarks/reliability/faults.py``. ``--examples 2000``
draws so many series, options and inputs at random; ``--only TEXT`` runs the kinds whose name holds
it. What needs an extra that is not installed (``dask``) is left out, and counted.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]

# What it is, and the tests in which it is injected.
KINDS = {
    "Series, indexes, options and inputs at random": "fuzz/front_door",
    "Values and labels at the edge of numbers": "fuzz/edges",
    "Series that are constant, tiny, huge or very short": "forecaster/strange_series",
    "Error bars that run away": "forecaster/strange_series",
    "Values missing after transforms": "forecaster/origins",
    "Timestamps missing, clocks changed": "series/series series/clock",
    "Indexes of every kind": "series/regular_indexes series/calendar_steps series/keys",
    "Options that make no sense": "forecaster/refusals",
    "Inputs that do not fit": "forecaster/exogenous",
    "Warnings in threads and in trials": "common/warnings",
    "Interrupts from the keyboard, processes killed": "panel/lost_workers panel/resume",
    "Panels that go on from a folder: other calls, damage, a full disk": "panel/resume",
    "Worker processes lost": "panel/lost_workers panel/lost_dask_workers",
    "Sixteen threads, processes forked and spawned": (
        "forecaster/many_at_once numerics/threads common/cached"
    ),
    "Memory of many fits": "forecaster/many_at_once",
    "Saving: full disk, kill, pipes, permissions": "storage/settings",
    "Files damaged, foreign or forged": "storage/damaged_files",
    "The first second: no cache": "numerics/caching",
    "Command line: what is written, and over what": "cli/writing",
    "Command line: mistakes and strange files": "cli/mistakes cli/inputs",
}
# Which of the tests there, where it is not all of them (an expression of pytest).
RUN_AWAY = "run_away or far_beyond or attractor or a_hundred_times"
WHICH = {
    "Series that are constant, tiny, huge or very short": f"not ({RUN_AWAY})",
    "Error bars that run away": RUN_AWAY,
    "Values missing after transforms": "missing or bridged or filled or known",
    "Inputs that do not fit": "refused",
    "Interrupts from the keyboard, processes killed": "stopped or interrupt",
    "Panels that go on from a folder: other calls, damage, a full disk": (
        "not (stopped or interrupted)"
    ),
    "Worker processes lost": "not interrupt",
    "Sixteen threads, processes forked and spawned": "not nothing_behind",
    "Memory of many fits": "nothing_behind",
    "Saving: full disk, kill, pipes, permissions": "folder or permissions or failed_save",
}
# One test damages as many files as it says here.
MORE = {
    "test_file_cut_short_anywhere_is_refused": 20,
    "test_a_flipped_byte_is_refused_or_changes_nothing": 300,
}


def files_of(name: str) -> list[Path]:
    """Return the files of tests in which a kind is injected."""
    places = (part.split("/") for part in KINDS[name].split())
    return [ROOT / "tests" / room / f"test_{file}.py" for room, file in places]


def run(name: str, examples: int) -> dict[str, float]:
    """Run some tests in a process of their own, and count."""
    env = dict(os.environ, PYTHONPATH=str(ROOT), MPLBACKEND="Agg")
    env.pop("NUMBA_CACHE_DIR", None)  # where compiled functions are kept by default is tested
    if examples:
        env["GPFORECAST_FUZZ"] = str(examples)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-k", WHICH.get(name, "")]
        command += ["--hypothesis-show-statistics", f"--junitxml={report}", *files_of(name)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cases = [*ET.parse(report).iter("testcase")]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    failed = [case.find(kind) for case in cases for kind in ("failure", "error")]
    texts = [f"{found.get('message')} {found.text}" for found in failed if found is not None]
    wrong = sum(bool(re.search(r"AssertionError|^assert|Failed: ", text)) for text in texts)
    if texts:
        print(done.stdout[-3000:])
    drawn = re.findall(r"(\d+) passing[^,]*, (\d+) failing", done.stdout)
    skipped = sum(case.find("skipped") is not None for case in cases)
    tried = len(cases) - skipped + sum(int(a) + int(b) for a, b in drawn)
    tried += sum(
        n for test, n in MORE.items() for case in cases if case.get("name", "").startswith(test)
    )
    return {
        "Cases": tried,
        "Crashes": len(texts) - wrong,
        "Wrong answers": wrong,
        "Left out": skipped,
        "Processor seconds": round(seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    texts = "".join(file.read_text() for name in KINDS for file in files_of(name))
    for name in MORE:
        assert f"def {name}(" in texts, f"no test is named {name}"
    rows = []
    for name in KINDS:
        if options.only.lower() in name.lower():
            rows.append({"Fault": name, **run(name, options.examples)})
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    sums = table.drop(columns="Fault").sum()
    table.loc[len(table)] = {"Fault": "All", **sums.to_dict()}
    print(table.to_string(index=False))
    table.to_csv(options.output, index=False)


if __name__ == "__main__":
    main()
