"""What an import keeps, where, and in what order."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path
from stat import S_ISREG

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pytest_django import Settings

from mindfirl.core.errors import Busy, Cancelled, DataError, KeyMissing, SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.population.arrays import restore_index
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.indexed_databases import index_arrays, index_digest
from mindfirl.engine.separation.separate import IDENTITY, PSEUDONYM, RECORD, SENSITIVE
from mindfirl.services.data.importing import effect_of, import_databases
from mindfirl.services.data.unreadable import AcceptedColumns
from mindfirl.services.projects import create_project
from mindfirl.services.upkeep.health import examine
from mindfirl.store import vault
from mindfirl.store.disk import locked
from mindfirl.store.models import Database, Project, SealedFile, Version
from mindfirl.store.queries.projects import current_version
from tests.support.ledgers import accounts_of
from tests.support.reviews import import_again, make_study

SCHEMA = """
record_id = "id"
date_order = "dmy"
case = "upper"
missing = ["unbekannt"]

[[attribute]]
name = "last"
kind = "string"
not_missing = ["null"]

[[attribute]]
name = "born"
kind = "date"
role = "quasi-identifier"

[[sensitive]]
name = "diagnosis"

[[sensitive]]
name = "birth_year"
column = "born"
coarsen = "year"
"""

ROWS = """id,last,born,diagnosis,address
a1, Null ,31/12/1950,C50,North
a2,unbekannt,12/31/1950,NA,South
a3,Zoe\u0301  Ünal,1950-12-31,,
a4,O'Brien,soon,"I10, twice",East
"""

ODD_DATES = AcceptedColumns("Odd dates are what these tests are about.")


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return create_project(name="study", actor=COMMAND_LINE, synthetic=True)


def schema(text: str = SCHEMA) -> SchemaFile:
    return parse_schema(text, "schema.toml")


def imported(project: Project, folder: Path, rows: str = ROWS, name: str = "clinic") -> Version:
    path = folder / f"{name}.csv"
    path.write_text(rows, encoding="utf-8")
    sources = {name: open_table(str(path))}
    return import_databases(project=project, sources=sources, schema=schema(), accepted=ODD_DATES)


def database(version: Version, name: str = "clinic") -> Database:
    return version.databases.get(name=name)


def by_record(version: Version) -> dict[str, dict[str, object]]:
    """Join what was separated, as only somebody with both keys can."""
    own = database(version)
    identity = {row[PSEUDONYM]: row for row in vault.unseal(own.identity).to_pylist()}
    sensitive = {row[PSEUDONYM]: row for row in vault.unseal(own.sensitive).to_pylist()}
    return {
        identity[row[IDENTITY]][RECORD]: {**identity[row[IDENTITY]], **sensitive[row[SENSITIVE]]}
        for row in vault.unseal(own.joining).to_pylist()
    }


def test_values_are_cleaned_coarsened_and_find_each_other_again(
    project: Project, tmp_path: Path
) -> None:
    found = by_record(imported(project, tmp_path))
    kept = {
        record: tuple(row[name] for name in ("last", "born", "diagnosis", "birth_year"))
        for record, row in found.items()
    }
    assert kept == {
        "a1": ("NULL", "1950-12-31", "C50", "1950"),
        "a2": (None, "1950-31-12", "NA", "1950"),
        "a3": ("ZOÉ ÜNAL", "1950-12-31", "", "1950"),
        "a4": ("O'BRIEN", None, "I10, twice", None),
    }


def test_a_column_without_a_role_is_not_imported(project: Project, tmp_path: Path) -> None:
    own = database(imported(project, tmp_path))
    assert vault.unseal(own.identity).column_names == [PSEUDONYM, RECORD, "last", "born"]
    assert vault.unseal(own.sensitive).column_names == [PSEUDONYM, "diagnosis", "birth_year"]
    assert own.report["not_imported"] == ["address"]


def test_the_report_counts_by_rule_and_row_without_a_value(
    project: Project, tmp_path: Path
) -> None:
    report = database(imported(project, tmp_path)).report
    found = {
        each["attribute"]: {
            finding["rule"]: (finding["count"], finding["rows"]) for finding in each["findings"]
        }
        for each in report["attributes"]
    }
    assert found == {
        "last": {
            "placeholder": (1, [2]),
            "normal form": (1, [3]),
            "spaces": (2, [1, 3]),
            "case": (3, [1, 3, 4]),
        },
        "born": {"unreadable": (1, [4]), "impossible date": (1, [2]), "date form": (2, [1, 2])},
    }
    assert not [word for word in ("Null", "Ünal", "1950", "C50") if word in str(report)]


def test_pseudonyms_and_orders_of_the_two_tables_are_unrelated(
    project: Project, tmp_path: Path
) -> None:
    size = 4_000
    rows = "\n".join(f"r{row},N{row},01/02/1950,D{row},x" for row in range(size))
    own = database(imported(project, tmp_path, f"id,last,born,diagnosis,address\n{rows}\n"))
    identity, sensitive, joining = (
        vault.unseal(file) for file in (own.identity, own.sensitive, own.joining)
    )
    numbers = [table.column(PSEUDONYM).to_pylist() for table in (identity, sensitive)]
    assert len({*numbers[0], *numbers[1]}) == 2 * size
    assert {len(number) for number in numbers[0]} == {16}
    files = [_numbers(identity.column(RECORD), "r"), _numbers(sensitive.column("diagnosis"), "D")]
    orders = [*files, _places(numbers[1], joining.column(SENSITIVE))]
    orders.append(_places(numbers[0], joining.column(IDENTITY)))
    first, second, third, fourth = orders
    own_row = np.arange(size)
    for one, other in ((first, own_row), (second, own_row), (first, second), (fourth, third)):
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / size**0.5
        assert np.mean(one == other) < 0.01
    bits = [_bits(number) for number in numbers]
    _check_that_no_order_of_values_is_that_of_the_file(own, identity)
    joined = np.array([numbers[0].index(each) for each in joining.column(IDENTITY).to_pylist()])
    sides = [bits[0][joined], bits[1][_places(numbers[1], joining.column(SENSITIVE))]]
    agreement = np.mean(sides[0] == sides[1])
    assert abs(agreement - 0.5) < 5 / (2 * (size * 128) ** 0.5)


def _check_that_no_order_of_values_is_that_of_the_file(own: Database, identity: pa.Table) -> None:
    """Distinct values are kept in an order, too: in the file's dictionary, and in the index."""
    version = own.versions.get()
    arrays = index_arrays(vault.unseal(version.index))
    seen = [
        identity.column("last").combine_chunks().dictionary_encode().dictionary.to_pylist(),
        ["".join(map(chr, letters)) for letters in arrays["0.letters.5"].T.tolist()],
        *(chunk.dictionary.to_pylist() for chunk in _as_written(own.identity, "last").chunks),
    ]
    for values in seen:
        found = np.array([int(value.removeprefix("N")) for value in values])
        assert len(found) > 2_000
        assert abs(np.corrcoef(found, np.arange(len(found)))[0, 1]) < 5 / len(found) ** 0.5


def _as_written(file: SealedFile, column: str) -> pa.ChunkedArray:
    """Read a column with the dictionary that stands in the file."""
    return vault.unseal(file, [column]).column(column)


def _numbers(column: pa.ChunkedArray, letter: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    found: np.ndarray[tuple[int], np.dtype[np.int64]] = (
        pc.replace_substring(column, letter, "").cast(pa.int64()).to_numpy()
    )
    return found


def _places(
    numbers: list[bytes], column: pa.ChunkedArray
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    where = {number: place for place, number in enumerate(numbers)}
    return np.array([where[number] for number in column.to_pylist()])


def _bits(numbers: list[bytes]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.unpackbits(np.frombuffer(b"".join(numbers), dtype=np.uint8).reshape(-1, 16), axis=1)


def test_the_index_is_over_all_databases_in_the_order_of_the_identities(
    project: Project, tmp_path: Path
) -> None:
    imported(project, tmp_path)
    version = imported(project, tmp_path, ROWS.replace("\na", "\nb"), "register")
    index = restore_index(schema().schema, index_arrays(vault.unseal(version.index)))
    assert index.size == version.records == 8
    for member in version.members.select_related("database"):
        identity = vault.unseal(member.database.identity).to_pylist()
        for row, record in enumerate(identity):
            values = ["".join(value.reveal()) for value in index.record(member.first + row)]
            assert values[0] == (record["last"] or "")
            assert len(values[1]) == len((record["born"] or "").replace("-", ""))


def test_importing_again_makes_a_new_version_and_drops_the_old(
    project: Project, tmp_path: Path
) -> None:
    first = imported(project, tmp_path)
    old = set((vault.path_of(project.id, first.index.name).parent).iterdir())
    register = imported(project, tmp_path, ROWS, "register")
    assert effect_of(project, ["clinic", "trial"]).replaced == ("clinic",)
    assert effect_of(project, ["clinic", "trial"]).added == ("trial",)
    assert effect_of(project, ["clinic", "trial"]).kept == ("register",)
    again = imported(project, tmp_path, ROWS.replace("C50", "C51"))
    assert [version.number for version in project.versions.all()] == [3]
    assert again.number == register.number + 1 == 3
    names = [member.database.name for member in again.members.select_related("database")]
    assert names == ["clinic", "register"]
    assert project.databases.count() == 2
    assert project.files.count() == 8
    assert vault.strays(project.id) == []
    assert not old & set(vault.path_of(project.id, again.index.name).parent.iterdir())


def test_a_version_stays_as_long_as_work_refers_to_it(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = make_study(tmp_path)
    study.plan()
    assignment = study.dispatched()[0]
    new = import_again(study.project, tmp_path)
    kept = study.project.versions.get(number=1)
    assert (assignment.version, new.number) == (kept, 2)
    assert vault.unseal(kept.scoring.candidates).num_rows == 200
    assert vault.unseal(database(kept).identity).num_rows == 60
    assert index_digest(vault.unseal(kept.index), parse_schema(kept.schema, "").schema) == (
        accounts_of(study.project)[str(assignment.pk)].terms.population
    )
    import_again(study.project, tmp_path)
    assert {version.number for version in study.project.versions.all()} == {1, 3}
    assert [each.words for each in examine()] == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", r"clinic\.csv: the file is empty"),
        ("id,last,born,diagnosis\n", r"clinic\.csv: there is no record in it"),
        (
            "id,last\n1,Secret\n",
            r"clinic\.csv, column born: this required column is missing among 2",
        ),
        ("id,last,born,last\n1,Secret,2,3\n", r"clinic\.csv.*name"),
        (
            "id,last,born,diagnosis\n1,Secret,2,\n1,Secret,2,\n",
            r"row 2, column id: the record id is that of",
        ),
        (
            "id,last,born,diagnosis\n1,Secret,2,\n,Secret,2,\n",
            r"row 2, column id: there is no record id",
        ),
        ("id,last,born,diagnosis\n1,Secret\n", r"clinic\.csv, row 1: the number of cells is 2"),
        ("id,last,born\n1,Secret,2\n", r"column diagnosis: no database has this sensitive column"),
        (
            f"id,last,born,diagnosis\n1,{'Secret' * 4000},2,\n",
            r"row 1, column last: .* 24,000 characters",
        ),
    ],
)
def test_bad_files_leave_nothing_behind(
    project: Project, tmp_path: Path, rows: str, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        imported(project, tmp_path, rows)
    assert "Secret" not in str(caught.value)
    assert project.versions.count() == SealedFile.objects.count() == 0
    assert vault.strays(project.id) == []


def test_a_second_database_that_fails_takes_the_first_back(
    project: Project, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(ROWS, encoding="utf-8")
    bad.write_text("id,last,born,diagnosis\n1,Secret,2,\n1,Secret,3,\n", encoding="utf-8")
    sources = {path.stem: open_table(str(path)) for path in (good, bad)}
    with pytest.raises(DataError, match=r"bad\.csv"):
        import_databases(project=project, sources=sources, schema=schema())
    assert vault.strays(project.id) == []
    assert SealedFile.objects.count() == 0


def test_a_sensitive_column_does_not_get_lost_unnoticed(project: Project, tmp_path: Path) -> None:
    imported(project, tmp_path)
    with pytest.raises(
        DataError, match=r"clinic\.csv, column diagnosis: the database no longer has this"
    ):
        imported(project, tmp_path, ROWS.replace("diagnosis", "dx"))
    assert current_version(project) == project.versions.get(number=1)
    assert vault.strays(project.id) == []


def test_a_commit_whose_answer_is_lost_keeps_its_files(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(point: str) -> None:
        if point == "after commit":
            raise ConnectionError

    monkeypatch.setattr("mindfirl.workspace.commits.fault_point", cut)
    with pytest.raises(ConnectionError):
        imported(project, tmp_path)
    version = current_version(project)
    assert version is not None
    assert vault.unseal(database(version).identity).num_rows == version.records
    assert [each.words for each in examine()] == []


def test_a_full_disk_leaves_nothing(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        if S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(ENOSPC, "no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        imported(project, tmp_path)
    monkeypatch.undo()
    assert [each.words for each in examine(mend=False)] == []
    imported(project, tmp_path)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        imported(project, tmp_path)
    monkeypatch.undo()
    assert [each.words for each in examine(mend=False)] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('coarsen = "year"', 'coarsen = "decade"'),
        ('missing = ["unbekannt"]', 'missing = ["unknown to us"]'),
        ('kind = "string"', 'kind = "fixed"'),
        ('record_id = "id"', 'record_id = "address"'),
    ],
)
def test_what_a_schema_says_of_a_kept_database_stays(
    project: Project, tmp_path: Path, before: str, after: str
) -> None:
    text = SCHEMA.replace(before, after)
    imported(project, tmp_path)
    path = tmp_path / "other.csv"
    path.write_text(ROWS, encoding="utf-8")
    with pytest.raises(SettingError, match="need values that are not stored"):
        import_databases(
            project=project, sources={"other": open_table(str(path))}, schema=schema(text)
        )


def test_another_schema_needs_all_databases(project: Project, tmp_path: Path) -> None:
    imported(project, tmp_path)
    path = tmp_path / "other.csv"
    path.write_text(ROWS, encoding="utf-8")
    other = schema(SCHEMA.replace('case = "upper"', 'case = "keep"'))
    with pytest.raises(SettingError, match="Import the files of these databases again"):
        import_databases(project=project, sources={"other": open_table(str(path))}, schema=other)
    both = {name: open_table(str(tmp_path / f"{name}.csv")) for name in ("clinic", "other")}
    again = import_databases(project=project, sources=both, schema=other, accepted=ODD_DATES)
    assert again.number == 2


def test_one_import_at_a_time(project: Project, tmp_path: Path) -> None:
    with locked(project.id), pytest.raises(Busy):
        imported(project, tmp_path)
    assert imported(project, tmp_path).number == 1


def test_without_the_sensitive_key_nothing_is_imported(
    project: Project, tmp_path: Path, settings: Settings
) -> None:
    version = imported(project, tmp_path)
    (key,) = Path(settings.MINDFIRL_KEYS).glob("*/sensitive-*.key")
    key.unlink()
    with pytest.raises(KeyMissing):
        imported(project, tmp_path)
    assert vault.strays(project.id) == []
    assert current_version(project) == version


def test_the_first_import_makes_the_sensitive_key_and_one_that_fails_takes_it_back(
    project: Project, tmp_path: Path, settings: Settings
) -> None:
    def keys() -> list[str]:
        return [path.stem for path in Path(settings.MINDFIRL_KEYS).glob("*/sensitive-*.key")]

    with pytest.raises(DataError):
        imported(project, tmp_path, ROWS.replace("diagnosis", "dx"))
    assert (project.sensitive_key, keys()) == ("", [])
    imported(project, tmp_path)
    project.refresh_from_db()
    assert keys() == [f"sensitive-{project.sensitive_key}"]
    imported(project, tmp_path)
    assert keys() == [f"sensitive-{project.sensitive_key}"]


def test_the_process_that_serves_pages_imports_nothing(
    project: Project, tmp_path: Path, settings: Settings
) -> None:
    settings.PART = "web"
    with pytest.raises(KeyMissing):
        imported(project, tmp_path)
    settings.PART = ""
    version = imported(project, tmp_path)
    settings.PART = "web"
    assert vault.unseal(database(version).identity).num_rows == version.records
    with pytest.raises(KeyMissing):
        vault.unseal(database(version).sensitive)
    with pytest.raises(KeyMissing):
        imported(project, tmp_path)


def test_what_is_also_recorded_is_so_with_the_import_or_not_at_all(
    project: Project, tmp_path: Path
) -> None:
    def refuse() -> None:
        assert current_version(project) is not None
        raise Cancelled

    path = tmp_path / "clinic.csv"
    path.write_text(ROWS, encoding="utf-8")
    with pytest.raises(Cancelled):
        import_databases(
            project=project,
            sources={"clinic": open_table(str(path))},
            schema=schema(SCHEMA),
            accepted=ODD_DATES,
            also=refuse,
        )
    assert current_version(project) is None
    assert [each.words for each in examine(mend=False)] == []
