"""Papers that others ask of a project, as Markdown: filled from its settings, plan and forecast.

Their sentences are Markdown templates in ``templates/papers``. What only a person can write stands
in them as ``**[Write: …]**``. Everything that somebody typed is escaped and cannot become markup.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.template import Context, Engine
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import Actor
from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.percent import write_percent
from mindfirl.engine.pairs.candidates import OUTSIDE
from mindfirl.engine.schema.schema_file import SchemaFile, SensitiveColumn
from mindfirl.services.plan.estimates import Estimate, estimate
from mindfirl.services.report.paper_facts import PaperFacts, paper_facts
from mindfirl.store.models import Forecast, Project
from mindfirl.store.queries.plans import figures_of
from mindfirl.web.http.pages import names_of_fields
from mindfirl.web.page.expected_errors import ErrorsInWords, errors_in_words
from mindfirl.web.page.figures import count, percent, weight, working_time
from mindfirl.web.page.labels import label
from mindfirl.web.plan import forms as plan_forms
from mindfirl.web.plan.estimates import bought
from mindfirl.web.plan.forecast_page import USUAL_LOSS, loss_of, sentences
from mindfirl.web.plan.smaller_budgets import smaller_budgets

TO_WRITE: Final = "[Write: "
"""So begins, in bold, every passage that only a person can write."""


@dataclass(frozen=True, slots=True)
class PaperKind:
    name: str
    title: Any
    about: Any


PAPERS: Final = (
    PaperKind(
        "impact-assessment",
        _("Data protection impact assessment"),
        _("For the data protection officer: the processing, why it is needed, risks, measures."),
    ),
    PaperKind(
        "ethics-application",
        _("Ethics application section"),
        _("For an ethics board: what is linked, who sees what, and how people are protected."),
    ),
    PaperKind(
        "data-use-agreement",
        _("Data-use agreement"),
        _("For the owners of the databases: what may be done with their data, and what not."),
    ),
    PaperKind(
        "linkage-plan",
        _("Linkage plan"),
        _("For a statistics office or a partner: data, method, review, expected errors, output."),
    ),
)
PAPER_NAMES: Final = tuple(each.name for each in PAPERS)

_ENGINE: Final = Engine(
    dirs=[str(Path(__file__).parent / "templates" / "papers")], autoescape=False
)
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|&~!])")
_KINDS: Final = {
    "string": "text",
    "fixed": "number or code",
    "date": "date",
    "category": "category",
}


def paper_kind(name: str) -> PaperKind:
    found = next((each for each in PAPERS if each.name == name), None)
    if found is None:
        raise SettingError(f"There is no such paper. Choose one of: {', '.join(PAPER_NAMES)}.")
    return found


def write_paper(kind: PaperKind, *, project: Project, actor: Actor) -> str:
    """Write a paper about a project, in Markdown, and in English as its template is."""
    with override("en"):
        return _filled_in(kind, project, actor)


def _filled_in(kind: PaperKind, project: Project, actor: Actor) -> str:
    facts = paper_facts(project=project, actor=actor)
    found = estimate(project=project, actor=actor, plan=facts.plan) if facts.scored else None
    names: dict[str, object] = {}
    for part in (_about_project(facts), _about_data(facts), _about_review(facts, found)):
        names |= names_of_fields(part)
    text = _ENGINE.get_template(f"{kind.name}.md").render(Context(names, autoescape=False))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def passages_to_write(text: str) -> int:
    return text.count(f"**{TO_WRITE}")


def plain(text: str) -> str:
    """Write what somebody typed as Markdown on one line that shows just these characters."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class _AboutProject:
    title: str
    purpose: str
    legal_basis: str
    approval: str
    today: str
    ends: str
    project: Project
    members: Sequence[Mapping[str, Any]]


def _about_project(facts: PaperFacts) -> _AboutProject:
    project = facts.project
    return _AboutProject(
        title=plain(project.title or project.name),
        purpose=plain(project.purpose),
        legal_basis=plain(project.legal_basis),
        approval=plain(project.approval),
        today=timezone.localdate().isoformat(),
        ends=project.ends.isoformat() if project.ends else "",
        project=project,
        members=facts.roles["members"],
    )


@dataclass(frozen=True, slots=True)
class _AboutData:
    """Each database has a name, a number of records, and whether it is free of duplicates."""

    databases: list[tuple[str, str, bool]]
    records: str
    attributes: list[tuple[str, str, str]]
    sensitive: list[str]
    pairs: dict[str, object] | None
    errors: ErrorsInWords | None


def _about_data(facts: PaperFacts) -> _AboutData:
    linked, schema = facts.linked, facts.schema
    pairs, errors = linked["pairs"], linked["errors"]
    return _AboutData(
        databases=[
            (plain(each["name"]), count(each["records"]), each["without_duplicates"])
            for each in linked["databases"]
        ],
        records=count(linked["records"]),
        attributes=list(_attributes(schema)) if schema else [],
        sensitive=[_sensitive(each) for each in schema.sensitive] if schema else [],
        pairs=pairs and {name: _written(value) for name, value in pairs.items()},
        errors=errors_in_words(errors) if errors else None,
    )


def _attributes(schema: SchemaFile) -> Iterator[tuple[str, str, str]]:
    for each in schema.schema.attributes:
        yield plain(label(each.name)), _KINDS[each.kind], schema.roles[each.name]


def _sensitive(column: SensitiveColumn) -> str:
    if column.coarsen is None:
        return plain(label(column.name))
    kept = "first {} characters" if isinstance(column.coarsen, int) else "{} alone"
    return f"{plain(label(column.name))} ({kept.format(column.coarsen)})"


def _written(value: object) -> object:
    """Write a number of pairs, or a threshold; one beyond all weights is none."""
    if isinstance(value, float):
        return weight(value) if abs(value) < OUTSIDE else ""
    return count(value) if isinstance(value, int) else value


@dataclass(frozen=True, slots=True)
class _AboutReview:
    """Of people there are role, pairs, budget, and what the budget buys."""

    plan: ReviewPlan
    plan_saved: bool
    rule: str
    starting: str
    limit: str
    people: list[tuple[str, str, str, str]]
    work: dict[str, str] | None
    forecast: list[str]


def _about_review(facts: PaperFacts, found: Estimate | None) -> _AboutReview:
    plan = facts.plan
    limit = plan.project_limit
    return _AboutReview(
        plan=plan,
        plan_saved=facts.plan_saved,
        rule=str(plan_forms.RULES[plan.rule]).lower(),
        starting=", ".join(f"{plain(label(name))} {level}" for name, level in plan.starting),
        limit="" if limit is None else f"{write_percent(limit)}%",
        people=list(_people(plan, found, facts.assigned)),
        work=_work(found, sum(facts.assigned.values())) if found else None,
        forecast=list(_forecast(facts.forecast)) if facts.forecast else [],
    )


def _work(found: Estimate, assigned: int) -> dict[str, str]:
    """Write what all of the review takes: what is assigned already, and what the plan adds."""
    return {
        "pairs": count(found.pairs + found.given),
        "quality": count(found.quality),
        "decisions": count(found.decisions + assigned),
        "assigned": count(assigned),
        "time": working_time(found.decisions + assigned),
        "partial": percent(found.partial),
        "full": percent(found.full),
        "starting": percent(found.starting),
        "reference": count(found.reference),
    }


def _people(
    plan: ReviewPlan, found: Estimate | None, assigned: Mapping[str, int]
) -> Iterator[tuple[str, str, str, str]]:
    """List reviewers by number: their role and pairs, their budget, and what it buys."""
    sizes = Counter(assigned)
    sizes.update({each.account: each.pairs for each in found.workers} if found else {})
    for number, person in enumerate(plan.people, start=1):
        yield (
            f"{plan_forms.ROLE_WORDS[person.role]} {number}",
            _pairs_of(person, sizes),
            f"{write_percent(person.budget)}%",
            bought(found, person.budget) if found else "–",
        )


def _pairs_of(person: PersonPlan, sizes: Counter[str]) -> str:
    if person.role != "worker":
        return "conflicts"
    return count(sizes[person.account]) if person.account in sizes else "–"


def _forecast(made: Forecast) -> Iterator[str]:
    figures = figures_of(made)
    usual = loss_of(USUAL_LOSS)
    yield from map(plain, [*sentences(figures, usual), *smaller_budgets(figures, usual)])
    if figures.source == "made up":
        yield (
            "This is a rough guide: the forecast was learned from synthetic people, because fewer "
            "than 200 pairs of this project have known answers."
        )
