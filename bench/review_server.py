"""The application of the benchmark of reviews: the product's own, and one empty view beside it."""

from __future__ import annotations

import os

from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindfirl.settings")
settings.ROOT_URLCONF = "review_urls"

from mindfirl.web.http.wsgi import application

__all__ = ["application"]
