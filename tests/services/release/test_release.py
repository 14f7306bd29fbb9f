"""What leaves a project: releases, labels, crosswalks; and what must not."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from mindfirl.core.errors import (
    FieldErrors,
    KeyMissing,
    MindfirlError,
    NotAllowed,
    ProjectClosed,
    SettingError,
)
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.decisions import Decision
from mindfirl.services.projects import add_member
from mindfirl.services.projects.closing import close_project
from mindfirl.services.release import creation, handover, release_choices, release_states
from mindfirl.services.upkeep.health import examine, rotate_keys
from mindfirl.store import vault
from mindfirl.store.crypto.envelope import (
    make_key_pair,
    passphrase,
    read_private_key,
    read_public_key,
)
from mindfirl.store.crypto.keys import key_path
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Account, AssignedPair, Handover, Release, SealedFile
from tests.conftest import Figure
from tests.engine.release.test_table import tau
from tests.support.exported import (
    Linked,
    ids_of,
    import_again,
    make_linked,
    opened,
    own_value,
    rows_of,
    synthetic,
)
from tests.support.ledgers import set_rules, verify_project
from tests.support.people import PASSWORD, posted, signed_up

COLUMNS = [
    *("person", "database", "linked", "records", "certainty"),
    *("diagnosis", "notes", "own", "site"),
]
AGREED = "All of them agreed to that in writing."
VALUES = {"hospital": ["diagnosis", "notes"], "registry": ["site"]}


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    return make_linked(tmp_path, synthetic(60))


@pytest.fixture
def leaking(home: Path, tmp_path: Path) -> Linked:
    """The same with notes that name people."""
    assert home.exists()
    return make_linked(tmp_path, synthetic(300, leaks=True), automatic=1)


def downloaded(linked: Linked, release: Release, **changes: Any) -> handover.Handed:
    about: dict[str, Any] = {
        "request": posted(),
        "release": release,
        "actor": linked.actor,
        "account": linked.manager,
        "password": PASSWORD,
        "form": "parquet",
    }
    return handover.download(**(about | changes))


def told(linked: Linked) -> list[str]:
    """Return what the ledger says last, without its digests."""
    verify_project(linked.project)
    return [line.split(" ", 1)[1] for line in lines(linked.project)]


def by_person(rows: Iterable[dict[str, Any]]) -> set[frozenset[str]]:
    """Return which records are one person's, by what each record alone has."""
    found = defaultdict(set)
    for row in rows:
        found[row["person"]].add(row["own"])
    return {frozenset(each) for each in found.values()}


def joined(linked: Linked) -> set[frozenset[str]]:
    """Join records as links and decisions say, the slow way."""
    persons = {record: {own_value(record)} for record in linked.records()}
    decided = [pair for pair, same in linked.decided.items() if same]
    for left, right in [*linked.links, *decided]:
        both = persons[left] | persons[right]
        for record in linked.records():
            if own_value(record) in both:
                persons[record] = both
    return {frozenset(each) for each in persons.values()}


def test_a_release_holds_the_sensitive_values_of_exactly_the_right_persons(
    linked: Linked, figure: Figure
) -> None:
    release = linked.release(linked_only=False)
    assert (release.state, release.report["columns"]) == ("ready", COLUMNS)
    text = downloaded(linked, release, form="csv").content
    frame = pd.read_csv(text, dtype=str, keep_default_na=False)
    table = opened(downloaded(linked, release)).to_pandas().fillna("")
    assert frame.equals(table.astype(frame.dtypes))
    rows: list[dict[str, Any]] = frame.to_dict("records")
    records = {own_value(name): (name, each) for name, each in linked.records().items()}
    assert sorted(row["own"] for row in rows) == sorted(records)
    for row in rows:
        _, record = records[row["own"]]
        assert row["database"] == record["database"]
        assert {name: row[name] for name in COLUMNS[5:] if row[name]} == {
            name: record[name] for name in ["own", *VALUES[record["database"]]]
        }
    assert by_person(rows) == joined(linked)
    person = {records[row["own"]][0]: row["person"] for row in rows}
    truth = {(row["left"], row["right"]) for row in linked.made.truth.to_pylist()}
    right = [pair for pair, same in linked.decided.items() if same == (pair in truth)]
    for pair in [*right, *linked.links]:
        assert (person[pair[0]] == person[pair[1]]) == (pair in truth)
    figure(f"{len(right)} pairs decided rightly: the records of all are with the right persons")


def test_it_says_how_each_record_was_linked(linked: Linked) -> None:
    rows = {row["own"]: row["linked"] for row in rows_of(linked.release(linked_only=False))}
    decided = {each for pair, same in linked.decided.items() if same for each in pair}
    automatic = {each for pair in linked.links for each in pair}
    for record in linked.records():
        how = "reviewed" if record in decided else "automatic" if record in automatic else "single"
        assert rows[own_value(record)] == how


def test_linked_persons_alone_unless_all_are_asked_for(linked: Linked) -> None:
    several = {each for each in joined(linked) if len(each) > 1}
    release = linked.release()
    assert by_person(rows_of(release)) == several
    assert release.report["persons"] == len(several)
    assert release.report["rows"] == 2 * len(several)


def test_two_releases_share_no_person_number(linked: Linked) -> None:
    first, second = ({row["person"] for row in rows_of(linked.release())} for _ in range(2))
    assert first
    assert not first & second


def test_the_order_of_rows_says_nothing_about_that_of_the_databases(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    linked = make_linked(tmp_path, synthetic(7_700), automatic=1)
    rows = rows_of(linked.release(linked_only=False))
    places = {own_value(record): place for place, record in enumerate(linked.records())}
    stored = {own_value(record): place for place, record in enumerate(ids_of(linked.project))}
    for order in (places, stored):
        found = tau([order[row["own"]] for row in rows])
        assert abs(found) < 0.03
        figure(f"records and rows of a release, {len(rows):,} rows: Kendall's τ = {found:.4f}")


def test_what_the_check_finds_blocks_until_it_is_settled(leaking: Linked) -> None:
    release = leaking.release(linked_only=False)
    assert release.state == "blocked"
    found = [each for each in release.report["findings"] if each["column"] == "notes"]
    assert [each["kind"] for each in found] == ["word", "free text"]
    finding = found[0]
    named = sum("Spoke to" in note for note in leaking.made.hospital["notes"].to_pylist())
    assert finding["count"] >= named > 0
    with pytest.raises(SettingError, match="blocked by its check"):
        downloaded(leaking, release)
    about: dict[str, Any] = {
        "release": release,
        "actor": leaking.actor,
        "account": leaking.manager,
        "column": "notes",
        "kind": "word",
    }
    for wrong in (" ", "x", "x x x", "x y z", "ok ok ok ok ok ok", "agreed", "x" * 501, "\0"):
        with pytest.raises(FieldErrors):
            release_states.settle_finding(**about, reason=wrong)
    with pytest.raises(SettingError, match="no such finding"):
        release_states.settle_finding(**(about | {"kind": "number"}), reason=AGREED)
    assert release_states.settle_finding(**about, reason=AGREED).state == "blocked"
    settled = release_states.settle_finding(**(about | {"kind": "free text"}), reason=AGREED)
    assert settled.state == "ready"
    assert settled.report["findings"][0]["settled"]["reason"] == AGREED
    with pytest.raises(SettingError, match="already settled"):
        release_states.settle_finding(**about, reason=AGREED)
    assert opened(downloaded(leaking, settled)).num_rows == release.report["rows"]
    assert [each for each in told(leaking) if '"finding settled"' in each]
    assert not any(note in line for line in lines(leaking.project) for note in ("Spoke", "phone"))


def test_coarsened_columns_come_with_k_and_l_beside_a_minimum(linked: Linked) -> None:
    choices = {"coarsen": {"born": "decade"}, "linked_only": False}
    release = linked.release(**choices, least_k=1, least_l=1)
    assert release.state == "ready"
    assert release.report["coarse"] == ["born_decade"]
    born = {
        own_value(name): (each.get("birth_date") or "")[-4:-1] or (each.get("dob") or "")[:3]
        for name, each in linked.records().items()
    }
    groups = defaultdict(set)
    for row in rows_of(release):
        assert not row["born_decade"] or row["born_decade"] == f"{born[row['own']]}0s"
        groups[row["database"], row["born_decade"]].add(row["person"])
    assert release.report["anonymity"]["k"] == min(map(len, groups.values()))


@pytest.mark.parametrize("least", [{"least_k": 99, "least_l": 1}, {"least_k": 1, "least_l": 99}])
def test_groups_that_are_too_small_cannot_be_settled(linked: Linked, least: dict[str, int]) -> None:
    release = linked.release(coarsen={"zip": 1}, **least)
    assert release.state == "blocked"
    assert (
        len(release_states.barriers(release.report, release_choices.kept_choices(release.choices)))
        == 1
    )
    with pytest.raises(SettingError, match="blocked by its check"):
        downloaded(linked, release)
    with pytest.raises(SettingError, match="reate another"):
        release_states.settle_finding(
            release=release,
            actor=linked.actor,
            account=None,
            column="zip_1",
            kind="word",
            reason=AGREED,
        )


def test_choices_are_checked_field_by_field(linked: Linked) -> None:
    typed = release_choices.ChoicesTyped(
        coarsen={"born": "week", "first": "1", "sex": "1", "zip": "3", "number": ""},
        least_k="0",
        least_l="many",
        term="9999",
    )
    with pytest.raises(FieldErrors) as wrong:
        release_choices.read_choices(linked.linkage, typed)
    fields = {"least_k", "least_l", "term", "coarsen-born", "coarsen-first", "coarsen-sex"}
    assert set(wrong.value.fields) == fields
    right = release_choices.ChoicesTyped(
        linked_only=False, coarsen={"born": "year", "zip": "3"}, term="7"
    )
    choices = release_choices.read_choices(linked.linkage, right)
    assert choices == release_choices.Choices(
        linked_only=False, coarsen={"born": "year", "zip": 3}, least_k=5, least_l=2, term=7
    )
    assert release_choices.kept_choices(choices.written()) == choices


def test_values_that_would_stay_whole_are_not_released(linked: Linked, tmp_path: Path) -> None:
    assert tmp_path.exists()
    made = linked.made
    short = replace(made, hospital=with_short_zips(made.hospital, "zip"))
    again = import_again(linked, tmp_path, short)
    with pytest.raises(MindfirlError, match="stay complete"):
        again.release(coarsen={"zip": 3})
    assert not Release.objects.exists()
    assert examine() == []


def with_short_zips(table: Any, column: str) -> Any:
    short = [value[:3] if value else value for value in table[column].to_pylist()]
    return table.set_column(table.column_names.index(column), column, [short])


def test_a_release_has_a_key_of_its_own_and_the_numbers_are_sensitive(linked: Linked) -> None:
    release, other = linked.release(), linked.release()
    for each in (release, other):
        assert each.data
        assert each.numbers
        assert each.numbers.key == linked.project.sensitive_key
        assert key_path(linked.project.id, "release", each.data.key).is_file()
    assert release.data
    assert other.data
    own = {release.data.key, other.data.key}
    assert not own & {linked.project.identity_key, linked.project.sensitive_key}
    assert len(own) == 2


def test_the_process_that_serves_pages_cannot_make_one(linked: Linked, settings: Settings) -> None:
    before = SealedFile.objects.count()
    release = linked.release()
    settings.PART = "web"
    with pytest.raises(KeyMissing, match="sensitive"):
        linked.release()
    settings.PART = "all"
    assert downloaded(linked, release).content.getvalue()
    assert SealedFile.objects.count() == before + 3
    assert examine() == []


def test_an_import_leaves_releases_and_new_keys_do_not_change_them(
    linked: Linked, tmp_path: Path
) -> None:
    release = linked.release()
    before = rows_of(release)
    import_again(linked, tmp_path, linked.made)
    rotate_keys(project=linked.project)
    release = Release.objects.get(pk=release.pk)
    assert rows_of(release) == before
    assert release.numbers
    assert vault.unseal(release.numbers).num_rows == len(linked.records())
    assert examine() == []


def test_a_download_is_recorded_before_the_first_byte(linked: Linked) -> None:
    release = linked.release()
    handed = downloaded(linked, release, form="csv")
    assert handed.name == "study-synthetic-release-1.csv"
    (given,) = Handover.objects.all()
    assert (given.account, given.what, given.release) == (linked.manager, "data", release)
    assert '"handed over"' in told(linked)[-1]
    assert str(linked.manager.pk) in told(linked)[-1]


def test_a_wrong_password_is_refused_and_counted(linked: Linked) -> None:
    release = linked.release()
    for _ in range(5):
        with pytest.raises(FieldErrors, match="Wrong password"):
            downloaded(linked, release, password="wrong")
    with pytest.raises(FieldErrors, match="Wrong password"):
        downloaded(linked, release)
    assert not Handover.objects.exists()


def test_an_expired_release_is_refused_then_deleted_with_its_key(linked: Linked) -> None:
    release, stays = linked.release(term=3), linked.release(term=30)
    expires = release.expires
    assert expires == timezone.now().date() + timedelta(days=3)
    key, files = key_file(release), files_of(release)
    later = timezone.now() + timedelta(days=3)
    assert release_states.delete_expired(now=later) == 0
    Release.objects.filter(pk=release.pk).update(expires=later.date() - timedelta(days=4))
    release.refresh_from_db()
    with pytest.raises(SettingError, match="has expired"):
        downloaded(linked, release)
    assert key.exists()
    assert release_states.delete_expired() == 1
    Release.objects.filter(pk=release.pk).update(expires=expires)  # as the ledger tells
    assert_deleted(linked, release, key, files)
    assert "Its term is over." in told(linked)[-1]
    assert key_file(stays).exists()
    assert release_states.delete_expired() == 0


def key_file(release: Release) -> Path:
    assert release.data
    return key_path(release.project_id, "release", release.data.key)


def files_of(release: Release) -> list[Path]:
    files = [file for file in (release.data, release.numbers, release.coverage) if file]
    return [vault.path_of(release.project_id, file.name) for file in files]


def assert_deleted(linked: Linked, release: Release, key: Path, files: list[Path]) -> None:
    """Nothing of a release is left but what was told of it."""
    release = Release.objects.get(pk=release.pk)
    assert (release.state, release.data, release.numbers) == ("deleted", None, None)
    assert release.deleted
    assert len(files) == 3
    assert not any(path.exists() for path in (key, *files))
    assert not SealedFile.objects.filter(kind="release", key=key.stem.split("-")[1]).exists()
    with pytest.raises(SettingError, match="was deleted"):
        downloaded(linked, release)
    assert examine() == []


def test_a_manager_deletes_a_release_for_a_reason(linked: Linked) -> None:
    release = linked.release()
    key, files = key_file(release), files_of(release)
    with pytest.raises(FieldErrors):
        release_states.delete_release(release=release, actor=linked.actor, reason="")
    release_states.delete_release(
        release=release, actor=linked.actor, reason="a better one is there"
    )
    assert_deleted(linked, release, key, files)
    with pytest.raises(SettingError, match="already deleted"):
        release_states.delete_release(release=release, actor=linked.actor, reason="again")
    assert "a better one is there" in told(linked)[-1]


def test_files_of_people_who_exist_do_not_say_that_they_do_not(linked: Linked) -> None:
    set_rules(linked.project, synthetic=False)
    release = Release.objects.select_related("project").get(pk=linked.release().pk)
    assert downloaded(linked, release, form="csv").name == "study-release-1.csv"


def test_who_has_the_crosswalk_does_not_get_the_data(linked: Linked) -> None:
    release, other = linked.release(), linked.release()
    handed = handover.give_crosswalk(
        release=release, actor=COMMAND_LINE, to=linked.manager, lock=passphrase("a long passphrase")
    )
    assert handed.name == "study-synthetic-release-1.crosswalk"
    with pytest.raises(SettingError, match="Nobody can have both"):
        downloaded(linked, release)
    assert downloaded(linked, other).content.getvalue()
    assert [each.what for each in Handover.objects.order_by("pk")] == ["crosswalk", "data"]
    assert any('"crosswalk"' in line and str(linked.manager.pk) in line for line in told(linked))


def test_who_has_the_data_does_not_get_the_crosswalk(linked: Linked) -> None:
    release = linked.release()
    downloaded(linked, release)
    lock = passphrase("a long passphrase")
    with pytest.raises(SettingError, match="Nobody can have both"):
        handover.give_crosswalk(release=release, actor=COMMAND_LINE, to=linked.manager, lock=lock)
    assert Handover.objects.count() == 1
    somebody = signed_up("somebody")
    handover.give_crosswalk(release=release, actor=COMMAND_LINE, to=somebody, lock=lock)


def test_a_crosswalk_leads_from_record_ids_to_person_numbers(
    linked: Linked, tmp_path: Path
) -> None:
    release = linked.release()
    public, private = make_key_pair(tmp_path / "office")
    handed = handover.give_crosswalk(
        release=release,
        actor=COMMAND_LINE,
        to=signed_up("custodian"),
        lock=read_public_key(public),
    )
    sealed = handed.content.getvalue()
    assert not any(name.encode() in sealed for name in linked.records())
    plain = b"".join(handover.open_crosswalk(BytesIO(sealed), read_private_key(private)))
    rows = list(csv.DictReader(StringIO(plain.decode())))
    numbers = {row["own"]: row["person"] for row in rows_of(release)}
    assert {own_value(row["record_id"]): row["person"] for row in rows} == numbers
    for row in rows:
        assert row["database"] == linked.records()[row["record_id"]]["database"]
    with pytest.raises(SettingError, match="private key"):
        list(handover.open_crosswalk(BytesIO(sealed), passphrase("some other passphrase")))
    changed = bytearray(sealed)
    changed[-1] ^= 1
    with pytest.raises(SettingError, match="does not open"):
        list(handover.open_crosswalk(BytesIO(bytes(changed)), read_private_key(private)))


def test_labels_say_what_people_decided(linked: Linked) -> None:
    handed = handover.export_labels(
        request=posted(),
        project=linked.project,
        actor=linked.actor,
        account=linked.manager,
        password=PASSWORD,
    )
    rows = list(csv.DictReader(StringIO(handed.content.getvalue().decode())))
    assert list(rows[0]) == [
        "source_dataset_l",
        "unique_id_l",
        "source_dataset_r",
        "unique_id_r",
        "clerical_match_score",
    ]
    assert {(row["source_dataset_l"], row["source_dataset_r"]) for row in rows} == {
        ("hospital", "registry")
    }
    found = {(row["unique_id_l"], row["unique_id_r"]): row["clerical_match_score"] for row in rows}
    assert found == {pair: "1" if same else "0" for pair, same in linked.decided.items()}
    assert len(rows) == handover.labels_of(linked.project)
    assert '"labels"' in told(linked)[-1]


def test_of_what_people_cannot_tell_a_label_says_so(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    unsure = Decision("cannot tell", "bad data")
    linked = make_linked(tmp_path, synthetic(60), unsure=unsure)
    handed = handover.take_labels(project=linked.project, actor=COMMAND_LINE)
    rows = csv.DictReader(StringIO(handed.content.getvalue().decode()))
    scores = [row["clerical_match_score"] for row in rows]
    assert scores.count("0.5") == 1
    assert set(scores) == {"0", "1", "0.5"}


def test_labels_need_the_password_and_decisions(linked: Linked) -> None:
    about: dict[str, Any] = {
        "request": posted(),
        "project": linked.project,
        "actor": linked.actor,
        "account": linked.manager,
    }
    before = told(linked)
    with pytest.raises(FieldErrors, match="Wrong password"):
        handover.export_labels(**about, password="wrong")
    AssignedPair.objects.update(verdict="", reason="")
    with pytest.raises(SettingError, match="No pairs of this project are decided"):
        handover.export_labels(**about, password=PASSWORD)
    assert told(linked) == before


def test_only_managers_let_anything_leave(linked: Linked) -> None:
    release = linked.release()
    for name in ("worker", "auditor"):
        account = Account.objects.filter(username=name).first() or auditor(linked)
        other = replace(linked, manager=account)
        for wrong in (
            lambda it=other: it.release(),
            lambda it=other: downloaded(it, release),
            lambda it=other: release_states.delete_release(
                release=release, actor=it.actor, reason="x"
            ),
            lambda it=other: handover.take_labels(project=it.project, actor=it.actor),
            lambda it=other: handover.give_crosswalk(
                release=release, actor=it.actor, to=it.manager, lock=passphrase("a" * 12)
            ),
            lambda it=other: release_states.settle_finding(
                release=release, actor=it.actor, account=None, column="", kind="", reason=AGREED
            ),
        ):
            with pytest.raises(NotAllowed):
                wrong()
    assert not Handover.objects.exists()


def auditor(linked: Linked) -> Account:
    made = signed_up("auditor")
    add_member(project=linked.project, actor=COMMAND_LINE, account=made, role="auditor")
    return made


def test_a_closed_project_makes_none_and_gives_those_it_has(linked: Linked) -> None:
    release = linked.release()
    close_project(project=linked.project, actor=linked.actor, reason="the study is over")
    with pytest.raises(ProjectClosed):
        linked.release()
    with pytest.raises(ProjectClosed):
        creation.make_release(
            project=linked.project,
            actor=COMMAND_LINE,
            linkage=linked.linkage,
            choices=release_choices.Choices(),
        )
    assert Release.objects.get() == release
    assert downloaded(linked, release).content.getvalue()
    release_states.delete_release(release=release, actor=linked.actor, reason="it is over")
    assert examine() == []


@pytest.mark.django_db(transaction=True)
def test_two_download_at_once(linked: Linked) -> None:
    release = linked.release()

    def got(form: str) -> int:
        try:
            return len(downloaded(linked, release, form=form).content.getvalue())
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        sizes = list(pool.map(got, ["csv", "parquet"] * 2))
    assert all(sizes)
    assert sizes[:2] == sizes[2:]
    assert Handover.objects.filter(what="data").count() == 4
    assert sum('"handed over"' in each for each in told(linked)) == 4
