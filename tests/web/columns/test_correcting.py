"""A mistake in the columns is corrected on a page, from what is stored."""

from __future__ import annotations

import pytest

from mindfirl.store.models import Job, Project
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.open_version import current_schema
from tests.support.bringing import HOSPITAL, Stage, stage, text, work
from tests.support.cast import member, signed_in
from tests.web.columns.test_columns import shown

pytestmark = pytest.mark.usefixtures("home")

FIRST, LAST, BORN, DIAGNOSIS, WARD = range(5)


@pytest.fixture
def on() -> Stage:
    """A project with two imported databases."""
    made = stage().brought()
    made.browser.post(made.address("data/import"), shown(made))
    work()
    return made


def page(on: Stage) -> str:
    return text(on.browser.get(on.address("columns/correct")))


def number(project: Project) -> int:
    version = current_version(project)
    assert version is not None
    return version.number


def test_the_page_of_the_columns_leads_to_it(on: Stage) -> None:
    assert on.address("columns/correct") in text(on.browser.get(on.address("columns")))


def test_each_column_says_what_needs_a_new_upload(on: Stage) -> None:
    shows = page(on)
    rows = shows.split("<tbody>")[1].split("</tbody>")[0].split("</tr>")
    assert "For record id, sensitive, fixed text, date: upload hospital and registry again." in (
        rows[LAST].replace("category, ", "")
    )
    assert "For record id, identifier, quasi-identifier: upload hospital again." in rows[DIAGNOSIS]
    assert "Berg1" not in shows


def test_names_roles_and_kinds_are_corrected_without_a_file(on: Stage) -> None:
    sent = {
        "version": "1",
        f"{LAST}-name": "surname",
        f"{LAST}-role": "quasi-identifier",
        f"{FIRST}-kind": "category",
        f"{WARD}-role": "ignored",
        "without_duplicates": ["registry"],
    }
    assert on.browser.post(on.address("columns/correct"), sent).status_code == 302
    assert "Correcting columns" in text(on.browser.get(on.address("columns")))
    job = work()
    assert (job.kind, job.state, job.sentence) == ("columns correct", "done", "")
    schema = current_schema(on.project)
    assert schema is not None
    assert number(on.project) == 2
    assert schema.schema.names == ("first_name", "surname", schema.schema.names[BORN])
    assert schema.roles["surname"] == "quasi-identifier"
    assert schema.schema.attributes[FIRST].kind == "category"
    assert [each.name for each in schema.sensitive] == ["diagnosis"]
    assert schema.without_duplicates == {"registry"}


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({f"{LAST}-role": "sensitive"}, f"{LAST}-role", "Upload hospital and registry again"),
        ({f"{DIAGNOSIS}-role": "identifier"}, f"{DIAGNOSIS}-role", "Upload hospital again"),
        ({f"{FIRST}-kind": "date"}, f"{FIRST}-kind", "Upload hospital and registry again"),
        ({f"{FIRST}-name": ""}, f"{FIRST}-name", "Enter a name"),
    ],
)
def test_what_stored_values_are_not_enough_for_is_told_at_its_field(
    on: Stage, *, changes: dict[str, str], field: str, says: str
) -> None:
    sent = {"version": "1", f"{WARD}-name": "station"} | changes
    answer = on.browser.post(on.address("columns/correct"), sent)
    shows = text(answer)
    assert answer.status_code == 422
    assert says in shows.split(f'id="e-{field}"')[1].split("</p>")[0]
    assert 'value="station"' in shows
    assert shows.count("autofocus") == 1
    assert not Job.objects.filter(kind="columns correct").exists()


def test_nothing_changed_is_told(on: Stage) -> None:
    answer = on.browser.post(on.address("columns/correct"), {"version": "1"})
    assert answer.status_code == 422
    assert "You have not changed anything yet" in text(answer)


def test_an_older_page_is_told_to_look_again(on: Stage) -> None:
    sent = {"version": "1", f"{WARD}-role": "ignored"}
    on.browser.post(on.address("columns/correct"), sent)
    work()
    answer = on.browser.post(on.address("columns/correct"), sent, follow=True)
    assert "another person changed this after you opened the page" in text(answer)
    assert number(on.project) == 2


def test_a_version_that_came_while_the_correction_waited_is_not_corrected(on: Stage) -> None:
    on.browser.post(on.address("columns/correct"), {"version": "1", f"{WARD}-role": "ignored"})
    Job.objects.filter(kind="columns correct").update(
        parameters={**Job.objects.get(kind="columns correct").parameters, "version": 7}
    )
    job = work()
    assert (job.state, job.error) == ("failed", "ChangedMeanwhile")
    assert number(on.project) == 1


def test_files_that_wait_come_first(on: Stage) -> None:
    on.send("hospital.csv", HOSPITAL)
    answer = on.browser.get(on.address("columns/correct"))
    assert answer.status_code == 302
    sent = {"version": "1", f"{WARD}-role": "ignored"}
    assert on.browser.post(on.address("columns/correct"), sent).status_code == 302
    assert not Job.objects.filter(kind="columns correct").exists()


def test_an_auditor_reads_and_changes_nothing(on: Stage) -> None:
    browser = signed_in(member(on.project, "auditor", "auditor"))
    assert browser.get(on.address("columns/correct")).status_code == 200
    sent = {"version": "1", f"{WARD}-role": "ignored"}
    assert browser.post(on.address("columns/correct"), sent).status_code == 403
