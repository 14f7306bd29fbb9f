"""Person numbers that stay within a project: what a person keeps, and who must not get what."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from mindfirl.core.errors import FieldErrors, LedgerDiffers, SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.link import link_records
from mindfirl.services.projects import ProjectChanges, change_project
from mindfirl.services.release import handover, release_states
from mindfirl.store.crypto.envelope import passphrase
from mindfirl.store.models import Account, PersonRegister, Project, Release, SealedFile
from mindfirl.workspace.verification.ledger_verification import verify
from tests.support.exported import Linked, import_again, make_linked, rows_of, synthetic
from tests.support.ledgers import verify_project
from tests.support.people import PASSWORD, posted, signed_up

Persons = dict[str, str]


def stay(linked: Linked, *, stable: bool = True) -> Linked:
    project = Project.objects.get(pk=linked.project.pk)
    changes = ProjectChanges(stable_numbers=stable)
    changed = change_project(
        project=project, actor=linked.actor, revision=project.revision, changes=changes
    )
    return replace(linked, project=changed)


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    """Records of 80 people, all linked as is true, in a project whose numbers stay."""
    assert home.exists()
    return stay(make_linked(tmp_path, synthetic(80), automatic=1))


def numbers(release: Release) -> Persons:
    """Return the person number of each released record, by what is its own."""
    return {row["own"]: row["person"] for row in rows_of(release)}


def changes(release: Release) -> list[dict[str, str]]:
    handed = handover.take(release=release, actor=COMMAND_LINE, form=handover.CHANGES)
    assert handed.name.endswith("-changes.csv")
    return list(csv.DictReader(StringIO(handed.content.getvalue().decode())))


def next_year(linked: Linked, folder: Path, *, skipped: int = 0, more: int = 0) -> Linked:
    """Import the same files again; the first true links are gone, and some persons are joined."""
    truth = linked.made.truth.slice(skipped)
    rows = truth.to_pylist()
    joined = [
        {"left": one["left"], "right": other["right"]}
        for one, other in zip(rows[:more], rows[more : 2 * more], strict=True)
    ]
    table = type(truth).from_pylist([*rows, *joined], schema=truth.schema)
    made = import_again(linked, folder, replace(linked.made, truth=table))
    return replace(made, project=Project.objects.get(pk=linked.project.pk))


def test_a_person_keeps_its_number_in_the_next_release(linked: Linked, tmp_path: Path) -> None:
    first = numbers(linked.release(linked_only=False))
    second = next_year(linked, tmp_path).release(linked_only=False)
    assert numbers(second) == first
    assert second.report["numbers"] == {"merged": 0, "split": 0}
    assert second.state == "ready", "its own numbers are no pseudonyms from elsewhere"
    verify_project(linked.project)


def test_without_the_setting_numbers_are_fresh(linked: Linked, tmp_path: Path) -> None:
    fresh = stay(linked, stable=False)
    first = fresh.release(linked_only=False)
    second = next_year(fresh, tmp_path).release(linked_only=False)
    assert not set(numbers(first).values()) & set(numbers(second).values())
    assert ("numbers" in second.report, second.changes, PersonRegister.objects.count()) == (
        *(False, None),
        0,
    )


def test_what_splits_gets_a_new_number_and_is_listed(linked: Linked, tmp_path: Path) -> None:
    first = numbers(linked.release(linked_only=False))
    release = next_year(linked, tmp_path, skipped=12).release(linked_only=False)
    second = numbers(release)
    assert release.report["numbers"] == {"merged": 0, "split": 12}
    split = changes(release)
    assert {row["change"] for row in split} == {"split"}
    new = {own for own, number in second.items() if number != first[own]}
    assert len(new) == 12
    assert {(first[own], second[own]) for own in new} == {
        (row["old_number"], row["new_number"]) for row in split
    }
    assert not {row["new_number"] for row in split} & set(first.values())


def test_a_merge_keeps_one_of_the_numbers_and_is_listed_from_then_on(
    linked: Linked, tmp_path: Path
) -> None:
    split = next_year(linked, tmp_path, skipped=12)
    first = numbers(split.release(linked_only=False))
    whole = import_again(linked, tmp_path, linked.made)
    whole = replace(whole, project=linked.project)
    release = whole.release(linked_only=False)
    second = numbers(release)
    assert release.report["numbers"] == {"merged": 12, "split": 0}
    ended = set(first.values()) - set(second.values())
    merged = changes(release)
    assert {row["old_number"] for row in merged} == ended
    assert {row["new_number"] for row in merged} <= set(first.values())
    assert all(first[own] == second[own] or first[own] in ended for own in second)
    later = next_year(whole, tmp_path).release(linked_only=False)
    assert later.report["numbers"] == {"merged": 0, "split": 0}
    assert changes(later) == merged, "whoever has the first release can follow it"


def test_a_deleted_release_leaves_the_numbers(linked: Linked, tmp_path: Path) -> None:
    made = linked.release(linked_only=False)
    first = numbers(made)
    release_states.delete_release(release=made, actor=linked.actor, reason="Its term is over now.")
    again = linked.release(linked_only=False)
    assert numbers(again) == first
    assert numbers(next_year(linked, tmp_path).release(linked_only=False)) == first


def test_a_release_of_an_older_linkage_comes_too_late(linked: Linked) -> None:
    newer = link_records(project=linked.project, actor=linked.actor, account=linked.manager)
    replace(linked, linkage=newer).release(linked_only=False)
    with pytest.raises(SettingError, match="Release the newest linkage"):
        linked.release(linked_only=False)
    assert PersonRegister.objects.count() == 1


def test_a_release_of_an_older_version_comes_too_late(linked: Linked, tmp_path: Path) -> None:
    next_year(linked, tmp_path).release(linked_only=False)
    with pytest.raises(SettingError, match="version 1 were deleted"):
        linked.release(linked_only=False)
    assert PersonRegister.objects.count() == 1


def test_a_second_linkage_of_one_version_keeps_numbers(linked: Linked) -> None:
    first = numbers(linked.release(linked_only=False))
    again = link_records(project=linked.project, actor=linked.actor, account=linked.manager)
    assert numbers(replace(linked, linkage=again).release(linked_only=False)) == first


def give(release: Release, to: Account) -> None:
    handover.give_crosswalk(
        release=release, actor=COMMAND_LINE, to=to, lock=passphrase("a long passphrase")
    )


def get(linked: Linked, release: Release, account: Account) -> None:
    handover.download(
        request=posted(),
        release=release,
        actor=linked.actor,
        account=account,
        password=PASSWORD,
        form="csv",
    )


def test_nobody_gets_any_release_and_any_crosswalk(linked: Linked, tmp_path: Path) -> None:
    first = linked.release(linked_only=False)
    get(linked, first, linked.manager)
    second = next_year(linked, tmp_path).release(linked_only=False)
    office = signed_up("office")
    give(second, office)
    with pytest.raises(SettingError, match="You have a crosswalk of this project"):
        get(linked, first, office)
    with pytest.raises(SettingError, match="downloaded a release of this project"):
        give(second, linked.manager)
    verify_project(linked.project)


def test_with_fresh_numbers_another_release_may_be_had(linked: Linked, tmp_path: Path) -> None:
    fresh = stay(linked, stable=False)
    first = fresh.release(linked_only=False)
    second = next_year(fresh, tmp_path).release(linked_only=False)
    office = signed_up("office")
    give(first, office)
    get(fresh, second, office)


def test_the_setting_stays_after_the_first_release(linked: Linked) -> None:
    linked.release(linked_only=False)
    with pytest.raises(FieldErrors) as refused:
        stay(linked, stable=False)
    assert "the project has a release" in refused.value.fields["stable_numbers"]


def test_other_numbers_in_a_register_are_found(linked: Linked, tmp_path: Path) -> None:
    linked.release(linked_only=False)
    next_year(linked, tmp_path).release(linked_only=False)
    one, other = PersonRegister.objects.order_by("pk")
    file = SealedFile.objects.get(pk=one.numbers_id)
    PersonRegister.objects.filter(pk=one.pk).update(numbers=one.history, history=file)
    with pytest.raises(LedgerDiffers, match="the person numbers of linkage"):
        verify(linked.project)
    assert other.pk
