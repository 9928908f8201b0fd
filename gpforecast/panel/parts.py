"""Finished series of a panel, kept in a folder, so that a panel that was stopped can go on."""

import logging
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from gpforecast.automatic.prior import Prior
from gpforecast.common.version import __version__
from gpforecast.forecaster import Forecaster
from gpforecast.panel.frames import Panel, hash_of
from gpforecast.panel.workers import LOST, Outcome
from gpforecast.storage import encode, restore, save, storable
from gpforecast.storage.archive import PathLike

logger = logging.getLogger(__name__)

_AGAIN = (LOST, "MemoryError", "OSError")  # reasons to try a series again
_LIBRARIES = ("numpy", "scipy", "numba", "pandas")  # on which the last digits depend
_SERIES = 50  # of a part, at least
_PARTS = 1000  # of a folder, at most
_SECONDS = 2.0  # of finished work that a process may lose when it is killed
_SHARE = 20.0  # writing takes at most this part of the time


@storable
@dataclass(frozen=True)
class PanelPart:
    """Outcomes of neighbouring series of a panel.

    Attributes
    ----------
    call : dict of str to str
        What the result depends on, each by its name and its hash or value.
    outcomes : dict of int to Outcome
        By the position of the series in the panel.
    prior : Prior or None
        What was learned from all series.
    """

    call: dict[str, str]
    outcomes: dict[int, Outcome]
    prior: Prior | None = None


@dataclass
class Parts:
    """Outcomes of the series of a panel so far, kept in a folder of parts if there is one.

    Attributes
    ----------
    count : int
        How many series the panel has.
    folder : Path or None
    call : dict of str to str
        As of `PanelPart`.
    outcomes : dict of int to Outcome
        By the position of the series in the panel.
    prior : Prior or None
        What was learned from all series.
    """

    count: int
    folder: Path | None = None
    call: dict[str, str] = field(default_factory=dict)
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    prior: Prior | None = None
    _changed: set[int] = field(default_factory=set)
    _due: float = 0.0

    @staticmethod
    def of(folder: PathLike, call: dict[str, str], count: int) -> "Parts":
        """Read what an earlier call has finished, or make the folder.

        Parameters
        ----------
        folder : str or path-like
        call, count
            As the attributes.

        Raises
        ------
        ValueError
            If the folder holds anything else, or parts of another call, or a part is damaged:
            without its file, those series are forecast again.
        OSError
            If it cannot be made or written to.
        """
        parts = Parts(count, _folder(folder), call)
        for path in sorted(Path(folder).glob("part-*")):
            try:
                part = restore(path, PanelPart)
            except ValueError as error:
                raise ValueError(
                    f"{error} Or delete {path.name!r}, and its series are forecast again."
                ) from error
            if differing := [k for k in call | part.call if call.get(k) != part.call.get(k)]:
                raise ValueError(
                    f"resume must name the folder of the same call; the call that made "
                    f"{str(folder)!r} differs in {' and '.join(differing)}. Pass what it was made "
                    f"with, or name a new folder."
                )
            parts.outcomes |= part.outcomes
            parts.prior = part.prior or parts.prior
        logger.debug("%d of %d series are finished in %s", len(parts.outcomes), count, folder)
        return parts

    @property
    def left(self) -> list[int]:
        """The positions of the series that are still to be forecast."""
        return [position for position in range(self.count) if position not in self.outcomes]

    def add(self, position: int, outcome: Outcome) -> None:
        """Add a series; one that lost its process or had no memory is for the next call."""
        self.outcomes[position] = outcome
        if _final(outcome):
            self._changed.add(position // self._size)
        if time.monotonic() >= self._due:
            with suppress(OSError):  # there may be room later
                self._write()

    def keep(self, prior: Prior) -> None:
        """Keep what was learned, so that the same call learns nothing twice."""
        self.prior = prior
        if self.folder is not None:
            with suppress(OSError):  # there may be room for the series
                save(PanelPart(self.call, {}, prior), self.folder / "part-prior")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Write added series every few seconds, and when that ends or is stopped.

        An interrupt then says how many series are kept, below its traceback.
        """
        self._due = time.monotonic() + _SECONDS
        try:
            yield
        except KeyboardInterrupt as interrupt:
            if self.folder is not None:
                interrupt.add_note(
                    f"{sum(map(_final, self.outcomes.values()))} of {self.count} series are "
                    f"finished and kept in {str(self.folder)!r}; the same call goes on from there."
                )
            raise
        finally:
            try:
                self._write()
            except OSError as error:
                warnings.warn(
                    f"finished series could not be written to {str(self.folder)!r}, so a call that "
                    f"goes on from there will forecast them again: {error}",
                    RuntimeWarning,
                    stacklevel=4,
                )

    @property
    def _size(self) -> int:
        """How many series make a part."""
        return max(_SERIES, -(-self.count // _PARTS))

    def _write(self) -> None:
        if self.folder is None:
            return
        start, size = time.monotonic(), self._size
        for number in sorted(self._changed):
            places = range(number * size, (number + 1) * size)
            mine = {k: self.outcomes[k] for k in places if k in self.outcomes}
            final = {k: outcome for k, outcome in mine.items() if _final(outcome)}
            save(PanelPart(self.call, final), self.folder / f"part-{number:04d}")
            self._changed.discard(number)
        now = time.monotonic()
        self._due = now + max(_SECONDS, _SHARE * (now - start))


def _final(outcome: Outcome) -> bool:
    """Whether a series would end as it did if it were tried again."""
    return not outcome.reason.startswith(_AGAIN)


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
    versions = {f"version of {name}": version(name) for name in _LIBRARIES}
    call = {"version of gpforecast": __version__, "forecaster": hash_of(content, arrays)}
    return call | versions | panel.hashes() | {name: repr(one) for name, one in options.items()}


def _folder(name: PathLike) -> Path:
    """Return a folder for parts, made if it is not there; refuse what holds anything else."""
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise type(error)(
            f"resume must name a folder that can be made; got {str(name)!r}: {error.strerror}."
        ) from error
    if others := [one for one in names if not one.startswith((".", "part-"))]:
        raise ValueError(
            f"resume must name a folder that holds nothing else; got {str(name)!r}, which holds "
            f"{min(others)!r}. Name a new folder."
        )
    return folder
