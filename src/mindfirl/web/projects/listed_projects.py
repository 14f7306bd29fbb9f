"""Projects as a list shows them: where each stands, what is reviewed and spent, what waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.policy import ASSIGNMENT_STATES, Actor, Role, may
from mindfirl.core.risk.percent import write_percent
from mindfirl.services import jobs
from mindfirl.services.dispatch.assignments import AssignmentProgress, progress_of
from mindfirl.store.models import Account, Dispatch, Project
from mindfirl.store.queries.access import actor_for
from mindfirl.store.queries.plans import scoring_of, waiting_dispatch
from mindfirl.store.queries.projects import current_version, steps_of
from mindfirl.store.queries.reviews import work_of
from mindfirl.web.dispatch.assignment_page import highest_spent
from mindfirl.web.page.figures import count, pairs, percent, short_date, within_sentence
from mindfirl.web.page.long_work import job_words
from mindfirl.web.page.steps import LABELS, shown_step
from mindfirl.web.plan.forms import ROLE_WORDS
from mindfirl.workspace.outcomes.standing import counts_of, current_standing
from mindfirl.workspace.proposals import may_confirm_dispatch

_COUNTED: Final = 200_000
"""With more candidate pairs the list does not count conflicts: their page does."""
_REVIEW: Final = "review"
_FINISHED: Final = "finished"
_CLOSED: Final = "closed"
_SHREDDED: Final = "shredded"
_STAGES: Final = {
    **LABELS,
    _REVIEW: gettext_lazy("Review"),
    _FINISHED: gettext_lazy("Finished"),
    _CLOSED: gettext_lazy("Closed"),
    _SHREDDED: gettext_lazy("Closed, data destroyed"),
}


_TONES: Final = {_FINISHED: "good", _REVIEW: "", _CLOSED: "", _SHREDDED: ""}


@dataclass(frozen=True, slots=True)
class ListedProject:
    project: Project
    about: str
    stage: Any
    tone: str
    reviewed: str = "–"
    due: str = ""
    spent: str = "–"
    opens: bool = False
    archives: bool = False
    duplicates: bool = False


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """Something that somebody has to do: what, where, and the way there."""

    what: str
    where: str
    action: str
    address: str
    go: bool = True


def listed_project(account: Account, project: Project, roles: list[Role]) -> ListedProject:
    actor = actor_for(account, project)
    words = ", ".join(within_sentence(ROLE_WORDS[each]) for each in roles)
    if not may(actor, "see project"):
        stage = _ended(project) or _REVIEW
        return ListedProject(project, words, _STAGES[stage], "")
    found = progress_of(project=project, actor=actor)
    stage = stage_of(project, found)
    reviews = [each for each in found if each.assignment.kind == "review"]
    return ListedProject(
        project=project,
        about=" · ".join([*_people(project), words]),
        stage=_STAGES[stage],
        tone=_TONES.get(stage, "warm"),
        reviewed=_reviewed(reviews) if reviews else "–",
        due=_due(min((each.due for each in found if each.due and _goes_on(each)), default=None)),
        spent=_spent(found),
        opens=True,
        archives=may(actor, "archive project"),
        duplicates=may(actor, "duplicate project") and may(actor, "create project"),
    )


def stage_of(project: Project, found: list[AssignmentProgress]) -> str:
    """Name the step that a project is at; while people review, that is no page of its own."""
    if ended := _ended(project):
        return ended
    if waiting_dispatch(project, "review"):
        return "dispatch"
    going = {each.assignment.kind for each in found if _goes_on(each)}
    reviewing = "review" in going
    if "adjudication" in going and not reviewing:
        return "resolve"
    at = shown_step(steps_of(project), reviewing=reviewing)
    return at or (_REVIEW if reviewing else _FINISHED)


def waiting_items(account: Account, listed: list[tuple[Project, list[Role]]]) -> list[WaitingItem]:
    """List what waits for somebody: first what others wait for, then own pairs, then the rest."""
    overseen = [
        (project, actor)
        for project, _roles in listed
        if not project.closed and may(actor := actor_for(account, project), "see project")
    ]
    return [
        *(item for project, actor in overseen for item in _proposals(project, actor, account)),
        *_own_work(account),
        *(item for project, actor in overseen for item in _managed(project, actor)),
    ]


def _ended(project: Project) -> str:
    if project.shredded:
        return _SHREDDED
    return _CLOSED if project.closed else ""


def _people(project: Project) -> Iterator[str]:
    version = current_version(project)
    if version is not None and version.number > 1:
        yield _("version %(number)s") % {"number": version.number}
    if workers := project.memberships.filter(role="worker").count():
        yield ngettext("%(number)s worker", "%(number)s workers", workers) % {"number": workers}


def _goes_on(progress: AssignmentProgress) -> bool:
    return bool(ASSIGNMENT_STATES[progress.state])


def _reviewed(found: list[AssignmentProgress]) -> str:
    words = _("%(decided)s of %(pairs)s")
    return words % {
        "decided": count(sum(each.decided for each in found)),
        "pairs": count(sum(each.pairs - each.passed_on for each in found)),
    }


def _spent(found: list[AssignmentProgress]) -> str:
    most = highest_spent(found)
    if most is None:
        return "–"
    words = _("%(spent)s of %(budget)s%%")
    spent, budget = most
    return words % {"spent": percent(spent), "budget": write_percent(budget)}


def _due(day: date | None) -> str:
    if day is None:
        return ""
    days = (day - timezone.localdate()).days
    if days < 0:
        return _("overdue since %(day)s") % {"day": short_date(day)}
    if days == 0:
        return _("due today")
    return ngettext("due in %(days)s day", "due in %(days)s days", days) % {"days": days}


def _title(project: Project) -> str:
    return project.title or project.name


def _proposals(project: Project, actor: Actor, account: Account) -> Iterator[WaitingItem]:
    for kind, route in (("review", "dispatch"), ("adjudication", "resolve")):
        found: Dispatch | None = waiting_dispatch(project, kind)  # type: ignore[arg-type]  # one of the two
        if found is None or not may_confirm_dispatch(found, actor, account):
            continue
        words = _("%(project)s · proposed on %(day)s by %(name)s")
        about = {
            "project": _title(project),
            "day": short_date(found.proposed.date()),
            "name": found.proposed_by,
        }
        address = reverse(route, args=[project.name])
        yield WaitingItem(_("Confirm a dispatch"), words % about, _("Check the proposal"), address)


def _own_work(account: Account) -> Iterator[WaitingItem]:
    for work in work_of(account):
        mine = work.assignment
        if mine.state != "open" or mine.project.closed:
            continue
        left = work.pairs - work.decided
        where = " · ".join(filter(None, [_title(mine.project), _due(mine.due)]))
        if not left:
            address = reverse("review-submit", args=[mine.pk])
            yield WaitingItem(_("Submit your decisions"), where, _("Check and submit"), address)
            continue
        words = _("%(pairs)s to review") if mine.kind == "review" else _("%(pairs)s to settle")
        action = _("Continue") if work.decided else _("Start")
        yield WaitingItem(
            words % {"pairs": pairs(left)}, where, action, reverse("review", args=[mine.pk])
        )


def _managed(project: Project, actor: Actor) -> Iterator[WaitingItem]:
    if not may(actor, "change project"):
        return
    latest = jobs.latest_job(project)
    if latest and latest.state == "failed":
        words = job_words(latest)
        address = reverse(words.page, args=[project.name])
        failed = _("%(work)s failed") % {"work": words.title}
        yield WaitingItem(failed, _title(project), _("See why"), address, go=False)
    under_way = project.assignments.filter(
        state__in=[state for state, after in ASSIGNMENT_STATES.items() if after]
    )
    at = shown_step(steps_of(project), reviewing=False)
    if at == "resolve" and not under_way.exists() and not waiting_dispatch(project, "adjudication"):
        where = _("%(project)s · all reviews are submitted") % {"project": _title(project)}
        address = reverse("resolve", args=[project.name])
        yield WaitingItem(_conflicts(project), where, _("Resolve"), address, go=False)


def _conflicts(project: Project) -> str:
    """Say how many conflicts nobody has yet, where that is counted quickly."""
    usual = _("Settle conflicts and link")
    scoring = scoring_of(project)
    if scoring is None or scoring.pairs > _COUNTED:
        return usual
    number = sum(counts_of(current_standing(project))["conflicts"].values())
    if not number:
        return _("Link the records")
    words = ngettext("%(number)s conflict to assign", "%(number)s conflicts to assign", number)
    return words % {"number": count(number)}
