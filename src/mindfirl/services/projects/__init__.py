"""Projects: created, described, joined, closed."""

from mindfirl.services.projects.setup import (
    ProjectChanges,
    add_member,
    all_projects,
    change_project,
    create_project,
    describe,
    project_named,
    remove_member,
)

__all__ = [
    "ProjectChanges",
    "add_member",
    "all_projects",
    "change_project",
    "create_project",
    "describe",
    "project_named",
    "remove_member",
]
