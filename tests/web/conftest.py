"""Pages in tests are strict: a template that names what its page does not have fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.template import engines
from django.utils import translation


class _Missing(str):
    """Takes the place of a name that a template does not have."""

    __slots__ = ()

    def __contains__(self, part: object) -> bool:
        return True

    def __mod__(self, name: object) -> str:
        raise AssertionError(f"a template names {name}, and its page does not have it")


@pytest.fixture(autouse=True, scope="session")
def strict_names() -> Iterator[None]:
    engine = engines["django"].engine  # type: ignore[attr-defined]  # of Django's own templates
    before, engine.string_if_invalid = engine.string_if_invalid, _Missing("missing")
    yield
    engine.string_if_invalid = before


@pytest.fixture(autouse=True)
def no_language_is_left() -> Iterator[None]:
    """A request leaves its language to the thread that answered it, here that of the tests."""
    yield
    translation.deactivate()
