"""The vault: what it keeps opens only as what it is, and only with its key."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pytest_django import Settings

from mindfirl.core.errors import KeyMissing, VaultBroken
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.projects import create_project
from mindfirl.services.upkeep.health import rotate_keys
from mindfirl.store import vault
from mindfirl.store.crypto.keys import create_key
from mindfirl.store.models import Project, SealedFile

TABLE = pa.table({"secret column": ["Secret value"] * 3, "other": pa.array([1, None, 3])})


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    created = create_project(name="study", actor=COMMAND_LINE, synthetic=True)
    created.sensitive_key = create_key(created.id, "sensitive")
    created.save()
    return created


def sealed(project: Project, kind: str, table: pa.Table = TABLE) -> SealedFile:
    file = vault.seal(project, kind, table)
    vault.record([file])
    return file


def path(file: SealedFile) -> Path:
    return vault.path_of(file.project_id, file.name)


def test_a_table_comes_back_as_it_went_in(project: Project) -> None:
    file = sealed(project, "identity")
    stored = SealedFile.objects.get(name=file.name)
    assert vault.unseal(stored).equals(TABLE)
    assert vault.unseal(stored, ["other"]).column_names == ["other"]
    assert stored.size == path(stored).stat().st_size


def test_neither_values_nor_names_of_columns_are_in_the_clear(project: Project) -> None:
    content = path(sealed(project, "identity")).read_bytes()
    assert b"Secret" not in content
    assert b"secret column" not in content


def test_a_flipped_byte_is_refused_wherever_it_is(project: Project) -> None:
    file = sealed(project, "identity")
    whole = path(file).read_bytes()
    places = {0, 4, len(whole) - 1, len(whole) - 9, *random.Random(1).sample(range(len(whole)), 40)}
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1
        path(file).write_bytes(changed)
        with pytest.raises(VaultBroken, match="is missing or was changed"):
            vault.unseal(file)
        file.digest = vault.digest_of(path(file))  # even where the digest was changed, too
        if 4 <= place < len(whole) - 4:  # Parquet does not look at its mark in front
            with pytest.raises(VaultBroken, match="cannot be opened"):
                vault.unseal(file)
        file.digest = SealedFile.objects.get(pk=file.pk).digest
    path(file).write_bytes(whole)
    assert vault.unseal(file).equals(TABLE)


def test_exchanged_files_are_refused(project: Project) -> None:
    first, second = sealed(project, "identity"), sealed(project, "identity")
    spare = path(first).read_bytes()
    shutil.copy(path(second), path(first))
    path(second).write_bytes(spare)
    with pytest.raises(VaultBroken, match="was changed"):
        vault.unseal(first)
    first.digest, second.digest = second.digest, first.digest
    with pytest.raises(VaultBroken, match="cannot be opened"):
        vault.unseal(first)
    first.sealed_key, second.sealed_key = second.sealed_key, first.sealed_key
    with pytest.raises(VaultBroken, match="does not open with the key"):
        vault.unseal(first)


def test_files_do_not_move_between_projects_or_kinds(project: Project) -> None:
    other = create_project(name="other", actor=COMMAND_LINE, synthetic=True)
    file = sealed(project, "identity")
    shutil.copytree(path(file).parent, vault.path_of(other.id, file.name).parent)
    file.project = other
    with pytest.raises(KeyMissing):
        vault.unseal(file)
    file.key = other.identity_key
    with pytest.raises(VaultBroken, match="does not open with the key"):
        vault.unseal(file)
    file.project, file.key, file.kind = project, project.identity_key, "index"
    with pytest.raises(VaultBroken, match="does not open with the key"):
        vault.unseal(file)


def test_without_its_key_a_side_cannot_be_read(project: Project, settings: Settings) -> None:
    identity, sensitive = sealed(project, "identity"), sealed(project, "sensitive")
    joining = sealed(project, "joining")
    (key,) = Path(settings.MINDFIRL_KEYS).glob("*/sensitive-*.key")
    key.rename(settings.MINDFIRL_HOME / "elsewhere")
    assert vault.unseal(identity).equals(TABLE)
    for file in (sensitive, joining):
        with pytest.raises(KeyMissing, match="The sensitive key of this project"):
            vault.unseal(file)
    key.write_bytes(b"cut off")
    with pytest.raises(KeyMissing):
        vault.unseal(sensitive)
    key.write_bytes(bytes(32))
    with pytest.raises(VaultBroken, match="does not open with the key"):
        vault.unseal(sensitive)


def test_keys_are_for_their_owner_alone(project: Project, settings: Settings) -> None:
    assert project.identity_key != project.sensitive_key
    keys = list(Path(settings.MINDFIRL_KEYS).glob("*/*"))
    assert len(keys) == 2
    for key in keys:
        assert key.stat().st_mode & 0o077 == 0
        assert key.parent.stat().st_mode & 0o077 == 0


def test_rotating_keys_encrypts_anew(project: Project, settings: Settings) -> None:
    files = [sealed(project, "identity"), sealed(project, "sensitive")]
    before = {path(file): path(file).read_bytes() for file in files}
    old_keys = set(Path(settings.MINDFIRL_KEYS).glob("*/*"))
    assert rotate_keys(project=project) == 2
    project.refresh_from_db()
    for file in files:
        stored = SealedFile.objects.get(pk=file.pk)
        assert vault.unseal(stored).equals(TABLE)
        assert path(stored) not in before
    assert not [old for old in before if old.exists()]
    assert not old_keys & set(Path(settings.MINDFIRL_KEYS).glob("*/*"))
    assert vault.strays(project.id) == []
    assert vault.unseal(sealed(project, "identity")).equals(TABLE)
    for old, content in before.items():
        old.write_bytes(content)
    assert len(vault.strays(project.id)) == 2
    with pytest.raises(KeyMissing):
        vault.unseal(files[0])
