"""A watch over a process and its children: every file that they have is read, again and again.

Unless it was there before: then no value of the run can be in it, and Java has many large ones.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.support.tracers import tracers_in

_BEFORE: Final = 1
"""Seconds: the clock of the disk is a little behind."""


@dataclass
class Watch:
    """What was seen: how often was looked, the files that were read, those that told a value."""

    sources: Sequence[str] = ()
    began: float = field(default_factory=time.time)
    looks: int = 0
    files: set[Path] = field(default_factory=set)
    leaks: set[Path] = field(default_factory=set)
    states: dict[Path, tuple[int, ...]] = field(default_factory=dict)

    def look(self, process: int, *folders: Path) -> None:
        """Read what processes have open and what lies in folders, where it has changed."""
        self.looks += 1
        for owner in [process, *_children(process)]:
            self._read(_opened(owner, self.sources))
        for folder in folders:
            self._read({path: path for path in _within(folder)})

    def _read(self, found: Mapping[Path, Path]) -> None:
        for name, path in found.items():
            try:
                about = path.stat()
                state = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
                old = about.st_ctime < self.began - _BEFORE
                if old or not path.is_file() or self.states.get(name) == state:
                    continue
                content = path.read_bytes()
                if not _is_still(name, path):
                    continue  # another file has its number now; that is looked at next time
                self.states[name] = state
                self.leaks.update(tracers_in({name: content}))
                self.files.add(name)
            except OSError:
                continue  # closed or removed meanwhile


def watched(
    command: Sequence[str | Path],
    environment: Mapping[str, str],
    *folders: Path,
    sources: Sequence[str] = (),
) -> Watch:
    """Run a command, and watch it until it ends well."""
    watch = Watch(sources)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            start = time.monotonic()
            watch.look(process.pid, *folders)
            time.sleep(max(0.02, time.monotonic() - start))  # leave it time to work
    assert process.returncode == 0
    return watch


def _opened(owner: int, sources: Sequence[str]) -> dict[Path, Path]:
    """Return the files that a process has, by name: also those without one, and shared memory."""
    found = {}
    for link in _listed(Path(f"/proc/{owner}/fd")):
        try:
            target = str(link.readlink())
        except OSError:
            continue  # closed meanwhile
        if target not in sources and not target.startswith(("/dev", "pipe:", "socket:", "anon")):
            found[Path(f"{target} of {owner}")] = link
    return found | {path: path for path in _shared(owner)}


def _is_still(name: Path, path: Path) -> bool:
    """Say whether a file that a process has open is still the one of that name."""
    return path == name or str(name).startswith(f"{path.readlink()} of ")


def _shared(owner: int) -> Iterator[Path]:
    """Find the files that a process writes to through its memory."""
    try:
        lines = Path(f"/proc/{owner}/maps").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, rights, _, _, _, *name = line.split(maxsplit=5)
        if rights.startswith("rw") and rights.endswith("s") and name and name[0].startswith("/"):
            yield Path(name[0])


def _within(folder: Path) -> Iterator[Path]:
    """Find the files below a folder; what is removed meanwhile is passed over."""
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)


def _children(process: int) -> list[int]:
    tasks = _listed(Path(f"/proc/{process}/task"))
    try:
        words = [word for task in tasks for word in (task / "children").read_text().split()]
    except OSError:
        return []
    own = [int(word) for word in words]
    return [*own, *(each for child in own for each in _children(child))]


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
