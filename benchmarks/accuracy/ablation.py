"""What each threshold and each kind of event is worth: forecasts with it switched off.

A line of ``ablation_switches.csv`` names a module of `gpforecast.automatic`, a constant or function
in it, and what replaces it: a threshold that is always or never reached, a function that finds
nothing. Lines without it are no choices: sizes for speed, tables of what is tried, words. What
several modules import is switched in each of them on its own. The default call
forecasts series that no threshold was found on (the judging halves of M1, M3, tourism, hospital, M4
weekly and hourly, and of chaotic systems), and simulated situations of which those hold too few.
Prints by how many per cent the CRPS grows without each, over each group (geometric mean of the
ratio to the library's, each at most 8), the largest first. Where no line that reads the name was
run, the forecast is that of the library and not made again::

    python benchmarks/accuracy/ablation.py --every 8
    python benchmarks/accuracy/ablation.py --every 8 --rows COST spikes

Writes ``ablation.csv`` after each row and goes on from there; ``--rows`` makes again those whose
names contain a word.
"""

import argparse
import dis
import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any
from unittest import mock

import joblib
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from prior_series import tasks
from situations import KINDS, N_SITUATIONS, Case, situation

import gpforecast as gf

PACKAGE = Path(gf.__file__).parent
SWITCHES = Path(__file__).with_name("ablation_switches.csv")
MOST = np.log(8.0)  # of the ratio to the score of the library; an error counts as much
STAGES = {  # functions through whose results alone something read in them moves a forecast
    "cleaned": "cleaned unfinished", "lifetime": "stuck_places",
    "support": "choose_support", "cycles": "find_cycle find_year",
    "closed": "with_closed_times", "month_days": "days_of_month",
    "features": "season_of unexplained calendar_periods n_newest is_constant",
}  # fmt: skip


def cases(every: int) -> dict[str, Case]:
    """Return every few series of each group that judges, by name."""
    found = {}
    judges = pd.Series({key: task for key, (task, judges) in tasks().items() if judges})
    for name, group in judges.groupby([task.set for task in judges]):
        label = re.sub("^m[13]_", "M1, M3 ", re.sub("^tourism.*", "tourism", name))
        for key, task in [] if name == "simulated" else group[::every].items():
            chaotic = name.startswith("chaos")
            found[key] = Case(label, pd.Series(task.past) if chaotic else task.series, task.truth)
    seeds = range(0, N_SITUATIONS, every)
    return found | {f"{kind} {s}": situation(kind, s) for kind in KINDS for s in seeds}


def module(name: str) -> ModuleType:
    return importlib.import_module(f"gpforecast.automatic.{name}")


@dataclass(frozen=True)
class Switch:
    """What is switched off: a name in a module of `gpforecast.automatic`, and what replaces it."""

    row: str
    module: str
    name: str
    off: Any

    def __post_init__(self) -> None:
        if not hasattr(module(self.module), self.name):
            raise AttributeError(f"row {self.row!r}: no {self.name} in automatic.{self.module}")

    def patched(self) -> Any:
        """Return a context in which it is switched off."""
        old = getattr(module(self.module), self.name)
        off = self.off(old) if callable(self.off) else self.off
        return mock.patch.object(module(self.module), self.name, off)

    def moves(self, stage: Callable, arguments: dict) -> bool:
        """Return whether a function returns something else with it switched off."""
        usual = joblib.hash(stage(**arguments))
        with self.patched():
            try:
                return bool(joblib.hash(stage(**arguments)) != usual)
            except Exception:
                return True

    def logs(self, case: Case, base: "Base") -> np.ndarray | None:
        """Return the logarithms (2,) of the ratios of scores; None where nothing can move."""
        calls = base.read.get((self.module, self.name), set())
        if -1 not in calls and not any(self.moves(*base.calls[k]) for k in calls):
            return None
        with self.patched():
            q = case.quantiles()
        if q is None or not np.isfinite(q).all():
            return np.full(2, MOST)
        return np.clip(np.log(case.scores(q) / case.scores(base.quantiles)), -MOST, MOST)

    def growth(self, some: dict[str, Case], base: dict[str, "Base"], jobs: int) -> dict:
        """Return by how many per cent scores grow in each group, and how many forecasts moved."""
        each = Parallel(jobs)(delayed(self.logs)(some[key], base[key]) for key in some)
        table = pd.DataFrame([np.zeros(2) if one is None else one for one in each])
        grown = 100.0 * np.expm1(table.groupby([case.group for case in some.values()]).mean())
        most = {"CRPS, most": grown[0].max(), "MSIS, most": grown[1].max()}
        return {"row": self.row, **most, "moved": (table != 0.0).any(axis=1).sum(), **grown[0]}


def switches() -> list[Switch]:
    """Return every switch; an AttributeError names a row whose name does not exist."""
    table = pd.read_csv(SWITCHES, keep_default_na=False)
    return [
        Switch(kind or f"{where}.{name}", where, name, eval(off))
        for kind, where, name, off in table[table["off"] != ""].to_numpy()
    ]


def finds(nothing: object) -> Callable:
    """Return what replaces a function by one that always returns the same."""
    return lambda _old: lambda *_given, **_options: nothing


def without(kind: Callable[[np.ndarray], np.ndarray]) -> Callable:
    """Return what replaces the prices of boxes by some at which one kind is never worth it."""
    return lambda old: lambda lengths: np.where(kind(lengths), np.inf, old(lengths))


class Base:
    """The forecast of a series by the library, and what was read on the way.

    Attributes
    ----------
    quantiles : ndarray (h, q) or None
    calls : list of (function, dict)
        Calls of `STAGES`, with their arguments.
    read : dict
        In which of the calls each (module, name) was read; -1 is outside of all.
    """

    def __init__(self, case: Case) -> None:
        self.calls: list[tuple[Callable, dict]] = []
        self.read: dict[tuple[str, str], set[int]] = {}
        self._stage: FrameType | None = None
        sys.settrace(self._call)
        self.quantiles = case.quantiles()
        sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _value: object) -> Any:
        where, name = module_of(frame.f_code), frame.f_code.co_name
        if self._stage is None and name in STAGES.get(where, "").split():
            self._stage = frame
            self.calls.append((getattr(module(where), name), dict(frame.f_locals)))
        return self._line if names_by_line(frame.f_code) else None

    def _line(self, frame: FrameType, event: str, _value: object) -> Any:
        for name in names_by_line(frame.f_code).get(frame.f_lineno, ()):
            self.read.setdefault(name, set()).add(len(self.calls) - 1 if self._stage else -1)
        if event == "return" and frame is self._stage:
            self._stage = None
        return self._line


@cache
def module_of(code: CodeType) -> str:
    """Return the module of a function, without gpforecast.automatic; empty if in no package."""
    path = Path(code.co_filename).with_suffix("")
    return ".".join(path.parts[len(PACKAGE.parts) + 1 :]) if PACKAGE in path.parents else ""


@cache
def names_by_line(code: CodeType) -> dict[int, set[tuple[str, str]]]:
    """Return the names that each line of a function of the package may read, by line."""
    where, lines = module_of(code), {}
    for one in dis.get_instructions(code) if where else ():
        if one.opname.startswith("LOAD_") and isinstance(one.argval, str) and one.positions:
            names = {(where, one.argval), ("thresholds", one.argval)}
            lines.setdefault(one.positions.lineno, set()).update(names)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every n-th series of a group")
    parser.add_argument("--rows", nargs="*", default=[], help="rows that have one of these words")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=Path(".peers/ablation"))
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    some, every = cases(options.every), switches()
    sources = joblib.hash([path.read_bytes() for path in sorted(PACKAGE.rglob("*.[pj][ys]*"))])
    kept = options.cache / f"{sources}_{options.every}.pkl"
    if not kept.exists():
        options.cache.mkdir(parents=True, exist_ok=True)
        made = Parallel(options.jobs)(delayed(Base)(case) for case in some.values())
        joblib.dump(dict(zip(some, made, strict=True)), kept)
    base = {k: one for k, one in joblib.load(kept).items() if one.quantiles is not None}
    some = {key: some[key] for key in base}
    known = options.output.exists()
    table = pd.read_csv(options.output, index_col="row") if known else pd.DataFrame()
    for one in every:
        if any(w in one.row for w in options.rows) if options.rows else one.row not in table.index:
            new = pd.DataFrame([one.growth(some, base, options.jobs)]).set_index("row")
            table = pd.concat([table.drop(one.row, errors="ignore"), new])
            table = table.sort_values("CRPS, most", ascending=False)
            table.to_csv(options.output, float_format="%.2f")
            print(new.iloc[:, :3].to_string(header=False, index_names=False), flush=True)
    print(f"{len(some)} series\n{table.round(2).to_string()}")


if __name__ == "__main__":
    importlib.import_module("ablation").main()  # other processes find its functions by this name
