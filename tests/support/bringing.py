"""A project with a cast, and databases brought to it by a browser; long work is done at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.runner.work import do
from mindfirl.services import jobs
from mindfirl.services.projects import create_project
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.models import Account, Job, Project
from tests.support.cast import member, signed_in

HOSPITAL = "id,first_name,last_name,dob,diagnosis\n" + "".join(
    f"h{number},Ann{number % 7},Berg{number},12/{number % 18 + 10}/1950,{'FC'[number % 2]}\n"
    for number in range(40)
)
REGISTRY = "pid,given,surname,born,ward\n" + "".join(
    f"r{number},Ann{number % 7},Berg{number},1950-12-{number % 18 + 10},{'AB'[number % 2]}\n"
    for number in range(40)
)


class Answer(Protocol):
    """What a server answers."""

    @property
    def content(self) -> bytes: ...


def text(answer: Answer) -> str:
    """Read an answer."""
    return answer.content.decode()


@dataclass(frozen=True)
class Stage:
    """A project, its manager, and the manager's browser."""

    project: Project
    manager: Account
    browser: Client

    def address(self, *parts: str) -> str:
        return "/".join(["/projects", self.project.name, *parts])

    def send(self, name: str, content: str, *, called: str = "") -> HttpResponse:
        """Send one file as a script does."""
        answer = self.browser.post(
            self.address("data/uploads"),
            data=content.encode(),
            content_type="application/octet-stream",
            CONTENT_TYPE="application/octet-stream",  # an empty file has a type, too
            headers={
                "X-Mindfirl-File": quote(name),
                "X-Mindfirl-Database": quote(called),
            },
        )
        assert isinstance(answer, HttpResponse)
        return answer

    def send_form(self, *files: tuple[str, str], complete: bool = True) -> HttpResponse:
        """Send files as a plain form does."""
        sent = [SimpleUploadedFile(name, content.encode()) for name, content in files]
        fields = {"files": sent} | ({"complete": "1"} if complete else {})
        answer = self.browser.post(self.address("data/uploads"), fields)
        assert isinstance(answer, HttpResponse)
        return answer

    def brought(self) -> Stage:
        """Bring both databases, and have their columns looked at."""
        self.send_form(("hospital.csv", HOSPITAL), ("registry.csv", REGISTRY))
        work()
        return self


def stage(name: str = "study") -> Stage:
    """Set a stage; needs an installation."""
    make_installation_keys()
    project = create_project(name=name, actor=COMMAND_LINE, synthetic=True)
    manager = member(project, "manager", f"manager-of-{name}")
    return Stage(project, manager, signed_in(manager))


def work() -> Job:
    """Do the job that waits."""
    job = jobs.claim()
    assert job is not None
    do(jobs.attempt_of(job))
    job.refresh_from_db()
    return job
