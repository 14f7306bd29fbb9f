"""The settings of the product, with migrations in two steps."""

from __future__ import annotations

from mindfirl.settings import *  # noqa: F403  # all of them

MIGRATION_MODULES = {"store": "tests.support.older_release.migrations"}
