"""Upkeep: the installation, its health, backups."""

from mindfirl.services.upkeep.health import (
    Ailment,
    examine,
    examine_machine,
    rotate_keys,
    tidy,
)

__all__ = [
    "Ailment",
    "examine",
    "examine_machine",
    "rotate_keys",
    "tidy",
]
