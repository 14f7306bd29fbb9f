"""``mindfirl user`` and the first administrator, as a person would type them."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner, Result

from mindfirl.cli import main
from mindfirl.services.accounts.second_factor import begin_second_factor, has_second_factor
from mindfirl.services.accounts.sign_in import use_link
from mindfirl.store.models import Account, SecondFactor
from tests.support.people import PASSWORD

pytestmark = pytest.mark.usefixtures("home")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "160"}, catch_exceptions=False)


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def token_in(said: str, address: str = "http://localhost:8000") -> str:
    found = re.search(rf"^{re.escape(address)}/welcome/(\S+)$", said, re.MULTILINE)
    assert found is not None
    return found[1]


def test_init_makes_the_first_administrator_once() -> None:
    said = done("init", "--administrator", "Boss", "--address", "https://study.example/")
    use_link(token=token_in(said, "https://study.example"), password=PASSWORD)
    account = Account.objects.get()
    assert (account.username, account.is_administrator) == ("boss", True)
    assert "/welcome/" not in done("init")
    assert Account.objects.count() == 1


def test_people_are_added_and_given_new_links() -> None:
    said = done("user", "add", "Ann@example.org", "--full-name", "Ann Example", "--administrator")
    assert "ann@example.org can choose a password here, once, within 7 days" in said
    use_link(token=token_in(said), password=PASSWORD)
    use_link(token=token_in(done("user", "reset", "ANN@example.org")), password=PASSWORD)
    done("user", "add", "bob", "--creates-projects")
    assert json.loads(done("user", "list", "--json")) == [
        {
            "username": "ann@example.org",
            "full_name": "Ann Example",
            "state": "active",
            "administrator": True,
            "creates_projects": True,
            "second_factor": False,
            "last_sign_in": None,
        },
        {
            "username": "bob",
            "full_name": "",
            "state": "invited",
            "administrator": False,
            "creates_projects": True,
            "second_factor": False,
            "last_sign_in": None,
        },
    ]
    listed = done("user", "list")
    assert re.search(r"^bob +invited +create projects +no +never *$", listed, re.MULTILINE)


def test_people_are_shut_out_and_let_in_again() -> None:
    use_link(token=token_in(done("user", "add", "ann")), password=PASSWORD)
    assert "ann is disabled" in done("user", "disable", "ann")
    assert not Account.objects.get().is_active
    assert json.loads(done("user", "list", "--json"))[0]["state"] == "disabled"
    assert "Enable it first" in run("user", "reset", "ann").stderr
    assert "can sign in again" in done("user", "enable", "ann")
    assert Account.objects.get().is_active


def test_a_lost_second_factor_goes_with_a_reset_that_says_so() -> None:
    use_link(token=token_in(done("user", "add", "ann")), password=PASSWORD)
    account = Account.objects.get()
    begin_second_factor(account=account)
    SecondFactor.objects.update(confirmed=account.created)
    done("user", "reset", "ann")
    assert has_second_factor(account)
    done("user", "reset", "ann", "--end-second-factor")
    assert not has_second_factor(account)


def test_what_cannot_be_done_is_said_without_repeating_what_was_typed() -> None:
    done("init", "--administrator", "boss")
    for words, sentence in (
        (("add", "Tracer Name"), "letters, digits"),
        (("add", "BOSS"), "already"),
        (("reset", "tracer"), "no account with that name"),
        (("disable", "boss"), "last administrator"),
    ):
        result = run("user", *words)
        assert result.exit_code == 2
        assert sentence in result.stderr
        assert "racer" not in result.output


def test_rights_change_and_what_is_not_said_stays() -> None:
    done("user", "add", "ann", "--full-name", "Ann Example", "--creates-projects")
    done("user", "add", "boss", "--administrator")
    assert "ann is changed." in done("user", "change", "ann", "--administrator")
    ann = Account.objects.get(username="ann")
    assert (ann.full_name, ann.creates_projects, ann.is_administrator) == (
        "Ann Example",
        True,
        True,
    )
    done("user", "change", "ann", "--no-administrator", "--no-creates-projects")
    ann.refresh_from_db()
    assert (ann.creates_projects, ann.is_administrator) == (False, False)
    refused = run("user", "change", "boss", "--no-administrator")
    assert refused.exit_code == 2
    assert "This is the last administrator." in refused.stderr


def test_an_account_is_deleted() -> None:
    done("user", "add", "boss", "--administrator")
    done("user", "add", "ann")
    assert "ann is deleted." in done("user", "delete", "ann")
    assert not Account.objects.filter(username="ann").exists()
    assert run("user", "delete", "boss").exit_code == 2
