"""Look for known vulnerabilities of the pinned packages.

``python -m supply.audit DATABASE [LOCKFILE…]``

DATABASE is a folder of advisories, a zip of them, or the URL of such a zip: one JSON file each, in
the OSV form in which the advisories of the Python Package Index are published. Nothing about this
installation is sent anywhere: advisories are compared here.
"""

from __future__ import annotations

import io
import json
import sys
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from packaging.version import InvalidVersion, Version

from supply.lock_files import Pinned, canonical, pinned_packages

LOCKS: Final = Path(__file__).parent.parent / "locks"
_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Finding:
    package: Pinned
    advisory: str
    fixed: str


def findings(packages: Iterable[Pinned], advisories: Iterable[dict[str, Any]]) -> list[Finding]:
    """Return which packages have known vulnerabilities, with the first version without each."""
    by_name = {each.name: each for each in packages}
    found = [
        Finding(package, advisory["id"], _fixed(affected, package.version))
        for advisory in advisories
        if "withdrawn" not in advisory
        for affected in advisory.get("affected", ())
        if (package := by_name.get(canonical(affected.get("package", {}).get("name", ""))))
        and affected["package"].get("ecosystem") == "PyPI"
        and _is_affected(affected, package.version)
    ]
    return sorted(set(found), key=lambda each: (each.package.name, each.advisory))


def _is_affected(affected: dict[str, Any], version: str) -> bool:
    if version in affected.get("versions", ()):
        return True
    return any(
        _is_within(_events(each), Version(version))
        for each in affected.get("ranges", ())
        if each.get("type") == "ECOSYSTEM"
    )


def _events(found: dict[str, Any]) -> list[tuple[Version, str]]:
    """Return the versions at which something changes, in their order."""
    events = [
        (Version("0" if version == "0" else version), kind)
        for event in found.get("events", ())
        for kind, version in event.items()
        if kind in ("introduced", "fixed", "last_affected") and _is_version(version)
    ]
    return sorted(events, key=lambda each: each[0])


def _is_within(events: list[tuple[Version, str]], version: Version) -> bool:
    inside = False
    for at, kind in events:
        if kind == "introduced" and version >= at:
            inside = True
        elif (kind == "fixed" and version >= at) or (kind == "last_affected" and version > at):
            inside = False
    return inside


def _fixed(affected: dict[str, Any], version: str) -> str:
    later = [
        at
        for each in affected.get("ranges", ())
        for at, kind in _events(each)
        if kind == "fixed" and at > Version(version)
    ]
    return str(min(later)) if later else ""


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def read_advisories(place: str) -> Iterator[dict[str, Any]]:
    """Read all advisories of a folder, a zip, or the URL of a zip."""
    if place.startswith(("https://", "http://", "file://")):
        with urllib.request.urlopen(place, timeout=_SECONDS) as answer:  # noqa: S310  # as above
            yield from _unzipped(io.BytesIO(answer.read()))
    elif Path(place).is_dir():
        for path in sorted(Path(place).rglob("*.json")):
            yield json.loads(path.read_text(encoding="utf-8"))
    else:
        yield from _unzipped(Path(place))


def _unzipped(file: io.BytesIO | Path) -> Iterator[dict[str, Any]]:
    with zipfile.ZipFile(file) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                yield json.loads(archive.read(name))


def main(place: str, *lock_files: str) -> int:
    """Print what was found, one line each; return 1 if anything was."""
    paths = [Path(each) for each in lock_files] or sorted(LOCKS.glob("*.txt"))
    packages = {each: path.name for path in reversed(paths) for each in pinned_packages(path)}
    advisories = list(read_advisories(place))
    if not advisories:
        print("There is no advisory in this database. Give another.")  # noqa: T201  # a command
        return 2
    found = findings(packages, advisories)
    for each in found:
        mend = f"fixed in {each.fixed}" if each.fixed else "not fixed yet"
        where = packages[each.package]
        print(f"{each.package.name} {each.package.version} ({where}): {each.advisory}, {mend}")  # noqa: T201  # as above
    words = f"{len(packages)} packages, {len(advisories):,} advisories: {len(found)} found"
    print(words)  # noqa: T201  # as above
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
