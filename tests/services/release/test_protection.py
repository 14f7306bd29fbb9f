"""Releases protect by default: few persons, small differences, serial numbers, codes, formulas."""

from __future__ import annotations

import csv
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

from mindfirl.core.errors import FieldErrors, SecondPersonNeeded, SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.progress import no_progress
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.extension import schema_for
from mindfirl.engine.schema.profile import profile_source
from mindfirl.services.data.importing import import_databases
from mindfirl.services.link import link_records
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.projects import add_member, create_project
from mindfirl.services.release import creation, handover, release_choices, release_states
from mindfirl.store import vault
from mindfirl.store.models import Account, Release
from mindfirl.store.queries.access import actor_for
from mindfirl.synthetic.linked_databases import Databases, databases
from tests.conftest import Figure
from tests.support.exported import (
    AUTOMATIC,
    BANDS,
    Linked,
    import_again,
    make_linked,
    rows_of,
    synthetic,
)
from tests.support.ledgers import set_rules
from tests.support.people import signed_up

REASON = "All of them agreed to that in writing."


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    return make_linked(tmp_path, synthetic(80), automatic=1)


def of_persons(linked: Linked, folder: Path, persons: int, *, skipped: int = 0) -> Linked:
    """Link some of the true pairs alone, so that a release has this many persons."""
    truth = linked.made.truth.slice(skipped, persons)
    return import_again(linked, folder, replace(linked.made, truth=truth))


def handed(release: Release) -> Release:
    handover.take(release=release, actor=COMMAND_LINE, form="csv")
    return Release.objects.get(pk=release.pk)


def barriers(release: Release) -> list[str]:
    choices = release_choices.kept_choices(release.choices)
    return list(release_states.barriers(release.report, choices))


def kinds(release: Release, column: str) -> list[str]:
    return [each["kind"] for each in release.report["findings"] if each["column"] == column]


@pytest.mark.parametrize("persons", [1, 9])
def test_a_release_of_too_few_persons_is_blocked(
    linked: Linked, tmp_path: Path, persons: int
) -> None:
    release = of_persons(linked, tmp_path, persons).release()
    assert release.report["persons"] == persons
    assert (release.state, barriers(release)) == ("blocked", ["persons"])
    with pytest.raises(SettingError, match="cannot be accepted"):
        release_states.settle_finding(
            release=release,
            actor=linked.actor,
            account=linked.manager,
            column="own",
            kind="nearly unique",
            reason=REASON,
        )


def test_a_waiting_job_cannot_ask_for_fewer_persons_than_its_project(
    linked: Linked, tmp_path: Path
) -> None:
    release = of_persons(linked, tmp_path, 9).release(least_persons=1)
    assert (release.state, barriers(release)) == ("blocked", ["persons"])


def test_ten_persons_are_enough(linked: Linked, tmp_path: Path) -> None:
    assert of_persons(linked, tmp_path, 10).release().state == "ready"


@pytest.mark.parametrize(
    ("persons", "skipped", "blocked"),
    [
        *((20, 0, []), (21, 0, ["difference"]), (19, 0, ["difference"])),
        *((20, 1, ["difference"]), (29, 0, ["difference"]), (30, 0, [])),
    ],
)
def test_releases_differ_by_none_or_at_least_ten_persons(
    linked: Linked, tmp_path: Path, persons: int, skipped: int, blocked: list[str]
) -> None:
    first = handed(of_persons(linked, tmp_path, 20).release())
    second = of_persons(linked, tmp_path, persons, skipped=skipped).release()
    assert [each["release"] for each in second.report["compared"]] == [first.number]
    assert barriers(second) == blocked


def test_persons_who_got_or_lost_a_record_hide_nobody_who_is_gone(
    linked: Linked, tmp_path: Path
) -> None:
    """Ten persons lose a record, and one person goes: the rows of that one would be known."""
    everybody: dict[str, Any] = {"linked_only": False}
    people = linked.made
    first = handed(import_again(linked, tmp_path, people).release(**everybody))
    rows = people.truth.to_pylist()
    gone, shorter = rows[0], {row["left"] for row in rows[1:11]}
    stay = {
        "hospital": shorter | {gone["left"]},
        "registry": {gone["right"]},
    }
    left = Databases(
        _without(people.hospital, stay["hospital"]),
        _without(people.registry, stay["registry"]),
        pa.Table.from_pylist(rows[11:], schema=people.truth.schema),
    )
    second = import_again(linked, tmp_path, left).release(**everybody)
    (found,) = second.report["compared"]
    assert found == {"release": first.number, "added": 10, "removed": 11, "come": 0, "gone": 1}
    assert barriers(second) == ["difference"]


def _without(table: pa.Table, ids: set[str]) -> pa.Table:
    return table.filter(pa.array([each not in ids for each in table[0].to_pylist()]))


def test_a_deleted_release_counts_if_somebody_has_it(linked: Linked, tmp_path: Path) -> None:
    first = handed(of_persons(linked, tmp_path, 20).release())
    release_states.delete_release(release=first, actor=linked.actor, reason="no longer needed")
    assert barriers(of_persons(linked, tmp_path, 21).release()) == ["difference"]


def test_a_release_that_nobody_has_does_not_count(linked: Linked, tmp_path: Path) -> None:
    of_persons(linked, tmp_path, 20).release()
    assert of_persons(linked, tmp_path, 21).release().state == "ready"


def test_two_that_were_made_before_either_was_handed_over_are_compared(
    linked: Linked, tmp_path: Path
) -> None:
    first = of_persons(linked, tmp_path, 20).release()
    again = of_persons(linked, tmp_path, 21)
    second = again.release()
    assert (first.state, second.state) == ("ready", "ready")
    handed(first)
    with pytest.raises(SettingError, match=r"never compared\. Create this release again"):
        handed(second)
    assert barriers(again.release()) == ["difference"]
    handed(first)


def test_the_same_persons_with_other_columns_hide_in_the_groups_of_both(linked: Linked) -> None:
    handed(linked.release(coarsen={"born": "decade"}, least_k=1, least_l=1))
    second = linked.release(coarsen={"zip": 1}, least_k=1, least_l=1)
    assert second.report["joint"]["k"] <= second.report["anonymity"]["k"]
    third = linked.release(least_k=99, least_l=1)
    assert third.report["anonymity"] is None
    assert barriers(third) == ["joint k"]


def test_what_was_coarsened_at_import_counts_for_k_and_l(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    schema = {"hospital": "birth_date", "registry": "dob"}
    linked = imported(tmp_path, synthetic(80), extra=("birth_year", schema, "year"))
    release = made(linked)
    assert "birth_year" in release.report["columns"]
    years: dict[Any, set[str]] = {}
    for row in rows_of(release):
        years.setdefault((row["database"], row["birth_year"]), set()).add(row["person"])
    assert release.report["anonymity"]["k"] == min(map(len, years.values()))
    assert "k" in barriers(release)


def imported(folder: Path, made: Databases, *, extra: Any = None, **columns: list[str]) -> Linked:
    """Import databases with more sensitive columns in the hospital; link what is true."""
    from tests.support import exported  # noqa: PLC0415  # its schema is changed for one project

    hospital = made.hospital
    for name, cells in columns.items():
        hospital = hospital.append_column(name, pa.array(cells))
    text = exported.SCHEMA
    for name in columns:
        text += f'\n[[sensitive]]\nname = "{name}"\ncolumn = {{ hospital = "{name}" }}\n'
    if extra:
        name, where, how = extra
        column = ", ".join(f'{database} = "{each}"' for database, each in where.items())
        text += f'\n[[sensitive]]\nname = "{name}"\ncolumn = {{ {column} }}\ncoarsen = "{how}"\n'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exported, "SCHEMA", text)
        manager = signed_up("manager")
        project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
        empty = Linked(project, manager, None, made, [], {})  # type: ignore[arg-type]  # no linkage yet
        return import_again(empty, folder, replace(made, hospital=hospital))


def made(linked: Linked, **choices: Any) -> Release:
    return linked.unsettled_release(leave_out=("own",), **choices)


def names(databases: Databases) -> list[str]:
    return [name or "" for name in databases.hospital["last_name"].to_pylist()]


def encoded(databases: Databases) -> list[str]:
    return [b64encode(name.encode()).decode() for name in names(databases)]


def sentences(databases: Databases) -> list[str]:
    return [f"Seen on ward {place} after a fall." for place in range(databases.hospital.num_rows)]


def serial(databases: Databases) -> list[str]:
    return [str(4_711 + place) for place in range(databases.hospital.num_rows)]


def formulas(databases: Databases) -> list[str]:
    return ["=1+2", "fine"] * (databases.hospital.num_rows // 2) + ["fine"] * (
        databases.hospital.num_rows % 2
    )


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        *((serial, "nearly unique"), (encoded, "code"), (encoded, "word")),
        *((sentences, "free text"), (formulas, "formula")),
    ],
)
def test_a_serial_number_codes_free_text_and_formulas_are_findings(
    home: Path, tmp_path: Path, cells: Callable[[Databases], list[str]], expected: str
) -> None:
    assert home.exists()
    people = synthetic(80)
    linked = imported(tmp_path, people, odd=cells(people))
    release = made(linked)
    assert release.state == "blocked"
    assert expected in kinds(release, "odd")
    left_out = linked.unsettled_release(leave_out=("own", "odd"))
    assert left_out.state == "ready"
    assert "odd" not in left_out.report["columns"]


def test_cells_found_are_blanked_and_formulas_escaped(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    people = synthetic(80)
    notes = [f"Asked {name}" if n % 7 == 0 else "none" for n, name in enumerate(names(people))]
    linked = imported(tmp_path, people, said=notes, sums=formulas(people))
    release = made(linked)
    assert kinds(release, "said") == ["word"]
    safe = made(linked, blank=("said",), escape=("sums",))
    assert safe.state == "ready"
    said = {row["said"] for row in rows_of(safe)}
    assert said == {"none", None}
    assert {row["sums"] for row in rows_of(safe)} == {"'=1+2", "fine", None}


def test_a_nearly_unique_column_is_coarsened(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    people = synthetic(80)
    dates = [f"20{n % 20 + 10}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(56)]
    linked = imported(tmp_path, people, seen=dates, odd=serial(people))
    release = made(linked)
    (finding,) = [each for each in release.report["findings"] if each["column"] == "seen"]
    assert finding["ways"] == ["month", "year", "decade"]
    safe = made(linked, shorten={"seen": "decade", "odd": "1 digit"})
    assert safe.state == "ready"
    assert {row["seen"] for row in rows_of(safe)} == {"2010s", "2020s", None}
    assert {row["odd"] for row in rows_of(safe)} == {"5000", None}


def test_one_row_for_each_person_by_stated_rules(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    linked = imported(tmp_path, synthetic(80))
    by_record = made(linked)
    values: dict[str, set[str]] = {}
    for several in ("all", "agreed", "commonest"):
        release = made(linked, rows="person", several=several)
        assert release.state == "ready"
        rows = rows_of(release)
        assert len(rows) == release.report["persons"] == by_record.report["persons"]
        assert {row["database"] for row in rows} == {"hospital; registry"}
        assert {row["records"] for row in rows} == {"2"}
        values[several] = {row["diagnosis"] for row in rows} | {row["site"] for row in rows}
    assert values["all"] == values["agreed"] == values["commonest"]


def test_a_project_that_asks_for_two_gets_two(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    people = synthetic(80)
    linked = imported(tmp_path, people, odd=serial(people))
    set_rules(linked.project, second_person=True)
    release = made(linked)
    about: dict[str, Any] = {"release": release, "column": "odd", "kind": "nearly unique"}
    mine: dict[str, Any] = {"actor": linked.actor, "account": linked.manager}
    with pytest.raises(SettingError, match="No acceptance of this finding is proposed"):
        release_states.confirm_finding(**about, **mine)
    proposed = release_states.settle_finding(**about, **mine, reason=REASON)
    assert proposed.state == "blocked"
    with pytest.raises(SecondPersonNeeded):
        release_states.confirm_finding(**about, **mine)
    set_rules(linked.project, second_person=False)
    assert release_states.settle_finding(**about, **mine, reason=REASON).state == "blocked"
    auditor = signed_up("auditor")
    add_member(project=linked.project, actor=COMMAND_LINE, account=auditor, role="auditor")
    other: dict[str, Any] = {"actor": actor_for(auditor, linked.project), "account": auditor}
    confirmed = release_states.confirm_finding(**about, **other)
    assert confirmed.state == "ready"
    assert confirmed.report["findings"][0]["settled"]["by"] == str(linked.manager.pk)


def test_labels_and_crosswalks_escape_formulas(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    assert handover.line_of(("=a", "-1", "x")) == "'=a,-1,x\r\n"
    people = synthetic(40)
    ids = [f"={each}" for each in people.hospital["patient_id"].to_pylist()]
    truth = people.truth.set_column(
        0, "left", pa.array([f"={each}" for each in people.truth["left"].to_pylist()])
    )
    hospital = people.hospital.set_column(0, "patient_id", pa.array(ids))
    linked = make_linked(tmp_path, Databases(hospital, people.registry, truth), automatic=0)
    labels = handover.take_labels(project=linked.project, actor=COMMAND_LINE)
    rows = list(csv.DictReader(StringIO(labels.content.getvalue().decode())))
    assert rows
    assert all(row["unique_id_l"].startswith("'=") for row in rows)


def test_the_demonstration_has_no_false_block(home: Path, tmp_path: Path, figure: Figure) -> None:
    assert home.exists()
    persons = 800
    people = databases(persons, seed=persons)
    manager = signed_up("manager")
    project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
    sources = {}
    for name in ("hospital", "registry"):
        path = tmp_path / f"{name}.csv"
        pa.csv.write_csv(getattr(people, name), path)
        sources[name] = open_table(str(path))
    schema, _ = schema_for(
        list(sources),
        [],
        lambda found: [each for name in found for each in profile_source(sources[name], name)],
        given=None,
        current=None,
        latest_year=2026,
    )
    import_databases(project=project, sources=sources, schema=schema)
    pairs = tmp_path / "pairs.csv"
    lines = [f"{row['left']},{row['right']},{AUTOMATIC}" for row in people.truth.to_pylist()]
    pairs.write_text("\n".join(["left,right,weight", *lines]) + "\n", encoding="utf-8")
    bring_pairs(project=project, path=pairs, mode=None, progress=no_progress)
    set_bands(project=project, bands=BANDS)
    linkage = link_records(project=project, actor=COMMAND_LINE, account=manager, unsettled=True)
    for choices in (
        release_choices.Choices(),
        release_choices.Choices(linked_only=False),
        release_choices.Choices(rows="person"),
    ):
        release = creation.make_release(
            project=project, actor=COMMAND_LINE, linkage=linkage, choices=choices
        )
        assert release.report["findings"] == []
        assert release.state == "ready"
    figure("demonstration of 800 people, as proposed: 3 releases, 0 blocked")


def test_choices_name_known_columns_and_ways(linked: Linked) -> None:
    typed = release_choices.ChoicesTyped(
        leave_out=["nothing"], coarsen={"own": "week"}, rows="pair", several="none"
    )
    with pytest.raises(FieldErrors) as wrong:
        release_choices.read_choices(linked.linkage, typed)
    assert set(wrong.value.fields) == {"leave_out", "coarsen-own", "rows", "several"}
    right = release_choices.ChoicesTyped(coarsen={"own": "2"}, leave_out=["site"], rows="person")
    found = release_choices.read_choices(linked.linkage, right)
    assert found.shorten == {"own": "2"}
    assert release_choices.kept_choices(found.written()) == found


def test_digests_of_persons_stay_under_the_sensitive_key(linked: Linked) -> None:
    release = linked.release()
    assert release.coverage
    assert release.coverage.key == linked.project.sensitive_key
    covered = vault.unseal(release.coverage)
    assert covered.num_rows == release.report["rows"]
    assert len(covered.column("person").unique()) == release.report["persons"]
    assert Account.objects.exists()
