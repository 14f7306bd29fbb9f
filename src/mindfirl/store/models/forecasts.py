"""What budgets buy for the pairs of a version, as it was forecast."""

from __future__ import annotations

from django.db import models

from mindfirl.store.models.accounts import Account
from mindfirl.store.models.pairs import Scoring
from mindfirl.store.models.projects import SealedFile, Version


class Forecast(models.Model):
    """A forecast: figures alone, and apart from them, sealed, what it says of pairs.

    A new one replaces the old one as a whole. It is for the pairs and the limits of its time.
    """

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="forecast")
    created = models.DateTimeField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    """Who let it be made; nobody where it was a command."""
    scoring = models.ForeignKey(Scoring, on_delete=models.SET_NULL, null=True, related_name="+")
    """The pairs that it is for; nothing once they were found anew."""
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

    def __str__(self) -> str:
        return f"forecast of {self.version}"
