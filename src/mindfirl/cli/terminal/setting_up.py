"""Django, set up for the commands that work on an installation."""

from __future__ import annotations

import os


def set_up_django() -> None:
    """Load Django with the settings of the environment; other commands never load it."""
    import django  # noqa: PLC0415  # nor does who uses the library

    os.umask(0o077)  # whatever is written is for its owner alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindfirl.settings")
    django.setup()
