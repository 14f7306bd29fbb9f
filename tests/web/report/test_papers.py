"""Papers: what they are filled with, what they mark, who gets them, and that they can be edited."""

from __future__ import annotations

import io
import re
import zipfile
from http import HTTPStatus
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mindfirl.core.errors import NotAllowed, SettingError, VaultShredded
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.services.projects import create_project
from mindfirl.store.models import Project
from mindfirl.web.page.markdown_html import MARKDOWN
from mindfirl.web.report.open_document import open_document
from mindfirl.web.report.paper_views import FORMATS
from mindfirl.web.report.papers import PAPERS, TO_WRITE, paper_kind, passages_to_write, write_paper
from tests.support.cast import member, signed_in, text
from tests.support.forecasts import keep, made_by_hand
from tests.support.reviews import PRIVATE_NAMES, Study, make_study
from tests.support.snapshots import snapshot

PAGE = "/projects/study/report/papers"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
ALL = [each.name for each in PAPERS]


@snapshot
def planned_study(folder: Path) -> Study:
    made = make_study(folder, people=60, pairs=120, names=PRIVATE_NAMES)
    made.project.title, made.project.purpose = "A study", "To learn | *how* <b>much</b>"
    made.project.save()
    made.plan(budget="2.5", kappa="3", quality_sample="7")
    keep(made.project, made_by_hand())
    return made


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return planned_study(tmp_path)


def paper(project: Project, name: str) -> str:
    return write_paper(paper_kind(name), project=project, actor=COMMAND_LINE)


def document(made: bytes) -> dict[str, ET.Element]:
    """Open a document as a word processor would: its parts by name."""
    with zipfile.ZipFile(io.BytesIO(made)) as package:
        first = package.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert package.read("mimetype").decode() == FORMATS["odt"]
        names = [name for name in package.namelist() if name.endswith(".xml")]
        return {name: ET.fromstring(package.read(name)) for name in names}  # noqa: S314  # our own


@pytest.mark.parametrize("name", ALL)
def test_it_is_filled_from_settings_columns_pairs_plan_and_forecast(
    study: Study, name: str
) -> None:
    written = paper(study.project, name)
    assert "| Project | A study |" in written
    assert "**[Write: the legal basis" in written
    assert "| clinic | 60 | not declared |" in written
    assert "| Born | date | identifier |" in written
    assert "| Minimum group size (κ) | 3:" in written
    assert "| Worker 2 | " in written
    assert "| 2.5% | buys " in written
    assert "None" not in written
    assert passages_to_write(written) > 5


def test_it_has_expected_errors_bands_and_what_the_forecast_says(study: Study) -> None:
    written = paper(study.project, "impact-assessment")
    assert "| False links |" in written
    assert "between the thresholds |" in written
    assert "reference\npairs drawn from these databases" in written
    assert "up to 7 of each" in paper(study.project, "linkage-plan")
    assert written.count("\n- ") > 6


@pytest.mark.parametrize("name", ALL)
def test_what_was_typed_is_shown_as_typed_and_never_becomes_markup(study: Study, name: str) -> None:
    html = MARKDOWN.render(paper(study.project, name))
    assert "To learn | *how* &lt;b&gt;much&lt;/b&gt;" in html
    assert "<b>" not in html


@pytest.mark.parametrize("name", ALL)
def test_it_has_no_value_of_a_record_and_no_name_of_anybody(study: Study, name: str) -> None:
    written = paper(study.project, name)
    assert not {each for each in written if "\ue000" <= each <= "\uf8ff"}
    assert re.search(r"worker\d|manager\b.*@", written) is None


def test_assigned_pairs_count_as_they_did_before_they_were_assigned(study: Study) -> None:
    def work(written: str) -> list[str]:
        found = re.findall(r"^\d.* decisions: .* an hour|^\| Worker .*%", written, re.MULTILINE)
        assert len(found) == 4
        return found

    before = paper(study.project, "linkage-plan")
    assert "already assigned" not in before
    study.dispatched()
    after = paper(study.project, "linkage-plan")
    assert "of these decisions are already assigned" in after
    quality = r" and \d+ pairs of the automatic bands, to measure the software,"
    assert work(after) == [re.sub(quality, "", line) for line in work(before)]


@pytest.mark.parametrize("name", ALL)
def test_before_the_import_it_says_what_will_be_filled_in(home: Path, name: str) -> None:
    assert home.exists()
    project = create_project(name="empty", actor=COMMAND_LINE)
    written = paper(project, name)
    assert "Import them first" in written
    assert "Find the pairs first" in written or name == "data-use-agreement"
    assert "Save a plan" in written
    assert "| Project | empty |" in written


@pytest.mark.parametrize("name", ALL)
def test_a_document_says_what_the_markdown_says(study: Study, name: str) -> None:
    written = paper(study.project, name)
    parts = document(open_document(written, highlighted=TO_WRITE))
    assert set(parts) == {"content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"}
    content = parts["content.xml"]
    shown = re.sub(r"\s+", "", "".join(content.itertext()))
    page = re.sub(r"<[^>]+>", "", MARKDOWN.render(written))
    for mark, meant in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        page = page.replace(mark, meant)
    assert shown == re.sub(r"\s+", "", page)
    marked = [
        "".join(each.itertext())
        for each in content.iter(f"{TEXT}span")
        if each.get(f"{TEXT}style-name") == "ToWrite"
    ]
    assert len(marked) == passages_to_write(written)
    assert all(each.startswith(TO_WRITE) and each.endswith("]") for each in marked)


def test_a_document_uses_only_styles_that_it_has(study: Study) -> None:
    parts = document(open_document(paper(study.project, "linkage-plan"), highlighted=TO_WRITE))
    there = {each.get(f"{STYLE}name") for part in parts.values() for each in part.iter()} - {None}
    used = {
        value
        for each in parts["content.xml"].iter()
        for key, value in each.attrib.items()
        if key.endswith("}style-name")
    }
    assert len(used) > 8
    assert used <= there


def test_managers_read_and_download_it(study: Study) -> None:
    manager = signed_in(study.manager)
    listed = text(manager.get(PAGE))
    for each in ALL:
        read = text(manager.get(f"{PAGE}/{each}"))
        assert '<strong class="write">[Write: ' in read
        for ending, media_type in FORMATS.items():
            address = f"{PAGE}/{each}.{ending}"
            assert f'href="{address}"' in listed
            answer = manager.get(address)
            assert answer["Content-Type"] == media_type
            assert f'filename="study-{each}.{ending}"' in answer["Content-Disposition"]
    assert text(manager.get(f"{PAGE}/linkage-plan.md")) == paper(study.project, "linkage-plan")
    assert f'href="{PAGE}"' in text(manager.get("/projects/study/report"))


@pytest.mark.parametrize("role", ["worker", "adjudicator", "auditor"])
def test_nobody_else_gets_it(study: Study, role: str) -> None:
    somebody = signed_in(member(study.project, role))  # type: ignore[arg-type]  # a role
    for address in (PAGE, f"{PAGE}/linkage-plan", f"{PAGE}/linkage-plan.odt"):
        assert somebody.get(address).status_code == HTTPStatus.FORBIDDEN
    with pytest.raises(NotAllowed):
        write_paper(
            paper_kind("linkage-plan"),
            project=study.project,
            actor=actor("somebody", roles=[role]),  # type: ignore[list-item]  # a role
        )


@pytest.mark.parametrize("part", ["no-such-paper", "no-such-paper.md", "linkage-plan.exe"])
def test_what_there_is_not_is_not_found(study: Study, part: str) -> None:
    assert signed_in(study.manager).get(f"{PAGE}/{part}").status_code == HTTPStatus.NOT_FOUND
    with pytest.raises(SettingError, match="linkage-plan"):
        paper_kind("no-such-paper")


def test_once_the_keys_are_destroyed_there_is_none(study: Study) -> None:
    Project.objects.update(shredded="2030-01-01T00:00Z")
    study.project.refresh_from_db()
    with pytest.raises(VaultShredded):
        paper(study.project, "linkage-plan")
    assert "no papers can be written" in text(signed_in(study.manager).get(PAGE))
