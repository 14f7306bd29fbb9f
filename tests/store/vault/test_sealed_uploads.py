"""Uploaded files: sealed while they stream in, and opened only as what they are."""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet
import pytest
import xlsxwriter
from pytest_django import Settings

from mindfirl.core.errors import DataError, KeyMissing, VaultBroken
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.open_source import open_table
from mindfirl.services.projects import create_project
from mindfirl.services.upkeep.health import examine, rotate_keys
from mindfirl.store import vault
from mindfirl.store.crypto.keys import destroy_all, make_installation_keys
from mindfirl.store.crypto.sealing import CHUNK
from mindfirl.store.models import Project, Upload
from mindfirl.store.vault import sealed_uploads
from tests.support.tracers import tracers_in, write_tracers

SEALED_CHUNK = CHUNK + 16


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    make_installation_keys()
    return create_project(name="study", actor=COMMAND_LINE, synthetic=True)


def sealed(project: Project, content: bytes, *, piece: int = 10_007) -> Upload:
    upload = Upload(project=project, file_name="a.csv", database="a")
    with sealed_uploads.sealing(upload) as coming:
        for start in range(0, len(content), piece):
            coming.write(content[start : start + piece])
        sealed_uploads.bind(coming.finish(), project)
        upload.save()
    return upload


def path(upload: Upload) -> Path:
    return vault.upload_path(upload.project_id, upload.id)


def content_of(upload: Upload) -> bytes:
    with sealed_uploads.opened(upload) as location:
        return Path(location).read_bytes()


def refused(upload: Upload) -> bool:
    with pytest.raises(VaultBroken, match="Nothing was read from it"):
        content_of(upload)
    return True


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5])
@pytest.mark.parametrize("piece", [10_007, CHUNK, 10 * CHUNK])
def test_a_file_comes_back_as_it_went_in(project: Project, size: int, piece: int) -> None:
    content = random.Random(size).randbytes(size)
    upload = sealed(project, content, piece=piece)
    stored = Upload.objects.get(id=upload.id)
    assert content_of(stored) == content
    assert (stored.size, stored.digest) == (size, vault.digest_of(path(stored)))
    assert path(stored).stat().st_size == size + 16 * max(1, -(-size // CHUNK))
    sealed_uploads.check(stored)


def test_a_flipped_byte_is_refused_wherever_it_is(project: Project) -> None:
    upload = sealed(project, random.Random(1).randbytes(3 * CHUNK + 5))
    whole = path(upload).read_bytes()
    edges = [number * SEALED_CHUNK + offset for number in range(1, 4) for offset in (-17, -1, 0)]
    for place in {0, len(whole) - 1, *edges, *random.Random(2).sample(range(len(whole)), 20)}:
        changed = bytearray(whole)
        changed[place] ^= 1
        path(upload).write_bytes(changed)
        assert refused(upload), place
    for place in range(len(upload.sealed_key)):
        changed = bytearray(upload.sealed_key)
        changed[place] ^= 1
        path(upload).write_bytes(whole)
        assert refused(Upload(id=upload.id, project=project, sealed_key=bytes(changed))), place


CHANGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "the last chunk is cut off": lambda chunks: chunks[:-1],
    "all but the first are cut off": lambda chunks: chunks[:1],
    "nothing is left": lambda _: [],
    "half a chunk is cut off": lambda chunks: [*chunks[:-1], chunks[-1][: CHUNK // 2]],
    "two change places": lambda chunks: [chunks[1], chunks[0], *chunks[2:]],
    "one in the middle is missing": lambda chunks: [chunks[0], *chunks[2:]],
    "one stands twice": lambda chunks: [chunks[0], *chunks],
    "the last one stands twice": lambda chunks: [*chunks, chunks[-1]],
    "the last one comes first": lambda chunks: [chunks[-1], *chunks[:-1]],
    "something follows": lambda chunks: [*chunks, b"more"],
}


@pytest.mark.parametrize("change", CHANGES)
def test_chunks_open_in_their_own_order_alone(project: Project, change: str) -> None:
    upload = sealed(project, random.Random(1).randbytes(4 * CHUNK))
    whole = path(upload).read_bytes()
    chunks = [whole[start : start + SEALED_CHUNK] for start in range(0, len(whole), SEALED_CHUNK)]
    path(upload).write_bytes(b"".join(CHANGES[change](chunks)))
    assert refused(upload)
    with pytest.raises(VaultBroken, match="is missing or was changed"):
        sealed_uploads.check(upload)


def test_files_chunks_and_keys_do_not_stand_in_for_those_of_others(project: Project) -> None:
    one, other = (sealed(project, bytes([number]) * 2 * CHUNK) for number in (1, 2))
    first, second = path(one).read_bytes(), path(other).read_bytes()
    path(one).write_bytes(second)
    assert refused(one)
    path(one).write_bytes(first[:SEALED_CHUNK] + second[SEALED_CHUNK:])
    assert refused(one)
    path(one).write_bytes(first)
    assert refused(Upload(id=one.id, project=project, sealed_key=other.sealed_key))
    again = Upload(id=uuid4(), project=project, sealed_key=one.sealed_key)
    path(again).write_bytes(first)
    assert refused(again), "another upload"
    elsewhere = Upload(
        id=one.id,
        project=create_project(name="other", actor=COMMAND_LINE, synthetic=True),
        sealed_key=one.sealed_key,
    )
    path(elsewhere).parent.mkdir()
    path(elsewhere).write_bytes(first)
    assert refused(elsewhere), "another project"
    assert content_of(one) == bytes([1]) * 2 * CHUNK


def test_another_installation_cannot_open_it(project: Project, settings: Settings) -> None:
    upload, own = sealed(project, b"content"), Path(settings.MINDFIRL_KEYS)
    settings.MINDFIRL_KEYS = own.with_name("others")
    Path(settings.MINDFIRL_KEYS).mkdir()
    with pytest.raises(KeyMissing, match="The upload key of this installation is missing"):
        content_of(upload)
    make_installation_keys()
    with pytest.raises(KeyMissing, match="The identity key of this project"):
        content_of(upload)
    shutil.copytree(own / str(project.pk), own.with_name("others") / str(project.pk))
    with pytest.raises(VaultBroken, match="does not open with the key"):
        content_of(upload)


def test_the_process_that_serves_pages_can_seal_but_not_open(
    project: Project, settings: Settings
) -> None:
    settings.PART = "web"
    upload = sealed(project, b"content")
    with pytest.raises(KeyMissing):
        content_of(upload)
    settings.PART = ""
    assert content_of(upload) == b"content"


def test_keys_are_made_once_for_their_owner_alone(project: Project, settings: Settings) -> None:
    keys = Path(settings.MINDFIRL_KEYS)
    upload = sealed(project, b"content")
    before = {each.name: each.read_bytes() for each in keys.glob("*.*")}
    make_installation_keys()
    assert {each.name: each.read_bytes() for each in keys.glob("*.*")} == before
    assert set(before) == {"uploads.key", "uploads.pub", "cookies.key", "signing.key"}
    assert {each.stat().st_mode & 0o777 for each in keys.glob("*.*")} == {0o600}
    (keys / "uploads.pub").unlink()
    make_installation_keys()
    assert content_of(upload) == content_of(sealed(project, b"content"))
    (keys / "uploads.key").unlink()
    make_installation_keys()
    assert not (keys / "uploads.key").exists(), "it may belong to another process alone"


def test_nothing_is_in_the_clear_on_the_disk_while_it_comes_in(
    project: Project, home: Path, tmp_path: Path
) -> None:
    write_tracers(tmp_path / "clear.csv", records=3_000, seed=1)
    content = (tmp_path / "clear.csv").read_bytes()
    (tmp_path / "clear.csv").unlink()
    assert len(content) > 2 * CHUNK
    upload, looks = Upload(project=project, file_name="a.csv"), 0
    with sealed_uploads.sealing(upload) as coming:
        for start in range(0, len(content), 50_000):
            coming.write(content[start : start + 50_000])
            files = [each for each in tmp_path.rglob("*") if each.is_file()]
            assert tracers_in({each: each.read_bytes() for each in files}) == []
            looks += any(each.suffix == ".part" and each.stat().st_size for each in files)
        sealed_uploads.bind(coming.finish(), project)
        upload.save()
    assert looks
    files = [each for each in home.rglob("*") if each.is_file()]
    assert tracers_in({each: each.read_bytes() for each in files}) == []
    assert content_of(upload) == content


def test_a_stream_that_breaks_off_leaves_nothing(project: Project) -> None:
    def broken_off(*, whole: bool) -> None:
        with sealed_uploads.sealing(Upload(project=project, file_name="a.csv")) as coming:
            coming.write(bytes(2 * CHUNK))
            if whole:
                coming.finish()
            raise ConnectionError

    for whole in (False, True):
        with pytest.raises(ConnectionError):
            broken_off(whole=whole)
    assert list(vault.folder_of(project.id).iterdir()) == []


def test_the_doctor_leaves_uploads_alone_that_come_in_and_removes_what_is_left(
    project: Project,
) -> None:
    there = sealed(project, b"content")
    coming = sealed_uploads.Sealing(Upload(project=project, file_name="a.csv"))
    coming.write(b"some")
    assert examine() == []
    coming.finish()
    assert examine() == [], "it is not recorded yet"
    coming.close()
    assert [each.mended for each in examine()] == [True]
    assert list(vault.folder_of(project.id).iterdir()) == [path(there)]
    path(there).unlink()
    assert ["uploaded file of this project is missing" in each.words for each in examine()] == [
        True
    ]


def workbook() -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet("People")
        sheet.write_row(0, 0, ["first_name", "zip"])
        sheet.write_row(1, 0, ["Ann", "12345"])
    return file.getvalue()


def parquet() -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(pa.table({"first_name": ["Ann"], "zip": ["12345"]}), file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"first_name,zip\nAnn,12345\n"),
        ("a.TSV", b"first_name\tzip\nAnn\t12345\n"),
        ("a.parquet", parquet()),
        ("a.xlsx", workbook()),
    ],
)
def test_readers_read_it_from_memory(project: Project, name: str, content: bytes) -> None:
    with sealed_uploads.opened(sealed(project, content)) as location:
        source = open_table(location, name=name)
        assert source.name == name
        assert source.table(["zip", "first_name"]).to_pylist() == [
            {"zip": "12345", "first_name": "Ann"}
        ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", r"^a\.csv: the file is empty"),
        ("a.csv", b"first_name,zip\nAnn\n", r"^a\.csv, row 1: the number of cells is 1"),
        ("a.csv", b'first_name,zip\nAnn,"1\n', r"^a\.csv, row 1: a quote is opened"),
        ("a.parquet", b"x", r"^a\.parquet: the file is not Parquet"),
        ("a.xlsx", b"x", r"^a\.xlsx: the file is not a workbook, or is damaged"),
        ("a.ods", workbook()[:-40], r"^a\.ods: the file is not a workbook, or is damaged"),
        ("a.doc", b"x", r"^a\.doc: this kind of file cannot be read"),
        ("a.csv", b"first_name,first_name\n", r"^a\.csv, header"),
    ],
)
def test_errors_name_the_file_as_its_owner_does(
    project: Project, name: str, content: bytes, words: str
) -> None:
    def read() -> None:
        with sealed_uploads.opened(sealed(project, content)) as location:
            source = open_table(location, name=name)
            source.table(source.columns)

    with pytest.raises(DataError, match=words):
        read()


def test_uploads_go_with_the_key_of_their_project(project: Project) -> None:
    upload = sealed(project, b"zip\n12345\n")
    destroy_all(project.pk)
    with pytest.raises(KeyMissing):
        content_of(Upload.objects.get(id=upload.id))


def test_new_keys_are_for_uploads_as_well(project: Project) -> None:
    upload = sealed(project, b"zip\n12345\n")
    before = bytes(Upload.objects.get().sealed_key)
    rotate_keys(project=project)
    upload = Upload.objects.select_related("project").get()
    assert content_of(upload) == b"zip\n12345\n"
    assert bytes(upload.sealed_key) != before
    destroy_all(project.pk)
    with pytest.raises(KeyMissing):
        content_of(upload)


def test_a_key_that_was_bound_to_another_upload_does_not_open(project: Project) -> None:
    one = sealed(project, b"zip\n12345\n")
    other = Upload.objects.get(id=one.id)
    other.sealed_key = bytes(other.sealed_key)[:-1] + b"x"
    assert refused(other)
