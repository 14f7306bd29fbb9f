"""The store as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class StoreConfig(AppConfig):
    name = "mindfirl.store"
    label = "store"
