"""MINDFIRL: minimum necessary disclosure for interactive record linkage."""

from mindfirl.core.errors import MindfirlError
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.library import Population, compare, kapr

__all__ = ["Attribute", "MindfirlError", "Population", "Schema", "compare", "kapr"]
