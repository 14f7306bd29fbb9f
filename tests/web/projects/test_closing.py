"""A project is closed and shredded by who knows its name and their own password; then it is read.

Every route to a closed project, by every method: what changes something is refused with a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE, WHEN_CLOSED
from mindfirl.services.projects.closing import close_project, shred
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.models import Account, Assignment, Job, OpenSession, Project, SignedHead, Upload
from mindfirl.web.routes import ROUTES
from tests.conftest import Figure
from tests.support.cast import Answer, signed_in, text
from tests.support.people import PASSWORD
from tests.support.reviews import Study, make_given

CLOSED = "This project is closed."
DESTROYED = "The data of this project were destroyed"


@dataclass
class Scene:
    """A project under way, and browsers of its people."""

    study: Study
    manager: Client
    auditor: Client
    worker: Client
    address: str

    def close(self, **typed: str) -> Answer:
        said = {"reason": "over", "name": "study", "password": PASSWORD, **typed}
        return self.manager.post(f"{self.address}/close", said)

    def shred(self, **typed: str) -> Answer:
        said = {"name": "study", "password": PASSWORD, **typed}
        return self.manager.post(f"{self.address}/shred", said)

    def now(self) -> Project:
        return Project.objects.get()


@pytest.fixture
def scene(home: Path, tmp_path: Path) -> Scene:
    assert home.exists()
    study = make_given(
        tmp_path, people=20, pairs=60, workers=2, reviews=2, budget="100", most_pairs=10
    )
    make_installation_keys()
    for each in (study.manager, study.workers[0]):
        each.set_password(PASSWORD)
        each.save()
    manager, auditor, worker = map(signed_in, (study.manager, study.auditor, study.workers[0]))
    return Scene(study, manager, auditor, worker, "/projects/study")


def closed(scene: Scene) -> None:
    close_project(project=scene.study.project, actor=COMMAND_LINE, reason="over")


def shredded(scene: Scene) -> None:
    closed(scene)
    shred(project=scene.study.project, actor=COMMAND_LINE)


def test_the_page_says_who_is_at_work_and_what_remains(scene: Scene) -> None:
    assert f'{scene.address}/close"' in text(scene.manager.get(f"{scene.address}/settings"))
    page = text(scene.manager.get(f"{scene.address}/close"))
    for words in ("worker0", "worker1", "0 of 10 pairs decided", "The ledger", "These 2 assign"):
        assert words in page
    for name in ("reason", "name", "password"):
        assert f'name="{name}"' in page
    Job.objects.create(project=scene.study.project, kind="pairs score", state="running")
    assert "Background work on this project is running" in text(
        scene.manager.get(f"{scene.address}/close")
    )


def test_who_audits_looks_and_closes_nothing(scene: Scene) -> None:
    page = text(scene.auditor.get(f"{scene.address}/close"))
    assert "worker0" in page
    assert 'name="password"' not in page
    assert f"{scene.address}/close" not in text(scene.auditor.get(f"{scene.address}/settings"))
    for action in ("close", "shred"):
        answer = scene.auditor.post(f"{scene.address}/{action}", {"password": PASSWORD})
        assert answer.status_code == HTTPStatus.FORBIDDEN
    closed(scene)
    assert f"{scene.address}/close" in text(scene.auditor.get(f"{scene.address}/settings"))
    assert 'name="password"' not in text(scene.auditor.get(f"{scene.address}/close"))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"reason": " "}, "Enter a reason"),
        ({"reason": "x" * 501}, "Enter a reason"),
        ({"name": ""}, "Type study."),
        ({"name": "Study"}, "not the name of the project"),
        ({"password": ""}, "Enter a password."),
        ({"password": "another one"}, "Wrong password"),
        ({"password": PASSWORD.upper()}, "Wrong password"),
    ],
)
def test_nothing_is_closed_until_all_is_right(
    scene: Scene, typed: dict[str, str], said: str
) -> None:
    answer = scene.close(**typed)
    page = text(answer)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert said in page
    assert page.count("autofocus") == page.count('aria-invalid="true"') == 1
    assert PASSWORD not in page
    assert scene.now().closed is None
    assert "reason" in typed or 'value="over"' in page


def test_what_is_sent_empty_does_nothing(scene: Scene) -> None:
    for action in ("close", "shred"):
        scene.manager.post(f"{scene.address}/{action}")
    assert scene.now().closed is None
    closed(scene)
    answer = scene.manager.post(f"{scene.address}/shred")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert scene.now().shredded is None


def test_passwords_are_not_tried_without_end(scene: Scene) -> None:
    for number in range(5):
        scene.close(password=f"guess {number}")
    scene.close()
    assert scene.now().closed is None


def test_work_that_is_being_done_is_told(scene: Scene) -> None:
    Job.objects.create(project=scene.study.project, kind="pairs score", state="running")
    answer = scene.close()
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Cancel it or wait" in text(answer)
    assert scene.now().closed is None


def test_a_project_is_closed_and_then_its_data_destroyed(scene: Scene) -> None:
    answer = scene.shred()
    assert answer["Location"] == f"{scene.address}/close"
    assert "not closed yet" in text(scene.manager.get(answer["Location"]))
    answer = scene.close()
    assert answer["Location"] == f"{scene.address}/close"
    page = text(scene.manager.get(answer["Location"]))
    assert "Project closed." in page
    assert "Destroy data of this project?" in page
    for wrong in ({"name": "other"}, {"password": "other"}):
        answer = scene.shred(**wrong)
        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert "Destroy data of this project?" in text(answer)
    assert scene.now().shredded is None
    assert scene.shred()["Location"] == f"{scene.address}/close"
    page = text(scene.manager.get(f"{scene.address}/close"))
    assert "Data destroyed" in page
    assert 'name="password"' not in page
    assert scene.now().shredded is not None
    assert scene.shred()["Location"] == f"{scene.address}/close"


def test_lists_and_pages_say_that_it_is_closed(scene: Scene) -> None:
    for end, words in ((closed, ">Closed<"), (shredded_only, "Closed, data destroyed")):
        end(scene)
        for client in (scene.manager, scene.auditor, scene.worker):
            assert words in text(client.get("/projects"))
        page = text(scene.manager.get(scene.address))
        assert ">closed<" in page
        assert "<form" not in page.partition("<main")[2]
        assert "Project closed" in text(scene.worker.get("/assignments"))


def shredded_only(scene: Scene) -> None:
    shred(project=scene.study.project, actor=COMMAND_LINE)


def test_a_worker_is_told_and_looks_back(scene: Scene) -> None:
    own = Assignment.objects.get(account=scene.study.workers[0])
    pair, now = own.pairs.get(number=1), timezone.now()
    account = scene.study.workers[0]
    comment(account=account, assignment=own, token=pair.token, words="alike", now=now)
    address = f"/assignments/{own.pk}"
    scene.worker.get(address)
    closed(scene)
    assert "The project is closed" in text(scene.worker.get(address))
    assert "alike" in text(scene.worker.get(f"{address}/submit"))
    answer = scene.worker.post(
        f"{address}/open", {"pair": pair.token}, headers={"HX-Request": "true"}
    )
    assert (answer.status_code, answer["HX-Refresh"]) == (HTTPStatus.CONFLICT, "true")
    Assignment.objects.update(characters=1)
    shredded_only(scene)
    page = text(scene.worker.get(f"{address}/submit"))
    assert "all comments were destroyed" in page
    assert "alike" not in page


def patterns() -> dict[str, set[str]]:
    """The routes to things of a project, with what they name."""
    found = {}
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        named = set(pattern.pattern.converters)
        if named & {"project", "assignment"}:
            found[pattern.name or ""] = named
    return found


def addressed(study: Study, route: str, named: set[str]) -> str:
    """Return the address of a route, to what is there."""
    project = study.project
    names: dict[str, Any] = {
        "project": project.name,
        "assignment": project.assignments.get(account=study.workers[0]).pk,
        "upload": project.uploads.values_list("pk", flat=True).first() or uuid4(),
        "job": project.jobs.values_list("pk", flat=True).first() or uuid4(),
        "release": 1,
        "paper": "linkage-plan",
        "ending": "md",
        "member": project.memberships.filter(role="auditor").values_list("pk", flat=True).first(),
    }
    return reverse(route, kwargs={name: names[name] for name in named})


def clients(scene: Scene, named: set[str]) -> list[Client]:
    own = "project" not in named
    return [scene.worker] if own else [scene.manager, scene.auditor, scene.worker]


def everything() -> list[Any]:
    """Return all rows of our tables but those of sessions, and of receipts that anybody took."""
    return [
        list(model._default_manager.order_by("pk").values())  # noqa: SLF001  # public by its documentation
        for model in apps.get_app_config("store").get_models()
        if model not in (OpenSession, SignedHead)
    ]


@pytest.mark.parametrize("end", [closed, shredded])
def test_every_route_of_a_closed_project_is_read_or_refused(
    scene: Scene, end: Any, figure: Figure
) -> None:
    project = scene.study.project
    Upload.objects.create(
        project=project, file_name="f.csv", database="f", size=0, digest="", sealed_key=b""
    )
    Job.objects.create(project=project, kind="pairs score", state="failed", ended=timezone.now())
    addresses = {route: addressed(scene.study, route, named) for route, named in patterns().items()}
    usual = {route: looked(scene, route, address) for route, address in addresses.items()}
    end(scene)
    before, wrong, tried = everything(), [], 0
    for route, named in patterns().items():
        for method, action in ROUTES[route].items():
            for place, client in enumerate(clients(scene, named)):
                answer = client.generic(method, addresses[route])
                tried += 1
                open_to = usual[route][place] if method == "GET" else None
                if not _fits(answer, action, open_to, gone=end is shredded):
                    wrong.append((route, method, answer.status_code))
    assert wrong == []
    asked = Job.objects.filter(kind="report")
    assert asked.exists() is (end is closed)
    asked.delete()
    assert everything() == before
    figure(f"routes of a project that is {end.__name__}: {tried} tried, 0 change anything")


def looked(scene: Scene, route: str, address: str) -> list[int]:
    """Return how everybody is answered who looks at a page, if it is one."""
    if "GET" not in ROUTES[route]:
        return []
    return [each.get(address).status_code for each in clients(scene, patterns()[route])]


def _fits(answer: Answer, action: str, usual: int | None, *, gone: bool) -> bool:
    """Say whether an answer is what is to be expected where a project is closed."""
    status: int = answer.status_code
    if status == HTTPStatus.FORBIDDEN:
        return usual in {None, status}  # it is not for them, closed or not
    if action not in WHEN_CLOSED:
        return status == HTTPStatus.CONFLICT and CLOSED in text(answer)
    if gone and status == HTTPStatus.GONE:
        return DESTROYED in text(answer)
    return status < HTTPStatus.INTERNAL_SERVER_ERROR if usual is None else status == usual


def test_who_comes_too_late_to_a_page_that_was_open_is_told(scene: Scene) -> None:
    closed(scene)
    late = Account.objects.create(username="late")
    answer = scene.manager.post(
        f"{scene.address}/members", {"username": late.username, "role": "worker"}
    )
    assert answer.status_code == HTTPStatus.CONFLICT
    assert CLOSED in text(answer)
    assert f'href="{scene.address}"' in text(answer)
    assert not late.memberships.exists()
