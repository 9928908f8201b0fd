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

# What it is, where it is injected, and which of the tests there (an expression of pytest).
KINDS = {
    "Series, indexes, options and inputs at random": (["fuzz/test_front_door.py"], ""),
    "Values and labels at the edge of numbers": (["forecaster/test_edges_of_numbers.py"], ""),
    "Series that are constant, tiny, huge or very short": (
        ["forecaster/test_strange_series.py"],
        "",
    ),
    "Error bars that run away": (["forecaster/test_runaway.py"], ""),
    "Values missing after transforms": (["forecaster/test_transformed_gaps.py"], ""),
    "Timestamps missing, clocks changed": (
        ["series/test_missing_timestamps.py", "series/test_clock_changes.py"],
        "",
    ),
    "Indexes of every kind": (
        [
            "series/test_periods_and_numbers.py",
            "series/test_irregular.py",
            "series/test_refusals.py",
        ],
        "",
    ),
    "Options that make no sense": (["forecaster/test_refusals.py"], ""),
    "Inputs that do not fit": (["forecaster/test_exogenous_refusals.py"], ""),
    "Warnings in threads and in trials": (["common/test_warnings.py"], ""),
    "Interrupts from the keyboard, processes killed": (
        ["panel/test_interrupts.py", "panel/test_resume.py"],
        "stopped or interrupt",
    ),
    "Panels that go on from a folder: other calls, damage, a full disk": (
        ["panel/test_resume.py"],
        "not (stopped or interrupted)",
    ),
    "Worker processes lost": (
        ["panel/test_lost_workers.py", "panel/test_lost_dask_workers.py"],
        "",
    ),
    "Sixteen threads, processes forked and spawned": (
        ["forecaster/test_many_at_once.py", "numerics/test_threads.py", "common/test_cached.py"],
        "",
    ),
    "Memory of many fits": (["forecaster/test_memory.py"], ""),
    "Saving: full disk, kill, pipes, permissions": (["storage/test_places.py"], ""),
    "Files damaged, foreign or forged": (
        ["storage/test_damaged_files.py", "storage/test_safety.py"],
        "",
    ),
    "The first second: no cache": (
        ["numerics/test_caching.py"],
        "",
    ),
    "Command line: what is written, and over what": (["cli/test_writing.py"], ""),
    "Command line: mistakes and strange files": (
        ["cli/test_mistakes.py", "cli/test_dialects.py"],
        "",
    ),
}
# One test damages as many files as it says here.
MORE = {"test_file_cut_short_anywhere_is_refused": 40, "test_flipped_byte_anywhere_is_refused": 700}


def run(files: list[str], which: str, examples: int) -> dict[str, float]:
    """Run some tests in a process of their own, and count."""
    env = dict(os.environ, PYTHONPATH=str(ROOT), MPLBACKEND="Agg")
    if examples:
        env["GPFORECAST_FUZZ"] = str(examples)
    paths = [str(ROOT / "tests" / file) for file in files]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-k", which, f"--junitxml={report}"]
        command += ["--hypothesis-show-statistics", *paths]
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
        n for name, n in MORE.items() for case in cases if case.get("name", "").startswith(name)
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
    texts = [(ROOT / "tests" / file).read_text() for files, _ in KINDS.values() for file in files]
    for name in MORE:
        assert any(f"def {name}(" in text for text in texts), f"no test is named {name}"
    rows = []
    for name, (files, which) in KINDS.items():
        if options.only.lower() in name.lower():
            rows.append({"Fault": name, **run(files, which, options.examples)})
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    sums = table.drop(columns="Fault").sum()
    table.loc[len(table)] = {"Fault": "All", **sums.to_dict()}
    print(table.to_string(index=False))
    table.to_csv(options.output, index=False)


if __name__ == "__main__":
    main()
