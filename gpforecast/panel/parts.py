"""Finished series of a panel, kept in a folder, so that a panel that was stopped can go on."""

import hashlib
import json
import logging
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from gpforecast.common.version import __version__
from gpforecast.forecaster import Forecaster
from gpforecast.panel.frames import Panel
from gpforecast.panel.workers import LOST, Outcome
from gpforecast.storage import encode, restore, save, storable
from gpforecast.storage.archive import PathLike

logger = logging.getLogger(__name__)

_AGAIN = (LOST, "MemoryError", "OSError")  # reasons to try a series again
_SERIES = 50  # of a part, at least
_PARTS = 1000  # of a folder, at most
_SECONDS = 2.0  # of finished work that a process may lose when it is killed
_HASH = 64  # letters
_SHARE = 20.0  # writing takes at most this part of the time


@storable
@dataclass(frozen=True)
class PanelPart:
    """What became of neighbouring series of a panel.

    Attributes
    ----------
    call : dict of str to str
        What the result depends on, each by its name and its hash or value.
    outcomes : dict of int to Outcome
        By the position of the series in the panel.
    series : dict of str to str
        Hashes of the rows of these series, by their ids.
    """

    call: dict[str, str]
    outcomes: dict[int, Outcome]
    series: dict[str, str] = field(default_factory=dict)


@dataclass
class Finished:
    """What became of the series of a panel so far.

    Attributes
    ----------
    outcomes : dict of int to Outcome
        By the position of the series in the panel.
    """

    outcomes: dict[int, Outcome] = field(default_factory=dict)

    def add(self, position: int, outcome: Outcome) -> None:
        """Add a series that is finished."""
        self.outcomes[position] = outcome

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what is added within."""
        yield


@dataclass
class Parts(Finished):
    """The same, kept in a folder of parts.

    Attributes
    ----------
    folder : Path
    call : dict of str to str
        As of `PanelPart`.
    series : dict of str to str
        Hashes of the rows of all series of the panel, by their ids, in order.
    size : int
        How many series make a part.
    """

    folder: Path = field(kw_only=True)
    call: dict[str, str] = field(kw_only=True)
    series: dict[str, str] = field(kw_only=True)
    size: int = field(kw_only=True)
    _changed: set[int] = field(default_factory=set)
    _due: float = 0.0

    @staticmethod
    def of(folder: PathLike, call: dict[str, str], series: dict[str, str]) -> "Parts":
        """Read what an earlier call has finished, or make the folder.

        Parameters
        ----------
        folder : str or path-like
        call, series : dict of str to str
            As the attributes.

        Raises
        ------
        ValueError
            If the folder holds anything else, or parts of another call.
        OSError
            If it cannot be made or written to.
        """
        size = max(_SERIES, -(-len(series) // _PARTS))
        parts = Parts(folder=Path(folder), call=call, series=series, size=size)
        _check_folder(parts.folder)
        damaged = []
        for path in sorted(parts.folder.glob("part-*")):
            try:
                part = restore(path, PanelPart)
            except ValueError as error:
                damaged.append((path.name, error))
                continue
            parts._check(part)
            parts.outcomes |= part.outcomes
        if damaged:
            name, why = damaged[0]
            warnings.warn(
                f"{len(damaged)} of the parts in {str(folder)!r} cannot be read, and their series "
                f"are forecast again; the first is {name}: {why}",
                stacklevel=3,
            )
        logger.debug("%d of %d series are finished in %s", len(parts.outcomes), len(series), folder)
        return parts

    def add(self, position: int, outcome: Outcome) -> None:
        """Add a series; one that lost its process or had no memory is for the next call."""
        super().add(position, outcome)
        if not outcome.reason.startswith(_AGAIN):
            self._changed.add(position // self.size)
        if time.monotonic() >= self._due:
            try:
                self._write()
            except OSError as error:  # there may be room later
                logger.warning("finished series could not be written: %s", error)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Write what is added within every few seconds, and when that ends or is stopped.

        An interrupt then says how many series are kept, below its traceback.
        """
        self._due, stopped = time.monotonic() + _SECONDS, None
        try:
            yield
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
            raise
        finally:
            try:
                self._write()
                if stopped is not None:
                    stopped.add_note(
                        f"{self._n_kept} of {len(self.series)} series are finished and kept in "
                        f"{str(self.folder)!r}; the same call goes on from there."
                    )
            except OSError as error:
                warnings.warn(
                    f"finished series could not be written to {str(self.folder)!r}, so a call that "
                    f"goes on from there will forecast them again: {error}",
                    RuntimeWarning,
                    stacklevel=4,
                )

    @property
    def _n_kept(self) -> int:
        return sum(not one.reason.startswith(_AGAIN) for one in self.outcomes.values())

    def _check(self, part: PanelPart) -> None:
        """Refuse a part of another call, and say what differs."""
        names = {**self.call, **part.call}
        every = [(name, part.call.get(name, "none"), self.call.get(name, "none")) for name in names]
        differing = [_difference(*one) for one in every if one[1] != one[2]]
        if not differing:
            return
        lost = [f"{one} is not in this frame" for one in part.series if one not in self.series]
        other = [
            f"{k} has other rows" for k, h in part.series.items() if self.series.get(k, h) != h
        ]
        raise ValueError(
            f"resume must name the folder of the same call; the call that made "
            f"{str(self.folder)!r} differs in {' and '.join(differing)}. "
            f"{_named([*other, *lost]) if 'frame' in differing else ''}Pass what it was made with, "
            f"or name a new folder."
        )

    def _write(self) -> None:
        start, labels = time.monotonic(), list(self.series.items())
        for number in sorted(self._changed):
            places = range(number * self.size, (number + 1) * self.size)
            mine = {place: self.outcomes[place] for place in places if place in self.outcomes}
            mine = {k: one for k, one in mine.items() if not one.reason.startswith(_AGAIN)}
            save(
                PanelPart(self.call, mine, dict(labels[k] for k in mine)),
                self.folder / f"part-{number:04d}",
            )
            self._changed.discard(number)
        now = time.monotonic()
        self._due = now + max(_SECONDS, _SHARE * (now - start))


def call_of(panel: Panel, forecaster: Forecaster, **options: object) -> dict[str, str]:
    """Return what the result of a panel depends on, by name.

    Parameters
    ----------
    panel : Panel
    forecaster : Forecaster
    **options
        The other arguments; their representations count.

    Raises
    ------
    TypeError
        If the forecaster has parts that cannot be saved.
    """
    content, arrays = encode(replace(forecaster, progress=None), "forecaster")
    libraries = {one: version(one) for one in ("numpy", "scipy", "numba", "pandas")}
    call = {"version of gpforecast": __version__, "kind of forecaster": str(content["is"])}
    for option, part in content["of"].items():
        whole = hashlib.sha256(json.dumps(part).encode())
        for name, array in arrays.items():
            if f"{name}.".startswith(f"forecaster.{option}."):
                whole.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
        call[f"{option} of the forecaster"] = whole.hexdigest()
    call |= {f"version of {name}": number for name, number in libraries.items()}
    return call | panel.hashes() | {name: repr(option) for name, option in options.items()}


def _check_folder(folder: Path) -> None:
    """Make a folder for parts, or refuse what is none."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            f"resume must name a folder; got {str(folder)!r}, a file. Name a new folder."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise type(error)(
            f"resume must name a folder that can be made; got {str(folder)!r}: {error.strerror}."
        ) from error
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(
            f"resume must name a folder that can be written to; got {str(folder)!r}, which cannot."
        )
    others = [
        path.name
        for path in folder.iterdir()
        if not path.name.startswith(".") and not (path.is_file() and path.name.startswith("part-"))
    ]
    if others:
        raise ValueError(
            f"resume must name a folder of its own; got {str(folder)!r}, which holds "
            f"{min(others)!r}. Name a new folder."
        )


def _difference(name: str, before: str, now: str) -> str:
    """Say what differs, with the values where they are no hashes."""
    hashed = len(before) == len(now) == _HASH
    return name if hashed else f"{name} ({before} then, {now} now)"


def _named(differing: list[str]) -> str:
    """Name the first of the finished series that differ."""
    if not differing:
        return "The series that are finished are the same; it is others that differ. "
    more = f", and {len(differing) - 1} more of those finished differ" if differing[1:] else ""
    return f"Series {differing[0]}{more}. "
