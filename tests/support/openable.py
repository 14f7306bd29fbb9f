"""Run as a program in an installation: try to open all that is sealed; print what came of it.

Whatever opens is searched for private-use text, which all values are in these tests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import django

django.setup()

from mindfirl.core.errors import MindfirlError
from mindfirl.store import vault
from mindfirl.store.models import Comment, SealedFile, Upload
from mindfirl.store.vault import sealed_comments, sealed_uploads
from tests.support.tracers import tells


def sealed() -> Iterator[Callable[[], bytes]]:
    """List everything that the database says is sealed."""
    for file in SealedFile.objects.select_related("project"):
        yield partial(_table, file)
    for upload in Upload.objects.select_related("project"):
        yield partial(_content, upload)
    for each in Comment.objects.select_related("pair__assignment__project"):
        yield partial(_words, each)


def _table(file: SealedFile) -> bytes:
    return repr(vault.unseal(file).to_pylist()).encode()


def _words(comment: Comment) -> bytes:
    return sealed_comments.unseal(comment.pair.assignment.project, [comment])[0].encode()


def _content(upload: Upload) -> bytes:
    with sealed_uploads.opened(upload) as path:
        return Path(path).read_bytes()


def tried() -> dict[str, int]:
    """Try to open everything."""
    found = {"tried": 0, "opened": 0, "tells": 0}
    for opening in sealed():
        found["tried"] += 1
        try:
            content = opening()
        except MindfirlError:
            continue
        found["opened"] += 1
        found["tells"] += tells(content)
    return found


if __name__ == "__main__":
    json.dump(tried(), sys.stdout)
