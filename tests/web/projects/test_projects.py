"""New projects, and the page of one: its state in a sentence, and what is next."""

from __future__ import annotations

import pytest
from django.test import Client

from mindfirl.store.models import Account, Membership, Project
from mindfirl.web.data.views import name_of
from tests.support.bringing import Stage, stage, text, work
from tests.support.cast import member, person, signed_in

pytestmark = pytest.mark.usefixtures("home")

FACTS = {
    "title": "Stroke & Registry",
    "name": "",
    "purpose": "Outcomes",
    "legal_basis": "Consent",
    "approval": "E-17",
    "ends": "2090-12-31",
}


@pytest.fixture
def creator() -> Account:
    return person("creator", creator=True)


def test_who_may_create_projects_does_and_manages_the_new_one(creator: Account) -> None:
    answer = signed_in(creator).post("/project-new", FACTS)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/projects/stroke-registry/data"
    project = Project.objects.get()
    assert (project.title, project.approval) == ("Stroke & Registry", "E-17")
    assert str(project.ends) == "2090-12-31"
    assert Membership.objects.get(project=project, account=creator).role == "manager"


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("title", "", "Enter a title."),
        ("title", "x" * 121, "120"),
        ("name", "with space", "letters, digits"),
        ("name", "-x", "begins with a letter or digit"),
        ("name", "../x", "letters, digits"),
        ("name", "x" * 81, "80"),
        ("name", "taken", "already"),
        ("purpose", "x" * 4001, "4,001"),
        ("ends", "tomorrow", "year-month-day"),
        ("ends", "1999-12-31", "This day is in the past"),
    ],
)
def test_a_wrong_field_is_told_and_everything_typed_is_kept(
    creator: Account, field: str, value: str, says: str
) -> None:
    stage("taken")
    answer = signed_in(creator).post("/project-new", {**FACTS, field: value})
    page = text(answer)
    assert answer.status_code == 422
    assert says in page.split(f'id="id_{field}_error"')[1][:300]
    assert all(typed in page for name, typed in FACTS.items() if name not in (field, "title"))
    assert page.count("autofocus") == 1
    assert Project.objects.count() == 1


def test_a_title_without_letters_needs_a_name(creator: Account) -> None:
    answer = signed_in(creator).post("/project-new", {**FACTS, "title": "研究"})
    assert answer.status_code == 422
    assert "id_name_error" in text(answer)


def test_others_create_none() -> None:
    browser = signed_in(person())
    assert browser.get("/project-new").status_code == 403
    assert browser.post("/project-new", FACTS).status_code == 403
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Stroke & Registry, 2024", "stroke-registry-2024"),
        ("  Krankenhäuser / Süd ", "krankenhauser-sud"),
        ("Größe", "grosse"),
        ("v1.2_x", "v1.2_x"),
        ("…", ""),
        ("x" * 79 + " y", "x" * 79),
    ],
)
def test_a_name_is_made_of_the_title(title: str, name: str) -> None:
    assert name_of(title) == name


def test_the_page_of_a_project_says_what_is_next() -> None:
    on = stage()
    assert "No databases yet. Upload them on the page Data." in text(on.browser.get(on.address()))
    assert next_step(on) == on.address("data")
    Project.objects.update(purpose="Outcomes")
    on.brought()
    assert "2 files are" in text(on.browser.get(on.address()))
    assert next_step(on) == on.address("columns")
    on.browser.post(on.address("data/import"), {"as_saved": "1"})
    assert "Importing databases" in text(on.browser.get(on.address()))
    work()
    assert "80 records are imported" in text(on.browser.get(on.address()))
    assert next_step(on) == on.address("pairs")


def next_step(on: Stage) -> str:
    page = text(on.browser.get(on.address()))
    return page.split('class="button go" href="')[1].split('"')[0]


def test_the_page_of_a_project_is_for_its_overseers() -> None:
    on = stage()
    for role, status in (("auditor", 200), ("worker", 403), ("adjudicator", 403)):
        browser = signed_in(member(on.project, role))  # type: ignore[arg-type]  # they are roles
        assert browser.get(on.address()).status_code == status
    assert stage("elsewhere").browser.get(on.address()).status_code == 404
    assert "Change this" not in text(signed_in(member(on.project, "auditor")).get(on.address()))


def test_a_name_that_no_project_can_have_is_not_found() -> None:
    assert signed_in(person()).get("/projects/%00/data").status_code == 404


def test_no_page_is_kept_wherever_it_stands() -> None:
    answer = signed_in(person("ann")).get("/static/nothing")
    assert "ann" in text(answer)
    assert answer["Cache-Control"] == "no-store"


def test_who_was_signed_out_comes_back_to_the_page_and_not_to_a_part_of_it() -> None:
    page = "http://testserver/projects/study?a=b"
    asked = {"HX-Request": "true", "HX-Current-URL": page}
    answer = Client().get("/projects/study/live", headers=asked)
    assert answer["HX-Redirect"] == "/sign-in?next=%2Fprojects%2Fstudy%3Fa%3Db"
    elsewhere = {**asked, "HX-Current-URL": "http://elsewhere.example/"}
    answer = Client().get("/projects/study/live", headers=elsewhere)
    assert answer["HX-Redirect"] == "/sign-in?next=%2F"
