"""Upkeep: the installation, its health, backups."""

from mindfirl.services.upkeep.health import (
    Problem,
    examine,
    examine_machine,
    rotate_keys,
    tidy,
)

__all__ = [
    "Problem",
    "examine",
    "examine_machine",
    "rotate_keys",
    "tidy",
]
