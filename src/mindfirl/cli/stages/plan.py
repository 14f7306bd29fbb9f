"""``mindfirl plan``: what budgets buy, and who reviews how many pairs under which terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, get_args
from uuid import UUID

import click
from rich.table import Table

from mindfirl.cli.terminal.acting import acting, as_option, json_option, user_and_percent
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import TRUTH_WORDS, file_option, output_console
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.forecast.frontier import WITHIN, ForecastPart
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.plan import CHOICES, Priority, ReviewPlan
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.services.accounts.administration import account_named
from mindfirl.services.plan import forecasts
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan, typed_plan
from mindfirl.store.models import Account
from mindfirl.store.queries.plans import figures_of
from mindfirl.web.page.figures import accuracy
from mindfirl.web.plan import forecast_page
from mindfirl.web.plan.smaller_budgets import smaller_budgets

_HEADINGS = (
    *("", "K", "characters", "machine reviewer", "achieved", "people"),
    *("precision", "recall", "balanced", "undecided"),
)

_WORKER: Final = "A worker with a budget in percent of K; repeat for several."
_JUDGE: Final = "An adjudicator with a budget in percent of K; repeat for several."


@click.group()
def plan() -> None:
    """Forecast what budgets buy; show and save the plan of the review."""


@plan.command()
@click.argument("name")
@file_option("--truth", words=TRUTH_WORDS)
@file_option(
    "--people",
    words="How often people slip, if you know it better than the included file.",
)
@click.option(
    "--loss",
    type=click.FloatRange(0, 100),
    default=WITHIN * 100,
    show_default=True,
    metavar="POINTS",
    help="Allowed loss of accuracy compared with full disclosure, in percentage points.",
)
@json_option
def forecast(
    name: str, truth: Path | None, people: Path | None, loss: float, as_json: bool
) -> None:
    """Forecast how many decisions are right at each budget of risk K.

    The forecast is trained on a truth file, or else on pairs that two people reviewed. With fewer
    than 200 such pairs it is trained on synthetic people, and no budget is recommended. The
    forecast is saved and shown on the page Plan.

    \b
    For example:
      mindfirl plan forecast study
      mindfirl plan forecast study --truth made/truth.csv --loss 2
    """
    project = installed_project(name)
    with stage_bars() as progress:
        made = forecasts.make(
            project=project,
            actor=COMMAND_LINE,
            truth=truth,
            people=people,
            baselines=True,
            progress=progress,
        )
    figures = figures_of(made)
    if as_json:
        recommended = figures.recommended_budget(loss / 100)
        share = None if recommended is None else recommended / WHOLE
        click.echo(json.dumps({**made.content, "recommended_budget": share}, indent=2))
        return
    console = output_console()
    for part_name, part in figures.parts.items():
        if part_name in forecast_page.PARTS:
            words = forecast_page.PARTS[part_name]
            title = f"{words}: {part.pairs:,}, {part.labelled:,} with known answers"
            console.print(_table(title, part))
    for sentence in (
        *forecast_page.sentences(figures, loss / 100),
        *smaller_budgets(figures, loss / 100),
        *forecast_page.remarks(made),
    ):
        console.print(sentence)


@plan.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show the plan: who reviews, with which budgets, and the terms of the review."""
    project = installed_project(name)
    found, revision = plan_of(project=project, actor=COMMAND_LINE)
    told = {"revision": revision, **found.to_json(), "people": _people(found)}
    if as_json:
        click.echo(json.dumps(told, indent=2))
        return
    for person in told.pop("people"):
        click.echo(f"{person['user']}, {person['role']}: K {person['budget_percent']}%")
    for field, value in told.items():
        click.echo(f"{field}: {value}")


@plan.command("set")
@click.argument("name")
@as_option
@click.option("--worker", "workers", multiple=True, metavar="USER=PERCENT", help=_WORKER)
@click.option("--adjudicator", "adjudicators", multiple=True, metavar="USER=PERCENT", help=_JUDGE)
@click.option("--reviews", type=click.IntRange(1), help="Reviews of each pair.")
@click.option("--pairs", "most_pairs", type=click.IntRange(0), help="Most pairs; 0 for all.")
@click.option("--priority", type=click.Choice(get_args(Priority)), help="Which pairs come first.")
@click.option("--rule", type=click.Choice(CHOICES["rule"]), help="How reviews are resolved.")
@click.option("--kappa", type=click.IntRange(1), help="Minimum group size (kappa).")
@click.option("--accounting", type=click.Choice(CHOICES["accounting"]), help="Which score counts.")
@click.option("--prices", type=click.Choice(CHOICES["prices"]), help="Prices shown to workers.")
@click.option("--project-limit", metavar="PERCENT", help="Limit for all people together.")
@click.option("--quality-sample", type=click.IntRange(0), help="Pairs of each automatic band.")
@click.option("--answer-sample", type=click.IntRange(0), help="Pairs with known answers, checked.")
@click.option("--gold-pairs", type=click.IntRange(0), help="Known pairs that measure reviewers.")
@click.option("--due", metavar="DAY", help="Due date, as year-month-day.")
@click.option("--guidance", metavar="TEXT", help="Guidance for workers. Do not name a person.")
def set_plan(
    name: str,
    user: str,
    workers: tuple[str, ...],
    adjudicators: tuple[str, ...],
    **typed: str | int | None,
) -> None:
    """Save the plan. What is not given stays as it was planned before.

    People that are given replace all people of their role in the plan; they need that role in the
    project first (mindfirl members add).

    \b
    For example:
      mindfirl plan set study --as mia --worker ann=2 --worker ben=2 --adjudicator judge=5
      mindfirl plan set study --as mia --reviews 2 --pairs 500 --due 2030-01-31
    """
    project = installed_project(name)
    who = acting(project, user, "plan")
    before, revision = plan_of(project=project, actor=who.actor)
    changes = typed_plan(before)
    changes |= {field: value for field, value in typed.items() if value is not None}
    changes["most_pairs"] = changes["most_pairs"] or ""
    for role, people in (("worker", workers), ("adjudicator", adjudicators)):
        if people:
            others = tuple(each for each in changes["people"] if each.role != role)
            changes["people"] = (*others, *(_typed_person(each, role) for each in people))
    save_plan(project=project, actor=who.actor, revision=revision, changes=changes)
    click.echo(f"Plan saved. Next: mindfirl dispatch propose {project.name} --as {user}")


def _typed_person(typed: str, role: str) -> PersonTyped:
    user, percent = user_and_percent(typed)
    return PersonTyped(str(account_named(user).pk), role, 100, percent)


def _people(found: ReviewPlan) -> list[dict[str, Any]]:
    names = dict(Account.objects.values_list("pk", "username"))
    return [
        {
            "user": names[UUID(each.account)],
            "role": each.role,
            "share": each.share,
            "budget_percent": write_percent(each.budget),
        }
        for each in found.people
    ]


def _table(title: str, part: ForecastPart) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right" if heading else "left")
    before = ""
    for policy, point in forecast_page.rows(part):
        if before and policy != before and point is not part.policies[policy][-1]:
            table.add_section()
        before = policy
        table.add_row(
            str(forecast_page.POLICIES[policy]),
            f"{point.budget:.2%}",
            f"{point.characters:.1f}",
            accuracy(point.accuracy),
            forecast_page.achieved(point),
            accuracy(point.people),
            *map(accuracy, (point.precision, point.recall, point.balanced, point.undecided)),
        )
    return table
