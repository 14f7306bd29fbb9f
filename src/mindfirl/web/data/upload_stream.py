"""Files on their way in: sealed piece by piece, never spooled to the memory or the disk.

A script sends one file as the body of a request, and its names in headers; the token in its headers
is checked before a byte is read. A plain form sends several files in parts; those are sealed while
the form is read, and count once its token was checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpResponse, UnreadablePostError
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_protect

from mindfirl.core.errors import MindfirlError, SettingError
from mindfirl.services.data.uploads import Coming, receiving
from mindfirl.store.models import Upload
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import words_of

PIECE: Final = 1 << 18
BODY: Final = "application/octet-stream"
"""What a script sends: the file, and nothing else."""


class _NotTaken(Exception):
    """Ends the taking of a file that is not to be kept."""


def header_value(request: Request, name: str) -> str:
    return unquote(request.headers.get(f"X-Mindfirl-{name}", ""))


def body(request: Request) -> Iterator[bytes]:
    """Read the body of a request piece by piece; refuse one that breaks off."""
    left = int(request.headers.get("Content-Length") or 0)
    while left > 0:
        try:
            piece = request.read(min(PIECE, left))
        except UnreadablePostError:
            piece = b""
        if not piece:
            raise SettingError(_("Not uploaded: the connection was lost. Try again."))
        left -= len(piece)
        yield piece


def drain(request: Request) -> None:
    """Read on what is not wanted, so that the browser hears why."""
    with suppress(MindfirlError):
        read = 0
        for piece in body(request):
            read += len(piece)
            if read > settings.UPLOAD_LIMIT:
                return


@dataclass
class Part:
    """A file of a form: sealed but not yet kept, or refused with a sentence."""

    file_name: str
    sentence: str = ""
    coming: Coming | None = None
    ending: ExitStack = field(default_factory=ExitStack)

    def refuse(self, sentence: str) -> None:
        self.sentence, self.coming = sentence, None
        with suppress(_NotTaken):
            self.ending.__exit__(_NotTaken, _NotTaken(), None)

    def keep(self) -> Upload | None:
        if self.coming is None:
            return None
        coming, self.coming = self.coming, None
        try:
            self.ending.close()
        except MindfirlError as error:
            self.sentence = words_of(error)
            return None
        return coming.upload


class SealingHandler(FileUploadHandler):
    chunk_size = PIECE

    def __init__(self, request: Request, **about: Any) -> None:  # noqa: ANN401  # see receiving
        super().__init__(request)
        self._about = about
        self.parts: list[Part] = []

    def new_file(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # Django's
        super().new_file(*arguments, **named)
        self.parts.append(Part(self.file_name or ""))
        self._or_refused(self._begin)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002  # Django's
        """Seal the next bytes of the file; hand on nothing."""
        coming = self.parts[-1].coming
        assert coming is not None
        self._or_refused(lambda: coming.take(raw_data))

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:  # noqa: ARG002  # Django's
        return None

    def refuse_all(self) -> None:
        for part in self.parts:
            if part.coming:
                part.refuse(part.sentence)

    def _begin(self) -> None:
        part = self.parts[-1]
        part.coming = part.ending.enter_context(receiving(file_name=part.file_name, **self._about))

    def _or_refused(self, step: Callable[[], None]) -> None:
        try:
            step()
        except MindfirlError as error:
            self.parts[-1].refuse(words_of(error))
            raise SkipFile from None


def sealed_while_read(
    request: Request, view: Callable[..., HttpResponse], **about: object
) -> HttpResponse:
    """Answer a form of files, which are sealed while it is read; its token is checked first."""
    who = {"project": request.project, "actor": request.actor, "account": request.account}
    handler = SealingHandler(request, **who, **about)
    request.upload_handlers = [handler]
    try:
        answer: HttpResponse = csrf_protect(view)(request, handler)
    finally:
        handler.refuse_all()
    return answer


def kept_file(request: Request, handler: SealingHandler) -> str:
    """Keep the one file of a form that was read to its end; else say what is wrong."""
    complete = "complete" in request.POST  # the form is read here
    if not handler.parts:
        return _("No file was selected. Choose a file first.")
    if not complete:
        return _("Not uploaded: the connection was lost. Try again.")
    part = handler.parts[0]
    part.keep()
    return part.sentence
