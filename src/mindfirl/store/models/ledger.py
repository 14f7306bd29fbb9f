"""The ledger of a project: its lines, where it ends, and where it ended when that was signed."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from mindfirl.store.models.projects import Project
from mindfirl.store.models.stored_rows import StoredRow


class LedgerHead(StoredRow):
    """Where the ledger of a project ends; locked by whoever appends to it."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="ledger_head")
    entries = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64)
    at = models.CharField(max_length=32, blank=True, default="")
    """The time of the last entry, as it is written there: none is stamped earlier."""
    together = models.BigIntegerField(null=True)
    """What all people of the project have seen together, in κ times units; nothing where it has to
    be counted first."""
    together_mac = models.CharField(max_length=64, blank=True, default="")
    """Made of it and of the last entry, under a key of the key folder; else it is not trusted."""


class LedgerLine(StoredRow):
    """One entry of a ledger, as ``core.ledger.chain`` writes it, and what it can be found by.

    The columns beside the line repeat what it says; verification holds them against it.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="ledger_lines")
    number = models.PositiveBigIntegerField()
    line = models.TextField()
    mac = models.CharField(max_length=64)
    """Made of its digest and its project, under a key of the key folder."""
    format = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=32)
    actor = models.CharField(max_length=64)
    made_by = models.CharField(max_length=16)
    round = models.PositiveIntegerField()
    assignment = models.CharField(max_length=36, blank=True)
    pair = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_entry_a_number")
        ]
        indexes: ClassVar = [
            models.Index(fields=["project", "kind"], name="entries_of_kind"),
            models.Index(fields=["project", "actor"], name="entries_of_actor"),
            models.Index(fields=["project", "round", "assignment", "pair"], name="entries_of_pair"),
        ]


class SignedHead(StoredRow):
    """A head of a ledger that was signed: with its project and time, by a key outside of here."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="signed_heads")
    entries = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()
    occasion = models.CharField(max_length=16)
    """A report, a receipt, or because a day was over."""
    key = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)
    """The public key that checks it, and the signature, in hexadecimal digits."""

    class Meta:
        ordering: ClassVar = ["pk"]
