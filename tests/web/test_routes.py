"""Every route × method × standing × own or foreign object, against the table in ``core.policy``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from http.cookies import SimpleCookie
from itertools import product
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from mindfirl.core.policy import ACTIONS, COMMAND_LINE, ROLES, STANDINGS, Standing
from mindfirl.services.projects import create_project
from mindfirl.store.models import (
    Account,
    Assignment,
    Dispatch,
    Job,
    Linkage,
    OpenSession,
    Project,
    Release,
    SealedFile,
    Upload,
    Version,
)
from mindfirl.web.routes import ROUTES
from tests.conftest import Figure
from tests.support.cast import member, person, signed_in
from tests.support.proof import FULL

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
SIGNED_IN: Final = tuple(standing for standing in STANDINGS if standing != "anyone")
WITHOUT_METHOD: Final = {("own", "anyone"), ("own", "manager"), ("foreign", "worker")}
"""Who tries in `make test` what a route does not know; in `make proof` everybody does."""
OF_SOMEBODY_ELSE: Final = {"session-end", "access-link"}
"""What they name here is nobody's of the cast."""

pytestmark = pytest.mark.django_db


def patterns() -> dict[str, URLPattern]:
    found = {}
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        assert pattern.name
        found[pattern.name] = pattern
    return found


def test_every_route_is_in_the_table_and_every_row_of_the_table_is_a_route() -> None:
    assert set(patterns()) == set(ROUTES)


def test_no_view_is_reached_but_through_the_table() -> None:
    for name, pattern in patterns().items():
        assert getattr(pattern.callback, "route", None) == name


@dataclass
class Stage:
    """Two projects with everything in them that a route can name, and the cast of the first."""

    own: dict[str, str]
    foreign: dict[str, str]
    cast: dict[Standing, Client]


@pytest.fixture
def stage(home: Path) -> Stage:  # noqa: ARG001  # the keys of projects go there
    own, foreign = (
        create_project(name="own", actor=COMMAND_LINE, synthetic=True),
        create_project(name="foreign", actor=COMMAND_LINE, synthetic=True),
    )
    accounts: dict[Standing, Account] = {
        "account": person(),
        "creator": person(creator=True),
        "administrator": person(administrator=True),
        **{role: member(own, role) for role in ROLES},
    }
    cast = {standing: signed_in(account) for standing, account in accounts.items()}
    return Stage(
        {**objects(own, accounts["worker"]), "account": str(accounts["account"].pk)},
        objects(foreign, member(foreign, "worker")),
        {"anyone": Client(), **cast},
    )


def objects(project: Project, worker: Account) -> dict[str, str]:
    """Put one of everything into a project; return how routes name it."""
    manager = member(project, "manager")
    version = Version.objects.create(
        project=project,
        number=1,
        schema=SCHEMA,
        records=4,
        index=_sealed(project, "index"),
        index_digest="",
    )
    dispatch = Dispatch.objects.create(
        project=project, number=1, plan={"second_person": False}, proposed_by=manager
    )
    assignment = Assignment.objects.create(
        dispatch=dispatch,
        project=project,
        version=version,
        account=worker,
        size=1,
        budget=1,
        limit=1,
        characters=0,
        attributes=["name"],
    )
    upload = Upload.objects.create(
        project=project, file_name="f.csv", database="f", size=0, digest="", sealed_key=b""
    )
    release = Release.objects.create(
        project=project,
        linkage=Linkage.objects.create(
            project=project,
            version=version,
            number=1,
            created=timezone.now(),
            report={"persons": 3},
            persons=_sealed(project, "persons"),
        ),
        number={"own": 1, "foreign": 2}[project.name],
        state="ready",
        created=timezone.now(),
        choices={},
        report=REPORT,
        expires=timezone.now() + timedelta(days=1),
    )
    job = Job.objects.create(
        project=project, kind="pairs score", state="failed", ended=timezone.now()
    )
    session = OpenSession.objects.create(
        account=manager,
        digest=uuid4().hex,
        started=timezone.now(),
        seen=timezone.now() - timedelta(minutes=1),
    )
    return {
        "project": project.name,
        "assignment": str(assignment.pk),
        "upload": str(upload.pk),
        "job": str(job.pk),
        "release": str(release.number),
        "member": str(project.memberships.get(account=worker).pk),
        "session": str(session.pk),
        "account": str(worker.pk),
        "token": "no-such-token",
        "chapter": "plan",
        "image": "review.png",
        "paper": {"own": "linkage-plan", "foreign": "no-such-paper"}[project.name],
        "ending": "md",
    }


def _sealed(project: Project, kind: str) -> SealedFile:
    return SealedFile.objects.create(
        project=project, kind=kind, name=uuid4(), digest="", size=0, key="", sealed_key=b""
    )


REPORT: Final[dict[str, Any]] = {
    "rows": 4,
    "persons": 3,
    "columns": [],
    "databases": {},
    "linked": {},
    "anonymity": None,
    "compared": [],
    "joint": None,
    "second_person": False,
    "linkage_groups": None,
    "findings": [],
}
SCHEMA: Final = """
[[attributes]]
name = "name"
kind = "string"
"""


@pytest.mark.proof
def test_everybody_gets_exactly_what_the_table_says(stage: Stage, figure: Figure) -> None:
    tried, wrong = 0, []
    for route, pattern in patterns().items():
        needed = set(pattern.pattern.converters)
        for method, standing, whose in product(METHODS, stage.cast, whoses(needed)):
            if not FULL and method not in ROUTES[route] and (whose, standing) not in WITHOUT_METHOD:
                continue
            names = named(stage, whose)
            got = ask(stage.cast[standing], method, route, {name: names[name] for name in needed})
            tried += 1
            if not fits(got, route, method, standing, whose):
                wrong.append((route, method, standing, whose, got.status_code))
    assert not wrong
    figure(f"routes × methods × standings × own, foreign or mixed objects: {tried} tried, 0 wrong")


def whoses(needed: set[str]) -> tuple[str, ...]:
    """Say whose objects a route can name."""
    if "project" in needed:
        return ("own", "foreign") if needed == {"project"} else ("own", "foreign", "mixed")
    return ("own", "foreign") if "assignment" in needed else ("own",)


def test_looking_changes_nothing(stage: Stage) -> None:
    before = everything()
    for route, pattern in patterns().items():
        names = {name: stage.own[name] for name in pattern.pattern.converters}
        for client in stage.cast.values():
            client.get(reverse(route, kwargs=names))
    assert everything() == before


def everything() -> dict[str, list[Any]]:
    """Return all rows of all tables but those of sessions."""
    found = {
        model.__name__: list(model._default_manager.order_by("pk").values())  # noqa: SLF001  # public by its documentation
        for model in apps.get_models()
        if model not in (Session, OpenSession)
    }
    assert len(found) > 20
    return found


def named(stage: Stage, whose: str) -> dict[str, str]:
    """Name objects of one's own project, of a foreign one, or foreign ones in one's own."""
    if whose == "mixed":
        return {**stage.foreign, "project": stage.own["project"]}
    return stage.own if whose == "own" else stage.foreign


def ask(client: Client, method: str, route: str, names: dict[str, Any]) -> HttpResponse:
    """Ask for a route; whatever it changes is undone."""
    cookies = SimpleCookie(client.cookies)
    with transaction.atomic():
        answer = client.generic(method, reverse(route, kwargs=names))
        transaction.set_rollback(True)
    client.cookies = cookies
    return cast("HttpResponse", answer)


def fits(got: HttpResponse, route: str, method: str, standing: Standing, whose: str) -> bool:
    """Say whether an answer is what the table promises."""
    action = ROUTES[route].get(method)
    status = got.status_code
    if action is None:
        return status == HTTPStatus.METHOD_NOT_ALLOWED
    needed = set(patterns()[route].pattern.converters)
    if standing == "anyone" and "anyone" not in ACTIONS[action]:
        return status == HTTPStatus.FOUND and got["Location"].startswith(reverse("sign-in"))
    if _does_not_exist(needed, standing, whose):
        return status == HTTPStatus.NOT_FOUND
    if not _stands(standing) & ACTIONS[action]:
        return status == HTTPStatus.FORBIDDEN
    if whose == "mixed" or route in OF_SOMEBODY_ELSE:
        return status == HTTPStatus.NOT_FOUND
    return _was_let_in(got)


def _does_not_exist(needed: set[str], standing: Standing, whose: str) -> bool:
    """Say whether what a route names is there for somebody at all."""
    if "project" in needed:
        return whose == "foreign" or standing not in ROLES
    return "assignment" in needed and (whose, standing) != ("own", "worker")


def _stands(standing: Standing) -> set[Standing]:
    more: dict[Standing, set[Standing]] = {"administrator": {"creator", "account"}}
    return {"anyone", standing, "account", *more.get(standing, set())} - (
        {"account"} if standing == "anyone" else set()
    )


def _was_let_in(got: HttpResponse) -> bool:
    """Say whether a view answered: with a page, a redirection to another, or what is wrong."""
    refused = {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}
    if got.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR or got.status_code in refused:
        return False
    return not (
        got.status_code == HTTPStatus.FOUND and got["Location"].startswith(reverse("sign-in") + "?")
    )
