"""Settings by environment: folders, files that hold a value, databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import SettingError
from mindfirl.settings import database, environment, folder, names, whole_number


def test_a_value_stands_in_the_environment_or_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert environment("MINDFIRL_X") == ""
    assert environment("MINDFIRL_X", "otherwise") == "otherwise"
    (tmp_path / "x").write_text(" from a file\n", encoding="utf-8")
    monkeypatch.setenv("MINDFIRL_X_FILE", str(tmp_path / "x"))
    assert environment("MINDFIRL_X") == "from a file"
    monkeypatch.setenv("MINDFIRL_X", "itself")
    assert environment("MINDFIRL_X") == "itself"
    monkeypatch.delenv("MINDFIRL_X")
    monkeypatch.setenv("MINDFIRL_X_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(SettingError, match="MINDFIRL_X_FILE names cannot be read"):
        environment("MINDFIRL_X")


def test_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder("MINDFIRL_X", "a", "b") == Path.home() / "a" / "b"
    monkeypatch.setenv("MINDFIRL_X", "here")
    assert folder("MINDFIRL_X", "a") == Path.cwd() / "here"


def test_names_may_have_spaces_between_them() -> None:
    assert names("linkage.example, linkage,,10.0.0.1 ") == [
        "linkage.example",
        "linkage",
        "10.0.0.1",
    ]


def test_databases() -> None:
    home = Path("/home/of/data")
    assert database("", home)["NAME"] == home / "mindfirl.sqlite3"
    assert database("sqlite:////some/where.db", home)["NAME"] == Path("/some/where.db")
    assert "synchronous=FULL" in database("", home)["OPTIONS"]["init_command"]
    found = database("postgresql://me:p%40ss@server:6543/study?sslmode=require", home)
    assert found == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "study",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "server",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize("url", ["mysql://me:Secret@x/y", "nonsense", "postgresql://me:Secret@[x/"])
def test_a_url_that_is_not_known_is_not_repeated(url: str) -> None:
    with pytest.raises(SettingError, match="Write postgresql://") as caught:
        database(url, Path())
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize("given", ["0", "-1", "2 GiB", "1.5", "²"])
def test_a_limit_is_a_whole_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDFIRL_X", given)
    with pytest.raises(SettingError, match="MINDFIRL_X is not a whole number"):
        whole_number("MINDFIRL_X", 5)
    monkeypatch.setenv("MINDFIRL_X", "7")
    assert whole_number("MINDFIRL_X", 5) == 7
    monkeypatch.delenv("MINDFIRL_X")
    assert whole_number("MINDFIRL_X", 5) == 5
