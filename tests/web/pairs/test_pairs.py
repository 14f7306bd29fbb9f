"""The page of pairs: how they are found, which need a person, and everything typed wrongly."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from mindfirl.core.errors import Busy
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.weight_bins import weight_bins
from mindfirl.services import pairs as candidates
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.disk import locked
from mindfirl.store.models import Job, LabelSet, Plan, Project, Scoring, Upload
from mindfirl.store.queries.plans import sample_of
from mindfirl.web.page.labels import key_label
from mindfirl.web.pairs.weight_histogram import HEIGHT
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from tests.support.bringing import work
from tests.support.cast import member, person, signed_in
from tests.support.projects import done, imported

pytestmark = pytest.mark.usefixtures("home")


@dataclass
class Scene:
    """A project, and its cast."""

    project: Project
    made: Path
    manager: Client
    other: Client
    auditor: Client

    @property
    def page(self) -> str:
        return f"/projects/{self.project.name}/pairs"

    def post(self, what: str, fields: dict[str, Any], who: Client | None = None) -> Any:
        return (who or self.manager).post(f"{self.page}/{what}", fields)

    def shown(self, **fields: str) -> str:
        answer = self.manager.get(self.page, fields)
        assert answer.status_code == 200
        return answer.content.decode()

    def seen(self) -> str:
        found = re.search(r'name="seen" value="([^"]*)"', self.shown())
        assert found
        return found[1]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Two databases are imported, and no pair was found yet."""
    project = imported(tmp_path / "made", people=150)
    make_installation_keys()
    return Scene(
        project,
        tmp_path / "made",
        signed_in(member(project, "manager", "maria")),
        signed_in(member(project, "manager", "marc")),
        signed_in(member(project, "auditor", "otto")),
    )


@pytest.fixture
def scored(scene: Scene) -> Scene:
    """The pairs are there, with weights from −12 to 19."""
    weighed = scene.made / "weighed.csv"
    with (scene.made / "truth.csv").open(encoding="utf-8") as truth:
        rows = list(csv.reader(truth))[1:]
    lines = [f"{row[0]},{row[1]},{place % 63 * 0.5 - 12}" for place, row in enumerate(rows)]
    weighed.write_text("unique_id_l,unique_id_r,match_weight\n" + "\n".join(lines))
    done("pairs", "upload", "study", str(weighed))
    done("pairs", "bands", "study", "--lower", "-3.5", "--upper", "5.5")
    return scene


def figures(page: str) -> list[int]:
    """The pairs not linked, for people, and linked."""
    return [int(each.replace(",", "")) for each in re.findall(r"<b>([\d,]+)</b>", page)]


def error_at(page: str, name: str) -> str:
    """Return the sentence at a field, which the field must name."""
    found = re.search(rf'<p class="error" id="{name}_error">\s*(.*?)\s*</p>', page)
    assert found, f"nothing is said at {name}"
    control = re.search(rf'<(?:input|select|textarea)[^>]*id="{name}"[^>]*>', page)
    assert control
    assert f"{name}_error" in control[0], "the field does not name its error"
    assert 'aria-invalid="true"' in control[0]
    return found[1]


def test_without_databases_one_is_sent_to_bring_them() -> None:
    empty = Project.objects.create(name="empty", identity_key="none")
    manager = signed_in(member(empty, "manager"))
    answer = manager.get("/projects/empty/pairs")
    assert (answer.status_code, answer["Location"]) == (302, "/projects/empty/data")
    found = manager.post("/projects/empty/pairs/find", {"mode": "link", "most": "9"})
    assert found.status_code == 400
    assert b"Import databases first" in found.content
    assert not Job.objects.exists()


def test_comparisons_are_counted_before_they_are_made(scene: Scene) -> None:
    page = scene.shown()
    assert "Find pairs to compare" in page
    planned = candidates.plan_pairs(project=scene.project)
    assert f"learns from at most <strong>{planned.blocking.total:,}</strong> pairs" in page
    assert f"Then up to <strong>{planned.most:,}</strong> more pairs are compared" in page
    for rule, pairs in planned.blocking.listed():
        assert all(f"<strong>{key_label(name)}</strong>" in page for name in rule)
        assert f'<td class="number">{pairs:,}</td>' in page
    few = scene.shown(mode="both", most="2000", source="exact")
    bound = candidates.plan_pairs(project=scene.project, mode="both", most=2000).blocking.total
    assert f"<strong>{bound:,}</strong> pairs are compared" in few
    assert "Then up to" not in few
    assert 'value="2000"' in few
    assert re.search(r'value="both" selected', few)


def test_own_rules_are_counted_and_take_their_part_of_the_comparisons(scene: Scene) -> None:
    asked = {"mode": "link", "most": "5000", "own": "last_name + year of birth_date\n"}
    (pairs,) = candidates.plan_pairs(
        project=scene.project, own=["last_name + year of birth_date"]
    ).own.comparisons
    page = scene.shown(**asked)
    assert "<strong>Last name</strong> and <strong>year of Birth date</strong>" in page
    assert f"With your own rules, at most <strong>{pairs:,}</strong> pairs are compared." in page
    assert f"Then up to <strong>{5000 - pairs:,}</strong> more pairs" in page
    assert "Then up to" not in scene.shown(**asked, source="own")
    answer = scene.post("find", {**asked, "source": "own", "seen": ""})
    assert answer.status_code == 302
    assert Job.objects.get().parameters == {
        "mode": "link",
        "most": 5000,
        "source": "own",
        "own": ["last_name + year of birth_date"],
        "seed": 1,
    }


def test_a_changed_choice_is_answered_without_the_page(scene: Scene) -> None:
    answer = scene.manager.get(
        scene.page, {"mode": "dedupe", "most": "3000"}, headers={"HX-Request": "true"}
    )
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "pairs are compared" in text
    assert "<html" not in text
    wrong = scene.manager.get(
        scene.page, {"mode": "dedupe", "most": "x"}, headers={"HX-Request": "true"}
    )
    assert wrong.status_code == 422
    assert b"Enter a whole number, in digits." in wrong.content


def test_many_records_are_counted_after_the_page_is_drawn(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindfirl.web.pairs.views._COUNTED_AT_ONCE", 10)
    page = scene.shown()
    assert "pairs are compared" not in page
    assert 'hx-trigger="load"' in page
    alone = scene.manager.get(scene.page, headers={"HX-Request": "true"})
    assert b"pairs are compared" in alone.content
    assert "pairs are compared" in scene.shown(mode="link", most="5000"), "asked for by name"


def test_pairs_are_found_by_long_work(scene: Scene) -> None:
    fields = {"mode": "both", "most": "4000", "seen": ""}
    answer = scene.post("find", fields)
    assert (answer.status_code, answer["Location"]) == (302, scene.page)
    job = Job.objects.get()
    assert (job.kind, job.state) == ("pairs score", "waiting")
    derived = {"source": "derived", "own": []}
    assert job.parameters == {"mode": "both", "most": 4000, **derived, "seed": 1}
    page = scene.shown()
    assert "Finding pairs" in page
    assert ">Find pairs<" not in page, "one work at a time"
    again = scene.manager.post(f"{scene.page}/find", fields, follow=True)
    assert str(Busy()) in again.content.decode()
    assert Job.objects.count() == 1


def test_what_comparing_takes_is_shown_without_scripts(scene: Scene) -> None:
    answer = scene.post("find", {"mode": "link", "most": "2500", "show": "1", "seen": ""})
    assert answer.status_code == 302
    assert "2500" in scene.manager.get(answer["Location"]).content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("fields", "name", "sentence"),
    [
        ({"mode": "link", "most": ""}, "id_most", "Enter the maximum number of comparisons."),
        ({"mode": "link", "most": "many"}, "id_most", "Enter a whole number, in digits."),
        ({"mode": "link", "most": "2.5"}, "id_most", "Enter a whole number, in digits."),
        ({"mode": "link", "most": "-4"}, "id_most", "Allow at least one comparison"),
        ({"mode": "link", "most": "9" * 30}, "id_most", "less than or equal to"),
        ({"mode": "link", "most": "1"}, "id_most", "Even the strictest rule makes"),
        ({"mode": "", "most": "5000"}, "id_mode", "Choose one of these."),
        ({"mode": "each", "most": "5000"}, "id_mode", "Choose one of these."),
        ({"mode": "link", "most": "500", "own": "colour"}, "id_own", "A rule names first_name"),
        ({"mode": "link", "most": "500", "own": "sex"}, "id_own", "Your own rules make"),
        ({"mode": "link", "most": "500", "source": "own"}, "id_own", "Enter at least one rule"),
        ({"mode": "link", "most": "500", "source": "all"}, "id_source", "Choose one of these."),
    ],
)
def test_wrong_choices_are_said_at_their_field(
    scene: Scene, fields: dict[str, str], name: str, sentence: str
) -> None:
    answer = scene.post("find", {**fields, "seen": ""})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in error_at(page, name)
    assert "autofocus" in page
    assert not fields["most"] or f'name="most" value="{fields["most"]}"' in page, (
        "what was typed is kept"
    )
    assert not Job.objects.exists()


def test_one_database_is_only_looked_through_for_duplicates(scene: Scene) -> None:
    done("project", "create", "one", "--synthetic")
    done("data", "import", "one", str(scene.made / "hospital.csv"), "--yes")
    one = Project.objects.get(name="one")
    manager = signed_in(member(one, "manager"))
    page = manager.get("/projects/one/pairs").content.decode()
    assert "within the database" in page
    assert "between databases" not in page
    answer = manager.post("/projects/one/pairs/find", {"mode": "link", "most": "5000", "seen": ""})
    assert answer.status_code == 422


def test_scored_pairs_are_brought_and_replace_those_before(scored: Scene) -> None:
    page = scored.shown(again="")
    assert "pairs stay" in page
    content = (scored.made / "truth.csv").read_bytes()
    fields = {
        "file": SimpleUploadedFile("scores.csv", content),
        "mode": "link",
        "seen": scored.seen(),
        "complete": "1",
    }
    answer = scored.post("upload", fields)
    assert (answer.status_code, answer["Location"]) == (302, scored.page)
    job, upload = Job.objects.get(), Upload.objects.get()
    assert (job.kind, job.parameters) == ("pairs upload", {"mode": "link"})
    assert (upload.purpose, upload.file_name) == ("pairs", "scores.csv")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (None, b"", "No file was selected. Choose a file first."),
        ("scores.csv", b"", "empty"),
        ("scores.pdf", b"left,right", "pdf"),
        ("scores.csv", b"left,right\n" * 40, "bytes"),
    ],
)
def test_files_that_cannot_be_taken(
    scene: Scene, settings: Settings, name: str | None, content: bytes, sentence: str
) -> None:
    settings.UPLOAD_LIMIT = 200
    fields: dict[str, Any] = {"mode": "both", "seen": "", "complete": "1"}
    if name:
        fields["file"] = SimpleUploadedFile(name, content)
    answer = scene.post("upload", fields)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in error_at(page, "upload_file")
    assert not Job.objects.exists()
    assert not Upload.objects.exists()
    assert not list(Path(settings.MINDFIRL_HOME).rglob("*.upload"))
    assert not list(Path(settings.MINDFIRL_HOME).rglob("*.part"))


def test_a_file_without_token_or_end_is_not_kept(scene: Scene, home: Path) -> None:
    file = (scene.made / "truth.csv").read_bytes()
    fields = {"mode": "link", "seen": "", "file": SimpleUploadedFile("scores.csv", file)}
    answer = scene.post("upload", fields)
    assert "the connection was lost" in error_at(answer.content.decode(), "upload_file")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = scene.manager.cookies
    fields = {**fields, "complete": "1", "file": SimpleUploadedFile("scores.csv", file)}
    assert strict.post(f"{scene.page}/upload", fields).status_code == 403
    assert not Upload.objects.exists()
    assert not [*home.rglob("*.upload"), *home.rglob("*.part")]


def test_the_thresholds_say_what_they_ask_of_people(scored: Scene) -> None:
    page = scored.shown()
    assert "How much can your people review?" in page
    pairs = open_pairs(scored.project)
    told = candidates.burden_of(pairs, pairs.bands)
    assert figures(page) == [told["non_links"], told["review"], told["links"]]
    assert sum(figures(page)) + told["settled"] == len(pairs.candidates)
    assert 'value="-3.5"' in page
    assert 'value="5.5"' in page
    assert "−3.5</text>" in page
    assert "style=" not in page


def test_the_bars_hold_every_pair_and_none_is_cut_by_a_threshold(scored: Scene) -> None:
    page = scored.shown()
    rows = re.findall(r"<tr><td>(−?[\d.]+)</td><td>(−?[\d.]+)</td><td>([\d,]+)</td></tr>", page)
    assert sum(int(pairs.replace(",", "")) for _, _, pairs in rows) == Scoring.objects.get().pairs
    assert all(float(end.replace("−", "-")) * 2 % 1 == 0 for _, end, _ in rows)
    heights = [
        float(each) for each in re.findall(r'<rect x="[\d.]+%"[^>]* height="([\d.]+)"/>', page)
    ]
    assert max(heights) == HEIGHT
    assert len(heights) == len(rows)


def test_any_thresholds_are_answered_without_keeping_them(scored: Scene) -> None:
    asked = {"lower": "-6", "upper": "9.5", "seen": scored.seen()}
    answer = scored.manager.get(f"{scored.page}/thresholds", asked)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in text
    pairs = open_pairs(scored.project)
    told = candidates.burden_of(pairs, Bands(-6, 9.5))
    assert figures(text) == [told["non_links"], told["review"], told["links"]]
    without = scored.shown(lower="-6", upper="9.5")
    assert figures(without) == figures(text)
    assert Scoring.objects.get().lower == -3.5


def test_thresholds_beyond_all_pairs_are_told_in_words(
    scored: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the software had weighed the pairs
    monkeypatch.setattr(OpenPairs, "bins", property(lambda pairs: weight_bins(pairs.candidates)))
    asked = {"lower": "-90", "upper": "90", "seen": scored.seen()}
    text = scored.manager.get(f"{scored.page}/thresholds", asked).content.decode()
    assert "thresholds below all pairs and above all pairs" in text
    scored.manager.post(f"{scored.page}/thresholds", asked)
    page = scored.shown()
    assert (Scoring.objects.get().lower, Scoring.objects.get().upper) == (-1000, 1000)
    assert page.count(">none</text>") == 2
    assert "1000<" not in page
    fields = re.findall(r'<input[^>]* name="(?:lower|upper)"[^>]*>', page)
    assert [re.search(r' value="-?1000"', field) for field in fields] == [None, None]


@pytest.mark.parametrize(
    ("lower", "upper", "at", "sentence"),
    [
        ("", "5", "lower", "Enter the lower threshold."),
        ("1", "", "upper", "Enter the upper threshold."),
        ("low", "5", "lower", "must be a number"),
        ("1", "nan", "upper", "must be a number"),
        ("-inf", "5", "lower", "must be a number"),
        ("1", "1e9", "upper", "less than or equal to 1000"),
        ("3", "1", "lower", "The lower threshold is above the upper one."),
    ],
)
def test_wrong_thresholds_are_said_and_kept(
    scored: Scene, lower: str, upper: str, at: str, sentence: str
) -> None:
    fields = {"lower": lower, "upper": upper, "seen": scored.seen()}
    alone = scored.manager.get(f"{scored.page}/thresholds", fields)
    assert alone.status_code == 422
    assert sentence in alone.content.decode()
    asked = scored.manager.get(scored.page, {"lower": lower, "upper": upper})
    saved = scored.post("thresholds", fields)
    for answer in (asked, saved):
        page = answer.content.decode()
        assert answer.status_code == 422
        assert sentence in error_at(page, f"id_{at}")
        typed = lower if at == "lower" else upper
        assert not typed or f'name="{at}" value="{typed}"' in page
    kept = Scoring.objects.get()
    assert (kept.lower, kept.upper) == (-3.5, 5.5)


def test_thresholds_are_kept_and_one_goes_on(scored: Scene) -> None:
    fields = {"lower": "-2", "upper": "4.25", "seen": scored.seen(), "sample": "50"}
    answer = scored.post("thresholds", fields)
    assert (answer.status_code, answer["Location"]) == (302, "/projects/study/plan")
    kept = Scoring.objects.get()
    assert (kept.lower, kept.upper) == (-2, 4.25)
    assert sample_of(Project.objects.get()) == 0
    assert not Job.objects.exists()
    shown = scored.post("thresholds", {**fields, "lower": "-9", "seen": scored.seen(), "show": "1"})
    assert shown["Location"] == f"{scored.page}?lower=-9&upper=4.25"
    assert Scoring.objects.get().lower == -2


@pytest.mark.parametrize(
    ("sampled", "sample", "sentence"),
    [
        ("on", "", "Enter how many pairs of each band"),
        ("on", "0", "greater than or equal to 1"),
        ("on", "lots", "Enter a whole number"),
        ("on", "99999", "less than or equal to 10000"),
    ],
)
def test_wrong_samples_are_said_and_kept(
    scored: Scene, sampled: str, sample: str, sentence: str
) -> None:
    fields = {"lower": "-2", "upper": "4", "seen": scored.seen()}
    answer = scored.post("thresholds", {**fields, "sampled": sampled, "sample": sample})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in error_at(page, "id_sample")
    assert 'name="sampled"' in page
    assert "checked" in page
    assert Scoring.objects.get().lower == -3.5


def test_a_sample_of_the_automatic_bands_can_be_asked_for(scored: Scene) -> None:
    fields = {"lower": "-2", "upper": "4", "seen": scored.seen(), "sampled": "on", "sample": "25"}
    scored.post("thresholds", fields)
    plan = Plan.objects.get()
    assert (plan.content["quality_sample"], plan.revision) == (25, 1)
    page = scored.shown()
    assert 'name="sample" value="25"' in page
    scored.post("thresholds", {**fields, "seen": scored.seen(), "sampled": ""})
    assert sample_of(Project.objects.get()) == 0


def test_the_second_of_two_managers_is_told(scored: Scene) -> None:
    mine = scored.seen()
    scored.post("thresholds", {"lower": "0", "upper": "4", "seen": mine}, scored.other)
    late = scored.post("thresholds", {"lower": "-8", "upper": "8", "seen": mine})
    page = late.content.decode()
    assert late.status_code == 409
    assert "another person changed this" in page
    assert 'name="lower" value="-8"' in page
    assert Scoring.objects.get().lower == 0
    newer = re.search(r'name="seen" value="([^"]*)"', page)
    assert newer
    again = scored.post("thresholds", {"lower": "-8", "upper": "8", "seen": newer[1]})
    assert again.status_code == 302
    assert Scoring.objects.get().lower == -8


def test_pairs_that_were_found_anew_meanwhile_are_told(scored: Scene) -> None:
    mine = scored.seen()
    done("pairs", "upload", "study", str(scored.made / "truth.csv"))
    alone = scored.manager.get(
        f"{scored.page}/thresholds", {"lower": "0", "upper": "1", "seen": mine}
    )
    assert alone.status_code == 409
    assert b"found again" in alone.content
    assert scored.post("thresholds", {"lower": "0", "upper": "1", "seen": mine}).status_code == 409
    find = scored.post("find", {"mode": "link", "most": "5000", "seen": mine})
    assert find.status_code == 409
    assert b"another person changed this" in find.content
    file = SimpleUploadedFile("scores.csv", (scored.made / "truth.csv").read_bytes())
    fields = {"file": file, "mode": "link", "seen": mine, "complete": "1"}
    assert scored.post("upload", fields).status_code == 409
    assert not Job.objects.exists()
    assert not Upload.objects.exists()


def test_pairs_of_an_earlier_import_are_told_of(scored: Scene) -> None:
    Job.objects.create(project=scored.project, kind="pairs score", state="done")
    done("data", "import", "study", str(scored.made / "hospital.csv"), "--yes")
    page = scored.shown()
    assert "Find pairs to compare" in page
    assert "The databases have changed since" in page
    gone = scored.post("thresholds", {"lower": "0", "upper": "1", "seen": "1"})
    assert (gone.status_code, gone["Location"]) == (302, scored.page)


def test_thresholds_wait_for_other_work_on_the_project(scored: Scene) -> None:
    seen = scored.seen()
    with locked(scored.project.id):
        answer = scored.post("thresholds", {"lower": "0", "upper": "1", "seen": seen})
    assert answer.status_code == 409
    assert Scoring.objects.get().lower == -3.5


def test_failed_work_says_why_and_can_be_tried_again(scene: Scene) -> None:
    sentence = "The comparison failed on DuckDB, and nothing was kept."
    Job.objects.create(project=scene.project, kind="pairs score", state="failed", sentence=sentence)
    page = scene.shown()
    assert sentence in page
    assert "Find pairs" in page


def test_no_pairs_at_all(scene: Scene) -> None:
    apart = scene.made / "apart.csv"
    apart.write_text("id,first_name,last_name\n1,Ada,Mann\n2,Bo,Quill\n", encoding="utf-8")
    done("project", "create", "apart", "--synthetic")
    done("data", "import", "apart", str(apart), "--yes")
    done("pairs", "score", "apart")
    manager = signed_in(member(Project.objects.get(name="apart"), "manager"))
    page = manager.get("/projects/apart/pairs").content.decode()
    assert "No candidate pairs were found" in page
    assert "Continue to plan" not in page
    assert "Score again" in page


def test_who_may_see_and_who_may_change(scored: Scene) -> None:
    seen = scored.seen()
    elsewhere = Project.objects.create(name="elsewhere", identity_key="none")
    cast = {
        "auditor": (scored.auditor, 403, 403),
        "worker": (signed_in(member(scored.project, "worker")), 403, 403),
        "manager elsewhere": (signed_in(member(elsewhere, "manager")), 404, 404),
        "stranger": (signed_in(person()), 404, 404),
        "nobody": (Client(), 302, 302),
    }
    for who, (client, sees, changes) in cast.items():
        asked = {"lower": "0", "upper": "1", "seen": seen}
        assert client.get(scored.page).status_code == sees, who
        assert client.get(f"{scored.page}/thresholds", asked).status_code == sees, who
        for what in ("thresholds", "find", "upload"):
            assert scored.post(what, asked, client).status_code == changes, (who, what)
    assert Scoring.objects.get().lower == -3.5
    assert not Job.objects.exists()


def answered(scene: Scene, content: bytes | None, **fields: str) -> Any:  # a response
    sent: dict[str, Any] = {"source": "Registry of 2024", "complete": "1", **fields}
    if content is not None:
        sent["file"] = SimpleUploadedFile("known.csv", content)
    return scene.post("answers", sent)


def test_known_answers_are_taken_in_on_the_page_of_pairs(scored: Scene) -> None:
    ids = (scored.made / "truth.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[:2]
    answer = answered(scored, f"left,right,answer\n{ids[0]},{ids[1]},same\n".encode())
    assert (answer.status_code, answer["Location"]) == (302, scored.page)
    assert work().state == "done"
    made = LabelSet.objects.get()
    assert (made.source, made.pairs, Upload.objects.count()) == ("Registry of 2024", 1, 0)
    assert "1 pairs of version 1, from Registry of 2024" in scored.shown(again="")


def test_answers_without_a_file_or_an_origin_are_refused(scored: Scene) -> None:
    page = answered(scored, None).content.decode()
    assert "No file was selected. Choose a file first." in error_at(page, "answers_file")
    page = answered(scored, b"left,right,answer\n", source=" ").content.decode()
    assert "Enter the source of the answers" in error_at(page, "answers_source")
    assert not Job.objects.exists()
    assert not Upload.objects.exists()


def test_answers_that_say_something_else_end_the_work_with_a_sentence(scored: Scene) -> None:
    answered(scored, b"left,right,answer\na,b,perhaps\n")
    job = work()
    assert (job.state, LabelSet.objects.count()) == ("failed", 0)
    assert job.sentence.startswith("known.csv")
    assert "neither same nor different" in scored.shown()
