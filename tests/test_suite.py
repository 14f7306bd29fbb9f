"""The suite itself: what its tests may not do, and that every test runs in exactly one stage."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from tests.conftest import DEPENDS_ON_DATABASE, TESTS
from tests.support.evidence import Run, merge, section
from tests.support.evidence_age import rests_on
from tests.support.order import SLOWEST, slowest_first
from tests.support.parts import PARTS, part_of
from tests.support.stages import Result, summary

MAKEFILE = (TESTS.parent / "Makefile").read_text(encoding="utf-8")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> dict[str, ast.Module]:
    """Read all modules of the tests, when the first test asks."""
    return {
        path.relative_to(TESTS).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(TESTS.rglob("*.py"))
    }


def all_tests() -> Iterator[tuple[str, Function]]:
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, Function) and node.name.startswith("test_"):
                yield module, node


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def test_no_test_asserts_only_if_something_holds() -> None:
    found = [
        f"{module}:{inner.lineno} {test.name}"
        for module, test in all_tests()
        for node in ast.walk(test)
        if isinstance(node, ast.If)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Assert)
    ]
    assert found == []


def test_nothing_is_skipped_or_expected_to_fail_without_a_reason() -> None:
    found = [
        f"{module}:{call.lineno}"
        for module, tree in modules().items()
        for name, call in calls(tree)
        if re.search(r"\b(skip|skipif|xfail|importorskip)$", name)
        and "reason" not in {each.arg for each in call.keywords}
    ]
    bare = [
        f"{module}:{node.lineno}"
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
        and any(ast.unparse(each).endswith((".skip", ".xfail")) for each in node.decorator_list)
    ]
    assert found + bare == []


def test_no_example_has_a_deadline_and_no_assertion_reads_a_clock() -> None:
    deadlines = [
        f"{module}:{call.lineno}"
        for module, tree in modules().items()
        for _, call in calls(tree)
        for each in call.keywords
        if each.arg == "deadline" and ast.unparse(each.value) != "None"
    ]
    clocks = [
        f"{module}:{node.lineno}"
        for module, test in all_tests()
        for node in ast.walk(test)
        if isinstance(node, ast.Assert)
        and re.search(r"\b(perf_counter|monotonic|time\.time)\(", ast.unparse(node))
    ]
    assert deadlines + clocks == []


def expressions() -> dict[str, str]:
    """The tests of each stage, as the Makefile selects them."""
    stages = re.findall(r"^(\w+): .*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    return {
        stage: found[1]
        for stage, recipe in stages
        if (found := re.search(r"-m '([^']+)'", recipe)) and "PARALLEL" in recipe
    }


@pytest.mark.parametrize("stage", ["core", "sqlite", "spark", "browser"])
def test_a_stage_selects_tests(stage: str) -> None:
    assert expressions()[stage]


def test_every_test_runs_in_one_stage_or_in_a_part_of_the_proofs() -> None:
    names = ("core", "proof", "full", "spark", "browser")
    chosen = [each for stage, each in expressions().items() if stage != "postgresql"]
    for values in product([False, True], repeat=len(names)):
        marks = dict(zip(names, values, strict=True))
        possible = (marks["proof"] or not marks["full"]) and (
            marks["core"] + marks["spark"] + marks["browser"] < 2
        )
        times = sum(bool(eval(each, {}, marks)) for each in chosen)  # noqa: S307  # the Makefile's
        assert not possible or times == (0 if marks["full"] else 1), marks


def places_of(variable: str) -> tuple[str, ...]:
    """Where a stage looks for its tests, as the Makefile says."""
    listed = re.search(rf"^{variable} := (.*)$", MAKEFILE, re.MULTILINE)
    assert listed
    return tuple(each.removeprefix("tests/") for each in listed[1].split())


def test_a_stage_looks_wherever_its_tests_are() -> None:
    on_spark = {
        module
        for module, test in all_tests()
        for each in test.decorator_list
        if ast.unparse(each) == "pytest.mark.spark"
    }
    assert on_spark == set(places_of("SPARK_TESTS"))
    on_both = places_of("DATABASE_TESTS")
    assert [each for each in DEPENDS_ON_DATABASE if not each.startswith(on_both)] == []


def test_the_parts_are_those_of_the_makefile() -> None:
    listed = re.search(r"^PARTS := ((?:.*\\\n)*.*)\n", MAKEFILE, re.MULTILINE)
    assert listed
    assert listed[1].replace("\\", "").split() == list(PARTS)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 5, 12])
def test_each_worker_begins_with_some_of_the_slowest_tests(workers: int, size: int) -> None:
    names = [f"{letter}/test.py" for letter in "abcdefghijkl"[:size]]
    order = slowest_first(names, workers, ("k/", "z/", "b/", "e/", "a/"))
    assert sorted(order) == list(range(size))
    others = [each for each in order if names[each][0] not in "kbea"]
    assert others == sorted(others), "the rest stays as it was"


def test_the_slowest_tests_are_dealt_out_in_turn_and_come_first_in_each_share() -> None:
    names = [f"{letter}/test.py" for letter in "abbcdefghi"]
    order = slowest_first(names, 2, ("i/", "b/", "z/", "d/"))
    assert "".join(names[each][0] for each in order) == "idacebbfgh"


def test_tests_that_commit_are_not_among_those_that_come_first() -> None:
    commit = {
        module
        for module, tree in modules().items()
        for name, call in calls(tree)
        if name.endswith("django_db") and "transaction" in {each.arg for each in call.keywords}
    }
    assert len(commit) > 3
    assert [module for module in sorted(commit) if module.startswith(SLOWEST)] == []


def test_places_that_are_named_exist() -> None:
    places = {place for places in PARTS.values() for place in places}
    places |= {*DEPENDS_ON_DATABASE, *SLOWEST}
    assert [place for place in sorted(places) if not (TESTS / place).exists()] == []


@pytest.mark.parametrize("postgresql", [False, True])
def test_a_test_belongs_to_the_first_part_that_names_it(postgresql: bool) -> None:  # noqa: FBT001
    before = "postgresql-" if postgresql else ""
    histories = "services/review/test_histories.py"
    assert part_of(histories, postgresql=postgresql) == f"{before}histories"
    assert part_of("services/review/test_race.py", postgresql=postgresql) == f"{before}crashes"


def test_a_summary_names_what_failed_and_counts_all_tests() -> None:
    good, bad = Result("core"), Result("sqlite", status=2, seconds=61)
    good.read("864 passed in 36.14s\n")
    for line in (
        "FAILED tests/test_some.py::test_law - assert 1 == 2\n",
        "\x1b[31m===== 1 failed, 2756 passed, 2 errors in 1778.59s (0:29:38) =====\x1b[0m\n",
    ):
        bad.read(line)
    lines = summary([good, bad])
    assert lines[-1] == "3620 passed, 3 failed"
    assert lines[-2] == "Stages that failed: sqlite"
    assert "FAILED tests/test_some.py::test_law - assert 1 == 2" in lines
    assert any(
        re.match(r"sqlite +FAILED +61 s  2756 passed, 1 failed, 2 error", line) for line in lines
    )


def test_a_part_that_is_run_again_replaces_its_section_alone() -> None:
    first = section(Run("abc", "2026-01-01", 2), {"passed": 3, "figures": ["a | b"]}, 60)
    again = section(Run("def", "2026-01-02", 2), {"passed": 4, "figures": ["one\ntwo"]}, 90)
    text = ""
    for part, content in (("a", first), ("b", first), ("a", again)):
        text = merge(text, part, content, ["a", "b"])
    assert text.count("## ") == 2
    assert "| one<br>two | def | 2026-01-02 | 2 |" in text
    assert "| a \\| b | abc | 2026-01-01 | 2 |" in text
    assert "4 tests passed, in 1.5 minutes" in text


def test_figures_age_by_what_they_rest_on_alone() -> None:
    rule, page = "src/mindfirl/core/risk/kapr.py", "src/mindfirl/web/plan/templates/plan/page.html"
    changed = [rule, page, "docs/plan.md", "tests/cli/stages/test_plan.py"]
    assert rests_on("core-risk", changed) == [rule]
    assert rests_on("histories", changed) == [rule]
    assert rests_on("worlds", changed) == [rule, page]
    assert rests_on("core-risk", ["locks/run.txt", "tests/support/naive.py"]) == [
        "locks/run.txt",
        "tests/support/naive.py",
    ]
