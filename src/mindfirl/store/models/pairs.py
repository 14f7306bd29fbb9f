"""Scored pairs of a version: where they are kept, how they were found, and their bands."""

from __future__ import annotations

from django.db import models

from mindfirl.store.models.projects import SealedFile, Version


class Scoring(models.Model):
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
    risks = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.pairs} pairs of {self.version}"
