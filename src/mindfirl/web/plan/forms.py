"""The plan of a review as it is typed: who reviews, how much they may see, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from mindfirl.core.policy import Role
from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.percent import write_percent
from mindfirl.core.values.schema import LEVELS, MASKED
from mindfirl.services.plan.plans import PersonTyped, TypedPlan
from mindfirl.web.page.fields import box, choice, day, percentage, whole, words
from mindfirl.web.page.labels import label

PRIORITIES: Final = {
    "worth": _("Pairs where review helps most"),
    "uncertain": _("Most uncertain pairs first"),
    "stratified": _("Evenly across weights"),
    "sample": _("Random"),
}
RULES: Final = {
    "evidence": _("Votes add to the match weight"),
    "unanimous": _("All must agree"),
    "majority": _("The majority decides"),
    "confidence": _("More confident answers count more"),
}
ACCOUNTINGS: Final = {"paper": _("As published"), "strict": _("Strict")}
PRICES: Final = {"exact": _("Exact"), "banded": _("Rounded up")}
DATE_SWAPS: Final = {"digits": _("Digit by digit"), "fields": _("As a swap of day and month")}
LEVEL_WORDS: Final = {"masked": _("Masked"), "partial": _("Partial"), "full": _("Full")}
ROLE_WORDS: Final[dict[Role, Any]] = {
    "worker": _("Worker"),
    "adjudicator": _("Adjudicator"),
    "manager": _("Manager"),
    "auditor": _("Auditor"),
}
ADVANCED_BOXES: Final = ("frequency_bands", "hints")
ADVANCED: Final = ("accounting", "prices", "date_swaps", "project_limit", *ADVANCED_BOXES)
"""Fields that most projects leave as they are; boxes follow the others."""


class MemberForm(forms.Form):
    username = words(
        _("User name"),
        widget=forms.TextInput(
            attrs={"list": "accounts", "autocomplete": "off", "autocapitalize": "none"}
        ),
    )
    role = choice(_("Role"), cast("Mapping[str, object]", ROLE_WORDS))


@dataclass(frozen=True, slots=True)
class Reviewer:
    account: str
    name: str
    role: Role

    def field(self, what: str) -> str:
        return PersonPlan(self.account, self.role, 1, 1).field(what)


class PlanForm(forms.Form):
    """A whole plan; its fields are named as ``core.review.plan`` names what is wrong with them."""

    revision = forms.CharField(required=False, widget=forms.HiddenInput)
    reviews = whole(_("Reviews of each pair"), hint=_("1 to 5, each by a different worker."))
    rule = choice(
        _("How reviews are resolved"), RULES, hint=_("Pairs that stay open go to an adjudicator.")
    )
    most_pairs = whole(
        _("Maximum number of pairs"), hint=_("Leave empty for all pairs for people.")
    )
    priority = choice(
        _("Which pairs come first"),
        PRIORITIES,
        hint=_("Applies if not all pairs are assigned. Each worker sees pairs in random order."),
    )
    quality_sample = whole(
        _("Quality sample"),
        hint=_(
            "Number of pairs from each automatic band to mix in, to measure how often the "
            "software is right."
        ),
    )
    answer_sample = whole(
        _("Check of known answers"),
        hint=_("This many pairs with an answer from elsewhere go out among the rest."),
    )
    gold_pairs = whole(
        _("Check of reviewers (gold pairs)"),
        hint=_(
            "This many pairs with a known answer are mixed in to measure how often reviewers are "
            "right. Reviewers are told that there are such pairs, but not which."
        ),
    )
    due = day(_("Due"), hint=_("Leave empty for no due date."))
    guidance = words(
        _("Guidance for workers"),
        hint=_("What workers should know about the data. Do not write any person's values here."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    kappa = whole(
        _("Minimum group size (κ)"),
        hint=_(
            "An opening is refused if fewer records than this could be the one on the row. 1 "
            "allows every opening."
        ),
    )
    accounting = choice(
        _("Accounting"),
        ACCOUNTINGS,
        hint=_("Strict also counts what lengths, marks and missing values reveal."),
    )
    prices = choice(
        _("Prices shown to workers"),
        PRICES,
        hint=_("An exact price reveals how rare the hidden value is. A rounded price does not."),
    )
    date_swaps = choice(
        _("Swapped day and month"),
        DATE_SWAPS,
        hint=_("How a masked date shows that day and month are swapped."),
    )
    project_limit = percentage(
        _("Limit for all people together, in % of K"),
        hint=_(
            "Limits what workers and adjudicators could learn together. Leave empty for no limit."
        ),
    )
    frequency_bands = box(_("Show how common a hidden value is, in bands"))
    hints = box(
        _("Suggest the next cell to reviewers"),
        hint=_(
            "Marks the cell that is most worth its price, based only on what a reviewer sees and "
            "on prices. Requires a forecast. Reviews with suggestions are not independent of the "
            "machine."
        ),
    )

    def __init__(
        self,
        typed: Any = None,  # noqa: ANN401  # what Django reads forms from
        *,
        attributes: Sequence[str],
        reviewers: Iterable[Reviewer],
        initial: Mapping[str, Any],
    ) -> None:
        super().__init__(typed, initial=dict(initial))
        self.attributes, self.reviewers = tuple(attributes), tuple(reviewers)
        for place, name in enumerate(self.attributes):
            self.fields[f"starting-{place}"] = choice(label(name), LEVEL_WORDS)
        for person in self.reviewers:
            self._add_person(person)

    def _add_person(self, person: Reviewer) -> None:
        named = {"name": person.name}
        self.fields[person.field("person")] = box(_("Include %(name)s") % named)
        if person.role == "worker":
            self.fields[person.field("share")] = whole(_("Share of %(name)s") % named)
        label = _("Budget of %(name)s in %%") % named
        self.fields[person.field("budget")] = percentage(label)

    def starting_fields(self) -> list[BoundField]:
        return [self[f"starting-{place}"] for place in range(len(self.attributes))]

    def advanced_fields(self) -> list[BoundField]:
        return [self[name] for name in ADVANCED if name not in ADVANCED_BOXES]

    def advanced_boxes(self) -> list[BoundField]:
        return [self[name] for name in ADVANCED_BOXES]

    def changes(self) -> TypedPlan:
        self.is_valid()
        typed = self.cleaned_data if self.is_bound else self.initial
        plain = [name for name in self.base_fields if name != "revision"]
        return {
            **{name: typed.get(name, "") for name in plain},
            "starting": {
                name: typed.get(f"starting-{place}") or LEVELS[MASKED]
                for place, name in enumerate(self.attributes)
            },
            "people": tuple(
                self._person(person, typed)
                for person in self.reviewers
                if typed.get(person.field("person"))
            ),
        }

    def _person(self, person: Reviewer, typed: Mapping[str, Any]) -> PersonTyped:
        """Return a person who takes part; only workers have a share of the pairs."""
        share = typed.get(person.field("share"), "") if person.role == "worker" else 100
        budget = typed.get(person.field("budget"), "")
        return PersonTyped(person.account, person.role, share, budget)


def initial(plan: ReviewPlan, attributes: Sequence[str]) -> dict[str, Any]:
    plain = {name: getattr(plan, name) for name in PlanForm.base_fields if name != "revision"}
    levels = dict(plan.starting)
    found = {name: "" if value is None else value for name, value in plain.items()}
    if plan.project_limit is not None:
        found["project_limit"] = write_percent(plan.project_limit)
    for place, name in enumerate(attributes):
        found[f"starting-{place}"] = levels.get(name, LEVELS[MASKED])
    for person in plan.people:
        found[person.field("person")] = True
        found[person.field("share")] = person.share
        found[person.field("budget")] = write_percent(person.budget)
    return found
