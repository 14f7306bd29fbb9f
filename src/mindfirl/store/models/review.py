"""Scored pairs, forecasts, plans, dispatches, assignments, and what was opened and decided."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import ClassVar, cast

from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from mindfirl.core.review.plan import Terms
from mindfirl.core.values.schema import LEVELS, MASKED, Level
from mindfirl.store.models.accounts import Account
from mindfirl.store.models.projects import Project, SealedFile, Version
from mindfirl.store.models.stored_rows import StoredRow


class Scoring(StoredRow):
    """The candidate pairs of a version; a new scoring replaces the old one as a whole."""

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="scoring")
    created = models.DateTimeField(auto_now_add=True)
    mode = models.CharField(max_length=8)
    model = models.TextField(blank=True)
    """What each level of agreement weighs; nothing for pairs that came from elsewhere."""
    remarks = models.JSONField()
    pairs = models.BigIntegerField()
    candidates = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    lower = models.FloatField()
    upper = models.FloatField()


class Forecast(StoredRow):
    """A forecast: figures alone, and apart from them, sealed, what it says of pairs.

    A new one replaces the old one as a whole. It is for the pairs and the limits of its time.
    """

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="forecast")
    created = models.DateTimeField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    """Who let it be made; nobody where it was a command."""
    scoring = models.ForeignKey(Scoring, on_delete=models.SET_NULL, null=True, related_name="+")
    """The pairs that it is for; nothing once they were found again."""
    lower = models.FloatField()
    upper = models.FloatField()
    pairs = models.BigIntegerField()
    """How many pairs were for people; where they are many, it is made of some of them."""
    reviewed = models.BigIntegerField()
    """How many of them had been decided by two people or more, or by an adjudicator."""
    content = models.JSONField()
    adviser = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    """What suggests a next step."""
    prospects = models.OneToOneField(
        SealedFile, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """What is expected of each pair; nothing of forecasts that did not keep it yet."""


class Plan(StoredRow):
    """How the pairs of a project are to be reviewed; frozen in each assignment it leads to."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="plan")
    revision = models.PositiveIntegerField(default=0)
    """Counts the changes, so that one who works on an older page is told."""
    content = models.JSONField(default=dict)
    """A ``ReviewPlan`` as JSON; its people are in a table of their own."""


class PlannedPerson(StoredRow):
    """A worker or adjudicator in a plan: a share of the work, and a budget in 10⁻⁹."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="people")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=16, default="worker")
    share = models.PositiveSmallIntegerField(default=100)
    """Of the work, compared with the shares of the others."""
    budget = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["plan", "account", "role"], name="planned_once")
        ]


class Dispatch(StoredRow):
    """Pairs that were given out at one time; by two people where the project asks for it."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="dispatches")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=16, default="review")
    """Review or adjudication."""
    state = models.CharField(max_length=16, default="proposed")
    """Proposed, confirmed, dispatched or withdrawn."""
    plan = models.JSONField()
    """The plan as it was proposed."""
    proposed_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    proposed = models.DateTimeField(auto_now_add=True)
    confirmed_by = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    confirmed = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_dispatch_a_number"),
            models.UniqueConstraint(
                fields=["project"], condition=Q(state="proposed"), name="one_proposed_dispatch"
            ),
        ]


class Assignment(StoredRow):
    """Pairs that one person decides, within a budget; its terms are frozen in the ledger."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dispatch = models.ForeignKey(Dispatch, on_delete=models.PROTECT, related_name="assignments")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assignments")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="assignments")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="assignments")
    kind = models.CharField(max_length=16, default="review")
    """Review or adjudication."""
    state = models.CharField(max_length=16, default="open")
    """Open, paused, submitted or ended."""
    size = models.PositiveIntegerField()
    """The number of its pairs when it was given out: n of the score."""
    budget = models.BigIntegerField()
    """In 10⁻⁹ of the score."""
    limit = models.BigIntegerField()
    """The same in units of the ledger: what may be spent."""
    spent = models.BigIntegerField(default=0)
    shown = models.BigIntegerField(default=0)
    characters = models.BigIntegerField(null=True)
    """How many characters its pairs show, and have; counted when they are first looked at."""
    settings = models.JSONField(default=dict)
    """Its ``Terms`` as JSON."""
    attributes = models.JSONField(default=list)
    """The names of the attributes, in their order."""
    population = models.CharField(max_length=64, blank=True, default="")
    """The digest of the index of its records."""
    adviser = models.ForeignKey(SealedFile, on_delete=models.PROTECT, null=True, related_name="+")
    """What suggests the next cell, where hints are on: a later forecast does not change it."""
    created = models.DateTimeField(auto_now_add=True)
    due = models.DateField(null=True)
    ended = models.DateTimeField(null=True)
    continues = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="continued_by"
    )
    """The assignment whose rest this one took over."""

    class Meta:
        """Nothing is spent beyond the limit, whatever the software believes."""

        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(spent__gte=0) & Q(spent__lte=F("limit")), name="spent_within_limit"
            )
        ]

    @cached_property
    def terms(self) -> Terms:
        """Return the terms as they were when it was given out."""
        return Terms.from_json(self.settings)

    def open_levels(self, pair: AssignedPair, opened: Iterable[OpenCell]) -> dict[str, Level]:
        """Return the levels of a pair's attributes that are not masked, with these cells open."""
        levels: dict[str, Level] = dict(self.terms.starting)
        levels |= dict(pair.lower)
        for cell in opened:
            level = cast("Level", cell.level)
            before = levels.get(cell.attribute, LEVELS[MASKED])
            levels[cell.attribute] = max(before, level, key=LEVELS.index)
        return levels


class AssignedPair(StoredRow):
    """A pair of an assignment, under a token and at a place that tell nothing about it."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="pairs")
    number = models.PositiveIntegerField()
    token = models.CharField(max_length=32, unique=True)
    left = models.BigIntegerField()
    right = models.BigIntegerField()
    weight = models.FloatField()
    origin = models.CharField(max_length=16, default="review")
    """For people; sampled from the links or the non-links, to measure them; or a conflict of
    reviews, or of links that contradict each other."""
    ring = models.PositiveIntegerField(default=0)
    """The number of the contradiction that it is part of, within its assignment; 0 for none."""
    explained = models.BooleanField(default=False)
    """Whether its person was told what its weight is made of."""
    lower = models.JSONField(default=list)
    """Its cells that start below the starting level, because κ asks for it, with their levels."""
    refused = models.JSONField(default=list)
    """The steps, in their text form, that κ has refused to its person."""
    flagged = models.BooleanField(default=False)
    """Marked by its person, to come back to."""
    withdrawn = models.BooleanField(default=False)
    """Given to somebody else since."""
    revision = models.PositiveIntegerField(default=0)
    verdict = models.CharField(max_length=24, blank=True)
    reason = models.CharField(max_length=16, blank=True)
    decided = models.DateTimeField(null=True)
    """The latest of its revisions, and what it says; nothing where it was taken back."""

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["assignment", "number"], name="one_pair_a_number"),
            models.UniqueConstraint(fields=["assignment", "left", "right"], name="one_pair_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["left"], name="pairs_of_left_record"),
            models.Index(fields=["right"], name="pairs_of_right_record"),
        ]


class OpenCell(StoredRow):
    """A cell of a pair that was opened to a level; never closed again."""

    pair = models.ForeignKey(AssignedPair, on_delete=models.PROTECT, related_name="open_cells")
    attribute = models.CharField(max_length=200)
    level = models.CharField(max_length=8)
    entry = models.PositiveBigIntegerField()
    """The number of the ledger's entry that tells of it."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pair", "attribute", "level"], name="opened_once")
        ]


class Revision(StoredRow):
    """A decision about a pair, as it was made or changed; the latest counts."""

    pair = models.ForeignKey(AssignedPair, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    verdict = models.CharField(max_length=24, blank=True)
    """Nothing where the decision was taken back."""
    reason = models.CharField(max_length=16, blank=True)
    state = models.JSONField()
    """The level of every cell that was open when it was made."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pair", "number"], name="one_revision_a_number")
        ]


class Comment(StoredRow):
    """A comment on a pair, sealed, as it was written or changed; the latest counts."""

    pair = models.ForeignKey(AssignedPair, on_delete=models.PROTECT, related_name="comments")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    sealed = models.BinaryField()
    """Under the identity key of the project; nothing is in it where the comment was taken back."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pair", "number"], name="one_comment_a_number")
        ]


class LabelSet(StoredRow):
    """Answers from elsewhere that came in one file, about pairs of a version."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="label_sets")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="label_sets")
    number = models.PositiveIntegerField()
    source = models.CharField(max_length=120)
    """Where they come from, as somebody typed it."""
    at = models.DateTimeField()
    pairs = models.BigIntegerField()
    left_out = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_label_set_a_number")
        ]


class KnownAnswer(StoredRow):
    """Whether a pair is of one person, as somebody else found out."""

    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="answers")
    left = models.BigIntegerField()
    right = models.BigIntegerField()
    same = models.BooleanField()
