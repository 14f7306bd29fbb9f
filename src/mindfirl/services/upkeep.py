"""What is wrong with an installation, and the leftovers of work that was cut off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mindfirl.core.errors import Busy, KeyMissing, MindfirlError
from mindfirl.store import vault
from mindfirl.store.keys import SIDES, read_key
from mindfirl.store.lock import locked
from mindfirl.store.models import Project, SealedFile


@dataclass(frozen=True, slots=True)
class Ailment:
    """What is wrong with a project, and whether it was mended."""

    project: str
    words: str
    mended: bool = False


def examine(*, mend: bool = True) -> list[Ailment]:
    """Look for leftovers, missing keys and damaged files, project by project."""
    return [
        Ailment(project.name, words, mended)
        for project in Project.objects.order_by("name")
        for words, mended in _examine(project, mend=mend)
    ]


def _examine(project: Project, *, mend: bool) -> Iterator[tuple[str, bool]]:
    """Say what is wrong with one project."""
    try:
        with locked(project.id):
            strays = vault.strays(project.id)
            for path in strays if mend else ():
                path.unlink()
    except Busy:
        yield "other work on it is going on; its leftovers were not looked for.", False
        strays = []
    if strays:
        yield f"{len(strays)} files were left by work that was cut off.", mend
    for side in SIDES:
        try:
            read_key(project.id, side, vault.key_name(project, side))
        except KeyMissing as error:
            yield str(error), False
    for file in project.files.order_by("id"):
        yield from _damage(file)


def _damage(file: SealedFile) -> Iterator[tuple[str, bool]]:
    """Say whether a file is missing, changed, or under a key that is not there."""
    try:
        vault.check(file)
    except MindfirlError as error:
        yield str(error), False
