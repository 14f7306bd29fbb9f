"""How far the tables of the database have come, and the models as they were at that point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from mindfirl.core.errors import SettingError

_APP: Final = "store"
_PASSING: Final = frozenset({"opensession", "accesslink"})
"""Models whose rows count for the moment alone: nobody stays signed in through a backup, and no
link that was used since works again."""


def recorded() -> list[str]:
    """List the steps that brought the tables to where they are; none where there are no tables."""
    loader = MigrationLoader(connection)
    return sorted(name for app, name in loader.applied_migrations if app == _APP)


def is_behind() -> bool:
    """Say whether there are steps that this database has not taken yet."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def is_ahead() -> bool:
    """Say whether the database has taken steps that this release does not know."""
    loader = MigrationLoader(connection)
    return bool(set(loader.applied_migrations) - set(loader.disk_migrations))


def models_at(steps: Sequence[str]) -> list[type[models.Model]]:
    """Return the models whose rows are kept, as they were after these steps."""
    state = MigrationLoader(None).project_state(_last(steps))
    return [
        model
        for model in state.apps.get_models(include_auto_created=True)
        if model._meta.app_label == _APP and model._meta.model_name not in _PASSING  # noqa: SLF001  # Django's way
    ]


def take(steps: Sequence[str]) -> None:
    """Make the tables as they were after these steps, in an empty database."""
    MigrationExecutor(connection).migrate(_last(steps))


def _last(steps: Sequence[str]) -> list[tuple[str, str]]:
    """Pick the steps that no other of them builds upon."""
    graph = MigrationLoader(None).graph  # no database is asked, nor made by asking
    nodes = [(_APP, step) for step in steps]
    if not nodes or not set(nodes) <= set(graph.nodes):
        raise SettingError("The backup was made by a newer release. Install that one.")
    within = set(nodes)
    return [
        node
        for node in nodes
        if not any(child.key in within for child in graph.node_map[node].children)
    ]
