"""What all tables have in common."""

from __future__ import annotations

from django.db import models


class StoredRow(models.Model):
    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.model_name} {self.pk}"
