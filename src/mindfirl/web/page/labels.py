"""Names of attributes as people read them: "First name" for ``first_name``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from django import template
from django.utils.translation import gettext as _

from mindfirl.engine.scoring.keys import PARTS

register: Final = template.Library()
_BETWEEN: Final = re.compile(r"[_\s]+|(?<=[a-z])(?=[A-Z])")
_CAPITALS: Final = frozenset({"ssn", "zip", "id", "nhs", "gp", "dob", "ssnr", "plz"})


_PARTS: Final = frozenset(part.name for parts in PARTS.values() for part in parts)


def and_list(names: Sequence[str]) -> str:
    """Join names for a sentence: ``a, b and c``."""
    *front, last = names
    return _("%(one)s and %(other)s") % {"one": ", ".join(front), "other": last} if front else last


@register.filter
@lru_cache(maxsize=1_000)
def label(name: str) -> str:
    """Write the name of an attribute as words; a name that is none is left as it is."""
    words = [word for word in _BETWEEN.split(name) if word]
    shown = [word.upper() if word.lower() in _CAPITALS else word for word in words]
    text = " ".join([*shown[:1], *(each if each.isupper() else each.lower() for each in shown[1:])])
    return text[:1].upper() + text[1:] or name


@register.filter
def key_label(name: str) -> str:
    """Write the name of a blocking key, an attribute or a part of one, as people read it."""
    part, of, attribute = name.partition(" of ")
    return f"{part} of {label(attribute)}" if of and part in _PARTS else label(name)
