"""The store as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class StoreConfig(AppConfig):
    """Name the app."""

    name = "mindfirl.store"
    label = "store"
