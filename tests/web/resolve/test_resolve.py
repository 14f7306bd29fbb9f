"""What reviews leave open, on its page: figures, who settles it, contradictions, persons."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindfirl.core.ledger.events import ContradictionAccepted
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import resolve
from mindfirl.services.projects import add_member
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Acceptance, Assignment, Dispatch, Job, Linkage, Scoring
from mindfirl.web.resolve.every_pair import every_pair
from mindfirl.workspace.outcomes.linkage_errors import current_errors
from mindfirl.workspace.outcomes.pair_accounts import pair_accounts
from mindfirl.workspace.outcomes.standing import (
    Standing,
    counts_of,
    current_standing,
    standing_of,
)
from tests.support.bringing import work
from tests.support.cast import Answer, member, signed_in, text
from tests.support.conflicts import (
    DIFFERENT,
    SAME,
    adjudicator,
    at,
    conflicting,
    disagree,
    give,
    give_conflicts,
    hand_in,
    ring,
    say,
    weighed,
)
from tests.support.reviews import Study

ADDRESS = "/projects/study"
WAIT = "open conflicts are not assigned"


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    made = conflicting(tmp_path)
    made.project.purpose = "a test"
    made.project.save()
    return made


@dataclass
class Desk:
    """Somebody at the page."""

    client: Client

    def page(self, path: str = "/resolve") -> str:
        answer = self.client.get(f"{ADDRESS}{path}")
        assert answer.status_code == 200
        return text(answer)

    def post(self, path: str, **typed: str) -> Answer:
        return self.client.post(f"{ADDRESS}/{path}", typed)

    def hidden(self, name: str) -> str:
        """Return what a hidden field of the page holds."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page())
        assert found
        return found.group(1)

    def give(self) -> Answer:
        return self.post("resolve/give", seen=self.hidden("seen"))


@pytest.fixture
def desk(study: Study) -> Desk:
    return Desk(signed_in(study.manager))


def words(page: str) -> str:
    """Return a page's text, all of its blanks alike."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def figure(page: str, label: str) -> int:
    found = re.search(rf"<b>([\d,]+)</b><span>{label}</span>", page)
    assert found, label
    return int(found.group(1).replace(",", ""))


def every(page: str) -> dict[str, list[str]]:
    """Return the rows of the table of every pair: their number, and what becomes of them."""
    rows = re.findall(r'<tr[^>]* data-group="([^"]+)">(.*?)</tr>', page, re.DOTALL)
    return {
        name: [words(each) for each in re.findall(r"<td[^>]*>(.*?)</td>", cells, re.DOTALL)]
        for name, cells in rows
    }


def total(page: str) -> list[str]:
    foot = page.partition("<tfoot>")[2].partition("</tfoot>")[0]
    return [words(each) for each in re.findall(r"<td[^>]*>(.*?)</td>", foot, re.DOTALL)]


def go(page: str) -> list[str]:
    """Return the one action that a page proposes."""
    main = page.partition("<main")[2]
    return [words(each) for each in re.findall(r'class="(?:button )?go"[^>]*>(.*?)</', main)]


def test_before_pairs_are_found_it_says_so(desk: Desk) -> None:
    Scoring.objects.all().delete()
    page = desk.page()
    assert "Find pairs first" in page
    assert go(page) == []
    for path in ("resolve/give", "resolve/accept", "link", "resolve/confirm", "resolve/withdraw"):
        assert desk.post(path).status_code == 409


def test_before_anything_is_given_out_it_says_so_and_can_link_all_the_same(desk: Desk) -> None:
    page = desk.page()
    assert "No pairs are assigned for review yet" in page
    assert "/projects/study/dispatch" in page
    assert "Link records" in page
    assert "Resolve" in desk.page("/dispatch")


def test_while_reviews_are_under_way_there_is_nothing_to_do(study: Study, desk: Desk) -> None:
    give(study, reviews=3)
    page = desk.page()
    assert "10 pairs under review" in page
    assert every(page)["under review"][:2] == ["10", "until submitted: not linked"]
    assert go(page) == []
    assert "Pairs are under review." in desk.page("")
    assert "0 of 30 decisions made." in desk.page("")
    assert "Continue: Resolve" not in desk.page("")


def test_what_is_settled_leads_to_linking(study: Study, desk: Desk) -> None:
    for each in give(study, reviews=3):
        say(each, SAME)
        hand_in(each)
    assert "Continue: Resolve" in desk.page("")
    page = desk.page()
    assert "No open conflicts." in page
    assert every(page)["settled by reviews"][:2] == ["10", "linked"]
    assert go(page) == ["Link records"]
    assert "unsettled" not in page
    assert desk.post("link").status_code == 302
    assert Job.objects.get().parameters == {"unsettled": False}
    assert "Linking records" in desk.page()
    work()
    page = desk.page()
    assert figure(page, "persons") == 25
    assert figure(page, "of them with several records") == 15
    assert (
        figure(page, "records linked automatically"),
        figure(page, "records without links"),
    ) == (10, 10)
    assert go(page) == ["Continue to releases"]
    assert "Something was decided" not in page
    assert "The records are linked." in desk.page("")


def test_every_pair_is_accounted_for(study: Study, desk: Desk) -> None:
    weighed(study, [(n, n, 20) for n in range(6)] + [(n, n + 1, 0) for n in range(6, 14)])
    page = desk.page()
    assert {name: row[:2] for name, row in every(page).items()} == {
        "automatic links": ["6", "linked"],
        "undecided": ["8", "by weight: not linked Change which pairs people review"],
        "automatic non-links": ["0", "–"],
    }
    assert total(page)[:2] == ["14", "6 linked, 8 not"]
    first, *others = give(study, reviews=3)
    say(first, DIFFERENT)
    for each in others:
        say(each, SAME)
    hand_in(first)
    assert every(desk.page())["under review"][0] == "8"
    for each in others:
        hand_in(each)
    page = desk.page()
    shown = "to assign to an adjudicator; until then not linked"
    assert every(page)["in conflict"][:2] == ["8", shown]
    assert sum(int(row[0]) for row in every(page).values()) == 14 == int(total(page)[0])
    assert "False links: " in words(page)


def test_recall_is_not_known_where_the_model_cannot_tell(study: Study) -> None:
    weighed(study, [(n, n, 20) for n in range(6)] + [(n, n + 1, -4) for n in range(6, 14)])
    standing, stated = current_standing(study.project), current_errors(study.project)
    told, untold = (
        every_pair(pair_accounts(standing), each, counts_of(standing))
        for each in (stated, replace(stated, tell=False))
    )
    assert " to " in told.recall
    assert "missed" in told.total.errors
    assert untold.recall == "not known"
    assert "missed" not in untold.total.errors
    assert untold.precision == told.precision


def test_what_merging_changes_is_a_row_of_its_own(study: Study, desk: Desk) -> None:
    weighed(study, [(0, 0, 0), (0, 1, 0.5), (2, 2, 20), (3, 4, -20)])
    for each in give(study, rule="evidence", reviews=3):
        say(each, SAME)
        hand_in(each)
    counted = every(desk.page())
    changed = counted["changed by merging"]
    assert changed[:2] == ["2", "decided different but linked: 0; decided same but not: 2"]
    assert sum(int(row[0]) for row in counted.values()) == 4


def test_conflicts_go_to_adjudicators(study: Study, desk: Desk) -> None:
    disagree(study, adjudicator(study))
    page = desk.page()
    assert f"10 {WAIT}" in page
    assert "Reviewers disagree 10 0" in words(page)
    assert "judge (K 70%)" in page
    assert go(page) == ["Assign 10 conflicts to adjudicators"]
    assert desk.give().status_code == 302
    page = desk.page()
    assert "10 pairs assigned to 1 adjudicator." in page
    assert "10 conflicts are with adjudicators." in page
    assert "Reviewers disagree 0 10" in words(page)
    assert go(page) == []
    assert "Settle conflicts" in desk.page("")
    given = Assignment.objects.get(kind="adjudication")
    say(given, SAME)
    hand_in(given)
    page = desk.page()
    assert every(page)["settled by adjudicators"][:2] == ["10", "linked"]
    assert go(page) == ["Link records"]


def test_without_an_adjudicator_it_leads_to_the_plan(study: Study, desk: Desk) -> None:
    disagree(study)
    page = desk.page()
    assert go(page) == ["Add adjudicator"]
    assert "/projects/study/plan" in page


def test_where_every_adjudicator_reviewed_the_pairs_it_says_so(study: Study, desk: Desk) -> None:
    both = study.workers[0]
    add_member(project=study.project, actor=COMMAND_LINE, account=both, role="adjudicator")
    disagree(study, both)
    answer = desk.give()
    assert answer.status_code == 422
    assert "no adjudicator can get them" in text(answer)


def test_who_saw_other_conflicts_is_told(study: Study, desk: Desk) -> None:
    judge = adjudicator(study)
    disagree(study, judge)
    seen = desk.hidden("seen")
    give_conflicts(study)
    for old in (seen, "", "no\0thing"):
        answer = desk.post("resolve/give", seen=old)
        assert answer.status_code == 409
        assert "changed" in text(answer)
    assert Assignment.objects.filter(kind="adjudication").count() == 1


def two_people(study: Study) -> Desk:
    """Let the project ask for a second person; return another manager."""
    disagree(study, adjudicator(study))
    study.project.second_person = True
    study.project.save()
    return Desk(signed_in(member(study.project, "manager")))


def test_a_second_person_confirms(study: Study, desk: Desk) -> None:
    auditor = Desk(signed_in(study.auditor))
    two_people(study)
    assert go(desk.page()) == ["Propose for confirmation"]
    assert go(auditor.page()) == []
    assert desk.give().status_code == 302
    assert Assignment.objects.filter(kind="adjudication").count() == 0
    own, other = desk.page(), auditor.page()
    assert "Waiting for confirmation" in own
    assert go(own) == []
    assert "Withdraw" in own
    assert go(other) == ["Confirm"]
    assert "Withdraw" not in other
    assert "to assign conflicts to adjudicators" in desk.page("")
    assert "/projects/study/resolve" in auditor.page("")
    number = auditor.hidden("dispatch")
    refused = desk.post("resolve/confirm", dispatch=number)
    assert refused.status_code == 422
    assert "requires a second person" in text(refused)
    for wrong in ("", "999", "x"):
        assert auditor.post("resolve/confirm", dispatch=wrong).status_code == 409
    assert auditor.post("resolve/confirm", dispatch=number).status_code == 302
    assert Assignment.objects.get(kind="adjudication").size == 10
    assert auditor.post("resolve/confirm", dispatch=number).status_code == 409


def test_what_is_proposed_can_be_withdrawn(study: Study, desk: Desk) -> None:
    other = two_people(study)
    desk.give()
    number = desk.hidden("dispatch")
    assert other.post("resolve/withdraw", dispatch="0").status_code == 409
    assert other.post("resolve/withdraw", dispatch=number).status_code == 302
    assert Dispatch.objects.get(kind="adjudication").state == "withdrawn"
    assert go(desk.page()) == ["Propose for confirmation"]


def test_a_contradiction_is_told_without_its_records(study: Study, desk: Desk) -> None:
    ring(study)
    page = desk.page()
    told = words(page)
    assert "Contradiction 1 Links join two records of a database" in told
    assert "Over 2 links: 1 automatic, 1 reviewed." in told
    assert "once every contradiction is settled or accepted" in told
    assert "They are made of 2 pairs: a contradiction is one conflict" in told
    (path,) = resolve.paths_in(standing(study))
    name = desk.hidden("contradiction")
    assert re.fullmatch("[0-9a-f]{32}", name)
    figures = set(re.findall(r"\d+", told))
    assert not {str(each) for each in path.between} & (figures - {"0", "1", "2", "3"})
    for left, right in (path.between, at(study, 0, 0), at(study, 0, 1)):
        assert f"{left} {right}" not in page
    for value in ("c0", "r0", "r1"):
        assert value not in re.findall(r"\w+", told)


def standing(study: Study) -> Standing:
    return standing_of(project=study.project, actor=study.actor)


def test_a_contradiction_can_be_let_stand_for_a_reason(study: Study, desk: Desk) -> None:
    ring(study)
    name = desk.hidden("contradiction")
    answer = desk.post("resolve/accept", contradiction=name, reason="They are twins.")
    assert answer.status_code == 302
    kept = Acceptance.objects.get()
    assert (kept.reason, kept.account) == ("They are twins.", study.manager)
    events = [entry.event for entry in read(lines(study.project))]
    (accepted,) = (each for each in events if isinstance(each, ContradictionAccepted))
    assert (accepted.acceptance, accepted.reason) == (1, "They are twins.")
    page = desk.page()
    assert "Contradiction 1" not in page
    assert go(page) == ["Link records"]
    assert desk.post("resolve/accept", contradiction=name, reason="again").status_code == 409


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "nothing\0"])
def test_a_bad_reason_is_asked_for_again(study: Study, desk: Desk, reason: str) -> None:
    ring(study)
    name = desk.hidden("contradiction")
    answer = desk.post("resolve/accept", contradiction=name, reason=reason)
    page = text(answer)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in page
    assert "autofocus" in page
    assert f'id="{name}-reason_error"' in page
    assert "<details open>" in page
    assert len(reason) <= 500 or reason in page
    assert not Acceptance.objects.exists()


@pytest.mark.parametrize("name", ["", "0" * 32, "1 2", "é\0"])
def test_only_a_contradiction_that_is_there_can_be_let_stand(
    study: Study, desk: Desk, name: str
) -> None:
    ring(study)
    assert desk.post("resolve/accept", contradiction=name, reason="so").status_code == 409
    assert not Acceptance.objects.exists()


def test_a_contradiction_that_an_adjudicator_has_is_theirs(study: Study, desk: Desk) -> None:
    ring(study, adjudicator(study))
    assert go(desk.page()) == ["Assign 1 conflict to adjudicators"]
    desk.give()
    page = desk.page()
    assert "with an adjudicator" in page
    assert 'name="contradiction"' not in page


def test_many_contradictions_are_listed_by_and_by(study: Study, desk: Desk) -> None:
    weighed(study, [(n, m, 0) for n in range(13) for m in (n, n + 1)])
    for each in give(study, reviews=3):
        say(each, SAME)
        hand_in(each)
    page = desk.page()
    assert page.count('name="contradiction"') == 20
    assert "more are listed once these are settled" in page


def test_linking_asks_about_what_nobody_settled(study: Study, desk: Desk) -> None:
    disagree(study, adjudicator(study))
    page = desk.page()
    assert "Count 10 pairs that are not settled as not linked" in page
    refused = desk.post("link")
    page = text(refused)
    assert refused.status_code == 422
    assert 'id="id_unsettled_error"' in page
    assert "autofocus" in page
    assert not Job.objects.exists()
    assert desk.post("link", unsettled="on").status_code == 302
    assert Job.objects.get().parameters == {"unsettled": True}
    again = desk.post("link", unsettled="on")
    assert again.status_code == 302
    assert Job.objects.count() == 1
    work()
    assert Linkage.objects.get().report["unsettled"] == 10
    assert "10 pairs that were not settled counted as not linked." in desk.page()


def test_where_votes_are_evidence_it_is_said_what_undecided_pairs_become(
    study: Study, desk: Desk
) -> None:
    weighed(study, [(0, 0, 20), (1, 1, 3), (2, 2, -3), (3, 3, 0)])
    for each in give(study, rule="evidence", reviews=2):
        say(each, SAME)
        hand_in(each)
    page = desk.page()
    assert "Votes contradict the match weight" in page
    assert "id_unsettled" not in page
    assert desk.post("link").status_code == 302
    work()
    report = Linkage.objects.get().report
    assert (report["rule"], report["unsettled"]) == ("evidence", 2)
    linked = report["linked_by_weight"]
    assert f"2 pairs undecided: their weights decide, and {linked} of them will be" in page
    assert f"2 pairs undecided: the weights decided, {linked} linked." in desk.page()


def test_linking_refuses_contradictions(study: Study, desk: Desk) -> None:
    ring(study)
    answer = desk.post("link", unsettled="on")
    assert answer.status_code == 422
    assert "contradictions are open" in text(answer)
    assert not Job.objects.exists()


def test_what_was_decided_since_asks_for_another_linkage(study: Study, desk: Desk) -> None:
    judge = adjudicator(study)
    disagree(study, judge)
    desk.post("link", unsettled="on")
    work()
    assert "Something was decided" not in desk.page()
    (given,) = give_conflicts(study)
    say(given, DIFFERENT)
    hand_in(given)
    page = desk.page()
    assert "Since then, pairs were decided or contradictions accepted." in page
    assert go(page) == ["Link records again"]


def test_the_auditor_looks_and_changes_nothing(study: Study) -> None:
    ring(study, adjudicator(study))
    page = Desk(signed_in(study.auditor)).page()
    assert "Contradiction 1" in page
    for control in ("<form method", 'name="contradiction"', "Link records"):
        assert control not in page.partition("<main")[2]


ROUTES = ("resolve/give", "resolve/confirm", "resolve/withdraw", "resolve/accept", "link")


def test_nobody_else_gets_near(study: Study) -> None:
    for who, status in ((study.workers[0], 403), (adjudicator(study), 403)):
        client = signed_in(who)
        assert client.get(f"{ADDRESS}/resolve").status_code == status
        assert {client.post(f"{ADDRESS}/{each}").status_code for each in ROUTES} == {status}
    auditor = signed_in(study.auditor)
    assert auditor.post(f"{ADDRESS}/link").status_code == 403
    assert auditor.post(f"{ADDRESS}/resolve/accept").status_code == 403
    assert not Job.objects.exists()


def test_no_value_of_a_record_is_on_the_page(study: Study, desk: Desk) -> None:
    ring(study, adjudicator(study))
    found: list[Any] = re.findall(r"\w+", words(desk.page()))
    assert not {"Ann", "Anna", "Bob", "Bobby", "Eve", "Zoe", "Mary"} & set(found)
