"""Pages are drawn from typed page objects, so no function gives them a dict of anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.template import engines
from django.test import RequestFactory

import mindfirl.web
from mindfirl.web.http.pages import page

WEB = Path(mindfirl.web.__file__).parent
DICT_OF_ANYTHING = re.compile(r"\b(dict|Mapping)\[str, (Any|object)\]")
ALLOWED = {
    "http/pages.py names_of_fields": "here page objects become the names of a template",
    "http/logs.py _figures": "a record of the log",
    "http/logs.py _event": "a record of the log",
    "http/logs.py _exceptions": "a record of the log",
    "accounts/forms.py clean": "what Django's forms return",
    "accounts/forms.py _same": "what Django's forms return",
    "columns/stopped_imports.py accepted_columns": "the parameters of a job",
    "data/views.py clean": "what Django's forms return",
    "http/bridge.py begin": "a message of the event loop",
    "http/bridge.py received": "a message of the event loop",
    "pairs/threshold_views.py clean": "what Django's forms return",
    "plan/forms.py initial": "what Django's forms start with",
    "release/findings_page.py _offered": "the choices of a form's field, by their values",
}


@dataclass(frozen=True, slots=True)
class Count:
    pairs: int
    people: int = 2


def functions_that_return_dicts_of_anything() -> Iterator[str]:
    for path in sorted(WEB.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and node.returns
                and DICT_OF_ANYTHING.search(ast.unparse(node.returns))
            ):
                yield f"{path.relative_to(WEB).as_posix()} {node.name}"


def test_no_function_returns_a_dict_of_anything_for_a_page() -> None:
    assert {*functions_that_return_dicts_of_anything()} == {*ALLOWED}


def test_a_page_has_the_fields_of_its_parts_as_names(monkeypatch: pytest.MonkeyPatch) -> None:
    template = engines["django"].from_string("{{ pairs }} pairs, {{ people }} people, {{ next }}")
    monkeypatch.setattr("django.template.loader.get_template", lambda *_given, **_named: template)
    answer = page(RequestFactory().get("/"), "any.html", Count(pairs=7), None, next="plan")
    assert answer.content == b"7 pairs, 2 people, plan"


def test_no_name_of_a_page_is_given_twice() -> None:
    request = RequestFactory().get("/")
    with pytest.raises(TypeError, match="pairs"):
        page(request, "any.html", Count(7), Count(8))
    with pytest.raises(TypeError, match="pairs"):
        page(request, "any.html", Count(7), pairs=8)
