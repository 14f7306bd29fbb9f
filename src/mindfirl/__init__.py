"""MINDFIRL: minimum necessary disclosure for interactive record linkage.

What the library offers is imported when it is used: commands and child processes start without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindfirl.core.errors import MindfirlError
    from mindfirl.core.values.schema import Attribute, Schema
    from mindfirl.library import Population, compare, kapr

__all__ = ["Attribute", "MindfirlError", "Population", "Schema", "compare", "kapr"]


def __getattr__(name: str) -> object:
    for module in ("library", "core.values.schema", "core.errors") if name in __all__ else ():
        if hasattr(found := import_module(f"mindfirl.{module}"), name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
