"""Packages as a lock file pins them: their names, versions and hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_RUN: Final = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True)
class Pinned:
    name: str
    version: str
    hashes: tuple[str, ...] = ()


def canonical(name: str) -> str:
    """Return the one spelling of a package's name."""
    return _RUN.sub("-", name).lower()


def pinned_packages(path: Path) -> list[Pinned]:
    """Read a lock file; each package is a line with its version, and its hashes follow."""
    return list(_read(path.read_text(encoding="utf-8").splitlines()))


def _read(lines: list[str]) -> Iterator[Pinned]:
    found: Pinned | None = None
    for line in lines:
        if match := _PINNED.match(line):
            if found is not None:
                yield found
            found = Pinned(canonical(match[1]), match[2])
        if found is not None and (hashed := _HASH.search(line)):
            found = Pinned(found.name, found.version, (*found.hashes, hashed[1]))
    if found is not None:
        yield found
