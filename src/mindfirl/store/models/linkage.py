"""What reviews lead to: contradictions accepted, persons, releases of them, and reports."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.db import models

from mindfirl.store.models.accounts import Account
from mindfirl.store.models.projects import Project, SealedFile, Version
from mindfirl.store.models.stored_rows import StoredRow


class Acceptance(StoredRow):
    """A contradiction between links that a manager lets stand, and why."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="acceptances")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="acceptances")
    number = models.PositiveIntegerField()
    left = models.BigIntegerField()
    right = models.BigIntegerField()
    reason = models.TextField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_acceptance_a_number"),
            models.UniqueConstraint(fields=["version", "left", "right"], name="accepted_once"),
        ]


class Linkage(StoredRow):
    """The persons of an import version, as its links stood at one time."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="linkages")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="linkages")
    number = models.PositiveIntegerField()
    created = models.DateTimeField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    """Who let it be made; nobody where it was a command."""
    report = models.JSONField()
    """Counts: records, persons, links by where they come from, what was left open or accepted."""
    persons = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    """For each record the number of its person, and how it was linked."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_linkage_a_number")
        ]


class PersonRegister(StoredRow):
    """The numbers of the persons of a linkage, where those of a project stay within it."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="registers")
    linkage = models.OneToOneField(Linkage, on_delete=models.PROTECT, related_name="register")
    numbers = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    """For each record the number of its person, and how old that number is."""
    history = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    """Which numbers merged into which, and which split, in this linkage and in all before it."""


class Release(StoredRow):
    """Linked, de-identified data of a linkage, under a key of its own, until its term is over."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    linkage = models.ForeignKey(Linkage, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=16)
    """Blocked by its check, ready, or deleted."""
    created = models.DateTimeField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    choices = models.JSONField()
    """What was to be in it: linked persons or all records, coarsened columns, least k and l."""
    report = models.JSONField()
    """Counts: rows, persons, columns, k and l, and what the check found, by column and kind."""
    expires = models.DateField()
    deleted = models.DateTimeField(null=True)
    data = models.OneToOneField(SealedFile, on_delete=models.PROTECT, null=True, related_name="+")
    """The rows, under the key of the release; nothing once it is deleted."""
    numbers = models.OneToOneField(
        SealedFile, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """For each record the person number of this release, under the sensitive key."""
    changes = models.OneToOneField(
        SealedFile, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """Which person numbers merged and split since the first release, where they stay; under the key
    of the release."""
    coverage = models.OneToOneField(
        SealedFile, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """A digest of each person's records, under the sensitive key: later releases are compared with
    it, also after this one was deleted, if somebody has it."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_release_a_number")
        ]


class Handover(StoredRow):
    """Somebody got a release, or the crosswalk to it; nobody may get both."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="handovers")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    """Nobody where it was a command."""
    what = models.CharField(max_length=16)
    """Data or crosswalk."""
    at = models.DateTimeField()


class Report(StoredRow):
    """A report: counts and fixed words alone, kept as the text that is given away."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="reports")
    number = models.PositiveIntegerField()
    created = models.DateTimeField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    """Who let it be made; nobody where it was a command."""
    text = models.TextField()
    """JSON."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_report_a_number")
        ]

    @property
    def content(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.text)
        return content
