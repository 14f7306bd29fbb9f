"""What was opened in the pairs of assignments, and what was decided and said about them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from mindfirl.store.models.review import AssignedPair


class OpenCell(models.Model):
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

    def __str__(self) -> str:
        return f"{self.attribute} at {self.level}"


class Revision(models.Model):
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

    def __str__(self) -> str:
        return f"revision {self.number} of pair {self.pair_id}"


class Comment(models.Model):
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

    def __str__(self) -> str:
        return f"comment {self.number} on pair {self.pair_id}"
