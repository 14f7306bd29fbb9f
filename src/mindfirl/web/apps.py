"""The web as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "mindfirl.web"
    label = "web"
